import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { UsageEvent } from '../../src/usage/rules/usage-event.ts'
import { send, startWeb, type WebServer } from '../web/web-world.ts'
import { ask, askForPostgres, makeDatabase, settled } from './postgres.ts'
import { makeMachine, runAside, startTeam, type TestMachine, type TestServer } from './server.ts'

const PEOPLE = 6
/** Of a million input tokens. */
const PRICES = { currency: 'USD', agents: { claude: 3, codex: 2 }, models: { opus: 5 } }

/** The tokens of each line in the lists of two agents. `mine` is not of the library. */
const LISTS = {
  claude: { 'skill:docx': 20, 'skill:pdf': 30, 'skill:idle': 7, 'skill:mine': 40 },
  codex: { 'skill:docx': 10 },
}
const start = (via: keyof typeof LISTS, session: string, model?: string): Partial<UsageEvent> => ({
  ...{ entryId: '', stage: 'planned', tokensEst: 0, via, session, isStart: true, listed: LISTS[via] },
  ...(model === undefined ? {} : { model }),
})
const [rules, prices] = [
  { entryId: 'rules', kind: 'payload' as const },
  { entryId: 'prices', kind: 'pack' as const },
]

/** What happened on each machine: five starts, three texts that were opened, two that were delivered, a plan. */
const EVENTS: Partial<UsageEvent>[] = [
  start('claude', 's1', 'opus'),
  start('claude', 's2'),
  start('claude', 's3'),
  start('codex', 'c1'),
  start('codex', 'c2'),
  { entryId: 'pdf', session: 's1', tokensEst: 500 },
  { entryId: 'pdf', session: 's2', tokensEst: 500 },
  { entryId: 'docx', session: 'c1', via: 'codex', tokensEst: 200 },
  { ...rules, session: 's2', stage: 'delivered', tokensEst: 100 },
  { ...prices, via: 'mcp', stage: 'delivered', tokensEst: 60 },
  { ...rules, session: 's3', stage: 'planned', tokensEst: 100 },
]

const money = (amount: number, tokens: number) => ({ money: { amount, currency: 'USD', tokens } })

/** By hand. Lists: 3 × 97 + 2 × 10. Money: 597 × 5, 697 × 3, 97 × 3, 220 × 2; 60 tokens have no price. */
const COST = { listing: 311, opened: 1200, delivered: 160, ...money(0.005807, 1611) }
const ENTRIES = {
  pdf: { listing: 90, opened: 1000, delivered: 0, ...money(0.00433, 1090) },
  docx: { listing: 80, opened: 200, delivered: 0, ...money(0.00066, 280) },
  rules: { listing: 0, opened: 0, delivered: 100, ...money(0.0003, 100) },
  prices: { listing: 0, opened: 0, delivered: 60 },
  mine: { listing: 120, opened: 0, delivered: 0, ...money(0.00044, 120) },
  idle: { listing: 21, opened: 0, delivered: 0, ...money(0.000077, 21) },
}
const AGENTS = {
  claude: { starts: 3, cost: { listing: 291, opened: 1000, delivered: 100, ...money(0.005367, 1391) } },
  codex: { starts: 2, cost: { listing: 20, opened: 200, delivered: 0, ...money(0.00044, 220) } },
  mcp: { starts: 0, cost: { listing: 0, opened: 0, delivered: 60 } },
}

async function person(team: TestServer): Promise<TestMachine> {
  const machine = makeMachine()
  const library = join(machine.home, 'library')
  for (const folder of ['.claude', '.codex']) mkdirSync(join(machine.home, folder))
  await machine.loadout.skills.initialize({ create: library })
  for (const name of ['docx', 'pdf', 'idle']) {
    mkdirSync(join(library, 'skills', name), { recursive: true })
    writeFileSync(join(library, 'skills', name, 'SKILL.md'), '# Do it\n')
    const targets = name === 'docx' ? ['claude', 'codex'] : ['claude']
    writeFileSync(
      join(library, 'skills', name, 'skill.json'),
      JSON.stringify({ name, description: 'Does it.', targets }),
    )
  }
  const commit = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'Add']
  for (const words of [['add', '--all'], commit]) execFileSync('git', ['-C', library, ...words])
  await machine.loadout.skills.equip({ names: ['docx', 'pdf', 'idle'] })
  await machine.loadout.team.join({ url: team.url, token: await team.token() })
  await ask(team.databaseUrl, `UPDATE machine SET since = now() - interval '2 days'`)
  machine.use(...EVENTS)
  const config = join(machine.home, '.config/loadout/config.json')
  writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), prices: PRICES }))
  return machine
}

let team: TestServer
let here: TestMachine
let server: WebServer
let sent: string
beforeAll(async () => {
  team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  for (let each = 0; each < PEOPLE; each++) {
    here = await person(team)
    sent = (await here.loadout.team.push({ dryRun: true })).value.bodies?.join('\n') ?? ''
    expect((await here.loadout.team.push({})).findings).toEqual([])
  }
  await settled(team.databaseUrl)
  server = await startWeb(here.home)
})
afterAll(async () => {
  server?.stop()
  await team?.stop()
})

const run = async (...words: string[]) => runAside(words, { home: here.home, cwd: here.home })
const json = async (...words: string[]) => JSON.parse((await run(...words, '--json')).stdout)
const page = async (path: string) => JSON.parse((await send(server.origin, path, server)).text)

describe('the cost that was worked out by hand', () => {
  const byName = (entries: { entryId: string; cost: unknown }[]) =>
    Object.fromEntries(entries.map(({ entryId, cost }) => [entryId, cost]))

  it('is that of usage, by entry, agent and day', async () => {
    expect(byName(await json('usage'))).toEqual(ENTRIES)
    const { points, agents, starts, cost, entries } = await json('usage', '--by', 'day')
    expect([starts, cost]).toEqual([5, COST])
    expect(byName(entries)).toEqual(ENTRIES)
    expect(points.at(-1)).toMatchObject({ starts: 5, cost: COST, tokens: 1360 })
    type Row = { via: string; starts: number; cost: unknown }
    const found = agents.map((row: Row) => [row.via, { starts: row.starts, cost: row.cost }])
    expect(Object.fromEntries(found)).toEqual(AGENTS)
  })

  it('is that of usage for one agent and one entry', async () => {
    expect((await page('/api/usage?agent=codex')).cost).toEqual(AGENTS.codex.cost)
    expect((await page('/api/usage?entry=pdf')).cost).toEqual(ENTRIES.pdf)
    expect(await page('/api/usage?kind=pack')).toMatchObject({ cost: ENTRIES.prices, entries: [{ entryId: 'prices' }] })
  })

  it('is that of status, which also has the price of a start', async () => {
    const { usage, agents } = await json('status')
    expect(usage).toEqual({ days: 30, starts: 5, cost: COST })
    for (const { agent, tokens, money: cost } of agents) {
      const price = agent === 'claude' ? 3 : 2
      expect(cost).toEqual({ amount: (tokens * price) / 1e6, currency: 'USD', tokens })
    }
    expect(agents).toHaveLength(2)
  })

  it('is that of the page', async () => {
    const { cost, starts, entries } = await page('/api/usage')
    expect([starts, cost]).toEqual([5, COST])
    expect(byName(entries)).toEqual(ENTRIES)
    const { checks } = await page('/api/doctor')
    expect(checks).toContainEqual({
      name: 'cost',
      state: 'fine',
      message:
        '30 days, 5 session starts: 1,671 tokens (311 in lists, 1,200 opened, 160 delivered), 0.0058 USD for 1,611 of 1,671 tokens',
    })
  })

  it('is that of the team, without the lines of skills that are not of the library', async () => {
    const report = await json('team', 'report')
    // Lists: 3 × 57 + 2 × 10. Money: 1271 × 3 and 220 × 2, because the server knows no models. Of six people.
    expect([report.listing, report.tokens]).toEqual([191 * PEOPLE, 1360 * PEOPLE])
    expect(report.money).toEqual({ amount: 0.025518, currency: 'USD', tokens: 1491 * PEOPLE })
    type Row = { id: string; agent: string; tokens: number; listing: number }
    expect(report.entries.map(({ id, tokens, listing }: Row) => [id, tokens, listing])).toEqual([
      ['pdf', 1000 * PEOPLE, 90 * PEOPLE],
      ['docx', 200 * PEOPLE, 80 * PEOPLE],
      ['rules', 100 * PEOPLE, 0],
      ['prices', 60 * PEOPLE, 0],
    ])
    expect(report.deadWeight).toEqual([
      { kind: 'skill', id: 'idle', planned: 0, listing: 21 * PEOPLE, machines: PEOPLE },
    ])
    expect(report.agents.map(({ agent, tokens, listing }: Row) => [agent, tokens, listing])).toEqual([
      ['claude', 1100 * PEOPLE, 171 * PEOPLE],
      ['codex', 200 * PEOPLE, 20 * PEOPLE],
      ['mcp', 60 * PEOPLE, 0],
    ])
    expect(sent).not.toContain('mine')
    expect(sent).not.toContain('opus')
  })

  it('is in what people read', async () => {
    const { stdout: usage } = await run('usage')
    expect(usage).toContain('6 entries · 5 loads · 1,671 tokens (311 in lists, 1,200 opened, 160 delivered)')
    expect(usage).toMatch(/idle \(skill\) +– +– +– +– +21 +0\.000077\n/)
    const { stdout: status } = await run('status')
    expect(status).toContain('Last 30 days, 5 session starts: 1,671 tokens')
    const { stdout: report } = await run('team', 'report')
    expect(report).toContain('The lists of skills cost 1,146 more tokens.')
    expect(report).toContain('By your prices: 0.026 USD for 8,946 of 9,306 tokens.')
    for (const text of [usage, status, report]) expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  })
})

it('no money is shown without a price', async () => {
  const config = join(here.home, '.config/loadout/config.json')
  const { prices: _, ...rest } = JSON.parse(readFileSync(config, 'utf8'))
  writeFileSync(config, JSON.stringify(rest))
  for (const words of [['usage'], ['usage', '--by', 'day'], ['status'], ['team', 'report'], ['doctor']])
    expect(JSON.stringify(await json(...words))).not.toContain('money')
})

it('one start with more skills than a batch has room for is sent in several batches', async () => {
  const machine = await person(team)
  expect((await machine.loadout.team.push({})).findings).toEqual([])
  const root = join(machine.home, '.claude/skills')
  const names = Array.from({ length: 1_100 }, (_, at) => `s${at}`)
  for (const name of names) cpSync(join(root, 'pdf'), join(root, name), { recursive: true })
  machine.use({ ...start('claude', 's'), listed: Object.fromEntries(names.map((name) => [`skill:${name}`, 5])) })
  // The list of what is installed, and the lines of the start.
  const { value, findings } = await machine.loadout.team.push({})
  expect([findings, value.sent, value.waiting]).toEqual([[], 5, 0])
})
