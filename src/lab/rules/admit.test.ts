import { describe, expect, it } from 'vitest'
import { descriptionDigest, type Example, LONGEST_PROMPT, MOST_WRITTEN } from '../../examples/rules/example.ts'
import { admitExamples, type Proposal, promptProblem, type TaughtEntry } from './admit.ts'

const entry: TaughtEntry = {
  kind: 'skill',
  id: 'release-notes',
  description: 'Writes the notes of a release from the commits since the last tag.',
}
const other: TaughtEntry = { kind: 'pack', id: 'taxes', description: 'Which tax rates hold where.' }
const propose = (prompt: string, changes: Partial<Proposal> = {}): Proposal => {
  return { entry, prompt, origin: 'agent', ...changes }
}
const known = (prompt: string, of = entry, changes: Partial<Example> = {}): Example => {
  const { kind, id, description } = of
  return { kind, id, prompt, digest: descriptionDigest(description), origin: 'hand', ...changes }
}

describe('a prompt that can be an example', () => {
  it.each([
    'what changed since 1.4?',
    'notes pls',
    'Was hat sich seit dem letzten Tag geändert?',
    'что изменилось с последнего релиза',
    '发布说明',
    'リリースノートを書いて',
    '릴리스 노트 작성',
    'اكتب ملاحظات الإصدار',
    'release notes for c++ 2.0',
  ])('%s', (prompt) => {
    expect(promptProblem(prompt, entry)).toBeUndefined()
  })
})

describe('a prompt that cannot', () => {
  it.each([
    ['', /empty/],
    [' \n ', /empty/],
    ['x'.repeat(LONGEST_PROMPT + 1), /more than/],
    ['notes', /only one word/],
    ['!!! 12345 ???', /not made of words/],
    ['aaaa aaaa', /not made of words/],
    ['write \u202enotes', /control characters/],
    ['write \ufffd notes', /broken text/],
    ['Release notes!', /only repeats the name/],
    ['writes the notes of a release from the commits since the last tag', /copies the description/],
    ['the notes of a release from the commits', /copies the description/],
    [`please: ${entry.description}`, /copies the description/],
  ])('%j', (prompt, problem) => {
    expect(promptProblem(prompt, entry)).toMatch(problem)
  })
})

describe('what is admitted', () => {
  const rows: [why: string, proposals: Proposal[], known: Example[], fresh: number, findings: RegExp[]][] = [
    ['a new prompt', [propose('what is new?')], [], 1, []],
    ['the same again', [propose('What is NEW')], [known('what is new?')], 0, [/already exists/]],
    ['the same twice', [propose('what is new?'), propose('what is new')], [], 1, [/already exists/]],
    [
      'one that was written for another description',
      [propose('what is new?')],
      [known('what is new?', entry, { digest: 'old' })],
      1,
      [],
    ],
    [
      'an example of another entry',
      [propose('which rate holds')],
      [known('which rate holds', other)],
      0,
      [/pack:taxes/],
    ],
    [
      'a prompt that another entry must not match',
      [propose('which rate')],
      [known('which rate', other, { not: true })],
      1,
      [],
    ],
    [
      'a prompt that both must not answer',
      [propose('say hello', { not: true })],
      [known('say hello', other, { not: true })],
      1,
      [],
    ],
    [
      'a prompt and its opposite',
      [propose('what is new?', { not: true })],
      [known('what is new?')],
      0,
      [/is an example of this/],
    ],
    ['what was learned from use', [propose('what is new?')], [known('what is new?', entry, { origin: 'use' })], 1, []],
    ['the same trouble', [propose('x'), propose('y'), propose('z')], [], 0, [/and 2 more/]],
  ]
  it.each(rows)('%s', (_, proposals, examples, fresh, findings) => {
    const admitted = admitExamples(proposals, examples)
    expect(admitted.fresh).toHaveLength(fresh)
    expect(admitted.findings).toHaveLength(findings.length)
    for (const [at, message] of findings.entries()) expect(admitted.findings[at]?.message).toMatch(message)
  })

  it('is as much as counts', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => propose(`what is new in number ${at}`))
    const { fresh, findings } = admitExamples(many, [])
    expect(fresh).toHaveLength(MOST_WRITTEN)
    expect(findings).toMatchObject([{ code: 'EXAMPLE_REFUSED', severity: 'warning', count: 10_000 - MOST_WRITTEN }])
  })
})
