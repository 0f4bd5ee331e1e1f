import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import type { TryDatabase } from '../../src/team/disk/try-database.ts'
import { NOBODY, otherUser } from '../rights.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: string
  }
}

/** One PostgreSQL for all tests of a run, started by the first test that needs it. */
export default function setup({ provide }: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-postgres-'))
  const place = join(folder, 'ask')
  let database: Promise<TryDatabase> | undefined
  const server = createServer((socket) => {
    socket.on('error', () => {})
    database ??= startPostgres('fsync=off', 'max_connections=300')
    database.then(
      ({ url }) => socket.end(url),
      (error) => socket.end(`error: ${error.message}`),
    )
  }).listen(place)
  provide('postgres', place)
  return async () => {
    server.close()
    await (await database?.catch(() => undefined))?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A new PostgreSQL, of another user: it refuses to run as root. */
export async function startPostgres(...settings: string[]): Promise<TryDatabase> {
  const script = join(import.meta.dirname, 'start-postgres.ts')
  const flags = settings.flatMap((each) => ['-c', each])
  const [program = '', ...words] = [...otherUser(NOBODY), process.execPath, '--import', 'tsx', script, ...flags]
  const child = spawn(program, words, { cwd: join(import.meta.dirname, '../..'), stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const [line] = await Promise.race([once(child.stdout, 'data'), ended.then(() => ['it could not be started'])])
  const url = String(line).trim()
  if (!url.startsWith('postgres:')) throw new Error(url)
  const stop = async () => {
    child.stdin.end()
    await ended
  }
  return { url, stop }
}

/** The address of the shared PostgreSQL. */
export function askForPostgres(place: string): Promise<string> {
  return new Promise((told, fail) => {
    let text = ''
    connect(place)
      .on('data', (chunk) => {
        text += chunk
      })
      .on('end', () => (text.startsWith('postgres:') ? told(text) : fail(new Error(text))))
      .on('error', fail)
  })
}

let number = 0

/** A new empty database in it. */
export async function makeDatabase(postgres: string): Promise<string> {
  const name = `test_${process.pid}_${++number}`
  await withClient(postgres, (client) => client.query(`CREATE DATABASE ${name}`))
  return postgres.replace(/\/postgres$/, `/${name}`)
}

/** A separate connection, to inspect a database. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=loadout_team' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** All rows of a query, with numbers as numbers. */
export async function ask(url: string, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  // Several statements return several results.
  const answer = await withClient(url, (client) => (values.length > 0 ? client.query(sql, values) : client.query(sql)))
  const { rows } = Array.isArray(answer) ? answer.at(-1) : answer
  return rows.map((row: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [
        key,
        typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value,
      ]),
    ),
  )
}

/** Waits until the inbox of a database is counted. */
export async function settled(url: string): Promise<void> {
  for (;;) {
    const [row] = await ask(url, 'SELECT count(*) AS waiting FROM inbox')
    if (row?.waiting === 0) return
    await new Promise((wake) => setTimeout(wake, 50))
  }
}
