import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeFolder, makeProject, type RunOptions } from './run.ts'
import { runWarm } from './warm.ts'

let place: RunOptions & { cwd: string; home: string }

beforeAll(async () => {
  // In a folder that the tests remove: nothing is ever removed by a name that the program printed.
  const { stdout } = runWarm(['try', '--keep'], { env: { TMPDIR: makeFolder() } })
  const cwd = /The sample project is in (\S+);/.exec(stdout)?.[1]
  if (cwd === undefined) throw new Error(`there is no sample project: ${stdout}`)
  place = { cwd, home: join(cwd, '../home') }
  // What was written a moment ago is not yet trusted to be remembered.
  await new Promise((done) => setTimeout(done, 200))
})

const json = (args: string[], where: RunOptions = place) => JSON.parse(runWarm([...args, '--json'], where).stdout)
const ids = (matches: { entry: { id: string } }[]) => matches.map(({ entry }) => entry.id)

describe('plan --strategy ranked', () => {
  it('finds what shares no keyword with the task', () => {
    const task = 'a step fails with 403, has the token expired'
    expect(ids(json(['plan', task, '--strategy', 'keywords']).onDemand)).toEqual([])
    const plan = json(['plan', task])
    expect(ids(plan.onDemand)[0]).toBe('release-pipeline')
    expect(plan.onDemand[0].reason).toMatch(/^ranked \((?:pointer|text), \d+ %\): /)
    expect(ids(plan.preload)).toEqual(['house-rules'])
  })

  it('is silent when nothing fits, and never offers manual entries', () => {
    expect(json(['plan', 'which wine goes with mushrooms', '--strategy', 'ranked']).onDemand).toEqual([])
    expect(ids(json(['plan', 'traps of the payment sdk', '--strategy', 'ranked']).onDemand)).not.toContain(
      'vendor-sdk-gotchas',
    )
  })

  it('can be the strategy of a project', () => {
    const settings = join(place.cwd, 'loadout.json')
    writeFileSync(settings, '{"routing": {"strategy": "ranked"}}')
    expect(json(['plan', 'renew the token in the vault']).onDemand[0].reason).toMatch(
      /^ranked \((?:pointer|text), \d+ %\): /,
    )
    writeFileSync(settings, '{"routing": {"strategy": "best"}}')
    expect(runWarm(['plan', 'x'], place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('keywords, ranked'),
    })
    writeFileSync(settings, '{}')
  })

  it('keeps its compiled form, and answers the same from it, damaged or not', () => {
    const plan = () => runWarm(['plan', 'preview the docs', '--strategy', 'ranked'], place).stdout
    const first = plan()
    const folder = join(place.home, '.cache/loadout/payloads')
    const path = join(folder, readdirSync(folder)[0] ?? '')
    const stored = readFileSync(path)
    expect(plan()).toBe(first)
    for (const damaged of [
      stored.subarray(0, 900),
      Buffer.concat([stored.subarray(0, 900), Buffer.alloc(900)]),
      Buffer.alloc(0),
    ]) {
      writeFileSync(path, damaged)
      expect(plan()).toBe(first)
    }
  })
})

it('notices a changed payload, also when the index stays the same', async () => {
  const text = (animal: string) => `---\nid: zoo\nkeywords: [x1]\nexamples: [feed the ${animal} daily]\n---\nCare.\n`
  const where = { cwd: makeProject({ '.claude/loadout/zoo.md': text('quokka') }), home: makeFolder() }
  runWarm(['index', 'build'], where)
  await new Promise((done) => setTimeout(done, 200))
  expect(json(['search', 'feed the quokka'], where).hits).toHaveLength(1)
  writeFileSync(join(where.cwd, '.claude/loadout/zoo.md'), text('wombat'))
  expect(json(['search', 'wombat'], where).hits).toHaveLength(1)
  expect(json(['search', 'quokka'], where).hits).toEqual([])
})

it('lets no manual entry take the place of one that can be loaded', () => {
  const payload = (id: string, priority: string) =>
    `---\nid: ${id}\nkeywords: [${id.split('-').join(', ')}]\npriority: ${priority}\n---\nAbout ${id}.\n`
  const where = {
    cwd: makeProject({
      '.claude/loadout/a.md': payload('kafka-consumer-lag-runbook', 'manual'),
      '.claude/loadout/b.md': payload('billing', 'domain'),
    }),
  }
  runWarm(['index', 'build'], where)
  expect(ids(json(['plan', 'kafka consumer lag runbook for billing', '--strategy', 'ranked'], where).onDemand)).toEqual(
    ['billing'],
  )
})

it('explains a ranked hit and a ranked miss', () => {
  const explain = (id: string, task: string) => json(['explain', id, '--task', task, '--strategy', 'ranked']).verdict
  expect(explain('docs-publishing', 'preview the documentation')).toMatchObject({
    loaded: true,
    reason: expect.stringContaining('ranked first'),
  })
  expect(explain('brand-voice', 'preview the documentation')).toMatchObject({ loaded: false })
  expect(explain('vendor-sdk-gotchas', 'payment sdk')).toMatchObject({
    loaded: false,
    reason: 'manual: never loaded by a task',
  })
})

it('learns from the examples and negatives of a payload', async () => {
  const payload = (id: string, extra: string) => `---\nid: ${id}\nkeywords: [word]\n${extra}---\nText about ${id}.\n`
  const cwd = makeProject({
    '.claude/loadout/alpha.md': payload('alpha', 'examples: ["my laptop is slow after lunch"]\n'),
    '.claude/loadout/beta.md': payload('beta', 'negatives: ["text about beta in general"]\n'),
  })
  runWarm(['index', 'build'], { cwd })
  const plan = (task: string) => ids(json(['plan', task, '--strategy', 'ranked'], { cwd }).onDemand)
  expect(plan('the laptop is slow')).toEqual(['alpha'])
  expect(plan('text about beta in general')).not.toContain('beta')
})

describe('search', () => {
  it('gives the same bytes in every locale', () => {
    const outputs = ['C', 'tr_TR.UTF-8', 'ja_JP.UTF-8'].map(
      (LANG) => runWarm(['search', 'the release'], { ...place, env: { LANG, LC_ALL: LANG } }).stdout,
    )
    expect(outputs[0]).toContain('release-pipeline')
    expect(new Set(outputs).size).toBe(1)
  })

  it('finds entries of any priority, with the reason', () => {
    const { hits } = json(['search', 'payment', 'webhooks'])
    expect(hits[0]).toMatchObject({ kind: 'payload', id: 'vendor-sdk-gotchas', layer: 'project' })
    expect(hits[0].why.map(({ term }: { term: string }) => term)).toContain('payment')
    expect(runWarm(['search', 'zebra'], place).stdout).toBe('No matches.\n')
  })
})

describe('eval', () => {
  it('measures the project’s own suite', () => {
    const ranked = json(['eval', '--strategy', 'ranked'])
    const keywords = json(['eval', '--strategy', 'keywords'])
    expect(ranked.figures).toMatchObject({ positives: 12, negatives: 2, pairs: 1, pairViolations: 0 })
    expect(ranked.figures.r1).toBeGreaterThan(keywords.figures.r1)
    expect(ranked.figures.r3).toBeGreaterThan(90)
    expect(runWarm(['eval', '--strategy', 'keywords'], place).stdout).toMatch(/instead of brand-voice/)
  })

  it('guards a threshold', () => {
    expect(runWarm(['eval', '--strategy', 'ranked', '--min', '50'], place).code).toBe(0)
    expect(runWarm(['eval', '--strategy', 'keywords', '--min', '99'], place)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/[\d.]+ % of the questions are answered as they should, below 99 %/),
    })
  })

  it('limits wrong triggers, and warns of unknown ids', () => {
    const tests = [{ query: 'cut a release', should_trigger: false }]
    const cwd = makeProject({
      'release-pipeline/evals/t.json': JSON.stringify(tests),
      'q.jsonl': '{"query": "x", "relevant": ["relese-pipeline"]}',
    })
    const wrong = runWarm(['eval', join(cwd, 'release-pipeline'), '--strategy', 'ranked', '--min', '80'], place)
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('0.0 % of the questions') })
    expect(runWarm(['eval', join(cwd, 'q.jsonl')], place).stderr).toContain('did you mean release-pipeline?')
  })

  it('reads a suite with its own library, trigger tests and pack tests', () => {
    const library = [
      { id: 'cat-care', name: 'cat-care', description: 'Feeding and grooming of cats.' },
      { id: 'car-repair', name: 'car-repair', description: 'Brakes, oil and tyres of cars.' },
    ]
    const cwd = makeProject({
      'library.jsonl': library.map((line) => JSON.stringify(line)).join('\n'),
      'queries.jsonl': '{"query": "change the oil of my car", "relevant": ["car-repair"]}\n',
      'cat-care/evals/trigger.json': JSON.stringify([
        { query: 'how often to feed a cat', should_trigger: true },
        { query: 'fix the brakes', should_trigger: false },
      ]),
      'packs/evals/discovery.train.json': JSON.stringify({
        pack_name: 'cat-care',
        cases: [{ id: 'a', prompt: 'groom a cat', expected: 'select' }],
      }),
    })
    expect(json(['eval', '.'], { cwd })).toMatchObject({
      strategy: 'ranked',
      documents: 2,
      figures: { positives: 3, pairs: 1, r1: 100, pairViolations: 0 },
      confusions: [],
    })
  })

  it('compares two indexes', () => {
    const before = join(place.cwd, '.claude/loadout/index.json')
    const index = JSON.parse(readFileSync(before, 'utf8'))
    const entries = index.entries.filter(({ id }: { id: string }) => id !== 'feature-flags')
    const after = join(makeFolder(), 'after.json')
    writeFileSync(after, JSON.stringify({ ...index, entries }))
    const suite = join(place.cwd, '.claude/loadout/evals/routing.jsonl')
    const { changes } = json(['eval', '--compare', before, after, suite])
    expect(changes.map(({ query }: { query: string }) => query)).toEqual(['roll the experiment out to everyone'])
    const copy = join(makeFolder(), 'copy.json')
    writeFileSync(copy, JSON.stringify(index))
    expect(json(['eval', '--compare', copy, before, suite, '--strategy', 'ranked']).changes).toEqual([])
    expect(runWarm(['eval', '--compare', before], place)).toMatchObject({ code: 2 })
  })

  const bad: [name: string, content: string, expected: string][] = [
    ['empty', '', 'contains no questions'],
    ['not JSON', 'hello\n', 'line 1'],
    ['no query', '{"query": 5}\n', 'line 1'],
    ['relevant that is a text', '{"query": "a", "relevant": "b"}\n', 'line 1'],
  ]
  it.each(bad)('refuses a suite that is %s', (_, content, expected) => {
    mkdirSync(join(place.cwd, 'bad'), { recursive: true })
    writeFileSync(join(place.cwd, 'bad/q.jsonl'), content)
    expect(runWarm(['eval', 'bad/q.jsonl'], place)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(expected),
    })
  })

  it('says where a suite belongs when there is none', () => {
    expect(runWarm(['eval'], { cwd: makeFolder() })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('.claude/loadout/evals'),
    })
  })
})

describe('the library', () => {
  it('ranks documents, empty and odd ones too', async () => {
    const { createRanker, loadRanker } = await import(resolve('dist/index.js'))
    expect(createRanker([]).rank('anything')).toEqual([])
    const ranker = createRanker([
      {
        id: 'a',
        name: 'release-notes',
        description: 'Draft notes for a release. Not for changelogs; use changelog-writer.',
      },
      { id: 'b', name: 'changelog-writer' },
    ])
    expect(ranker.rank('write the release notes')[0].id).toBe('a')
    for (const task of ['', 'the of and', '\ud800', 'x'.repeat(1_000_000)]) expect(ranker.rank(task)).toEqual([])
    const task = 'write the release notes'
    expect(loadRanker(ranker.save()).rank(task)).toEqual(ranker.rank(task))
    expect(loadRanker(new Uint8Array(8))).toBeNull()
    expect(() =>
      createRanker([
        { id: 'a', name: 'x' },
        { id: 'a', name: 'y' },
      ]),
    ).toThrow('documents share the id a')
  })
})
