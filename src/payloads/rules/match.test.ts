import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entryOf, indexOf } from './entry.fixture.ts'
import { DEFAULT_TRIGGERS, type LoadoutEntry } from './loadout-index.ts'
import { lookupEntry, matchLoadout } from './match.ts'

/** Asked twice: the first call scans, the second compiles, and both must agree. */
function ids(task: string, entries: unknown[]): string[] {
  const index = indexOf(entries)
  const [first, second] = [matchLoadout(task, index), matchLoadout(task, index)]
  expect(second).toEqual(first)
  return first.map(({ entry }) => entry.id)
}

describe('a keyword matches', () => {
  const rows: [keyword: string, task: string, isMatch: boolean][] = [
    ['ci', 'fix the ci', true],
    ['ci', 'circus', false],
    ['CI', 'fix the ci', true],
    ['ci', 'FIX THE CI!', true],
    ['dry run', 'run it dry', true],
    ['dry-run', 'a dry test run', true],
    ['dry run', 'run it', false],
    [' dry run ', 'dry run', true],
    ['node.js', 'upgrade node.js', true],
    ['ci/cd', 'the ci and the cd', true],
    ['api_key', 'rotate the api key', true],
    ['x-ray', 'an x ray', false],
    ['c++', 'a c++ build', false],
    ['déploiement', 'le Déploiement échoue', true],
    ['de\u0301ploiement', 'le déploiement échoue', true],
    ['релиз', 'Подготовь РЕЛИЗ', true],
    ['部署', '如何部署这个服务', true],
    ['部署服务', '如何部署这个服务', false],
    ['猫', '黒猫の写真', true],
    ['배포', '배포를 시작해', true],
    ['k8s 集群', '升级k8s的集群', true],
    ['ｃｉ', 'fix the ci', true],
    ['हिन्दी', 'हिन्दी में लिखो', true],
    ['__proto__', 'the proto of it', true],
    ['constructor', 'call the constructor', true],
    ['', 'anything', false],
    ['--', 'anything', false],
  ]
  it.each(rows)('%j in %j: %s', (keyword, task, isMatch) => {
    expect(ids(task, [entryOf({ keywords: [keyword] })]).length > 0).toBe(isMatch)
  })
})

describe('a pattern matches', () => {
  const rows: [pattern: string, task: string, isMatch: boolean][] = [
    ['ci_pipeline', 'the pipeline', true],
    ['ci_pipeline', 'the ci', true],
    ['CI_Pipeline', 'the pipeline', true],
    ['ci-pipeline', 'the pipeline', true],
    ['ci_pipeline', 'the pipelines', false],
    ['发布_流程', '检查流程', true],
  ]
  it.each(rows)('%j in %j: %s', (pattern, task, isMatch) => {
    expect(ids(task, [entryOf({ keywords: ['unrelated'], patterns: [pattern] })]).length > 0).toBe(isMatch)
  })
})

describe('scores', () => {
  const rows: [keywords: string[], patterns: string[], score: number, reason: string][] = [
    [['release', 'b', 'c', 'd'], [], 0.25, 'keywords [release]'],
    [['release', 'docs'], ['release_flow'], 1, 'keywords [release, docs] + patterns [release_flow]'],
    [['b'], ['release_flow'], 0.2, 'patterns [release_flow]'],
    [['release', 'release'], [], 1, 'keywords [release]'],
    [['release', 'Release ', 'other', 'more'], [], 1 / 3, 'keywords [release]'],
    [['docs', 'x', 'release'], [], 2 / 3, 'keywords [docs, release]'],
  ]
  it.each(rows)('%j %j score %d', (keywords, patterns, score, reason) => {
    const index = indexOf([entryOf({ keywords, patterns })])
    const [match] = matchLoadout('the release of the docs', index)
    expect(match).toMatchObject({ score, reason, mode: 'lazy' })
    expect(matchLoadout('the release of the docs', index)).toEqual([match])
  })

  it('leaves an entry out when one hit of eleven keywords scores below 0.1', () => {
    const keywords = ['release', ...Array.from({ length: 10 }, (_, n) => `other${n}`)]
    expect(ids('release', [entryOf({ keywords })])).toEqual([])
    expect(ids('release', [entryOf({ keywords: keywords.slice(0, 10) })])).toEqual(['entry'])
  })

  it('orders by score, then cost, then place; core is not forced first but scores 1', () => {
    const entries = [
      entryOf({ id: 'half', keywords: ['release', 'x'], tokens_est: 1 }),
      entryOf({ id: 'dear', keywords: ['release'], tokens_est: 9 }),
      entryOf({ id: 'late', keywords: ['release'], tokens_est: 5 }),
      entryOf({ id: 'core', keywords: [], priority: 'core', tokens_est: 7 }),
      entryOf({ id: 'later', keywords: ['release'], tokens_est: 5 }),
      entryOf({ id: 'manual', keywords: ['release'], priority: 'manual' }),
    ]
    expect(ids('release', entries)).toEqual(['late', 'later', 'core', 'dear', 'half'])
  })

  it('gives back the very entry objects', () => {
    const entry = entryOf({ keywords: ['release'] })
    expect(matchLoadout('release', indexOf([entry]))[0]?.entry).toBe(entry)
  })
})

describe('malformed entries', () => {
  const broken: [string, unknown][] = [
    ['null', null],
    ['a number', 7],
    ['a list', []],
    ['nothing inside', {}],
    ['no keywords', { id: 'x', priority: 'domain' }],
    ['keywords that are a text', entryOf({ keywords: 'release' as unknown as string[] })],
    ['keywords that are numbers', entryOf({ keywords: ['release', 7] as unknown as string[] })],
    ['patterns that are numbers', entryOf({ keywords: ['release'], patterns: [7] as unknown as string[] })],
    ['no id', { ...entryOf({ keywords: ['release'] }), id: '' }],
  ]
  it.each(broken)('are passed over: %s', (_, entry) => {
    expect(ids('release', [entry, entryOf({ id: 'good', keywords: ['release'] })])).toEqual(['good'])
  })

  it('an entry without patterns still works', () => {
    const { patterns: _, ...entry } = entryOf({ keywords: ['release'] })
    expect(ids('release', [entry])).toEqual(['entry'])
  })
})

it('notices that entries were added to a list it has compiled', () => {
  const index = indexOf([entryOf({ id: 'a', keywords: ['release'] })])
  expect(matchLoadout('release', index)).toHaveLength(1)
  index.entries.push(entryOf({ id: 'b', keywords: ['release'] }))
  expect(matchLoadout('release', index)).toHaveLength(2)
})

it('the match finds an entry by id, past malformed ones', () => {
  const entry = entryOf({ id: '__proto__' })
  expect(lookupEntry('__proto__', indexOf([null, entry]))).toBe(entry)
  expect(lookupEntry('none', indexOf([null]))).toBeUndefined()
})

it('agrees with the rule as the specification words it, on random entries and tasks', () => {
  const word = fc.constantFrom('ci', 'release', 'docs', 'run', 'dry', 'x', 'node', 'cache', 'page', '部署', 'été')
  const phrase = fc.array(word, { minLength: 1, maxLength: 3 })
  const entry = fc.record({
    id: fc.string({ minLength: 1, maxLength: 4 }),
    keywords: fc.array(
      phrase.map((words) => words.join('-')),
      { maxLength: 5 },
    ),
    patterns: fc.array(
      phrase.map((words) => words.join('_')),
      { maxLength: 2 },
    ),
    priority: fc.constantFrom('core', 'domain', 'domain', 'domain', 'manual'),
    tokens_est: fc.integer({ min: 0, max: 3 }),
  })
  const tasks = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), tasks, (parts, task) => {
      const index = indexOf(parts.map((part) => ({ ...entryOf(), ...part }) as LoadoutEntry))
      const first = matchLoadout(task, index)
      expect(first.map(({ entry: { id }, score }) => [id, score])).toEqual(byDefinition(task, index.entries))
      // The first call scans, the second files every word: the same answer.
      expect(matchLoadout(task, index)).toEqual(first)
    }),
    { numRuns: 500 },
  )
})

/** The rule written out over every entry: slow, and plain enough to be checked by eye. */
function byDefinition(task: string, entries: LoadoutEntry[]): [string, number][] {
  const words = new Set(task.split(' ').filter((word) => word.length > 1))
  return entries
    .map((entry, position) => {
      const keywords = [...new Set(entry.keywords)]
      const hit = keywords.filter((keyword) => keyword.split('-').every((part) => words.has(part))).length
      const bonus = entry.patterns.some((pattern) => pattern.split('_').some((part) => words.has(part))) ? 0.2 : 0
      const domain = Math.min(1, (keywords.length > 0 ? hit / keywords.length : 0) + bonus)
      const score = entry.priority === 'core' ? 1 : entry.priority === 'manual' ? 0 : domain
      return { entry, score, position }
    })
    .filter(({ score }) => score >= 0.1)
    .sort((a, b) => b.score - a.score || a.entry.tokens_est - b.entry.tokens_est || a.position - b.position)
    .map(({ entry, score }) => [entry.id, score])
}

it('the match leaves the defaults alone', () => {
  expect(() => Object.assign(DEFAULT_TRIGGERS, { edit: true })).toThrow(TypeError)
  expect(DEFAULT_TRIGGERS).toEqual({ task: true, plan: true, edit: false })
})
