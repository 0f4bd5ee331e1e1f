import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { termsOf } from '../../search/tokens.ts'
import { orderSections } from './portions.ts'
import { countSections, sizeSections, WantedWords } from './sections.ts'

const terms = [{ term: 'origin', word: 'origin', weight: 3 }]

describe('sections', () => {
  it('give the file back when they are joined', () => {
    const line = fc.constantFrom('def a():', '  x = 1', '', '# note', 'class B:', '-----BEGIN RSA PRIVATE KEY-----')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 200 }), (lines) => {
        const text = lines.map((each) => `${each}\n`).join('')
        const sections = new WantedWords(terms).weigh(sizeSections('a.py', text))
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
    const sections = new WantedWords(terms).weigh(sizeSections('a.py', text))
    const best = sections.reduce((a, b) => (b.score > a.score ? b : a))
    expect(best).toMatchObject({ symbol: 'allow', words: ['origin'] })
  })

  it('never part a private key', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'abc\n'.repeat(100)}-----END PRIVATE KEY-----\n`
    const sections = new WantedWords(terms).weigh(sizeSections('a.txt', `${'a\n'.repeat(50)}${key}${'b\n'.repeat(50)}`))
    expect(sections.filter(({ text }) => text.includes('abc'))).toHaveLength(1)
  })
})

it('sections are worth the same whether all of their words were counted before or those of the task are looked for', () => {
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
      expect(new WantedWords(some).weigh(sections, countSections(sections))).toEqual(
        new WantedWords(some).weigh(sections),
      )
    }),
  )
})

describe('the order of sections', () => {
  const file = (probability: number, sizes: number[], head?: number) => ({
    probability,
    sections: sizes.map((size, at) => ({
      start: at + 1,
      end: at + 1,
      text: 'x'.repeat(size),
      score: 1 / (at + 1),
      symbol: undefined,
      words: [],
      head: at === head ? undefined : head,
    })),
  })
  const shown = (files: Parameters<typeof orderSections>[0], mostPerFile = 10_000) =>
    orderSections(files, { mostPerFile }).order.map(({ file, section }) => `${file}.${section}`)

  it('begins with the best of each file, and goes on by how likely a section is needed', () => {
    const files = [file(0.9, [900, 900, 900]), file(0.5, [900, 900])]
    expect(orderSections(files, { mostPerFile: 10_000 }).first).toBe(2)
    expect(shown(files)).toEqual(['0.0', '1.0', '0.1', '0.2', '1.1'])
  })

  it('stops when nothing is likely, however much room there is', () => {
    expect(shown([file(0.9, Array(20).fill(900)), file(0.06, Array(20).fill(900))])).toHaveLength(12)
    const all = orderSections([file(0.06, Array(20).fill(900))], { mostPerFile: 100_000, isUnrestricted: true })
    expect(all.order).toHaveLength(20)
  })

  it('shows a definition whole when it fits, else its signature and the part that matters', () => {
    const best = (sizes: number[]) => {
      const whole = file(0.1, sizes, 0)
      return [{ ...whole, sections: whole.sections.map((each, at) => ({ ...each, score: at === 2 ? 1 : 0.1 })) }]
    }
    expect(shown(best([100, 600, 600, 100]))).toEqual(['0.0', '0.1', '0.2', '0.3'])
    expect(shown(best([100, 900, 900, 900]))).toEqual(['0.0', '0.2'])
  })

  it('shows what stands beside the best rather than the head of a file', () => {
    const whole = file(0.9, Array(20).fill(1000))
    const sections = whole.sections.map((section, at) => ({ ...section, score: at === 15 ? 1 : 0.1 }))
    expect(shown([{ ...whole, sections }], 3000)).toEqual(['0.15', '0.14', '0.16'])
  })

  it('stops at what one file may show, and shows something of each', () => {
    expect(shown([file(1, Array(20).fill(1000))], 3500)).toHaveLength(3)
    expect(shown([file(1, Array(20).fill(300))], 200)).toEqual(['0.0'])
  })
})
