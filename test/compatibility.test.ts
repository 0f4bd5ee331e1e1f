import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as peer from '@mcptoolshop/ai-loadout'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'

// The built library, as users import it.
const ours = (await import(resolve('dist/index.js'))) as typeof peer
const folder = mkdtempSync(join(tmpdir(), 'loadout-compatibility-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('exports the names of the public package, and the ranker', () => {
  expect(Object.keys(ours).sort()).toEqual([...Object.keys(peer), 'createRanker', 'loadRanker'].sort())
})

it('passes the public package’s own tests', () => {
  const tests = resolve('node_modules/@mcptoolshop/ai-loadout/dist/tests')
  const names = readdirSync(tests).filter((name) => name.endsWith('.test.js'))
  expect(names.length).toBeGreaterThanOrEqual(9)
  for (const name of names) {
    const text = readFileSync(join(tests, name), 'utf8').replaceAll(
      /from "\.\.\/[a-z]+\.js"/g,
      `from "${resolve('dist/index.js')}"`,
    )
    writeFileSync(join(folder, name.replace('.js', '.mjs')), text)
  }
  const files = names.map((name) => join(folder, name.replace('.js', '.mjs')))
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
  const output = execFileSync(process.execPath, ['--test', '--test-reporter=tap', ...files], { encoding: 'utf8', env })
  expect(output).toMatch(/^# fail 0$/m)
  expect(Number(/^# pass (\d+)$/m.exec(output)?.[1])).toBeGreaterThan(80)
})

const word = fc.constantFrom('ci', 'release', 'docs', 'api', 'test', 'cache', 'node', 'data', 'x', 'build2')
const phrase = (joiner: string) => fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(joiner))
const keyword = fc.oneof(word, phrase(' '), phrase('-'))
const id = fc.oneof(phrase('-'), fc.constantFrom('a', 'b', 'c', 'constructor', 'to-string'))
const triggers = fc.record({ task: fc.boolean(), plan: fc.boolean(), edit: fc.boolean() })
const priority = fc.constantFrom<peer.Priority>('core', 'domain', 'domain', 'domain', 'manual')
const entry: fc.Arbitrary<peer.LoadoutEntry> = fc.record({
  id,
  path: fc.constant('.rules/x.md'),
  keywords: fc.uniqueArray(keyword, { maxLength: 12 }),
  patterns: fc.array(phrase('_'), { maxLength: 3 }),
  priority,
  summary: phrase(' '),
  triggers,
  tokens_est: fc.nat(50),
  lines: fc.nat(50),
})
const budget = fc.record({
  always_loaded_est: fc.integer({ min: -1, max: 9 }),
  on_demand_total_est: fc.integer({ min: -1, max: 9 }),
  avg_task_load_est: fc.nat(9),
  avg_task_load_observed: fc.constant(null),
})
const index: fc.Arbitrary<peer.LoadoutIndex> = fc.record({
  version: fc.constantFrom('1.0.0', ''),
  generated: fc.constantFrom('2026-01-01T00:00:00Z', ''),
  entries: fc.array(entry, { maxLength: 15 }),
  budget,
})
const task = fc
  .array(fc.oneof(word, fc.constantFrom('the', 'Fix', 'a', '!', 'ci/docs')), { maxLength: 10 })
  .map((words) => words.join(' '))
const event: fc.Arbitrary<peer.UsageEvent> = fc.record({
  timestamp: fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
  taskHash: word,
  entryId: id,
  trigger: word,
  mode: fc.constantFrom<peer.LoadMode>('eager', 'lazy', 'manual'),
  tokensEst: fc.nat(100),
})
const events = fc.array(event, { maxLength: 20 })
const layers = fc.array(fc.record({ name: fc.constantFrom('global', 'org', 'project', 'session'), index }), {
  maxLength: 4,
})

/** Ours may say more, never something else: every value of theirs must be in ours, and lists must have the same length. */
function expectSame(mine: unknown, theirs: unknown): void {
  if (Array.isArray(theirs)) {
    expect(mine).toHaveLength(theirs.length)
    theirs.forEach((item, at) => {
      expectSame((mine as unknown[])[at], item)
    })
  } else if (theirs instanceof Set) {
    expect(mine).toEqual(theirs)
  } else if (typeof theirs === 'object' && theirs !== null) {
    for (const [key, value] of Object.entries(theirs)) expectSame((mine as Record<string, unknown>)[key], value)
  } else expect(mine).toBe(theirs)
}

const runs = { numRuns: 400 }

it('matches, looks up and estimates alike', () => {
  fc.assert(
    fc.property(task, index, id, (text, value, wanted) => {
      const mine = ours.matchLoadout(text, value)
      const theirs = peer.matchLoadout(text, value)
      expect(mine).toStrictEqual(theirs)
      mine.forEach((match, at) => {
        expect(match.entry).toBe(theirs[at]?.entry)
      })
      expect(ours.lookupEntry(wanted, value)).toBe(peer.lookupEntry(wanted, value))
      expect(ours.estimateTokens(text)).toBe(peer.estimateTokens(text))
    }),
    { numRuns: 1500 },
  )
})

it('merges and explains alike', () => {
  fc.assert(
    fc.property(layers, id, (list, wanted) => {
      const { generated: _, ...theirs } = peer.mergeIndexes(list)
      expectSame(ours.mergeIndexes(list), theirs)
      const discovered = list.map((layer) => ({ ...layer, path: '/x' }))
      const unique = discovered.map((layer) => ({
        ...layer,
        index: { ...layer.index, entries: distinct(layer.index.entries) },
      }))
      expectSame(ours.explainEntry(wanted, unique), peer.explainEntry(wanted, unique))
    }),
    runs,
  )
})

it('analyses and validates alike', () => {
  fc.assert(
    fc.property(index, events, (value, list) => {
      expect(ours.findDeadEntries(value, list)).toStrictEqual(peer.findDeadEntries(value, list))
      const spelt = withOneSpelling(value)
      expect(ours.findKeywordOverlaps(spelt)).toStrictEqual(peer.findKeywordOverlaps(spelt))
      expect(ours.summarizeUsage(list)).toStrictEqual(peer.summarizeUsage(list))
      const usage = peer.summarizeUsage(list)
      expect(ours.analyzeBudget(value, usage)).toStrictEqual(peer.analyzeBudget(value, usage))
      const codes = (issues: peer.ValidationIssue[]) =>
        issues.map(({ severity, code, entryId }) => [severity, code, entryId])
      // Ours knows more that can be wrong; what theirs knows means the same.
      const known = codes(ours.validateIndex(value)).filter(([, code]) => !OUR_CODES.has(code ?? ''))
      expect(known).toEqual(codes(peer.validateIndex(value)))
    }),
    runs,
  )
})

const OUR_CODES = new Set(['WEAK_KEYWORDS'])

/** An index in which every entry is there once, and a phrase is always written the same way. */
function withOneSpelling(value: peer.LoadoutIndex): peer.LoadoutIndex {
  const entries = distinct(value.entries).map((each) => ({
    ...each,
    keywords: [...new Set(each.keywords.map((text) => text.replaceAll('-', ' ')))],
  }))
  return { ...value, entries }
}

it('the library reads and writes frontmatter alike', () => {
  const frontmatter = fc.record({
    id,
    keywords: fc.array(keyword),
    patterns: fc.array(phrase('_')),
    priority,
    triggers,
  })
  fc.assert(
    fc.property(frontmatter, task, (value, body) => {
      const text = `${peer.serializeFrontmatter(value)}\n${body}`
      expect(ours.serializeFrontmatter(value)).toBe(peer.serializeFrontmatter(value))
      expect(ours.parseFrontmatter(text)).toStrictEqual(peer.parseFrontmatter(text))
      expect(ours.parseFrontmatter(body)).toStrictEqual(peer.parseFrontmatter(body))
    }),
    runs,
  )
})

it('resolves, plans and records alike on real folders', () => {
  let round = 0
  fc.assert(
    fc.property(layers, task, id, events, (list, text, wanted, log) => {
      const root = join(folder, String(round++))
      const project = join(root, 'project')
      const options = {
        projectRoot: project,
        globalDir: join(root, 'global'),
        orgPath: join(root, 'org.json'),
        sessionPath: join(root, 'session.json'),
      }
      const paths = {
        global: join(root, 'global', 'index.json'),
        org: options.orgPath,
        project: join(project, '.claude', 'loadout', 'index.json'),
        session: options.sessionPath,
      }
      mkdirSync(join(root, 'global'), { recursive: true })
      mkdirSync(join(project, '.claude', 'loadout'), { recursive: true })
      for (const { name, index: value } of list) {
        writeFileSync(paths[name as keyof typeof paths], JSON.stringify({ ...value, entries: distinct(value.entries) }))
      }
      expectSame(ours.discoverLayers(options), peer.discoverLayers(options))
      const { merged, ...rest } = peer.resolveLoadout(options)
      const { generated: _, ...stable } = merged
      expectSame(ours.resolveLoadout(options), { ...rest, merged: stable })
      expectSame(ours.planLoad(text, options), peer.planLoad(text, options))
      expectSame(ours.manualLookup(wanted, options), peer.manualLookup(wanted, options))
      const [mine, theirs] = [join(root, 'mine.jsonl'), join(root, 'theirs.jsonl')]
      for (const each of log) {
        ours.recordUsage(each, mine)
        peer.recordUsage(each, theirs)
      }
      ours.recordLoad('a', 'ci', 'lazy', 5, { usagePath: join(root, 'load.jsonl'), taskHash: 'h' })
      expect(ours.readUsage(mine)).toStrictEqual(peer.readUsage(theirs))
      expectSame(ours.readUsage(join(root, 'load.jsonl')), [
        { entryId: 'a', trigger: 'ci', mode: 'lazy', tokensEst: 5, taskHash: 'h' },
      ])
    }),
    { numRuns: 120 },
  )
})

function distinct(entries: peer.LoadoutEntry[]): peer.LoadoutEntry[] {
  return [...new Map(entries.map((each) => [each.id, each])).values()]
}
