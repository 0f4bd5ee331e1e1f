import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createLoadout, type Loadout } from '../../src/loadout.ts'
import { type Database, type Migration, migrateUp, openDatabase } from '../../src/team/disk/database.ts'
import { MIGRATIONS } from '../../src/team/disk/migrations.ts'
import { runInstance } from '../../src/team/disk/service.ts'
import type { Provider } from '../../src/team/disk/sign-in.ts'
import { createLog } from '../../src/team/disk/telemetry.ts'
import { addToken, createTeam } from '../../src/team/disk/tokens.ts'
import type { Webhook } from '../../src/team/disk/webhook.ts'
import { formatToken, type Role } from '../../src/team/rules/access.ts'
import { appendEvents } from '../../src/usage/disk/usage-log.ts'
import type { UsageEvent } from '../../src/usage/rules/usage-event.ts'
import { CLI, CODE_CACHE, makeFolder, type Run } from '../cli/run.ts'

/** The key of every team in the tests; the server never sees it. */
export const KEY = 'k'.repeat(32)

export interface TestInstance {
  url: string
  logs: string[]
  stop(): Promise<void>
}

export interface TestServer {
  url: string
  databaseUrl: string
  database: Database
  instances: TestInstance[]
  logs(): string
  /** A token of a role, as users receive it. */
  token(role?: Role, group?: string): Promise<string>
  stop(): Promise<void>
}

interface Options {
  migrations?: readonly Migration[]
  now?: () => Date
  otlp?: string
  statementMs?: number
  port?: number
  provider?: Provider
  webhook?: Webhook
}

export async function startInstance(databaseUrl: string, options: Options = {}): Promise<TestInstance> {
  const { migrations = MIGRATIONS, now = () => new Date(), otlp, statementMs, port = 0, provider, webhook } = options
  const logs: string[] = []
  const log = createLog((line) => logs.push(line), now)
  const database = openDatabase(databaseUrl, () => {}, statementMs)
  const stopping = new AbortController()
  let ended: Promise<void> = Promise.resolve()
  const url = await new Promise<string>((listening, fail) => {
    ended = runInstance(database, migrations, log, {
      ...{ port, listen: '127.0.0.1', hosts: undefined, keepDays: 400, silentDays: 30, provider, webhook },
      ...{ otlp: { endpoint: otlp, headers: {} }, signal: stopping.signal, now, onListening: listening },
    })
    ended.catch(fail)
  })
  const stop = async () => {
    stopping.abort()
    await ended
    await database.end()
  }
  return { url, logs, stop }
}

/** For what a test itself asks: on a busy machine a connection may take many seconds. */
export const PATIENT_MS = 600_000

/** A team with two instances on a database. */
export async function startTeam(databaseUrl: string, options: Options = {}): Promise<TestServer> {
  const database = openDatabase(databaseUrl, () => {}, PATIENT_MS)
  await migrateUp(database, options.migrations ?? MIGRATIONS)
  await createTeam(database, KEY)
  const instances = [await startInstance(databaseUrl, options), await startInstance(databaseUrl, options)]
  return {
    url: instances[0]!.url,
    databaseUrl,
    database,
    instances,
    logs: () => instances.flatMap(({ logs }) => logs).join(''),
    token: async (role = 'member', group = 'payments') =>
      formatToken({ secret: await addToken(database, { role, group, note: '', by: null }), key: KEY }),
    stop: async () => {
      for (const instance of instances) await instance.stop()
      await database.end()
    },
  }
}

export interface TestMachine {
  home: string
  loadout: Loadout
  /** Adds events to its usage log, as a hook does. */
  use(...events: Partial<UsageEvent>[]): void
}

let people = 0

/** A separate machine with its own user. */
export function makeMachine({ home = makeFolder(), now = () => new Date() } = {}): TestMachine {
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, '.gitconfig'), `[user]\nemail = person${++people}@example.com\n`)
  const env = { PATH: process.env.PATH, HOME: home }
  return {
    home,
    loadout: createLoadout({ persist: true, home, cwd: home, env, now }),
    use: (...events) =>
      appendEvents(
        events.map((event) => eventAt(now(), event)),
        join(home, '.local/state/loadout/usage.jsonl'),
      ),
  }
}

function eventAt(now: Date, event: Partial<UsageEvent>): UsageEvent {
  return {
    timestamp: now.toISOString(),
    taskHash: '0123456789abcdef',
    entryId: 'release-notes',
    trigger: 'skill',
    mode: 'manual',
    tokensEst: 10,
    stage: 'used',
    kind: 'skill',
    via: 'claude',
    ...event,
  }
}

/** Runs the built program while this process keeps serving. */
export function runAside(
  args: readonly string[],
  { home, cwd, stdin = '' }: { home: string; cwd: string; stdin?: string },
): Promise<Run> {
  const env = { PATH: process.env.PATH, HOME: home, ...CODE_CACHE }
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env })
  const run: Run = { code: null, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    run.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    run.stderr += chunk
  })
  child.stdin.end(stdin)
  return new Promise((done) => child.once('close', (code) => done({ ...run, code })))
}

export interface Wire {
  url: string
  /** The bodies and headers of all requests. */
  seen: { method: string; path: string; body: string; headers: string }[]
  /** What to do with a request: forward it, lose it, or forward it and lose the reply. */
  mode: 'pass' | 'lose' | 'lose answer'
  close(): void
}

/** A proxy between a machine and a server that records requests and can drop them. */
export async function startProxy(target: string): Promise<Wire> {
  const proxy: Wire = { url: '', seen: [], mode: 'pass', close: () => server.close() }
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const { method = 'GET', url: path = '/', headers } = request
    proxy.seen.push({ method, path, body, headers: JSON.stringify(headers) })
    if (proxy.mode === 'lose') return response.destroy()
    const kept = Object.entries(headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name))
    const reply = await fetch(`${target}${path}`, {
      method,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      ...(body === '' ? {} : { body }),
    })
    const text = await reply.text()
    if (proxy.mode === 'lose answer') return response.destroy()
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}
