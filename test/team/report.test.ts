import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { removeOld } from '../../src/team/disk/count.ts'
import type { UsageEvent } from '../../src/usage/rules/usage-event.ts'
import { ask, askForPostgres, makeDatabase, settled } from './postgres.ts'
import { makeMachine, startTeam, type TestMachine, type TestServer } from './server.ts'

const DAY = 86_400_000
const at = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY).toISOString()
const [OLD, NEW] = ['a'.repeat(16), 'b'.repeat(16)]

let team: TestServer
let reader: TestMachine

async function person(group: string, events: Partial<UsageEvent>[]): Promise<void> {
  const machine = makeMachine()
  await machine.loadout.joinTeam({ url: team.url, token: await team.token('member', group) })
  await ask(team.databaseUrl, `UPDATE machine SET since = now() - interval '500 days'`)
  machine.use(...events)
  expect((await machine.loadout.pushUsage({})).findings).toEqual([])
}

beforeAll(async () => {
  team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  // Seven people of payments use the skill on several days and in two versions; each counts once.
  for (let each = 0; each < 7; each++) {
    await person('payments', [
      { entryId: 'review', version: OLD, timestamp: at(200) },
      { entryId: 'review', version: OLD, timestamp: at(3) },
      ...(each < 6 ? [{ entryId: 'review', version: NEW, timestamp: at(1) }] : []),
      { entryId: 'prices', kind: 'pack' as const, stage: 'delivered' as const, tokensEst: 500, timestamp: at(2) },
      { entryId: 'idle', stage: 'planned' as const, timestamp: at(2) },
    ])
  }
  for (let each = 0; each < 2; each++)
    await person('search', [{ entryId: 'review', version: NEW, via: 'codex', timestamp: at(1) }])
  await settled(team.databaseUrl)
  reader = makeMachine()
  await reader.loadout.joinTeam({ url: team.url, token: await team.token() })
})
afterAll(() => team.stop())

describe('a report', () => {
  it('counts people once, by version, in its range', async () => {
    const { value } = await reader.loadout.reportTeam({})
    const [review] = value.entries
    expect([value.people, review?.id, review?.used, review?.people]).toEqual([9, 'review', 15, 9])
    expect(review?.versions.map(({ version, used, people }) => [version, used, people])).toEqual([
      [NEW, 8, 8],
      [OLD, 7, 7],
    ])
    expect(value.inVain).toEqual([{ kind: 'pack', id: 'prices', delivered: 7, tokens: 3500 }])
    expect(value.deadWeight).toEqual([{ kind: 'skill', id: 'idle', planned: 7, machines: null }])
    expect(value.agents.map(({ agent, events }) => [agent, events])).toEqual([
      ['claude', 27],
      ['codex', 2],
    ])
  })

  it('adds small groups to a larger one, so that they cannot be worked out', async () => {
    const { value } = await reader.loadout.reportTeam({})
    expect(value.groups.map(({ group, people, events }) => [group, people, events])).toEqual([
      ['smaller groups', 9, 29],
    ])
    await expect(reader.loadout.reportTeam({ group: 'search' })).rejects.toMatchObject({ code: 'TEAM_GROUP_SMALL' })
    const { value: payments } = await reader.loadout.reportTeam({ group: 'payments' })
    expect([payments.people, payments.entries[0]?.used, payments.entries[0]?.people]).toEqual([7, 13, 7])
  })

  it('over months is the same as its days', async () => {
    const { value } = await reader.loadout.reportTeam({ since: '300d' })
    expect([value.entries[0]?.used, value.entries[0]?.people, value.people]).toEqual([22, 9, 9])
    const until = at(100).slice(0, 10)
    const { value: before } = await reader.loadout.reportTeam({ since: '300d', until })
    expect([before.entries.length, before.entries[0]?.used, before.people]).toEqual([1, 7, 7])
  })

  it('shows how far a version has come, by the last that each machine had', async () => {
    const { value } = await reader.loadout.reportTeam({})
    expect(value.rollout).toMatchObject([
      {
        id: 'review',
        machines: 9,
        versions: [
          { version: NEW, machines: 8, share: 89 },
          { version: OLD, machines: null, share: 11 },
        ],
      },
    ])
  })

  it('forgets what is older than it is kept', async () => {
    expect(await removeOld(team.database, 150)).toHaveLength(1)
    const { value } = await reader.loadout.reportTeam({ since: '300d' })
    expect(value.entries[0]?.used).toBe(15)
  })
})
