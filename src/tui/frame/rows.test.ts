import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Line, plain } from './line.ts'
import { clamp, furthestScroll, listLines, textPane, windowAround } from './rows.ts'

const draw = (lines: readonly Line[]) => lines.map((line) => line.map(({ text }) => text).join(''))
const items = ['a', 'b', 'c', 'd', 'e']

describe('the rows that are shown', () => {
  it.each<[at: number, count: number, height: number, from: number, to: number]>([
    [0, 5, 3, 0, 3],
    [1, 5, 3, 0, 3],
    [2, 5, 3, 1, 4],
    [4, 5, 3, 2, 5],
    [4, 5, 10, 0, 5],
    [0, 0, 3, 0, 0],
    [3, 5, 1, 3, 4],
    [3, 5, 0, 3, 3],
  ])('cursor %i of %i in %i rows', (at, count, height, from, to) => {
    expect(windowAround(at, count, height)).toEqual({ from, to })
  })

  it('have the cursor among them, and are as many as fit', () => {
    fc.assert(
      fc.property(
        fc.nat(3_000),
        fc.integer({ min: 1, max: 3_000 }),
        fc.integer({ min: 1, max: 80 }),
        (at, count, height) => {
          const cursor = clamp(at, count)
          const { from, to } = windowAround(cursor, count, height)
          expect(from <= cursor && cursor < to).toBe(true)
          expect(to - from).toBe(Math.min(count, height))
        },
      ),
    )
  })
})

it.each<[at: number, count: number, clamped: number]>([
  [-1, 3, 0],
  [2, 3, 2],
  [3, 3, 2],
  [5, 0, 0],
])('%i of %i', (at, count, clamped) => {
  expect(clamp(at, count)).toBe(clamped)
})

describe('a list', () => {
  it.each<[at: number, rows: number, drawn: string[]]>([
    [0, 2, ['▸ a ', '  b ']],
    [4, 2, ['  d ', '▸ e ']],
    [9, 2, ['  d ', '▸ e ']],
    [2, 1, ['▸ c ']],
    [2, 0, []],
  ])('cursor %i in %i rows', (at, rows, drawn) => {
    expect(draw(listLines(items, at, { columns: 4, rows }, plain))).toEqual(drawn)
  })

  it('marks the row under the cursor where it has the focus', () => {
    const chosen = (isFocused: boolean) =>
      listLines(items, 1, { columns: 4, rows: 3 }, plain, isFocused).map(([first]) => first?.style === 'chosen')
    expect(chosen(true)).toEqual([false, true, false])
    expect(chosen(false)).toEqual([false, false, false])
  })
})

describe('a text', () => {
  const lines = items.map(plain)
  it('scrolls until its last line is the last of the pane', () => {
    expect(furthestScroll(lines, { columns: 9, rows: 5 })).toBe(2)
    expect(furthestScroll(lines, { columns: 9, rows: 9 })).toBe(0)
  })

  it.each<[at: number, shown: string]>([
    [0, 'abc'],
    [1, 'bcd'],
    [2, 'cde'],
    [99, 'cde'],
  ])('from line %i', (at, shown) => {
    const drawn = draw(textPane([], lines, at, { columns: 9, rows: 5 }))
    expect(drawn.slice(1, -1).map((line) => line[2])).toEqual([...shown])
  })
})
