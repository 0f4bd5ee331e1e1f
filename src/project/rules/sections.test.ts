import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { termsOf } from '../../search/tokens.ts'
import { orderSections } from './portions.ts'
import { countSections, sizeSections, weighSections } from './sections.ts'

const terms = [{ term: 'origin', word: 'origin', weight: 3 }]

describe('sections', () => {
  it('give the file back when they are joined', () => {
    const line = fc.constantFrom('def a():', '  x = 1', '', '# note', 'class B:', '-----BEGIN RSA PRIVATE KEY-----')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 200 }), (lines) => {
        const text = lines.map((each) => `${each}\n`).join('')
        const sections = weighSections(sizeSections('a.py', text), terms)
        expect(sections.map((section) => section.text).join('')).toBe(text)
        sections.forEach(({ start, end, text: own }, at) => {
          expect(start).toBe((sections[at - 1]?.end ?? 0) + 1)
          expect(own.split('\n').length - 1).toBe(end - start + 1)
        })
      }),
    )
  })

  it('are worth more where the words of the task stand', () => {
    const text = `${'x = 1\n'.repeat(60)}def allow():\n${'  y = 2\n'.repeat(20)}  allowOrigins = 3\n${'  z\n'.repeat(60)}`
    const sections = weighSections(sizeSections('a.py', text), terms)
    const best = sections.reduce((a, b) => (b.score > a.score ? b : a))
    expect(best).toMatchObject({ symbol: 'allow', words: ['origin'] })
  })

  it('never part a private key', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'abc\n'.repeat(100)}-----END PRIVATE KEY-----\n`
    const sections = weighSections(sizeSections('a.txt', `${'a\n'.repeat(50)}${key}${'b\n'.repeat(50)}`), terms)
    expect(sections.filter(({ text }) => text.includes('abc'))).toHaveLength(1)
  })
})

it('are worth the same whether all of their words were counted before or those of the task are looked for', () => {
  const words = [
    'allow',
    'Origins',
    'allowOrigin',
    'app',
    'b',
    '.net',
    'ci/cd',
    'été',
    'origin\u00a0b',
    '中文字',
    'x.origin-y',
  ]
  const word = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 8 }))
  const line = fc.array(fc.tuple(word, fc.constantFrom(' ', '\t', '(', '.', '_', '')), { maxLength: 12 })
  const wanted = fc.uniqueArray(fc.constantFrom(...words.flatMap(termsOf), 'allow', 'cicd', '.net', 'b'))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 120 }), wanted, (lines, asked) => {
      const text = lines.map((each) => `${each.flat().join('')}\n`).join('')
      const sections = sizeSections('a.py', text)
      const some = asked.map((term, at) => ({ term, word: term, weight: at + 1 }))
      expect(weighSections(sections, some, countSections(sections))).toEqual(weighSections(sections, some))
    }),
  )
})

describe('the order of sections', () => {
  const file = (path: string, score: number, sizes: number[]) => ({
    path,
    score,
    sections: sizes.map((size, at) => ({
      start: at + 1,
      end: at + 1,
      text: 'x'.repeat(size),
      score: 1 / (at + 1),
      symbol: undefined,
      words: [],
    })),
  })

  it('begins with the best of each file, and holds each section once', () => {
    const files = [file('a', 1, [900, 900, 900]), file('b', 0.5, [900, 900])]
    const { order, first } = orderSections(files, { mostPerFile: 10_000 })
    expect(order.slice(0, first)).toEqual([
      { file: 0, section: 0 },
      { file: 1, section: 0 },
    ])
    expect(new Set(order.map((each) => JSON.stringify(each))).size).toBe(5)
  })

  it('lets no file have more than a third while others have something to show', () => {
    const files = [
      file('a', 1, Array(20).fill(1000)),
      ...['b', 'c', 'd'].map((name) => file(name, 0.1, Array(20).fill(1000))),
    ]
    const { order } = orderSections(files, { mostPerFile: 100_000 })
    const shown = order.slice(0, 30)
    expect(shown.filter((each) => each.file === 0).length).toBeLessThanOrEqual(10)
  })

  it('shows what stands beside the best rather than the head of a file', () => {
    const whole = file('a', 1, Array(20).fill(1000))
    const sections = whole.sections.map((section, at) => ({ ...section, score: at === 15 ? 1 : 0.1 }))
    const { order } = orderSections([{ ...whole, sections }], { mostPerFile: 3000 })
    expect(order.map(({ section }) => section)).toEqual([15, 14, 16])
  })

  it('stops at what one file may show', () => {
    const { order } = orderSections([file('a', 1, Array(20).fill(1000))], { mostPerFile: 3500 })
    expect(order).toHaveLength(3)
    const small = orderSections([file('a', 1, Array(20).fill(300))], { mostPerFile: 400 })
    expect([small.order.length, small.first]).toEqual([1, 1])
  })
})
