import { afterAll, describe, expect, inject, it } from 'vitest'
import { countInbox } from '../../src/team/disk/count.ts'
import { madeFor } from '../../src/team/disk/database.ts'
import { MIGRATIONS } from '../../src/team/disk/migrations.ts'
import type { Role } from '../../src/team/rules/access.ts'
import { publish, type WaitingRow } from '../../src/team/rules/portions.ts'
import { Attacker } from './attack.ts'
import { random } from './chance.ts'
import { ask, askForPostgres, makeDatabase } from './postgres.ts'
import { startTeam, type TestServer } from './server.ts'

const DAY = 86_400_000
// A Monday.
const FIRST = Date.UTC(2026, 8, 7)
const [ENTRIES, WEEKS, AGENTS] = [['review', 'notes'], 3, ['claude', 'codex']] as const
const day = (time: number) => new Date(time).toISOString().slice(0, 10)
const LARGEST_HIDDEN = 5

const stops: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
})

interface Person {
  name: string
  group: number
  rows: object[]
}

/** Who used what, with a power of two as tokens for each entry, week, group and agent: a sum tells what it contains. */
function makeWorld(groups: number) {
  const people: Person[] = []
  const cells: { entry: string; week: number; group: number; bit: bigint; people: Set<string> }[] = []
  for (let group = 0; group < groups; group++)
    for (let at = random(1, group === 0 ? 4 : 10); at > 0; at--)
      people.push({ name: `${group}-${at}`.padStart(32, '0'), group, rows: [] })
  for (const entry of ENTRIES) {
    for (let week = 0; week < WEEKS; week++) {
      for (let group = 0; group < groups; group++) {
        const users = people.filter((person) => person.group === group && Math.random() < 0.8)
        for (const agent of AGENTS) {
          const own = users.filter((_, at) => (at % 3 === 0) === (agent === 'codex'))
          if (own.length === 0) continue
          const bit = BigInt(cells.length)
          cells.push({ entry, week, group, bit, people: new Set(own.map(({ name }) => name)) })
          for (const [at, { rows }] of own.entries()) {
            const h = new Date(FIRST + (7 * week + random(0, 7)) * DAY + random(0, 24) * 3_600_000).toISOString()
            rows.push({
              e: `skill:${entry}`,
              a: agent,
              v: '',
              p: '',
              h,
              s: 3,
              n: 1,
              t: at === 0 ? Number(1n << bit) : 0,
            })
          }
        }
      }
    }
  }
  return { people, cells, groups: Array.from({ length: groups }, (_, group) => `group ${group}`) }
}

type World = ReturnType<typeof makeWorld>

async function send({ databaseUrl }: TestServer, { name, group, rows }: Person): Promise<void> {
  await ask(
    databaseUrl,
    `WITH known AS (
       INSERT INTO token (id, hash, role, group_name) VALUES ($1, convert_to($1, 'UTF8'), 'member', $2)
     ), sender AS (
       INSERT INTO machine (name, token, group_name, since, client) VALUES ($1, $1, $2, '2026-01-01', '0') RETURNING id
     )
     INSERT INTO inbox (machine, person, hours_off, rows) SELECT id, $1, 0, $3 FROM sender`,
    [name, `group ${group}`, JSON.stringify(rows)],
  )
}

/** Counts what was sent, beside the instances, which look for it only now and then. */
async function count({ databaseUrl, database }: TestServer): Promise<void> {
  const isWaiting = async () => (await ask(databaseUrl, 'SELECT 1 FROM inbox LIMIT 1')).length > 0
  while (await isWaiting()) await countInbox(database, madeFor(MIGRATIONS))
}

/** Every number of tokens in a report, at any depth. */
function tokensIn(json: unknown): number[] {
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap(([key, value]) =>
    key === 'tokens' && typeof value === 'number' ? [value] : tokensIn(value),
  )
}

/** Asks for every range, by weeks and by days within them, for the team and for every group, and looks at every number. */
async function lookAtAll(
  team: TestServer,
  world: Pick<World, 'groups'>,
  role: Role,
  attacker: Attacker,
  isWholeOnly = false,
) {
  const [secret] = (await team.token(role)).replace('ldt_', '').split('.')
  const headers = { authorization: `Bearer ${secret}` }
  let answers = 0
  for (let from = 0; from < WEEKS; from++) {
    for (let to = from + 1; to <= WEEKS; to++) {
      if (isWholeOnly && to - from < WEEKS) continue
      for (const off of isWholeOnly ? [0] : [0, 3]) {
        for (const group of [undefined, ...world.groups]) {
          const range = { from: day(FIRST + (7 * from + off) * DAY), to: day(FIRST + (7 * to - off) * DAY) }
          const query = new URLSearchParams({ ...range, ...(group === undefined ? {} : { group }) })
          const reply = await fetch(`${team.url}/v1/report?${query}`, { headers })
          if (reply.status === 403) continue
          expect(reply.status).toBe(200)
          answers++
          for (const tokens of tokensIn(await reply.json())) attacker.see(BigInt(tokens))
        }
      }
    }
  }
  return answers
}

/** What the attacker can work out about five people or fewer: of one entry, in any groups and weeks. */
function workedOut({ cells }: World, attacker: Attacker): string[] {
  return ENTRIES.flatMap((entry) => {
    const own = cells.filter((cell) => cell.entry === entry)
    const places = [...new Set(own.map(({ week, group }) => `week ${week} of group ${group}`))]
    const found: string[] = []
    for (let set = 1; set < 2 ** places.length; set++) {
      const chosen = places.filter((_, at) => (set >> at) & 1)
      const parts = own.filter(({ week, group }) => chosen.includes(`week ${week} of group ${group}`))
      const people = new Set(parts.flatMap((part) => [...part.people]))
      if (people.size > LARGEST_HIDDEN) continue
      const sum = parts.reduce((all, { bit }) => all | (1n << bit), 0n)
      if (attacker.canWorkOut(sum)) found.push(`${entry}: ${chosen.join(' and ')}`)
    }
    for (const { week, group, bit, people } of own)
      if (people.size <= LARGEST_HIDDEN && attacker.canWorkOut(1n << bit))
        found.push(`${entry}: ${week} ${group}, an agent`)
    return found
  })
}

describe('nobody can work out what five people or fewer did', () => {
  it.each([1, 2, 3])('from all reports together, by range, group and role: random team %i', async () => {
    const world = makeWorld(random(2, 5))
    const now = () => new Date(FIRST + (7 * WEEKS + 20) * DAY)
    const team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))), { now })
    stops.push(team.stop)
    for (const person of world.people) await send(team, person)
    await count(team)
    const attacker = new Attacker(world.cells.length)
    expect(await lookAtAll(team, world, 'member', attacker)).toBeGreaterThan(0)
    for (const role of ['maintainer', 'admin'] as const) await lookAtAll(team, world, role, attacker, true)
    expect(workedOut(world, attacker)).toEqual([])
  })

  it('from the reports of every day, while machines send one after the other', async () => {
    const people = Array.from({ length: 14 }, (_, at): Person => {
      return { name: String(at).padStart(32, '0'), group: at % 7 < 5 ? 0 : 1, rows: [] }
    })
    // One bit for each person and week.
    const weeks = [0, 1]
    for (const [at, { rows }] of people.entries())
      for (const week of weeks) {
        const [h, t] = [new Date(FIRST + 7 * week * DAY).toISOString(), 2 ** (at + week * people.length)]
        rows.push({ e: 'skill:review', a: 'claude', v: '', p: '', h, s: 3, n: 1, t })
      }
    let time = FIRST + 8 * DAY
    const team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))), {
      now: () => new Date(time),
    })
    stops.push(team.stop)
    const attacker = new Attacker(people.length * weeks.length)
    for (const person of people) {
      await send(team, person)
      await count(team)
      await lookAtAll(team, { groups: ['group 0', 'group 1'] }, 'member', attacker, true)
      time += DAY
    }
    const numbers = [0n, ...attacker.seen]
    expect(numbers.length).toBeGreaterThan(2)
    const behind = (cells: bigint) =>
      people.filter((_, at) => weeks.some((week) => (cells >> BigInt(at + week * people.length)) & 1n)).length
    for (const one of numbers)
      for (const other of numbers) if (one !== other) expect(behind(one ^ other)).toBeGreaterThan(LARGEST_HIDDEN)
    for (let bit = 0n; bit < people.length * weeks.length; bit++) expect(attacker.canWorkOut(1n << bit)).toBe(false)
  })
  it('from the sums of entries, versions, agents and projects, even with knowing what each agent and project has', () => {
    const [numbers, leaks] = [[1, 2], [] as string[]]
    for (let world = 0; world < 300; world++) {
      const cells: Set<number>[] = []
      const rows: WaitingRow[] = []
      for (const group of numbers)
        for (const entry of numbers)
          for (const agent of numbers)
            for (const version of numbers)
              for (const project of numbers) {
                // A cell of nobody has no bit: the attacker knows that it is empty.
                if (random(0, 3) === 0) continue
                const users = new Set(Array.from({ length: random(1, 11) }, () => group * 100 + random(0, 14)))
                const tokens = 2 ** cells.push(users)
                for (const [at, person] of [...users].entries())
                  rows.push({
                    ...{ entry, stage: 3, group, version, agent, project, person },
                    ...{ times: 1, tokens: at === 0 ? tokens / 2 : 0 },
                  })
              }
      const attacker = new Attacker(cells.length)
      for (const { tokens } of publish(rows, random(0, 2) === 0).figures) attacker.see(BigInt(tokens))
      for (const [at, users] of cells.entries())
        if (users.size <= LARGEST_HIDDEN && attacker.canWorkOut(1n << BigInt(at)))
          leaks.push(`a cell of ${users.size} in world ${world}`)
    }
    expect(leaks).toEqual([])
  })
})
