import { afterAll, describe, expect, inject, it } from 'vitest'
import { createLoadout } from '../../src/loadout.ts'
import { inTransaction, migrateDown, migrateUp, openDatabase, readSchema } from '../../src/team/disk/database.ts'
import { MIGRATIONS } from '../../src/team/disk/migrations.ts'
import { makeFolder } from '../cli/run.ts'
import { startKillable } from './killable-postgres.ts'
import { added, broken, NEXT } from './next-schema.ts'
import { ask, askForPostgres, makeDatabase, settled, withClient } from './postgres.ts'
import {
  makeMachine,
  PATIENT_MS,
  startInstance,
  startTeam,
  type TestInstance,
  type TestMachine,
  type TestServer,
} from './server.ts'

const stops: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

async function newDatabase(): Promise<string> {
  return makeDatabase(await askForPostgres(inject('postgres')))
}

async function newTeam(): Promise<TestServer> {
  const team = await startTeam(await newDatabase(), { statementMs: 3_000 })
  stops.push(team.stop)
  return team
}

async function newMember(team: TestServer, url = team.url): Promise<TestMachine> {
  const machine = makeMachine()
  await machine.loadout.team.join({ url, token: await team.token() })
  return machine
}

async function timesOf(url: string, entry: string): Promise<number> {
  await settled(url)
  const [row] = await ask(
    url,
    'SELECT coalesce(sum(times), 0) AS times FROM event JOIN label ON label.id = entry WHERE text = $1',
    [`skill:${entry}`],
  )
  return Number(row?.times)
}

const ready = async (url: string) => {
  const reply = await fetch(`${url}/ready`)
  return [reply.status, ((await reply.json()) as { error?: { message: string } }).error?.message]
}

describe('a database in trouble', () => {
  it('that is down or has no such address when the server starts is reported to the user who starts it', async () => {
    const loadout = createLoadout({ persist: true, home: makeFolder(), env: {} })
    const asked = { port: 0, signal: new AbortController().signal, onListening: () => {}, onFounded: () => {} }
    await expect(loadout.team.serve({ ...asked, database: 'postgres://x@127.0.0.1:1/x' })).rejects.toMatchObject({
      code: 'TEAM_DATABASE',
    })
    for (const database of ['mysql://x@y/z', 'not an address', undefined]) {
      await expect(loadout.team.serve({ ...asked, database })).rejects.toMatchObject({ code: 'USAGE' })
    }
  })

  it('that goes away and comes back: the server says so, the machine keeps its batch, and it counts once', async () => {
    const database = await startKillable()
    stops.push(database.stop)
    const team = await startTeam(database.url)
    stops.push(team.stop)
    const machine = await newMember(team)
    machine.use({ entryId: 'down' })
    // Also in the middle of a transaction: it must not end the server.
    const interrupted = inTransaction(team.database, async (connection) => {
      await database.down()
      // The process of this connection may outlive the others by a moment.
      for (;;) await connection.query('SELECT 1')
    })
    await expect(interrupted).rejects.toThrow()
    expect(await ready(team.url)).toEqual([503, 'the team’s database cannot be reached'])
    const { value, findings } = await machine.loadout.team.push({})
    expect([value.waiting, findings[0]?.code]).toEqual([1, 'TEAM_DATABASE'])
    expect((await fetch(`${team.url}/health`)).status).toBe(200)
    await database.up()
    expect(await ready(team.url)).toEqual([200, undefined])
    expect((await machine.loadout.team.push({})).value).toMatchObject({ sent: 1, waiting: 0 })
    expect(await timesOf(database.url, 'down')).toBe(1)
  })

  const troubles: [name: string, cause: (name: string) => string, mend: (name: string) => string, message: string][] = [
    [
      'read-only',
      (name) => `ALTER DATABASE ${name} SET default_transaction_read_only = on`,
      (name) => `ALTER DATABASE ${name} RESET default_transaction_read_only`,
      'the team’s database is read-only',
    ],
    [
      'full',
      () =>
        `CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = 'disk_full'; END $$;
         CREATE TRIGGER no_space BEFORE INSERT ON inbox EXECUTE FUNCTION no_space()`,
      () => 'DROP FUNCTION no_space() CASCADE',
      'the disk of the team’s database is full',
    ],
    [
      'slow',
      () =>
        `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(20); RETURN NULL; END $$;
         CREATE TRIGGER slow AFTER INSERT ON inbox EXECUTE FUNCTION slow()`,
      () => 'DROP FUNCTION slow() CASCADE',
      'the team’s database is too slow to answer',
    ],
  ]
  it.each(troubles)('that is %s', async (name, cause, mend, message) => {
    const team = await newTeam()
    const machine = await newMember(team)
    machine.use({ entryId: name })
    const database = new URL(team.databaseUrl).pathname.slice(1)
    await ask(team.databaseUrl, cause(database))
    // Open connections keep the settings that they started with. Waits until they have ended: the server must not take one.
    await ask(
      team.databaseUrl,
      `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()`,
      [database],
    )
    const { value, findings } = await machine.loadout.team.push({})
    expect([value.waiting, findings[0]?.code, findings[0]?.message]).toEqual([
      1,
      'TEAM_DATABASE',
      `the team’s server refused: ${message}`,
    ])
    await withClient(team.databaseUrl, async (client) => {
      await client.query('SET default_transaction_read_only = off')
      await client.query(mend(database))
      await client.query(
        `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()`,
        [database],
      )
    })
    // On a busy machine the first answer after the trouble may be too slow once more.
    await expect.poll(async () => (await machine.loadout.team.push({})).value.waiting).toBe(0)
    expect(await timesOf(team.databaseUrl, name)).toBe(1)
  })
})

describe('the schema', () => {
  it('is made once when many instances start at once', async () => {
    const url = await newDatabase()
    const pools = Array.from({ length: 8 }, () => openDatabase(url, () => {}, PATIENT_MS))
    const fits = await Promise.all(pools.map((pool) => migrateUp(pool, MIGRATIONS)))
    expect(new Set(fits)).toEqual(new Set(['same']))
    for (const pool of pools) await pool.end()
  })

  it('goes up and back under load with instances of both versions, and nothing is lost or counted twice', async () => {
    const team = await newTeam()
    const newer = [...MIGRATIONS, added]
    const machines = await Promise.all(Array.from({ length: 6 }, () => newMember(team)))
    let isOn = true
    let used = 0
    const load = machines.map(async (machine) => {
      while (isOn) {
        machine.use({ entryId: 'upgrade' })
        used++
        await machine.loadout.team.push({})
      }
      await machine.loadout.team.push({})
    })
    stops.push(async () => {
      isOn = false
      await Promise.allSettled(load)
    })
    const pool = openDatabase(team.databaseUrl, () => {}, PATIENT_MS)
    stops.push(() => pool.end())
    const pause = () => new Promise((wake) => setTimeout(wake, 400))
    await pause()
    expect(await migrateUp(pool, newer)).toBe('same')
    const upgraded: TestInstance = await startInstance(team.databaseUrl, { migrations: newer })
    expect([await ready(team.url), await ready(upgraded.url)]).toEqual([
      [200, undefined],
      [200, undefined],
    ])
    await pause()
    await upgraded.stop()
    expect(await migrateDown(pool, newer, NEXT - 1)).toEqual([NEXT])
    await pause()
    isOn = false
    await Promise.all(load)
    for (const machine of machines) await machine.loadout.team.push({})
    expect(await timesOf(team.databaseUrl, 'upgrade')).toBe(used)
    expect(await readSchema(pool)).toEqual({ version: NEXT - 1, oldest: MIGRATIONS.at(-1)?.oldest })
  })

  it('of a later version that this program cannot live with: it says so, takes nothing, and nothing is lost', async () => {
    const team = await newTeam()
    const machine = await newMember(team)
    const pool = openDatabase(team.databaseUrl, () => {}, PATIENT_MS)
    await migrateUp(pool, [...MIGRATIONS, added, broken])
    const [status, message] = await ready(team.url)
    expect([status, message]).toEqual([
      503,
      expect.stringContaining(`needs a Loadout that knows at least schema ${NEXT + 1}`),
    ])
    await expect(migrateUp(pool, MIGRATIONS)).rejects.toMatchObject({ code: 'TEAM_DATABASE' })
    machine.use({ entryId: 'newer' })
    const { value, findings } = await machine.loadout.team.push({})
    expect([value.waiting, findings[0]?.code]).toEqual([1, 'TEAM_DATABASE'])
    await migrateDown(pool, [...MIGRATIONS, added, broken], NEXT - 1)
    expect((await machine.loadout.team.push({})).value).toMatchObject({ sent: 1 })
    await expect(migrateDown(pool, MIGRATIONS, 0)).rejects.toMatchObject({ code: 'TEAM_DATABASE' })
    await pool.end()
  })
})
