import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { expect, it } from 'vitest'
import { makeFolder, makeProject } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import { guide } from '../packs/pack-world.ts'
import { connect, makeMcpWorld, textOf } from './mcp-world.ts'

const TASK = 'why does the flood gauge read zero?'
const world = makeMcpWorld()

it('what an agent asked for is in the usage log, with the way it came and its conversation', async () => {
  const home = makeFolder()
  const client = await connect({ ...world, home }, { mode: 'legacy' })
  await client.callTool({ name: 'plan_context', arguments: { task: TASK } })
  await client.callTool({ name: 'read_entry', arguments: { id: 'house' } })
  await client.readResource({ uri: 'loadout://entry/flood' })
  const lines = readFileSync(join(home, '.local/state/loadout/usage.jsonl'), 'utf8').trimEnd().split('\n')
  const events = lines.map((line) => JSON.parse(line))
  expect(new Set(events.map(({ via }) => via))).toEqual(new Set(['mcp']))
  expect(new Set(events.map(({ session }) => session)).size).toBe(1)
  const steps = events.map(({ stage, entryId }) => `${stage} ${entryId}`)
  expect(steps).toEqual(expect.arrayContaining(['planned house', 'planned flood', 'used house', 'used flood']))
  expect(steps.filter((step) => step === 'used house')).toHaveLength(1)
})

it('a project with a boundless budget floods no conversation, and what it gets is counted once', async () => {
  const text = `${'A long line of a document about the gauge. '.repeat(200)}\n`
  const documents = Array.from({ length: 60 }, (_, at) => [`docs/gauge-${at}.md`, `# ${at}\n${text}`])
  const intents = { default: { include: ['docs/*.md'] } }
  const budget = { maxFiles: 10_000, maxCharsPerFile: 10_000_000, maxChars: 10_000_000 }
  const project = makeProject({
    '.git/HEAD': '',
    'loadout.json': JSON.stringify({ intents, budget }),
    '.claude/loadout/rule.md': '---\nid: rule\npriority: core\n---\n\nA rule.\n',
    ...Object.fromEntries(documents),
  })
  const home = makeFolder()
  expect(runWarm(['index', 'build'], { cwd: project, home }).code).toBe(0)
  const client = await connect({ ...world, home }, { mode: 'legacy' })
  const given = textOf(await client.callTool({ name: 'load_context', arguments: { task: 'x', project } }))
  expect(given.length).toBeGreaterThan(40_000)
  expect(given.length).toBeLessThanOrEqual(80_200)
  expect(given).toContain('reduced to 20000 tokens')
  const planned = JSON.parse(textOf(await client.callTool({ name: 'plan_context', arguments: { task: 'x', project } })))
  expect(planned.warnings[0]).toContain('reduced to 20000 tokens')
  expect(planned.omitted.length).toBeGreaterThan(0)
  const told = readFileSync(join(home, '.local/state/loadout/usage.jsonl'), 'utf8')
  expect(told.match(/"stage":"\w+"/g)).toEqual(['"stage":"planned"', '"stage":"delivered"', '"stage":"planned"'])
})

it('a configuration that is broken costs the skills, not the other resources', async () => {
  const home = makeProject({ '.config/loadout/config.json': '{' })
  const client = await connect({ ...world, home }, { mode: 'legacy' })
  const uris = (await client.listResources()).resources.map(({ uri }) => uri)
  expect(uris).toContain('loadout://entry/flood')
  expect(uris.filter((uri) => uri.startsWith('skill:'))).toEqual([])
})

it('an index that is broken is reported, not passed off as an empty one', async () => {
  const project = makeProject({ '.git/HEAD': '', '.claude/loadout/index.json': '{' })
  const client = await connect({ ...world, project, home: makeFolder() }, { mode: 'legacy' })
  const found = await client.callTool({ name: 'search_knowledge', arguments: { query: 'gauge' } })
  expect(JSON.parse(textOf(found))).toEqual({
    hits: [],
    files: [],
    warnings: [expect.stringMatching(/index\.json is not valid JSON.*loadout rules build/)],
  })
  const { contents } = await client.readResource({ uri: 'loadout://index' })
  expect(contents[0]).toMatchObject({ text: expect.stringContaining('is not valid JSON') })
  expect(contents[0]).toMatchObject({ text: expect.not.stringContaining('There are no entries') })
})

it('odd ids, control characters and a guide without end stay harmless', async () => {
  const endless = guide({ name: 'endless', description: 'Endless' }, 'A line of a guide.\n'.repeat(10_000))
  const project = makeProject({
    '.git/HEAD': '',
    '.claude/loadout/trap.md': '---\nid: pack:trap\nsummary: "\\u001b[31mred"\nkeywords: [trap]\n---\n\nTrap.\n',
  })
  const home = makeProject({ '.agents/knowledge/endless/KNOWLEDGE.md': endless })
  expect(runWarm(['index', 'build'], { cwd: project, home }).code).toBe(0)
  const client = await connect({ ...world, project, home }, { mode: 'legacy' })
  const call = (name: string, args: object) => client.callTool({ name, arguments: { ...args } })
  const listed = JSON.stringify([
    await call('search_knowledge', { query: 'trap' }),
    await client.listResources(),
    await call('read_entry', { id: 'no\u001b[31m' }),
    await client.readResource({ uri: 'loadout://entry/no%1B' }).catch(({ message }) => message),
  ])
  expect(listed).toContain('red')
  expect(/[^\\](\\\\)*\\u001b/.test(listed)).toBe(false)
  const { contents } = await client.readResource({ uri: 'loadout://index' })
  expect(contents[0]).toMatchObject({ text: expect.stringContaining('- payload:pack:trap (') })
  const text = textOf(await call('activate_pack', { pack: 'endless' }))
  expect(text.length).toBeLessThanOrEqual(60_000)
  expect(text).toMatch(/<\/knowledge_pack_guide>\n\[cut: the first \d+ of 19\d{4} characters are shown\]\n$/)
})

it('of many entries the lists name some, and say so', async () => {
  const entries = Array.from({ length: 250 }, (_, at) => ({
    id: `entry-${at}`,
    path: `.claude/loadout/${at}.md`,
    keywords: [`word${at}`],
    summary: 'One of many',
  }))
  const index = { version: '1.0.0', entries, budget: {} }
  const project = makeProject({ '.git/HEAD': '', '.claude/loadout/index.json': JSON.stringify(index) })
  const client = await connect({ ...world, project, home: makeFolder() }, { mode: 'legacy' })
  const { resources } = await client.listResources()
  expect(resources.filter(({ uri }) => uri.startsWith('loadout://entry/'))).toHaveLength(200)
  expect(resources[0]).toMatchObject({ uri: 'loadout://index', description: expect.stringContaining('first 200') })
  const ref = { type: 'ref/resource' as const, uri: 'loadout://entry/{id}' }
  const { completion } = await client.complete({ ref, argument: { name: 'id', value: 'entry-' } })
  expect(completion).toMatchObject({ total: 250, hasMore: true })
  expect(completion.values).toHaveLength(100)
})

it('a server that is started and asked nothing leaves no trace', async () => {
  const home = makeFolder()
  const client = await connect({ ...world, home }, { mode: 'auto' })
  await client.listTools()
  expect(readdirSync(home)).toEqual([])
})

it('without a library there are no skills, and that is no error', async () => {
  const bare = { ...world, home: makeFolder() }
  const client = await connect(bare, { mode: 'auto' })
  expect((await new SkillsClient(client).list()).skills).toEqual([])
  expect((await client.listResources()).resources.length).toBeGreaterThan(0)
})
