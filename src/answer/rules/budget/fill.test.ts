import { describe, expect, it } from 'vitest'
import { candidateOf } from '../candidate.fixture.ts'
import { countCharacters, type Filling, type FillRules, fillEvenly, fillInOrder, wantedSize } from './fit.ts'

const rules: FillRules = {
  measure: countCharacters,
  namedSize: 0,
  maxCharsPerFile: 500,
  overheadOf: () => 10,
  seal: (text: string) => text,
  cut: (text, characters) => text.slice(0, characters),
}

/** Texts by their length; a star for one that may not be cut. */
function candidates(lengths: readonly (number | string)[]) {
  return lengths.map((length, at) =>
    candidateOf(String(at), 'x'.repeat(Number.parseInt(String(length), 10)), { isWhole: String(length).endsWith('*') }),
  )
}

const lengthsOf = ({ placed }: Filling) => placed.map(({ excerpt }) => excerpt.length)

it('candidates want their text as far as a file may go, and what is around it', () => {
  expect(wantedSize(candidates([100, 900, '900*']), rules)).toBe(110 + 510 + 910)
})

describe('in order', () => {
  const rows: [lengths: (number | string)[], space: number, placed: number[]][] = [
    [[], 100, []],
    [[50, 50], 120, [50, 50]],
    [[50, 50], 119, [50, 49]],
    [[50, 50], 70, [50, 0]],
    [[50, 50], 69, [50]],
    [[900], 1000, [500]],
    [['900*'], 1000, [900]],
    // A text that cannot be cut ends the list: a later one would have to go when the space grows.
    [[50, '50*', 5], 119, [50]],
    [[50, '50*', 5], 135, [50, 50, 5]],
    [[50], 9, []],
    [[0], 10, [0]],
  ]
  it.each(rows)('%j in %d: %j', (lengths, space, placed) => {
    const filling = fillInOrder(candidates(lengths), space, rules)
    expect(lengthsOf(filling)).toEqual(placed)
    expect(filling.left).toHaveLength(lengths.length - placed.length)
    expect(filling.used).toBe(placed.reduce((sum, length) => sum + 10 + length, 0))
  })
})

describe('evenly', () => {
  const rows: [lengths: number[], space: number, placed: number[], isShortened: boolean][] = [
    [[400, 400, 50], 880, [400, 400, 50], false],
    [[400, 400, 50], 879, [399, 399, 50], true],
    [[400, 400, 50], 480, [200, 200, 50], true],
    [[400, 400, 50], 400, [160, 160, 50], true],
    // With less space, the last texts go first.
    [[400, 400, 50], 399, [160, 160, 49], true],
    [[400, 400, 50], 349, [160, 160], true],
    [[400, 400, 50], 250, [160, 70], true],
    [[400, 400, 50], 9, [], true],
    [[], 0, [], false],
  ]
  it.each(rows)('%j in %d: %j, shortened: %j', (lengths, space, placed, isShortened) => {
    const filling = fillEvenly(candidates(lengths), space, rules)
    expect(lengthsOf(filling)).toEqual(placed)
    expect(filling.isShortened).toBe(isShortened)
    expect(filling.left).toHaveLength(lengths.length - placed.length)
    expect(filling.used).toBe(placed.reduce((sum, length) => sum + 10 + length, 0))
  })
})

it('a file in sections stays within its limit, with the lines between them', () => {
  const section = (start: number, lines: number) => ({
    start,
    end: start + lines - 1,
    text: 'some text\n'.repeat(lines),
    score: 1,
    reason: '',
    turn: 0,
  })
  const sections = [section(10, 20), section(50, 20), section(90, 20)]
  const text = sections.map((each) => each.text).join('')
  const { placed } = fillInOrder([candidateOf('a', text, { sections })], 10_000, rules)
  expect(placed[0]!.excerpt.length).toBeLessThanOrEqual(500)
  expect(placed[0]!.sections?.map(({ start, end }) => [start, end])).toEqual([
    [10, 29],
    [50, 69],
    [90, 96],
  ])
  const tiny = fillInOrder([candidateOf('a', text, { sections })], 10_000, { ...rules, maxCharsPerFile: 5 })
  expect(lengthsOf(tiny)).toEqual([0])
})
