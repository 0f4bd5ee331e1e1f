import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchLines } from './line-diff.ts'
import { findMarker, isConflicted, mergeTexts, writeMerge } from './merge.ts'

const SIDES = { ours: 'library', theirs: 'source' }

function merged(base: string, ours: string, theirs: string): string {
  return writeMerge(mergeTexts(base, ours, theirs), SIDES)
}

describe('mergeTexts', () => {
  const rows: [what: string, base: string, ours: string, theirs: string, result: string][] = [
    ['changes in different places', 'a\nb\nc\nd\ne\n', 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\n', 'A\nb\nc\nd\nE\n'],
    ['the same change', 'a\nb\n', 'a\nX\n', 'a\nX\n', 'a\nX\n'],
    ['the same change beside another', 'a\nb\nc\nd\n', 'a\nX\nc\nd\n', 'a\nX\nc\nD\n', 'a\nX\nc\nD\n'],
    ['added at both ends', 'm\n', 'a\nm\n', 'm\nz\n', 'a\nm\nz\n'],
    ['removed and added', 'a\nb\nc\nd\n', 'a\nc\nd\n', 'a\nb\nc\nd\ne\n', 'a\nc\nd\ne\n'],
    ['no newline at the end, ours', 'a\nb\nc', 'a\nb\nc', 'A\nb\nc', 'A\nb\nc'],
    ['a newline added at the end', 'a\nb\nc', 'a\nb\nc\n', 'A\nb\nc', 'A\nb\nc\n'],
    ['a newline removed at the end', 'a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nc', 'A\nb\nc'],
    ['line ends changed by one side', 'a\nb\nc\n', 'a\r\nb\r\nc\r\n', 'a\nb\nC\n', 'a\r\nb\r\nC\r\n'],
    ['line ends changed back', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n', 'a\nb\nc\n', 'a\nB\nc\n'],
    ['windows line ends on all sides', 'a\r\nb\r\nc\r\n', 'A\r\nb\r\nc\r\n', 'a\r\nb\r\nC\r\n', 'A\r\nb\r\nC\r\n'],
    ['emptied on one side', 'a\n', '', 'a\n', ''],
    ['from nothing, the same', '', 'x\n', 'x\n', 'x\n'],
  ]
  it.each(rows)('%s', (_, base, ours, theirs, result) => {
    expect(merged(base, ours, theirs)).toBe(result)
    expect(merged(base, theirs, ours)).toBe(result)
  })

  it('shows both versions of a conflict, and what both had before', () => {
    expect(merged('a\nb\nc\n', 'a\nX\nc\n', 'a\nY\nc\n')).toBe(
      'a\n<<<<<<< library\nX\n||||||| before both\nb\n=======\nY\n>>>>>>> source\nc\n',
    )
  })

  it('puts a marker on a line of its own where a version has no newline at its end', () => {
    expect(merged('a', 'b', 'c')).toBe('<<<<<<< library\nb\n||||||| before both\na\n=======\nc\n>>>>>>> source\n')
  })

  it('calls a change and a removal of the same line a conflict', () => {
    expect(isConflicted(mergeTexts('a\nb\nc\n', 'a\nc\n', 'a\nB\nc\n'))).toBe(true)
  })
})

describe('findMarker', () => {
  it.each([
    ['a\n<<<<<<< library\n', 2],
    ['>>>>>>> source', 1],
    ['||||||| before both\n', 1],
    ['Title\n=======\n', undefined],
    ['a <<<<<<< b\n', undefined],
  ])('%j', (text, line) => expect(findMarker(text)).toBe(line))
})

const line = fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n', 'a\r\n', 'e', '')
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(''))

describe('for any texts', () => {
  it('one side without changes gives the other side', () => {
    fc.assert(
      fc.property(text, text, (base, side) => {
        expect(merged(base, side, base)).toBe(side)
        expect(merged(base, base, side)).toBe(side)
        expect(merged(base, side, side)).toBe(side)
      }),
    )
  })

  it('conflicts are the same from both sides', () => {
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        const turned = mergeTexts(base, theirs, ours).map((chunk) =>
          chunk.kind === 'merged' ? chunk : { ...chunk, ours: chunk.theirs, theirs: chunk.ours },
        )
        expect(turned).toEqual(mergeTexts(base, ours, theirs))
      }),
    )
  })

  it('loses no line that a side added, and keeps no line that both removed', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 10 })
    fc.assert(
      fc.property(lines, lines, lines, (base, ours, theirs) => {
        const joined = (side: string[]) => side.map((each) => `${each}\n`).join('')
        const chunks = mergeTexts(joined(base), joined(ours), joined(theirs))
        const [added, gone] = [countOf(ours).map((n, at) => n - countOf(base)[at]!), countOf(base)]
        const shown = countOf(
          chunks.flatMap((chunk) => (chunk.kind === 'merged' ? chunk.text : chunk.ours + chunk.theirs).split('\n')),
        )
        for (const [at, more] of added.entries()) if (more > 0) expect(shown[at]).toBeGreaterThanOrEqual(1)
        for (const [at, of] of gone.entries()) {
          if (of > 0 && countOf(ours)[at] === 0 && countOf(theirs)[at] === 0) expect(shown[at]).toBe(0)
        }
      }),
    )
  })
})

function countOf(lines: readonly string[]): number[] {
  return ['a', 'b', 'c', 'd', 'e'].map((each) => lines.filter((line) => line === each).length)
}

describe('matchLines', () => {
  it('matches equal lines, in order, and as many as possible', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 10 })
    fc.assert(
      fc.property(lines, lines, (from, to) => {
        const pairs = [...matchLines(from, to)].flatMap((partner, at) => (partner < 0 ? [] : [[at, partner] as const]))
        for (const [at, partner] of pairs) expect(from[at]).toBe(to[partner])
        expect(pairs.every(([, partner], at) => at === 0 || partner > pairs[at - 1]![1])).toBe(true)
        expect(pairs.length).toBe(longest(from, to))
      }),
    )
  })
})

function longest(a: readonly string[], b: readonly string[]): number {
  const [first, ...rest] = a
  if (first === undefined || b.length === 0) return 0
  const at = b.indexOf(first)
  const without = longest(rest, b)
  return at < 0 ? without : Math.max(without, 1 + longest(rest, b.slice(at + 1)))
}
