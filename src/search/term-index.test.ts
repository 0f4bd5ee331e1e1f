import { expect, test } from 'vitest'
import { type DocumentRecord, SlotTable } from './term-index.ts'

function record(id: string, name: string, ...redirects: string[]): DocumentRecord {
  return {
    id,
    name,
    tokens: 0,
    negatives: [],
    redirects: redirects.map((to) => ({ to: to.replace('!', ''), isDenied: to.endsWith('!') })),
  }
}

test('a topic goes to the document it names, once that is there', () => {
  const slots = new SlotTable()
  const bread = slots.add(record('bread', 'bread', 'cake', 'soup!'))
  expect(slots.targets).toEqual([bread, bread, -1])
  const cake = slots.add(record('cake', 'cake'))
  const soup = slots.add(record('soup', 'soup'))
  expect(slots.targets).toEqual([bread, cake, soup, cake, soup])
  expect(slots.inbound(cake)).toEqual([bread + 1])
  slots.remove('cake')
  expect(slots.targets).toEqual([bread, bread, soup, -1, soup])
})

test('of two documents with one name the one in the same folder is meant, else the first by id', () => {
  const slots = new SlotTable()
  const far = slots.add(record('a/cake', 'cake'))
  const near = slots.add(record('z/cake', 'cake'))
  const giver = slots.add(record('z/bread', 'bread', 'cake'))
  const stranger = slots.add(record('q/pie', 'pie', 'cake'))
  expect(slots.targets[giver + 1]).toBe(near)
  expect(slots.targets[stranger + 1]).toBe(far)
})

test('a removed document is gone from every list', () => {
  const slots = new SlotTable()
  slots.add(record('a', 'one', 'two!'))
  expect([slots.remove('a'), slots.remove('a'), slots.size, slots.targets]).toEqual([true, false, 0, [-1, -1]])
})
