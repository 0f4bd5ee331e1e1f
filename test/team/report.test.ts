import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  await machine.loadout.team.join({ url: team.url, token: await team.token('member', group) })
  await ask(team.databaseUrl, `UPDATE machine SET since = now() - interval '500 days'`)
  machine.use(...events)
  expect((await machine.loadout.team.push({})).findings).toEqual([])
}

beforeAll(async () => {
  team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  // Seven people of payments use the skill in several weeks and in two versions.
  for (let each = 0; each < 7; each++) {
    await person('payments', [
      { entryId: 'review', version: OLD, timestamp: at(200) },
      { entryId: 'review', version: OLD, timestamp: at(21) },
      ...(each < 6 ? [{ entryId: 'review', version: NEW, timestamp: at(14) }] : []),
      { entryId: 'prices', kind: 'pack' as const, stage: 'delivered' as const, tokensEst: 500, timestamp: at(14) },
      { entryId: 'idle', stage: 'planned' as const, timestamp: at(14) },
    ])
  }
  for (let each = 0; each < 2; each++)
    await person('search', [
      { entryId: 'review', version: NEW, via: 'codex', timestamp: at(14) },
      { entryId: 'secret', timestamp: at(14) },
    ])
  await settled(team.databaseUrl)
  reader = makeMachine()
  await reader.loadout.team.join({ url: team.url, token: await team.token() })
})
afterAll(() => team.stop())

describe('a report', () => {
  it('counts people and uses by week, with what a small group did in the sum of all', async () => {
    const { value } = await reader.loadout.team.report({})
    const [review] = value.entries
    expect([value.people, review?.id, review?.used, review?.people]).toEqual([8, 'review', 15, 8])
    expect(review?.versions.map(({ version, used, people }) => [version, used, people])).toEqual([
      [NEW, 8, 8],
      [OLD, 7, 7],
    ])
    expect(value.entries.map(({ id }) => id)).toEqual(['review', 'prices', 'idle'])
    expect(value.inVain).toEqual([{ kind: 'pack', id: 'prices', delivered: 7, tokens: 3500 }])
    expect(value.deadWeight).toEqual([{ kind: 'skill', id: 'idle', planned: 7, listing: 0, machines: null }])
    expect(value.agents.map(({ agent, events }) => [agent, events])).toEqual([
      ['claude', 21],
      ['several agents', 8],
    ])
  })

  it('shows nothing of a group that would give away a small one', async () => {
    const { value } = await reader.loadout.team.report({})
    expect(value.groups.map(({ group, people, events }) => [group, people, events])).toEqual([
      ['payments', 7, 21],
      ['other groups', 8, 8],
    ])
    await expect(reader.loadout.team.report({ group: 'search' })).rejects.toMatchObject({ code: 'TEAM_GROUP_SMALL' })
    const { value: payments } = await reader.loadout.team.report({ group: 'payments' })
    expect([payments.people, payments.entries[0]?.used, payments.entries[0]?.people]).toEqual([7, 7, 7])
  })

  it('of one day is that of its week, and says so', async () => {
    const one = at(21).slice(0, 10)
    const { value } = await reader.loadout.team.report({ since: one, until: one })
    const [from, to] = [new Date(value.from), new Date(value.to)]
    expect([from.getUTCDay(), to.getUTCDay(), (to.getTime() - from.getTime()) / DAY]).toEqual([1, 0, 6])
    expect(value.from <= one && one <= value.to).toBe(true)
    expect(value.entries.map(({ id, used }) => [id, used])).toEqual([['review', 7]])
    await expect(reader.loadout.team.report({ since: '2026-02-01', until: '2026-01-01' })).rejects.toThrow(
      'a day before',
    )
  })

  it('of many weeks is the sum of its weeks', async () => {
    const { value } = await reader.loadout.team.report({ since: '300d' })
    expect([value.entries[0]?.used, value.entries[0]?.people, value.people]).toEqual([22, 8, 8])
    const until = at(100).slice(0, 10)
    const { value: before } = await reader.loadout.team.report({ since: '300d', until })
    expect([before.entries.length, before.entries[0]?.used, before.people]).toEqual([1, 7, 7])
  })

  it('shows how far a version has come without telling how few machines have another', async () => {
    const { value } = await reader.loadout.team.report({})
    expect(value.rollout).toMatchObject([
      {
        id: 'review',
        machines: 9,
        versions: [{ versions: [{ digest: OLD }, { digest: NEW }], machines: 9, share: 100 }],
      },
    ])
  })

  it('leaves out machines that have been silent for long, and says that there are some', async () => {
    await ask(team.databaseUrl, `UPDATE machine SET seen = now() - interval '31 days' WHERE group_name = 'payments'`)
    const { value } = await reader.loadout.team.report({})
    expect([value.silent, value.rollout.map(({ machines }) => machines)]).toEqual([8, [null]])
    await ask(team.databaseUrl, 'UPDATE machine SET seen = now()')
  })

  it('forgets what is older than it is kept', async () => {
    expect(await removeOld(team.database, 150)).toHaveLength(1)
    const { value } = await reader.loadout.team.report({ since: '300d' })
    expect(value.entries[0]?.used).toBe(15)
  })
})

describe('the roll-out', () => {
  it('forgets a skill that a machine has removed, also its last one', async () => {
    const { home, loadout } = makeMachine()
    const library = join(home, 'library')
    mkdirSync(join(home, '.claude'))
    await loadout.skills.initialize({ create: library })
    for (const name of ['docx', 'pdf']) {
      mkdirSync(join(library, 'skills', name), { recursive: true })
      writeFileSync(join(library, 'skills', name, 'SKILL.md'), '# Do it\n')
      writeFileSync(
        join(library, 'skills', name, 'skill.json'),
        JSON.stringify({ name, description: 'Does it.', targets: ['claude'] }),
      )
    }
    const commit = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'Add']
    for (const words of [['add', '--all'], commit]) execFileSync('git', ['-C', library, ...words])
    await loadout.team.join({ url: team.url, token: await team.token() })
    await ask(team.databaseUrl, `UPDATE machine SET since = now() - interval '500 days'`)
    const holdings = async () => {
      expect((await loadout.team.push({})).findings).toEqual([])
      await settled(team.databaseUrl)
      const { value } = await reader.loadout.team.report({})
      return value.rollout.map(({ id }) => id).filter((id) => id !== 'review')
    }
    await loadout.skills.equip({ names: ['docx', 'pdf'] })
    expect(await holdings()).toEqual(['docx', 'pdf'])
    await loadout.skills.unequip({ names: ['docx'] })
    expect(await holdings()).toEqual(['pdf'])
    await loadout.skills.unequip({ names: ['pdf'] })
    expect(await holdings()).toEqual([])
    expect((await loadout.team.push({})).value.sent).toBe(0)
    const config = join(home, '.config/loadout/config.json')
    await loadout.skills.equip({ names: ['docx'] })
    expect(await holdings()).toEqual(['docx'])
    writeFileSync(config, '{')
    expect(await holdings()).toEqual(['docx'])
  })
})
