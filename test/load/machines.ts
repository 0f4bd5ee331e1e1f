import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { createLoadout } from '../../src/loadout.ts'
import { openDatabase } from '../../src/team/disk/database.ts'
import { addToken } from '../../src/team/disk/tokens.ts'
import { formatToken, parseToken } from '../../src/team/rules/access.ts'
import { pause, random } from '../team/chance.ts'
import { type KillableDatabase, startKillable } from '../team/killable-postgres.ts'
import { upgradeAndBack } from './upgrade.ts'
import { differing, writeLog } from './usage-logs.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.cjs')
const AT_ONCE = 6
const LEAST_RATIO = 0.5
// A query over millions of events takes longer than a request may.
const STATEMENT_MS = 600_000

interface Troubles {
  client: number
  service: number
  database: number
  network: number
  upgrade: number
}

/**
 * Machines × events, while clients, servers and the database are killed, the network is cut and the schema goes up and
 * back: each event exactly once.
 */
export async function loadMachines(machines: number, events: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-load-'))
  const postgres = await startKillable()
  const services = await Promise.all([startService(postgres.url), startService(postgres.url)])
  const token = services.map((service) => service.token).find((each) => each !== '') ?? ''
  // The balancer also forwards to instances of a newer version while they run.
  const reachable: { port: number }[] = services.map(({ port }) => ({ port }))
  const balancer = await startBalancer(reachable)
  const database = openDatabase(postgres.url, () => {}, STATEMENT_MS)
  const troubles: Troubles = { client: 0, service: 0, database: 0, network: 0, upgrade: 0 }
  try {
    const homes = await joinAll(folder, balancer.url, token, machines, database)
    const started = Date.now()
    let isOn = true
    const making = [
      makeTrouble(() => isOn, services, balancer, postgres, troubles),
      makeUpgrades(() => isOn, postgres.url, reachable, troubles),
    ]
    await sendAll(homes, events, troubles)
    isOn = false
    await Promise.all(making)
    const sent = Date.now()
    await counted(database)
    const ended = Date.now()
    await verify(database, homes, events)
    const crashed = services.filter(({ child }) => child.exitCode !== null || child.signalCode !== null)
    if (crashed.length > 0) throw new Error(`${crashed.length} of the services ended by themselves`)
    print(
      'kills',
      `${troubles.client} of clients, ${troubles.service} of services, ${troubles.database} of the database; ${troubles.network} cuts of the network; ${troubles.upgrade} upgrades, each taken back`,
    )
    print(
      'with all that',
      `${rate(machines * events, ended - started)} (${seconds(sent - started)} to send, ${seconds(ended - started)} until all was counted)`,
    )
    await compareWithInserts(folder, balancer.url, token, database, postgres.url, Math.min(machines, 20), events)
  } finally {
    for (const service of services) service.stop()
    balancer.close()
    await database.end()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Service {
  port: number
  token: string
  child: ChildProcess
  isUp: boolean
  stop(): void
}

/** The real program; when it is killed it comes back on the same port. */
async function startService(database: string, port = 0): Promise<Service> {
  const env = { PATH: process.env.PATH, LOADOUT_TEAM_DATABASE: database, HOME: '/tmp' }
  const child = spawn(process.execPath, [CLI, 'team', 'serve', '--port', String(port)], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const told = await new Promise<string>((done) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('serving')) done(text)
    })
    child.once('close', () => done(text))
  })
  const taken = Number(/serving http:\/\/127\.0\.0\.1:(\d+)/.exec(told)?.[1] ?? 0)
  return {
    port: taken,
    token: /ldt_\S+/.exec(told)?.[0] ?? '',
    child,
    isUp: taken > 0,
    stop: () => child.kill('SIGTERM'),
  }
}

interface Balancer {
  url: string
  cut(): void
  close(): void
}

/** Forwards each connection to any instance, like a load balancer; `cut` closes all connections. */
async function startBalancer(services: readonly { port: number }[]): Promise<Balancer> {
  const open = new Set<Socket>()
  let isCut = false
  // The service only accepts requests with its own port in the host.
  const server = createServer((client) => {
    const { port } = services[random(0, services.length)]!
    if (isCut) return void client.destroy()
    const backend = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [client, backend],
      [backend, client],
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
    backend.pipe(client)
    client.on('data', (chunk) =>
      backend.write(chunk.toString('latin1').replace(/\r\nhost: [^\r]+/i, `\r\nhost: 127.0.0.1:${port}`), 'latin1'),
    )
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true
      for (const socket of open) socket.destroy()
      setTimeout(
        () => {
          isCut = false
        },
        random(100, 800),
      )
    },
    close: () => server.close(),
  }
}

async function joinAll(
  folder: string,
  url: string,
  token: string,
  machines: number,
  database: pg.Pool,
): Promise<string[]> {
  const { key = '' } = parseToken(token) ?? {}
  const member = formatToken({
    secret: await addToken(database, { role: 'member', group: 'load', note: '', by: null }),
    key,
  })
  const homes = Array.from({ length: machines }, (_, at) => join(folder, `machine-${at}`))
  for (const home of homes) {
    const loadout = createLoadout({ persist: true, home, cwd: folder, env: { PATH: process.env.PATH, HOME: home } })
    await loadout.team.join({ url, token: member })
  }
  // Their logs begin long ago; events from before a machine joined do not count.
  await database.query("UPDATE machine SET since = now() - interval '60 days'")
  return homes
}

/** Some machines at a time; each uses entries while it sends, is killed now and then, and starts again. */
async function sendAll(homes: readonly string[], events: number, kills?: { client: number }): Promise<void> {
  const waiting = [...homes]
  const work = async () => {
    for (let home = waiting.pop(); home !== undefined; home = waiting.pop()) {
      let isWritten = false
      const writing = writeLog(home, events).then(() => {
        isWritten = true
      })
      for (let isDone = false; !isDone; ) {
        const isLast = isWritten
        isDone = (await sendOnce(home, kills)) && isLast
      }
      await writing
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** Whether it ran until nothing was left to send. */
async function sendOnce(home: string, kills?: { client: number }): Promise<boolean> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'machine.mjs'), home], { stdio: 'ignore' })
  const timer = kills && Math.random() < 0.6 ? setTimeout(() => child.kill('SIGKILL'), random(200, 2_500)) : undefined
  const code = await new Promise((done) => child.once('close', done))
  clearTimeout(timer)
  if (kills && code === null) kills.client++
  return code === 0
}

async function makeTrouble(
  isOn: () => boolean,
  services: Service[],
  balancer: Balancer,
  database: KillableDatabase,
  kills: Troubles,
): Promise<void> {
  while (isOn()) {
    await pause(random(1_500, 4_000))
    const kind = random(0, 4)
    if (kind < 2) {
      balancer.cut()
      kills.network++
    } else if (kind === 2) {
      const at = random(0, services.length)
      const { child, port } = services[at]!
      if (!child.kill('SIGKILL')) throw new Error('a service had ended by itself')
      kills.service++
      await pause(random(200, 1_500))
      for (let again = await startService(database.url, port); ; again = await startService(database.url, port)) {
        services[at] = again
        if (again.isUp) break
        await pause(300)
      }
    } else {
      await database.kill()
      kills.database++
    }
  }
}

async function makeUpgrades(
  isOn: () => boolean,
  url: string,
  services: { port: number }[],
  troubles: Troubles,
): Promise<void> {
  while (isOn()) {
    await upgradeAndBack(url, services)
    troubles.upgrade++
    for (let left = random(20, 60); left > 0 && isOn(); left--) await pause(500)
  }
}

async function counted(database: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await database
      .query('SELECT count(*)::int AS waiting FROM inbox')
      .catch(() => ({ rows: [{ waiting: 1 }] }))
    if (rows[0].waiting === 0) return
    await pause(100)
  }
}

async function verify(database: pg.Pool, homes: readonly string[], events: number): Promise<void> {
  const [machines, all] = [homes.length, homes.length * events]
  const { rows } = await database.query(`
    SELECT (SELECT count(*) FROM machine)::int AS machines, (SELECT sum(times) FROM event)::float8 AS events,
      (SELECT count(*) FROM event)::float8 AS rows, (SELECT sum(events) FROM batch)::float8 AS batched,
      ((SELECT coalesce(sum(times), 0) FROM pending)
        + (SELECT coalesce(sum(times), 0) FROM figure WHERE team_group = 0 AND facet = 0))::float8 AS by_week,
      (SELECT count(*) FROM batch)::int AS batches, (SELECT sum(lost_batches) FROM machine)::int AS lost`)
  const [found] = rows
  const odd = await differing(database, homes)
  print('machines', `${found.machines} of ${machines}`)
  print('events', `${found.events} of ${all}, in ${found.rows} rows of ${found.batches} batches`)
  print('sums', `${found.batched} in the list of batches, ${found.by_week} by week`)
  print('lost batches', String(found.lost))
  print('differing logs', `${odd.length}: entry, agent, stage and hour of every event compared with the machine’s log`)
  const sums = [found.events, found.batched, found.by_week]
  if (odd.length > 0 || found.lost > 0 || found.machines !== machines || sums.some((sum) => sum !== all))
    throw new Error('not exactly once')
}

/** Without failures, compared with single inserts into the same database in the same run. */
async function compareWithInserts(
  folder: string,
  url: string,
  token: string,
  database: pg.Pool,
  databaseUrl: string,
  machines: number,
  events: number,
): Promise<void> {
  const homes = await joinAll(join(folder, 'calm'), url, token, machines, database)
  const started = Date.now()
  await sendAll(homes, events)
  await counted(database)
  const calm = (machines * events) / ((Date.now() - started) / 1000)
  print('sustained', `${Math.round(calm).toLocaleString('en')} events/s`)
  await database.query('CREATE TABLE insert_rate (LIKE event)')
  const { rate: inserts, by } = await insertRate(folder, database, databaseUrl)
  print('single inserts', `${Math.round(inserts).toLocaleString('en')}/s by ${by}`)
  print('ratio', (calm / inserts).toFixed(2))
  if (calm < LEAST_RATIO * inserts) throw new Error(`slower than ${LEAST_RATIO} of the inserts`)
}

const INSERT = 'INSERT INTO loadout_team.insert_rate VALUES (now(), 1, 2, 3, 4, 5, 6, 7, 3, 1, 100)'
const CLIENTS = 10
const INSERT_SECONDS = 10

async function insertRate(folder: string, database: pg.Pool, url: string): Promise<{ rate: number; by: string }> {
  const script = join(folder, 'insert.sql')
  writeFileSync(script, `${INSERT};\n`)
  const words = [
    '--no-vacuum',
    '--file',
    script,
    '--client',
    String(CLIENTS),
    '--jobs',
    '2',
    '--time',
    String(INSERT_SECONDS),
    url,
  ]
  const { stdout } = spawnSync('pgbench', words, { encoding: 'utf8' })
  const told = /tps = ([\d.]+)/.exec(stdout ?? '')?.[1]
  if (told !== undefined) return { rate: Number(told), by: 'pgbench' }
  let done = 0
  const end = Date.now() + INSERT_SECONDS * 1000
  const client = async () => {
    for (; Date.now() < end; done++) await database.query(INSERT)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return { rate: done / INSERT_SECONDS, by: 'plain pg, because there is no pgbench here' }
}

function print(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(20)}  ${value}\n`)
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
const rate = (events: number, ms: number) => `${Math.round(events / (ms / 1000)).toLocaleString('en')} events/s`
