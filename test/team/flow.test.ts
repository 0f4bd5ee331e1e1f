import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { ask, askForPostgres, makeDatabase, settled } from './postgres.ts'
import { makeMachine, startProxy, startTeam, type TestMachine, type TestServer, type Wire } from './server.ts'

let team: TestServer
let proxy: Wire

beforeAll(async () => {
  team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  proxy = await startProxy(team.url)
})
afterAll(async () => {
  proxy.close()
  await team.stop()
})

async function member(machine: TestMachine, url = team.url): Promise<TestMachine> {
  await machine.loadout.team.join({ url, token: await team.token() })
  return machine
}

/** How often the database counted entries of a name. */
async function counted(entry: string): Promise<Record<string, number>> {
  await settled(team.databaseUrl)
  const rows = await ask(
    team.databaseUrl,
    `SELECT stage, sum(times) AS times FROM event JOIN label ON label.id = entry WHERE text = $1 GROUP BY 1`,
    [`skill:${entry}`],
  )
  return Object.fromEntries(rows.map(({ stage, times }) => [STAGES[Number(stage)], Number(times)]))
}
const STAGES = ['installed', 'planned', 'delivered', 'used']

const stateOf = (home: string) => join(home, '.local/state/loadout/team')

describe('what a machine sends', () => {
  it('prints with a dry run the very bytes that go over the wire, and sends nothing', async () => {
    const machine = await member(makeMachine(), proxy.url)
    machine.use({ entryId: 'dry' }, { entryId: 'dry' }, { entryId: 'dry', stage: 'planned' })
    const before = proxy.seen.length
    const { value } = await machine.loadout.team.push({ dryRun: true })
    expect(proxy.seen.length).toBe(before)
    expect(value.bodies).toHaveLength(1)
    await machine.loadout.team.push({})
    const sent = proxy.seen.slice(before).filter(({ path }) => path === '/v1/batches')
    expect(sent.map(({ body }) => body)).toEqual(value.bodies)
    expect(await counted('dry')).toEqual({ used: 2, planned: 1 })
  })

  it('never holds what happened before it joined', async () => {
    const machine = makeMachine()
    machine.use({ entryId: 'before' })
    await member(machine)
    machine.use({ entryId: 'after' })
    await machine.loadout.team.push({})
    expect([await counted('before'), await counted('after')]).toEqual([{}, { used: 1 }])
  })

  it('leaves out ids that are paths or sentences, and says how many', async () => {
    const machine = await member(makeMachine())
    machine.use({ entryId: 'src/secret plan.ts' }, { entryId: '/etc/passwd' }, { entryId: 'fine' }, { via: 'a b' })
    const { value } = await machine.loadout.team.push({ dryRun: true })
    expect(value.leftOut).toBe(3)
    expect(value.bodies?.join('')).not.toMatch(/secret|passwd/)
  })
})

describe('exactly once', () => {
  it.each(['lose', 'lose answer'] as const)('when the network cuts: %s', async (mode) => {
    const entry = `cut-${mode.replace(' ', '-')}`
    const machine = await member(makeMachine(), proxy.url)
    machine.use({ entryId: entry })
    proxy.mode = mode
    const { value, findings } = await machine.loadout.team.push({})
    proxy.mode = 'pass'
    expect([value.waiting, findings[0]?.code]).toEqual([1, 'UNREACHABLE'])
    machine.use({ entryId: entry })
    expect((await machine.loadout.team.push({})).value).toMatchObject({ sent: 2, waiting: 0 })
    expect(await counted(entry)).toEqual({ used: 2 })
  })

  it('when a machine is killed after putting batches away and before it noted that', async () => {
    const machine = await member(makeMachine())
    machine.use({ entryId: 'killed' })
    const { value } = await machine.loadout.team.push({ dryRun: true })
    const { machine: id } = JSON.parse(readFileSync(join(stateOf(machine.home), 'outbox.json'), 'utf8'))
    // A kill between the two steps leaves a batch that the state does not know.
    const folder = join(stateOf(machine.home), 'outbox', id)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '000000000001.json'), value.bodies?.[0] ?? '')
    machine.use({ entryId: 'killed' })
    expect((await machine.loadout.team.push({})).value).toMatchObject({ sent: 1, waiting: 0 })
    expect(await counted('killed')).toEqual({ used: 2 })
  })

  it('when it is killed after sending and before it noted that', async () => {
    const machine = await member(makeMachine())
    machine.use({ entryId: 'again' })
    await machine.loadout.team.push({})
    const trays = stateOf(machine.home)
    const [id = ''] = readdirSync(join(trays, 'sent'))
    cpSync(join(trays, 'sent', id), join(trays, 'outbox', id), { recursive: true })
    expect((await machine.loadout.team.push({})).value).toMatchObject({ sent: 1, waiting: 0 })
    expect(await counted('again')).toEqual({ used: 1 })
  })

  it('when twelve processes push at once', async () => {
    const machine = await member(makeMachine())
    for (let round = 0; round < 12; round++) machine.use({ entryId: 'crowd' })
    await Promise.all(Array.from({ length: 12 }, () => machine.loadout.team.push({})))
    expect(await counted('crowd')).toEqual({ used: 12 })
  })

  it('when both instances get the same batch at the same moment', async () => {
    const machine = await member(makeMachine())
    machine.use({ entryId: 'twice' })
    const { value } = await machine.loadout.team.push({ dryRun: true })
    const { secret } = JSON.parse(readFileSync(join(stateOf(machine.home), 'membership.json'), 'utf8'))
    const replies = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const { url } = team.instances[at % 2]!
        const headers = { authorization: `Bearer ${secret}` }
        return (await fetch(`${url}/v1/batches`, { method: 'POST', headers, body: value.bodies?.[0] ?? '' })).json()
      }),
    )
    const results = replies.map((reply) => (reply as { result: string }).result).sort()
    expect(results).toEqual(['accepted', ...Array(19).fill('duplicate')])
    expect(await counted('twice')).toEqual({ used: 1 })
  })

  it('when the usage log is erased in between', async () => {
    const machine = await member(makeMachine())
    machine.use({ entryId: 'erased' })
    await machine.loadout.team.push({})
    await machine.loadout.knowledge.eraseUsage({})
    machine.use({ entryId: 'erased' }, { entryId: 'erased' })
    await machine.loadout.team.push({})
    expect(await counted('erased')).toEqual({ used: 3 })
  })

  it('when a server is restored from a backup, and the machine still has what was lost', async () => {
    const machine = await member(makeMachine())
    for (let batch = 1; batch <= 3; batch++) {
      machine.use({ entryId: 'restored' })
      await machine.loadout.team.push({})
    }
    const { machine: id } = JSON.parse(readFileSync(join(stateOf(machine.home), 'outbox.json'), 'utf8'))
    await settled(team.databaseUrl)
    // The backup was made after the first batch.
    await ask(
      team.databaseUrl,
      `DELETE FROM batch WHERE sequence > 1 AND machine = (SELECT id FROM machine WHERE name = $1)`,
      [id],
    )
    await ask(
      team.databaseUrl,
      `DELETE FROM event WHERE ctid IN (SELECT ctid FROM event WHERE entry = (SELECT id FROM label WHERE text = 'skill:restored') LIMIT 2)`,
    )
    await ask(team.databaseUrl, 'UPDATE machine SET last_sequence = 1 WHERE name = $1', [id])
    machine.use({ entryId: 'restored' })
    expect((await machine.loadout.team.push({})).value).toMatchObject({ sent: 3, waiting: 0 })
    expect(await counted('restored')).toEqual({ used: 4 })
  })

  it('batches that neither side has any more are counted as lost', async () => {
    const machine = await member(makeMachine())
    for (let batch = 1; batch <= 2; batch++) {
      machine.use({ entryId: 'gone' })
      await machine.loadout.team.push({})
    }
    const { machine: id } = JSON.parse(readFileSync(join(stateOf(machine.home), 'outbox.json'), 'utf8'))
    await ask(team.databaseUrl, 'UPDATE machine SET last_sequence = 0 WHERE name = $1', [id])
    await ask(team.databaseUrl, 'DELETE FROM batch WHERE machine = (SELECT id FROM machine WHERE name = $1)', [id])
    rmSync(join(stateOf(machine.home), 'sent'), { recursive: true })
    machine.use({ entryId: 'gone' })
    expect((await machine.loadout.team.push({})).value).toMatchObject({ sent: 1, waiting: 0 })
    expect(await ask(team.databaseUrl, 'SELECT lost_batches FROM machine WHERE name = $1', [id])).toEqual([
      { lost_batches: 2 },
    ])
  })
})

describe('odd machines', () => {
  it('a copied disk is found and gets an identity of its own; what both had before counts once', async () => {
    const first = await member(makeMachine())
    proxy.mode = 'pass'
    first.use({ entryId: 'cloned' })
    // Both have this unsent batch in the outbox: the server is down while the disk is copied.
    const { loadout } = first
    const membership = join(stateOf(first.home), 'membership.json')
    const joined = readFileSync(membership, 'utf8')
    writeFileSync(membership, joined.replace(team.url, 'http://127.0.0.1:9'))
    await loadout.team.push({})
    writeFileSync(membership, joined)
    const home = makeFolder()
    cpSync(first.home, home, { recursive: true })
    const second = makeMachine({ home })
    await first.loadout.team.push({})
    await second.loadout.team.push({})
    expect(await counted('cloned')).toEqual({ used: 1 })

    first.use({ entryId: 'cloned' })
    second.use({ entryId: 'cloned' }, { entryId: 'cloned' })
    await first.loadout.team.push({})
    const { value, findings } = await second.loadout.team.push({})
    expect([value.sent, findings.map(({ code }) => code)]).toEqual([1, ['TEAM_CLONED']])
    expect(await counted('cloned')).toEqual({ used: 4 })
    first.use({ entryId: 'cloned' })
    second.use({ entryId: 'cloned' })
    expect([(await first.loadout.team.push({})).findings, (await second.loadout.team.push({})).findings]).toEqual([
      [],
      [],
    ])
    expect(await counted('cloned')).toEqual({ used: 6 })
    const admin = makeMachine()
    await admin.loadout.team.join({ url: team.url, token: await team.token('admin') })
    const { machines } = (await admin.loadout.team.listMachines({})).value
    expect(machines.filter(({ isSeparated }) => isSeparated)).toHaveLength(1)
  })

  it.each([
    ['a year ahead', 365 * 24],
    ['in 1970', -56 * 365 * 24],
  ])('a clock that stands %s is corrected, and told on both sides', async (_name, hours) => {
    const now = () => new Date(Date.now() + hours * 3_600_000)
    const machine = await member(makeMachine({ now }))
    const entryId = hours > 0 ? 'ahead' : 'epoch'
    machine.use({ entryId })
    await machine.loadout.team.push({})
    expect(await counted(entryId)).toEqual({ used: 1 })
    const [row] = await ask(
      team.databaseUrl,
      `SELECT to_char(max(hour), 'YYYY-MM-DD') AS day FROM event JOIN label ON label.id = entry WHERE text = $1`,
      [`skill:${entryId}`],
    )
    const today = new Date().toISOString().slice(0, 10)
    const yesterday = new Date(Date.now() - 3_600_000).toISOString().slice(0, 10)
    expect([today, yesterday]).toContain(row?.day)
    expect((await machine.loadout.team.status({})).findings.map(({ code }) => code)).toEqual(['TEAM_CLOCK'])
  })

  it('a machine that was off for months sends all of it, dated when it happened', async () => {
    const months = 200 * 86_400_000
    let time = Date.now() - months
    const machine = makeMachine({ now: () => new Date(time) })
    await member(machine)
    await ask(
      team.databaseUrl,
      `UPDATE machine SET since = now() - interval '300 days' WHERE id = (SELECT max(id) FROM machine)`,
    )
    for (let day = 0; day < 200; day += 10) {
      time = Date.now() - months + day * 86_400_000
      machine.use({ entryId: 'offline' })
    }
    time = Date.now()
    await machine.loadout.team.push({})
    await settled(team.databaseUrl)
    const [row] = await ask(
      team.databaseUrl,
      `SELECT count(DISTINCT hour) AS hours, sum(times) AS times FROM event JOIN label ON label.id = entry WHERE text = 'skill:offline'`,
    )
    expect(row).toEqual({ hours: 20, times: 20 })
  })

  it('a batch of an unknown format stays on the machine, and both sides report it', async () => {
    const machine = await member(makeMachine())
    machine.use({ entryId: 'format' })
    await machine.loadout.team.push({ dryRun: true })
    const membership = join(stateOf(machine.home), 'membership.json')
    const text = readFileSync(membership, 'utf8')
    writeFileSync(membership, text.replace(team.url, 'http://127.0.0.1:9'))
    await machine.loadout.team.push({})
    writeFileSync(membership, text)
    const outbox = join(stateOf(machine.home), 'outbox')
    const [id = ''] = readdirSync(outbox)
    const file = join(outbox, id, '000000000001.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"format":1', '"format":0'))
    const { value, findings } = await machine.loadout.team.push({})
    expect([value.waiting, findings[0]?.code, findings[0]?.hint]).toEqual([
      1,
      'TEAM_FORMAT',
      'this server accepts 1, 2: update Loadout on the machine',
    ])
    expect(existsSync(file)).toBe(true)
  })

  it('a revoked token stops at once, nothing is lost, and a new token goes on', async () => {
    const machine = makeMachine()
    const token = await team.token()
    await machine.loadout.team.join({ url: team.url, token })
    machine.use({ entryId: 'revoked' })
    const admin = makeMachine()
    await admin.loadout.team.join({ url: team.url, token: await team.token('admin') })
    const { tokens } = (await admin.loadout.team.listTokens({})).value
    await admin.loadout.team.revokeToken({ id: tokens.filter(({ role }) => role === 'member').at(-1)?.id ?? '' })
    const { value, findings } = await machine.loadout.team.push({})
    expect([value.waiting, findings[0]?.code]).toEqual([1, 'TEAM_TOKEN_REFUSED'])
    await expect(machine.loadout.team.join({ url: team.url, token })).rejects.toMatchObject({
      code: 'TEAM_TOKEN_REFUSED',
    })
    await machine.loadout.team.join({ url: team.url, token: await team.token() })
    expect((await machine.loadout.team.push({})).value).toMatchObject({ sent: 1, waiting: 0 })
    expect(await counted('revoked')).toEqual({ used: 1 })
  })

  it('leaving tells the server, deletes what waited, and sends nothing any more', async () => {
    const machine = await member(makeMachine())
    machine.use({ entryId: 'left' })
    expect((await machine.loadout.team.leave({})).value).toMatchObject({ isTold: true })
    expect(existsSync(stateOf(machine.home))).toBe(false)
    await expect(machine.loadout.team.push({})).rejects.toMatchObject({ code: 'TEAM_NOT_JOINED' })
    expect(await counted('left')).toEqual({})
  })
})

describe('another team', () => {
  it('a token of it is refused, and a machine of this team cannot join it by mistake', async () => {
    const other = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
    try {
      const machine = await member(makeMachine())
      machine.use({ entryId: 'other' })
      await expect(
        makeMachine().loadout.team.join({ url: team.url, token: await other.token() }),
      ).rejects.toMatchObject({
        code: 'TEAM_TOKEN_REFUSED',
      })
      await expect(machine.loadout.team.join({ url: other.url, token: await other.token() })).rejects.toMatchObject({
        code: 'TEAM_OTHER',
      })
      // The address of the server now leads to the other team.
      const membership = join(stateOf(machine.home), 'membership.json')
      const secret = (await other.token()).slice(4, 36)
      const text = readFileSync(membership, 'utf8')
      writeFileSync(membership, text.replace(team.url, other.url).replace(/"secret": "[^"]+"/, `"secret": "${secret}"`))
      const { value, findings } = await machine.loadout.team.push({})
      expect([value.waiting, findings[0]?.code]).toEqual([1, 'TEAM_OTHER'])
      writeFileSync(membership, text)
      expect((await machine.loadout.team.push({})).value).toMatchObject({ sent: 1 })
    } finally {
      await other.stop()
    }
  })
})
