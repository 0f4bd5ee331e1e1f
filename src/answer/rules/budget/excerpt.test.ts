import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeText } from '../../../text/lines.ts'
import { cutExcerpt, withoutOrnaments } from './excerpt.ts'

describe('normalizeText', () => {
  const rows: [string, string][] = [
    ['', ''],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['a\rb', 'a\nb'],
    ['a\r\r\nb', 'a\n\nb'],
    ['\ufeffa', 'a'],
    ['a\ufeffb', 'a\ufeffb'],
  ]
  it.each(rows)('%j is %j', (text, expected) => {
    expect(normalizeText(text)).toBe(expected)
  })
})

describe('cutExcerpt', () => {
  const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'
  const rows: [what: string, text: string, limit: number, expected: string][] = [
    ['all of it', 'abc', 3, 'abc'],
    ['all of nothing', '', 0, ''],
    ['nothing', 'abc', 0, ''],
    ['nothing below zero', 'abc', -5, ''],
    ['nothing for no number', 'abc', Number.NaN, ''],
    ['a fraction counts down', 'abcdef', 2.9, 'ab'],
    ['a line end that is near', 'one two\nthree', 9, 'one two'],
    ['a line that fits exactly', 'one two\nthree', 7, 'one two'],
    ['no line end that is far', 'a\nbcdefghijkl', 10, 'a\nbcdefghi'],
    ['a pair stays whole', 'ab\u{1f600}cd', 3, 'ab'],
    ['a mark stays with its letter', 'cafe\u0301s', 4, 'caf'],
    ['a family stays together', `ab${family}cd`, 7, 'ab'],
    ['a flag stays whole behind others', '\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}x', 6, '\u{1f1e9}\u{1f1ea}'],
    ['a first character that does not fit', `${family}x`, 5, ''],
    ['Hangul jamo stay a syllable', 'a\u1112\u1161\u11abb', 3, 'a'],
  ]
  it.each(rows)('%s', (_, text, limit, expected) => {
    expect(cutExcerpt(text, limit)).toEqual({ excerpt: expected, isTruncated: expected !== text })
  })

  it('splits no pair in a character longer than anybody counts', () => {
    const text = `a${'\u{1f468}\u200d'.repeat(4000)}`
    for (const limit of [9000, 9001, 9002, 9003]) {
      const { excerpt } = cutExcerpt(text, limit)
      expect(Buffer.from(excerpt).toString()).toBe(excerpt)
      expect(excerpt.length).toBeGreaterThan(limit - 2)
    }
  })
})

describe('laws of cutExcerpt', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom(
      '\n',
      '\n\n',
      '\u0301',
      '\u200d',
      '\u{1f1e9}',
      '\u{1f468}\u200d\u{1f469}',
      '\u0600',
      '\u093f',
      '\u1112',
    ),
  )
  const texts = fc.array(piece, { maxLength: 30 }).map((pieces) => normalizeText(pieces.join('')))
  const limits = fc.nat({ max: 200 })

  it('is a beginning within the limit, and says whether it is all', () => {
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        const { excerpt, isTruncated } = cutExcerpt(text, limit)
        expect(excerpt.length).toBeLessThanOrEqual(limit)
        expect(text.startsWith(excerpt)).toBe(true)
        expect(isTruncated).toBe(excerpt !== text)
      }),
      { numRuns: 2000 },
    )
  })

  it('ends where a character ends', () => {
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        const { excerpt } = cutExcerpt(text, limit)
        const starts = [...new Intl.Segmenter('und').segment(text)].map(({ index }) => index)
        expect([...starts, text.length]).toContain(excerpt.length)
      }),
      { numRuns: 2000 },
    )
  })

  it('is never shorter for a larger limit', () => {
    fc.assert(
      fc.property(texts, (text) => {
        let last = 0
        for (let limit = 0; limit <= text.length + 1; limit++) {
          const { length } = cutExcerpt(text, limit).excerpt
          expect(length).toBeGreaterThanOrEqual(last)
          last = length
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is never shorter for a larger limit where characters cannot be told apart', () => {
    const text = `${'\u{1f468}\u200d'.repeat(3000)}ab${'\u{1f1e9}'.repeat(3000)}\n`
    let last = 0
    for (let limit = 3900; limit <= text.length; limit += 1) {
      if (limit === 4300) limit = 8900
      if (limit === 9300) limit = 13_000
      const { length } = cutExcerpt(text, limit).excerpt
      expect(length).toBeGreaterThanOrEqual(last)
      last = length
    }
  })
})

describe('withoutOrnaments', () => {
  const rows: [name: string, text: string, expected: string][] = [
    ['plain text stays', '# Tool\n\nDoes one thing.\n', '# Tool\n\nDoes one thing.\n'],
    [
      'a logo and badges',
      '<div align="center">\n  <img\n    src="a.svg" alt="Tool"\n  />\n</div>\n\n[![npm](https://a/b.svg)](https://a)\n\n# Tool\n\n\nFast.\n',
      '\u2026 line 9\n# Tool\n\nFast.\n',
    ],
    ['a badge in between', '# Tool\n[![CI](a)][ci] [![npm][n]](b)\n\nFast.\n', '# Tool\n\u2026 line 4\nFast.\n'],
    ['words between tags', '<p align="center">\n  A tool <br/>\n</p>\n', '\u2026 line 2\n  A tool <br/>\n'],
    ['definitions of links', 'See [a].\n\n[a]: https://a\n', 'See [a].\n'],
    ['reStructuredText', '.. image:: a.png\n   :target: https://a\n\nTool\n====\n', '\u2026 line 4\nTool\n====\n'],
    ['fences and tables', '```\nrun\n```\n| a |\n|---|\n', '```\nrun\n```\n| a |\n|---|\n'],
    ['code with generics', 'Use `Map<string>` and a < b.\n', 'Use `Map<string>` and a < b.\n'],
    ['nothing but ornaments', '<img src="a">\n', ''],
  ]
  it.each(rows)('%s', (_, text, expected) => {
    expect(withoutOrnaments(text)).toBe(expected)
  })

  it('counts the lines of a part from where it starts', () => {
    expect(withoutOrnaments('## Build\n\nRun it.\n', 40)).toBe('\u2026 line 40\n## Build\n\nRun it.\n')
  })
})
