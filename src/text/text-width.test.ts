import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { clip, graphemes, textWidth } from './text-width.ts'

const TEXTS: [what: string, text: string, characters: number, columns: number][] = [
  ['nothing', '', 0, 0],
  ['ASCII', 'release notes', 13, 13],
  ['accents', 'naïve', 5, 5],
  ['accents in two code points', 'nai\u0308ve', 5, 5],
  ['a stack of marks', `a${'\u0301'.repeat(50)}`, 1, 1],
  ['a mark alone', '\u0301', 1, 0],
  ['Chinese', '技能', 2, 4],
  ['fullwidth letters', 'ＡＢ', 2, 4],
  ['halfwidth kana with a voiced mark', 'ｶﾞ', 1, 2],
  ['Hangul', '한글', 2, 4],
  ['Hangul in pieces', '\u1112\u1161\u11ab', 1, 2],
  ['Devanagari with a vowel sign', 'कि', 1, 2],
  ['Arabic', 'مهارة', 5, 5],
  ['an emoji', '🚀', 1, 2],
  ['a family', '👨‍👩‍👧‍👦', 1, 2],
  ['a skin tone', '👍🏽', 1, 2],
  ['a sign with a skin tone', '☝🏽', 1, 2],
  ['a flag', '🇩🇪', 1, 2],
  ['half a flag', '🇩', 1, 1],
  ['a keycap', '1️⃣', 1, 2],
  ['a sign shown as emoji', '☀️', 1, 2],
  ['the same as text', '☀', 1, 1],
  ['a letter that asks to be an emoji', 'a\ufe0f', 1, 1],
  ['joiners and marks of direction', '\u200b\u200d\ufeff', 3, 0],
  ['a soft hyphen', 'a\u00adb', 2, 2],
  ['box drawing', '╭─╮', 3, 3],
]

describe('a text in a terminal', () => {
  it.each(TEXTS)('%s', (_, text, characters, columns) => {
    expect(textWidth(text)).toBe(columns)
    expect(stringWidth(text)).toBe(columns)
    if (characters > 0) expect(graphemes(text).join('')).toBe(text)
  })

  it.each(TEXTS.filter(([what]) => what !== 'joiners and marks of direction' && what !== 'a soft hyphen'))(
    'characters of %s',
    (_, text, characters) => {
      expect(graphemes(text)).toHaveLength(characters)
    },
  )

  it('every assigned character is as wide as another measure says', () => {
    const different: string[] = []
    // Of the great blocks of one kind a sample will do.
    const isSampled = (point: number) => (point > 0x3500 && point < 0xd700) || point > 0x20000
    for (let point = 0x20; point < 0x32000; point += isSampled(point) ? 97 : 1) {
      const character = String.fromCodePoint(point)
      if (/\p{Cc}|\p{Cn}|\p{Co}|\p{Cs}/u.test(character)) continue
      if (textWidth(character) !== stringWidth(character)) different.push(point.toString(16))
    }
    expect(different).toEqual([])
  })

  const texts = fc.array(fc.oneof(fc.constantFrom(...TEXTS.map(([, text]) => text)), fc.string({ unit: 'grapheme' })))

  it('is as wide as another measure says, whatever stands beside what', () => {
    fc.assert(
      fc.property(texts, (pieces) => {
        const text = pieces.join(' ')
        expect(textWidth(text)).toBe(stringWidth(text))
      }),
    )
  })

  it('is cut into characters alike, however long it is', () => {
    const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 300 }), (pieces, times) => {
        const text = `${pieces.join('ab')}ab`.repeat(times).slice(0, 3_000)
        expect(graphemes(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment))
      }),
      { numRuns: 50 },
    )
  })

  it('is twice the number of its wide characters, however long it is', () => {
    expect(textWidth('界'.repeat(600_000))).toBe(1_200_000)
  })
})

describe('a clipped text', () => {
  const rows: [text: string, columns: number, clipped: string][] = [
    ['release', 7, 'release'],
    ['release', 6, 'relea…'],
    ['release', 1, '…'],
    ['release', 0, ''],
    ['release', -3, ''],
    ['技能库', 6, '技能库'],
    ['技能库', 5, '技能…'],
    ['技能库', 4, '技…'],
    ['👨‍👩‍👧‍👦 family', 4, '👨‍👩‍👧‍👦 …'],
    ['e\u0301te\u0301', 2, 'e\u0301…'],
  ]
  it.each(rows)('%s in %i columns', (text, columns, clipped) => {
    expect(clip(text, columns)).toBe(clipped)
  })

  it('never takes more columns than it was given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: -2, max: 40 }), (text, columns) => {
        expect(stringWidth(clip(text, columns))).toBeLessThanOrEqual(Math.max(0, columns))
      }),
    )
  })
})
