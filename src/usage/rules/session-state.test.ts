import { describe, expect, it } from 'vitest'
import { type Claim, type DeliveredPart, formatClaim, nextStart, readState, wonBy } from './session-state.ts'

const text = (id: string, body = id): DeliveredPart => ({ form: 'text', id, sum: '0', body })
const pointer = (id: string, section?: string): DeliveredPart => ({
  ...{ form: 'pointer', kind: 'pack', id, sum: '0' },
  section: section || undefined,
})
const file = (...claims: Claim[]) => claims.map(formatClaim).join('')

describe('who is first', () => {
  const rows: [why: string, claims: Claim[], won: Record<string, DeliveredPart[] | undefined>][] = [
    [
      'has the part, the other what is left',
      [
        { by: 'a', parts: [text('x')] },
        { by: 'b', parts: [text('x'), text('y')] },
      ],
      { a: [text('x')], b: [text('y')] },
    ],
    [
      'has the text, whatever the other calls it',
      [
        { by: 'a', parts: [text('x', 'same')] },
        { by: 'b', parts: [text('y', 'same')] },
      ],
      { a: [text('x', 'same')], b: [] },
    ],
    [
      'to name something leaves its text to others',
      [
        { by: 'a', parts: [pointer('x')] },
        { by: 'b', parts: [text('x'), pointer('x')] },
      ],
      { a: [pointer('x')], b: [text('x')] },
    ],
    [
      'to point to a section has named its pack, and leaves other sections',
      [
        { by: 'a', parts: [pointer('x', '1')] },
        { by: 'b', parts: [pointer('x'), pointer('x', '1'), pointer('x', '2')] },
      ],
      { a: [pointer('x', '1')], b: [pointer('x', '2')] },
    ],
    [
      'to start has all of it',
      [
        { by: 'a', start: 1, parts: [text('x')] },
        { by: 'b', start: 1, parts: [text('y')] },
      ],
      { a: [text('x')], b: undefined },
    ],
    [
      'before the context was empty does not count',
      [
        { by: 'a', start: 1, parts: [text('x')] },
        { by: 'b', start: 2, isAnew: true, parts: [text('x')] },
      ],
      { a: undefined, b: [text('x')] },
    ],
  ]
  it.each(rows)('%s', (_, claims, won) => {
    const state = readState(file(...claims))
    for (const [by, parts] of Object.entries(won)) expect(wonBy(state, by)).toEqual(parts)
  })
})

describe('a damaged state', () => {
  const whole = file({ by: 'a', start: 1, parts: [text('x'), pointer('p'), { form: 'index', sum: '1' }] })
  it('is refused wherever it was cut', () => {
    for (let length = 1; length < whole.length - 1; length++) expect(() => readState(whole.slice(0, length))).toThrow()
  })

  const lines = ['x', '7', '{}', '{"by":"a"}', '{"by":"a","parts":[7]}', '{"by":"a","parts":[],"start":"1"}']
  it.each(lines)('is refused with the line %s', (line) => {
    expect(() => readState(`${whole}${line}\n`)).toThrow(/invalid line/)
  })

  it('does not matter once the context was empty', () => {
    const damaged = `${whole}junk`
    const anew = formatClaim({ by: 'b', start: nextStart(damaged), isAnew: true, parts: [text('x')] })
    expect(wonBy(readState(`${damaged}\n${anew}`), 'b')).toEqual([text('x')])
  })
})
