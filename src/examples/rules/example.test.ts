import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  descriptionDigest,
  type Example,
  formatExample,
  LONGEST_PROMPT,
  MOST_USED,
  MOST_WRITTEN,
  ORIGINS,
  parseExample,
  pickCurrent,
  promptKey,
} from './example.ts'

const digest = descriptionDigest('Cuts a release.')
const example = (prompt: string, changes: Partial<Example> = {}): Example => ({
  kind: 'skill',
  id: 'release',
  prompt,
  digest,
  origin: 'hand',
  ...changes,
})

describe('a line of a file', () => {
  it('gives its example back', () => {
    const prompts = fc.string({ minLength: 1, maxLength: LONGEST_PROMPT }).filter((text) => promptKey(text) !== '')
    const examples = fc.record({
      kind: fc.constantFrom('skill' as const, 'pack' as const, 'payload' as const),
      id: fc.string({ minLength: 1 }),
      prompt: prompts,
      digest: fc.string(),
      origin: fc.constantFrom(...ORIGINS),
    })
    fc.assert(
      fc.property(examples, fc.boolean(), (each, isNegative) => {
        const whole: Example = isNegative ? { ...each, not: true } : each
        const line = formatExample(whole)
        expect(line).not.toContain('\n')
        expect(parseExample(line)).toEqual({ example: whole })
      }),
    )
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (line) => void parseExample(line)))
  })

  const good = { id: 'x', kind: 'pack', prompt: 'cut it', digest: 'd', origin: 'agent' }
  it.each([
    ['{', /not valid JSON/],
    ['[]', /not a JSON object/],
    [{ ...good, kind: 'adapter' }, /"kind"/],
    [{ ...good, origin: 'me' }, /"origin"/],
    [{ ...good, id: '' }, /"id"/],
    [{ ...good, prompt: ' !? ' }, /no words/],
    [{ ...good, prompt: 'a'.repeat(LONGEST_PROMPT + 1) }, /longer than/],
    [{ ...good, digest: 7 }, /"digest"/],
  ])('%j is none', (line, problem) => {
    const read = parseExample(typeof line === 'string' ? line : JSON.stringify(line))
    expect('problem' in read && read.problem).toMatch(problem)
  })
})

describe('what counts', () => {
  it('is what was written for this description, however it is wrapped', () => {
    const old = example('tag it', { digest: descriptionDigest('Publishes.') })
    const now = descriptionDigest(' Cuts a\n   release. ')
    expect(pickCurrent([old, example('cut it')], now)).toEqual({ examples: ['cut it'], negatives: [] })
  })

  it('is the newest of each origin', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => example(`written ${at}`))
    const used = Array.from({ length: 40 }, (_, at) => example(`used ${at}`, { origin: 'use' }))
    const { examples } = pickCurrent([...many, ...used], digest)
    expect(examples).toHaveLength(MOST_WRITTEN + MOST_USED)
    expect(examples.slice(MOST_WRITTEN - 1, MOST_WRITTEN + 1)).toEqual(['written 9999', 'used 24'])
  })

  it('tells what must not be answered', () => {
    const negative = example('delete a tag', { not: true })
    expect(pickCurrent([example('cut it'), negative], digest).negatives).toEqual(['delete a tag'])
  })
})

it('two prompts that differ in case and signs are the same', () => {
  expect(promptKey('Cut a RELEASE, now!')).toBe(promptKey('cut a release — now'))
  expect(promptKey('выпусти версию')).not.toBe(promptKey('выпусти релиз'))
})
