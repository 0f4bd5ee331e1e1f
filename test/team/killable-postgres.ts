import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { otherUser } from '../rights.ts'
import { pause, random } from './chance.ts'
import { startPostgres } from './postgres.ts'

export interface KillableDatabase {
  url: string
  /** Like a power cut: one process dies and takes the others down, or all die; then the server starts again. */
  kill(): Promise<void>
  /** All of it, until `up` starts it again. */
  down(): Promise<void>
  up(): Promise<void>
  stop(): Promise<void>
}

/** A PostgreSQL with fsync, as in production, that can be killed. */
export async function startKillable(): Promise<KillableDatabase> {
  const postgres = await startPostgres('max_connections=200', 'shared_buffers=256MB', 'max_wal_size=4GB')
  const folder = await ask(postgres.url, 'SHOW data_directory')
  let isReplaced = false
  const down = async () => {
    process.kill(pidIn(folder), 'SIGKILL')
    while (await ask(postgres.url, 'SELECT 1').catch(() => undefined)) await pause(20)
  }
  const up = async () => {
    isReplaced = true
    do startAgain(folder)
    while (!(await answers(postgres.url)))
  }
  const killAll = async () => {
    await down()
    await pause(random(200, 2_000))
    await up()
  }
  return {
    url: postgres.url,
    ...{ down, up },
    kill: () => (Math.random() < 0.5 ? killOne(postgres.url) : killAll()),
    stop: async () => {
      if (isReplaced) process.kill(pidIn(folder), 'SIGINT')
      await postgres.stop()
    },
  }
}

async function ask(url: string, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return String(rows[0]?.[0])
  } finally {
    await client.end().catch(() => {})
  }
}

/** The server ends all its processes when one of them was killed, and recovers from its log. */
async function killOne(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
    process.kill(rows[0].pid, 'SIGKILL')
    await client.end()
  } catch {
    // It is down already.
  }
}

function pidIn(folder: string): number {
  return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** With the original arguments, as the owner of its files. */
function startAgain(folder: string): void {
  const [program = '', ...words] = readFileSync(join(folder, 'postmaster.opts'), 'utf8').match(/[^\s"]+|"[^"]*"/g) ?? []
  const plain = words.map((word) => word.replaceAll('"', ''))
  const [first = '', ...rest] = [...otherUser(statSync(folder).uid), program, ...plain]
  spawn(first, rest, { stdio: 'ignore', detached: true, cwd: '/' }).on('error', () => {})
}

async function answers(url: string): Promise<boolean> {
  for (let left = 100; left > 0; left--) {
    const found = await ask(url, 'SELECT 1').catch(() => undefined)
    if (found === '1') return true
    await pause(100)
  }
  return false
}
