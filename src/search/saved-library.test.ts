import { expect, test } from 'vitest'
import type { DocumentRecord } from './document.ts'
import { targetsOf } from './saved-library.ts'

/** Records by id, one slot for each and one for each of its redirects. */
function targets(...records: readonly [id: string, name: string, ...redirects: string[]][]): number[] {
  let slots = 0
  const placed = records.map(([id, name, ...redirects]) => {
    const given = redirects.map((to) => ({ to: to.replace('!', ''), isDenied: to.endsWith('!') }))
    const record: DocumentRecord = { id, name, tokens: 0, negatives: [], redirects: given }
    const slot = slots
    slots += 1 + redirects.length
    return { record, slot }
  })
  return [...targetsOf(placed, slots)]
}

test('a topic goes to the document it names, else it stays, unless its document refuses it', () => {
  expect(targets(['bread', 'bread', 'cake', 'soup!'])).toEqual([0, 0, -1])
  expect(targets(['bread', 'bread', 'cake', 'soup!'], ['cake', 'Cake'], ['soup', 'soup'])).toEqual([0, 3, 4, 3, 4])
  expect(targets(['bread', 'bread', 'cake', 'soup!'], ['soup', 'soup'])).toEqual([0, 0, 3, 3])
})

test('of two documents with one name the one in the same folder is meant, else the first by id', () => {
  expect(
    targets(['a/cake', 'cake'], ['q/pie', 'pie', 'cake'], ['z/bread', 'bread', 'cake'], ['z/cake', 'cake']),
  ).toEqual([0, 1, 0, 3, 5, 5])
})
