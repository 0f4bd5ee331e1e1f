import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { clipLine, endOf, fitLine, type Line, mark, plain, span, spread, styled, wrapped, wrapText } from './line.ts'

const read = (line: Line) => line.map(({ text }) => text).join('')
const two: Line = [span('name', 'strong'), span(' rest')]

describe('a span', () => {
  it.each([
    ['a\u001b[31mb', 'a\\u001b[31mb'],
    ['a\tb\nc', 'a b c'],
    ['\u202eabc', '\\u202eabc'],
    ['技能', '技能'],
  ])('%j is harmless', (text, shown) => {
    expect(span(text)).toEqual({ text: shown })
    expect(plain(text)).toEqual([{ text: shown }])
    expect(styled(text, 'good')).toEqual([{ text: shown, style: 'good' }])
  })
})

describe('a line', () => {
  it.each<[columns: number, fitted: string]>([
    [11, 'name rest  '],
    [9, 'name rest'],
    [8, 'name re…'],
    [5, 'name…'],
    [4, 'nam…'],
    [1, '…'],
    [0, ''],
    [-1, ''],
  ])('in %i columns', (columns, fitted) => {
    expect(read(fitLine(two, columns))).toBe(fitted)
    expect(read(clipLine(two, columns))).toBe(fitted.trimEnd())
  })

  it('keeps the styles of what is left', () => {
    expect(fitLine(two, 6)).toEqual([{ text: 'name', style: 'strong' }, { text: ' …' }])
    expect(fitLine(two, 3)).toEqual([{ text: 'na…', style: 'strong' }])
  })

  it('fills the column that half a wide character leaves', () => {
    expect(read(fitLine(plain('技能库'), 4))).toBe('技… ')
  })

  it.each<[columns: number, line: string]>([
    [12, 'left   right'],
    [10, 'left right'],
    [9, 'left     '],
    [3, 'le…'],
  ])('spread over %i columns', (columns, line) => {
    expect(read(spread(plain('left'), plain('right'), columns))).toBe(line)
  })

  it('is marked as a whole', () => {
    expect(mark(two, 'chosen')).toEqual([{ text: 'name rest', style: 'chosen' }])
  })
})

describe('wrapping', () => {
  it.each<[text: string, columns: number, lines: string[]]>([
    ['', 10, []],
    ['  ', 10, []],
    ['one two three', 7, ['one two', 'three']],
    ['one  two\n three', 20, ['one two three']],
    ['supercalifragilistic', 8, ['supercal', 'ifragili', 'stic']],
    ['a supercalifragilistic b', 10, ['a', 'supercalif', 'ragilistic', 'b']],
    ['这是一个没有空格的句子', 8, ['这是一个', '没有空格', '的句子']],
    ['这是', 1, []],
    ['e\u0301e\u0301e\u0301', 2, ['e\u0301e\u0301', 'e\u0301']],
    ['text', 0, []],
    ['text', -4, []],
  ])('%j in %i columns', (text, columns, lines) => {
    expect(wrapText(text, columns)).toEqual(lines)
    expect(wrapped(text, columns, 'faint').map(read)).toEqual(lines)
  })
})

describe('the end of what is typed', () => {
  it.each<[text: string, columns: number, shown: string]>([
    ['release', 7, 'release'],
    ['release', 4, '…ase'],
    ['技能库', 4, '…库'],
    ['release', 1, '…'],
    ['a\u001b', 10, 'a\\u001b'],
  ])('%j in %i columns', (text, columns, shown) => {
    expect(endOf(text, columns)).toBe(shown)
  })
})

it('a mark that joins the character after it does not take a column of the next span', () => {
  const line = fitLine([span('\u{111c2}'), span('a\u0d4e'), span('release')], 5)
  expect(stringWidth(read(line))).toBe(5)
})

it('whatever the texts, a line is as wide as asked and a wrapped one no wider', () => {
  const lines = fc.array(fc.string({ unit: 'grapheme' }).map((text) => span(`${text} `)))
  fc.assert(
    fc.property(lines, fc.nat(30), (line, columns) => {
      expect(stringWidth(read(fitLine(line, columns)))).toBe(columns)
      for (const each of wrapText(read(line), columns)) expect(stringWidth(each)).toBeLessThanOrEqual(columns)
      expect(stringWidth(endOf(read(line), columns + 1))).toBeLessThanOrEqual(columns + 1)
    }),
  )
})
