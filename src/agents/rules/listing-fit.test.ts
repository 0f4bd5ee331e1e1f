import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitListing, type ListingLine } from './visibility.ts'

const line = (name: string, description: number, more: Partial<ListingLine> = {}): ListingLine => ({
  name,
  description: 'd'.repeat(description),
  path: `r0/${name}/SKILL.md`,
  usage: 0,
  isKept: false,
  isNameOnly: false,
  ...more,
})

/** How each line is shown, and its cost. */
const shown = (lines: ListingLine[], budget: number, overflow: 'drop' | 'shorten' | 'name') =>
  fitListing(lines, budget, { overflow, unit: 'columns' }).map(({ shown: how, left, cost }) => `${how} ${left} ${cost}`)

describe('a list that drops descriptions', () => {
  // `- ab: ` and ten letters are 16 columns; each line but the first has a line end before it.
  const rows: [why: string, lines: ListingLine[], budget: number, expected: string[]][] = [
    ['all fit exactly', [line('ab', 10), line('cd', 10)], 33, ['whole 10 16', 'whole 10 17']],
    ['one column too few', [line('ab', 10), line('cd', 10)], 32, ['whole 10 16', 'name 0 5']],
    ['what was used goes last', [line('ab', 10), line('cd', 10, { usage: 1 })], 32, ['name 0 4', 'whole 10 17']],
    ['a shorter one behind one that does not fit', [line('ab', 90), line('cd', 10)], 40, ['name 0 4', 'whole 10 17']],
    [
      'what is kept is never shortened',
      [line('ab', 10), line('cd', 90, { isKept: true })],
      40,
      ['name 0 4', 'whole 90 97'],
    ],
    ['only a name is wanted', [line('ab', 10, { isNameOnly: true }), line('cd', 10)], 99, ['name 0 4', 'whole 10 17']],
    ['a line known by its size', [line('ab', 0, { columns: 50 }), line('cd', 10)], 99, ['whole 0 50', 'whole 10 17']],
    ['wide letters count twice', [{ ...line('ab', 0), description: '漢字' }], 99, ['whole 2 10']],
    ['not even the names fit', [line('ab', 10), line('cd', 10)], 3, ['name 0 4', 'name 0 5']],
    ['nothing at all', [], 10, []],
  ]
  it.each(rows)('%s', (_, lines, budget, expected) => {
    expect(shown(lines, budget, 'drop')).toEqual(expected)
  })
})

describe('a list that shortens descriptions', () => {
  // `- ab: (file: r0/ab/SKILL.md)` with its line end is 29 bytes, 8 tokens; a blank precedes a description.
  const rows: [why: string, lines: ListingLine[], budget: number, expected: string[]][] = [
    ['all fit exactly', [line('ab', 10), line('cd', 10)], 20, ['whole 10 10', 'whole 10 10']],
    ['each gives up as much', [line('ab', 10), line('cd', 10)], 18, ['part 6 9', 'part 6 9']],
    ['what a short one leaves goes to the others', [line('ab', 1), line('cd', 10)], 18, ['whole 1 8', 'whole 10 10']],
    ['the first get one more', [line('ab', 10), line('cd', 10)], 19, ['whole 10 10', 'part 6 9']],
    ['only names', [line('ab', 10), line('cd', 10)], 16, ['part 2 8', 'part 2 8']],
    ['the last go', [line('ab', 10), line('cd', 10)], 15, ['name 0 8', 'none 0 0']],
    ['letters of several bytes', [{ ...line('ab', 0), description: '漢字'.repeat(5) }], 15, ['whole 10 15']],
    ['nothing at all', [], 10, []],
  ]
  it.each(rows)('%s', (_, lines, budget, expected) => {
    expect(shown(lines, budget, 'shorten')).toEqual(expected)
  })
})

describe('a list that names what does not fit', () => {
  // The element is as long as the name, the description and the path.
  const rows: [why: string, lines: ListingLine[], budget: number, expected: string[]][] = [
    ['all fit exactly', [line('ab', 10), line('cd', 10)], 52, ['whole 10 26', 'whole 10 26']],
    [
      'a shorter one behind is named too',
      [line('ab', 10), line('cd', 90), line('e', 1)],
      60,
      ['whole 10 26', 'name 0 0', 'name 0 0'],
    ],
    ['escaped characters count', [line('ab', 1, { written: '&lt;' })], 19, ['name 0 0']],
    ['nothing at all', [], 10, []],
  ]
  it.each(rows)('%s', (_, lines, budget, expected) => {
    expect(shown(lines, budget, 'name')).toEqual(expected)
  })
})

it('never exceeds the budget, unless the names alone do', () => {
  const lines = fc.array(
    fc.record({ name: fc.string({ minLength: 1, maxLength: 8 }), letters: fc.nat(60), usage: fc.nat(3) }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(
      lines,
      fc.nat(600),
      fc.constantFrom('drop' as const, 'shorten' as const, 'name' as const),
      (drawn, budget, overflow) => {
        const all = drawn.map(({ name, letters, usage }) => line(name, letters, { usage }))
        const fitted = fitListing(all, budget, { overflow, unit: 'columns' })
        const used = fitted.reduce((total, { cost }) => total + cost, 0)
        const isBare = fitted.every(({ shown: how }) => how !== 'part' && (how !== 'whole' || overflow === 'drop'))
        expect(
          used <= budget || (isBare && fitted.every(({ left }, at) => left === 0 || drawn[at]?.letters === 0)),
        ).toBe(true)
      },
    ),
  )
})
