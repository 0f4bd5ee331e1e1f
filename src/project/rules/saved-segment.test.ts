import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentOf } from './file-document.ts'
import { SavedSegment, type TermPostings } from './saved-segment.ts'
import { SegmentBuilder, weighFile } from './segment-builder.ts'

/** The files of a segment, and how it is read. */
function save(texts: readonly string[]) {
  const builder = new SegmentBuilder()
  texts.forEach((text, slot) => void builder.add(slot, documentOf(`a${slot}.ts`, text)))
  const { bytes, buckets } = builder.encode()
  const read = (from: number, length: number) => bytes.subarray(from, from + length)
  return { bytes, segment: new SavedSegment(read, { start: 0, length: bytes.length, buckets }) }
}

/** What every term of some files must have. */
function expected(texts: readonly string[], base: number): Map<string, TermPostings> {
  const lists = new Map<string, { list: number[]; pieces: number[] }>()
  texts.forEach((text, slot) => {
    weighFile(documentOf(`a${slot}.ts`, text), (term, packed, pieces) => {
      const found = lists.get(term) ?? { list: [], pieces: [] }
      lists.set(term, { list: [...found.list, base + slot, packed], pieces: [...found.pieces, pieces] })
    })
  })
  return new Map(
    [...lists].map(([term, { list, pieces }]) => [
      term,
      { list: Uint32Array.from(list), pieces: Uint32Array.from(pieces) },
    ]),
  )
}

// Long postings, many terms in a bucket, and pieces of long files.
const many = Array.from({ length: 60 }, (_, at) => `alpha ${at} w${at % 7} x${at}\n`)
const long = Array.from({ length: 900 }, (_, at) => `alpha line${at}`).join('\n')
const text = fc
  .array(fc.constantFrom('alpha', 'beta', 'Gamma', 'delta_one', '\n', 'd\u00e9j\u00e0', '\u6771\u4eac'), {
    maxLength: 30,
  })
  .map((words) => words.join(' '))

describe('a segment', () => {
  it.each([
    ['has long lists', many],
    ['has files of many pieces', [long, 'alpha', long]],
    ['has no word', ['', '  ']],
    ['has no file', []],
  ])('gives back what was put into it, when it %s', (_, texts) => {
    const { segment } = save(texts)
    for (const [term, postings] of expected(texts, 5)) expect(segment.find(term, 5)).toEqual(postings)
    expect(segment.find('nowhere', 5)).toBeUndefined()
  })

  it('gives back what was put into it, whatever it was', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
        const { segment } = save(texts)
        for (const [term, postings] of expected(texts, 0)) expect(segment.find(term, 0)).toEqual(postings)
      }),
      { numRuns: 40 },
    )
  })

  it('that is damaged anywhere gives what it held, or an error', () => {
    const { bytes, segment } = save(many)
    const all = expected(many, 0)
    for (let at = 0; at < bytes.length; at += 41) {
      bytes[at]! ^= 1 << (at % 8)
      for (const [term, postings] of all) {
        const found = tried(() => segment.find(term, 0))
        if (found !== 'damaged') expect(found).toEqual(postings)
      }
      bytes[at]! ^= 1 << (at % 8)
    }
  })

  it('holds no word of a file', () => {
    expect(Buffer.from(save(['hunter2password\n']).bytes).toString('latin1')).not.toContain('hunter2')
  })
})

function tried<T>(run: () => T): T | 'damaged' {
  try {
    return run()
  } catch {
    return 'damaged'
  }
}
