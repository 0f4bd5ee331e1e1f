import { describe, expect, it } from 'vitest'
import { buildEntries, buildIndex, findDrift, serializeIndex } from './build-index.ts'
import { entryOf, indexOf } from './entry.fixture.ts'
import { lintRouting } from './validate.ts'

const payload = (id: string, body = 'A sentence.', fields = 'keywords: [word]') =>
  `---\nid: ${id}\n${fields}\n---\n${body}\n`
const summaryOf = (body: string, fields?: string) =>
  buildEntries([{ path: 'a.md', text: payload('a', body, fields) }]).entries[0]?.summary

describe('building', () => {
  it('sorts by id and counts from the file', () => {
    const files = [
      { path: 'x/b.md', text: payload('b') },
      { path: 'a.md', text: payload('a', 'One.\nTwo.') },
    ]
    const { entries, findings } = buildEntries(files)
    expect(findings).toEqual([])
    expect(entries.map(({ id, path, lines, tokens_est }) => [id, path, lines, tokens_est])).toEqual([
      ['a', 'a.md', 6, 11],
      ['b', 'x/b.md', 5, 11],
    ])
  })

  const summaries: [name: string, body: string, expected: string, fields?: string][] = [
    ['the first sentence', '# Title\n\nFirst one. Second one.', 'First one.'],
    ['a sentence over lines', 'First\none. Second.', 'First one.'],
    ['a list item', '# T\n- *Do* `this` first. Then that.', 'Do this first.'],
    ['the heading, without prose', '# Only a title', 'Only a title'],
    ['the frontmatter', 'Body.', 'Said so', 'summary: Said so'],
    ['the id, without anything', '', 'a'],
    ['Chinese', '先部署。再测试。', '先部署。'],
    ['a dot inside a word', 'Use v1.2 of it. Done.', 'Use v1.2 of it.'],
    ['a cut at 120', `${'word '.repeat(40)}end.`, `${'word '.repeat(23).trim()}…`],
  ]
  it.each(summaries)('summary: %s', (_, body, expected, fields) => {
    expect(summaryOf(body, fields)).toBe(expected)
    expect(expected.length).toBeLessThanOrEqual(120)
  })

  it('reports files without frontmatter, broken frontmatter, and an id used twice', () => {
    const { entries, findings } = buildEntries([
      { path: 'a.md', text: payload('same') },
      { path: 'b.md', text: payload('same') },
      { path: 'c.md', text: 'no frontmatter' },
      { path: 'd.md', text: payload('d', 'x', 'keywords: word') },
    ])
    expect(entries.map(({ id }) => id)).toEqual(['d', 'same'])
    expect(findings.map(({ severity, code, message }) => `${severity} ${code} ${message}`)).toEqual([
      'error DUPLICATE_ID the id "same" is used by a.md and by b.md',
      'warning NO_FRONTMATTER c.md is not in the index: it has no frontmatter',
      'warning BAD_FRONTMATTER d.md: keywords must be a list such as [one, two]',
    ])
  })

  it('sums up the problems of a file', () => {
    const lines = (head: string) => `---\n${head}\n${'word\n'.repeat(40)}---\nText.\n`
    const { findings } = buildEntries([
      { path: 'a.md', text: lines('id: a') },
      { path: 'b.md', text: lines('title: b') },
    ])
    expect(findings).toHaveLength(12)
    expect(findings.slice(10).map(({ message }) => message)).toEqual([
      'a.md: and 30 more problems',
      `b.md is not in the index: its frontmatter is invalid: ${'"word" is not a "key: value" line; '.repeat(5)}and 36 more`,
    ])
  })

  it('takes the file name as the id of a rule that says for which files it is meant', () => {
    const rule = (fields: string) => `---\n${fields}\n---\n# Rule\n\nUse tabs.\n`
    const { entries, findings } = buildEntries([
      { path: '.claude/rules/API design.md', text: rule('paths:\n  - "src/api/**/*.ts"') },
      { path: '.claude/rules/back/testing.md', text: rule('paths: ["back/**"]') },
      { path: '.claude/rules/front/testing.md', text: rule('paths: ["front/**"]') },
      { path: '.cursor/style.mdc', text: rule('description: How we write.\nglobs: "*.ts"') },
      { path: 'note.md', text: rule('title: no rule') },
    ])
    expect(entries.map(({ id, keywords, summary }) => [id, keywords.join(' '), summary])).toEqual([
      ['api-design', 'api design', 'Use tabs.'],
      ['front-testing', 'front testing', 'Use tabs.'],
      ['style', 'style', 'How we write.'],
      ['testing', 'testing', 'Use tabs.'],
    ])
    expect(findings.map(({ code, subject }) => `${code} ${subject}`)).toEqual(['NO_FRONTMATTER note.md'])
  })

  it('changes its date only with its content', () => {
    const { entries } = buildEntries([{ path: 'a.md', text: payload('a') }])
    const first = buildIndex(entries, undefined, '2026-01-01T00:00:00.000Z')
    const second = buildIndex(
      entries,
      { ...first, budget: { ...first.budget, avg_task_load_observed: 42 } },
      '2026-02-02T00:00:00.000Z',
    )
    const third = buildIndex(
      buildEntries([{ path: 'a.md', text: payload('a', 'New.') }]).entries,
      second,
      '2026-03-03T00:00:00.000Z',
    )
    // An average that an earlier version wrote is this machine's and goes.
    expect(second).toEqual(first)
    expect(third.generated).toBe('2026-03-03T00:00:00.000Z')
    expect(serializeIndex(first)).toBe(serializeIndex(JSON.parse(serializeIndex(first))))
  })
})

describe('drift', () => {
  const fresh = entryOf({ id: 'a' })
  const budget = { always_loaded_est: 0, on_demand_total_est: 10, avg_task_load_est: 10, avg_task_load_observed: null }
  const drift = (entry: unknown) =>
    findDrift(indexOf([entry], { budget }), [fresh]).map(({ code, message }) => `${code} ${message}`)

  it('is silent when nothing changed', () => {
    expect(drift(fresh)).toEqual([])
    expect(drift({ ...fresh, triggers: { edit: false, plan: true, task: true } })).toEqual([])
  })

  const rows: [field: string, value: unknown][] = [
    ['path', 'elsewhere.md'],
    ['keywords', ['other']],
    ['patterns', ['some_pattern']],
    ['priority', 'manual'],
    ['summary', 'Other.'],
    ['triggers', { task: false, plan: true, edit: false }],
    ['lines', 4],
  ]
  it.each(rows)('is seen in %s', (field, value) => {
    expect(drift({ ...fresh, [field]: value }).filter((line) => !line.startsWith('DRIFT budget.'))).toHaveLength(1)
  })

  it('is seen in costs and in the budget', () => {
    expect(drift({ ...fresh, tokens_est: 11 }).map((line) => line.split(' ')[0])).toEqual(['DRIFT', 'DRIFT', 'DRIFT'])
  })

  it('names missing, orphan and duplicate payloads', () => {
    const index = indexOf([entryOf({ id: 'gone' }), entryOf({ id: 'gone' })], {
      budget: { ...budget, on_demand_total_est: 20 },
    })
    expect(findDrift(index, [fresh]).map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'PAYLOAD_MISSING gone',
      'DUPLICATE_ID gone',
      'PAYLOAD_MISSING gone',
      'DRIFT a',
    ])
  })
})

/** An entry with a keyword of its own, and perhaps one that others have too. */
const shared = (n: number, hasShared: boolean) =>
  entryOf({ id: `e${n}`, keywords: [`own${n}`, ...(hasShared ? ['skill'] : [])] })

describe('lint', () => {
  const rows: [name: string, entries: ReturnType<typeof entryOf>[], expected: string[]][] = [
    ['a good entry', [entryOf()], []],
    [
      'core and manual entries',
      [entryOf({ priority: 'core', keywords: [] }), entryOf({ priority: 'manual', keywords: [] })],
      [],
    ],
    ['a keyword of one letter', [entryOf({ keywords: ['c++', 'cpp'] })], ['WEAK_KEYWORDS entry']],
    ['only dead keywords', [entryOf({ keywords: ['c', '--'] })], ['WEAK_KEYWORDS entry']],
    ['dead keywords, but a pattern', [entryOf({ keywords: ['c'], patterns: ['cpp_build'] })], ['WEAK_KEYWORDS entry']],
    ['a Chinese keyword of one character', [entryOf({ keywords: ['猫'] })], []],
    [
      'eleven keywords',
      [entryOf({ keywords: 'aa bb cc dd ee ff gg hh ii jj kk'.split(' ') })],
      ['WEAK_KEYWORDS entry'],
    ],
    ['a keyword twice', [entryOf({ keywords: ['ci', 'CI', 'build'] })], ['WEAK_KEYWORDS entry']],
    ['a keyword that any task may have', [entryOf({ keywords: ['new', 'ci'] })], ['WEAK_KEYWORDS entry']],
    ['a keyword of half of all', [0, 1, 2, 3, 4, 5].map((n) => shared(n, n < 3)), ['WEAK_KEYWORDS skill']],
    ['a keyword of fewer', [0, 1, 2, 3, 4, 5].map((n) => shared(n, n < 2)), []],
    [
      'nothing else',
      [...[0, 1, 2, 3, 4].map((n) => shared(n, n < 3)), entryOf({ id: 'only', keywords: ['Skill'] })],
      ['WEAK_KEYWORDS skill', 'WEAK_KEYWORDS only'],
    ],
    ['a pattern with a stop word', [entryOf({ patterns: ['how_to_deploy'] })], ['WEAK_KEYWORDS entry']],
    [
      'the same keywords, differently spelt',
      [
        entryOf({ id: 'dear', keywords: ['CI', 'dry-run'], tokens_est: 9 }),
        entryOf({ id: 'cheap', keywords: ['dry run', 'ci'], tokens_est: 2 }),
      ],
      ['WEAK_KEYWORDS dear'],
    ],
  ]
  it.each(rows)('%s', (_, entries, expected) => {
    expect(lintRouting(entries).map(({ code, subject }) => `${code} ${subject}`)).toEqual(expected)
  })
})
