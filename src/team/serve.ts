import type { Machine } from '../machine/machine.ts'
import { failWith, LoadoutError, type Report } from '../text/trouble.ts'
import { readHeaders } from '../usage/rules/otlp.ts'
import {
  type Database,
  madeFor,
  migrateDown,
  migrateUp,
  openDatabase,
  readSchema,
  TROUBLE_TEXTS,
  troubleOf,
} from './disk/database.ts'
import { MIGRATIONS } from './disk/migrations/index.ts'
import { processLog, runInstance } from './disk/service.ts'
import { aboutError } from './disk/telemetry.ts'
import { addToken, createTeam, makeKey, readTeam } from './disk/tokens.ts'
import { startTryDatabase } from './disk/try-database.ts'
import { formatToken, keyPrint, parseToken, type Role } from './rules/access.ts'

export interface ServeRequest {
  /** `postgres://…` */
  database?: string
  /** Instead: a temporary PostgreSQL, removed afterwards. */
  isTry?: boolean
  port: number
  listen?: string
  hosts?: readonly string[]
  keepDays?: number
  silentDays?: number
  otlp?: string
  signal: AbortSignal
  onListening(url: string): void
  /** Receives the token of the first administrator, which is shown once. */
  onFounded(token: string): void
}

const KEPT_DAYS = 400
const FEWEST_DAYS = 32
const SILENT_DAYS = 30

/** Serves a team until the signal fires. */
export async function serveTeam(machine: Machine, request: ServeRequest): Promise<Report<object>> {
  const { keepDays = KEPT_DAYS, silentDays = SILENT_DAYS, hosts, otlp, signal, onListening } = request
  if (keepDays < FEWEST_DAYS) {
    throw failWith('USAGE/keep-days', { least: FEWEST_DAYS })
  }
  const now = () => machine.now()
  const log = processLog(now)
  const tried = request.isTry ? await startTryDatabase() : undefined
  const database = openDatabase(addressOf(machine, request.database, tried?.url), (error) =>
    log('database', aboutError(error)),
  )
  try {
    const fit = await orExplain(migrateUp(database, MIGRATIONS))
    log('database', { schema: (await readSchema(database)).version, fit })
    await ensureTeam(database, request)
    const { port, listen = '127.0.0.1' } = request
    const headers = readHeaders(machine.env.OTEL_EXPORTER_OTLP_HEADERS)
    const telemetry = { endpoint: otlp, headers }
    await runInstance(database, MIGRATIONS, log, {
      port,
      listen,
      hosts,
      keepDays,
      silentDays,
      otlp: telemetry,
      signal,
      now,
      onListening,
    })
  } finally {
    await database.end()
    await tried?.stop()
  }
  return { value: {}, findings: [] }
}

/** From the environment too: every user of the machine can see a password in an argument. */
function addressOf({ env }: Machine, named: string | undefined, tried: string | undefined): string {
  const address = tried ?? named ?? env.LOADOUT_TEAM_DATABASE
  if (address) return address
  throw failWith('USAGE/no-database')
}

async function ensureTeam(database: Database, { onFounded }: Pick<ServeRequest, 'onFounded'>): Promise<void> {
  if ((await orExplain(readTeam(database))) !== undefined) return
  const key = makeKey()
  const founded = await orExplain(createTeam(database, key))
  if (founded !== undefined) onFounded(formatToken({ secret: founded.secret, key }))
}

/** Turns a problem of the database into an error with a hint. */
async function orExplain<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const trouble = troubleOf(error)
    if (trouble === undefined || !(error instanceof Error)) throw error
    // The message of a failed connection names host and port; pg never puts the password into it.
    const detail = error.message === '' && 'code' in error ? String(error.code) : error.message
    throw new LoadoutError('TEAM_DATABASE', `${TROUBLE_TEXTS[trouble]}: ${detail}`, {
      hint: trouble === 'down' ? 'check that it runs, and its address, user and password' : 'repair it and start again',
      cause: error,
    })
  }
}

export interface SchemaChange {
  before: number
  after: number
}

/** Migrates the schema up or down, without serving. */
export async function migrateTeam(
  machine: Machine,
  request: { database?: string; to?: number },
): Promise<Report<SchemaChange>> {
  return withDatabase(machine, request.database, async (database) => {
    const { version: before } = await readSchema(database)
    if (request.to !== undefined && request.to < before) await migrateDown(database, MIGRATIONS, request.to)
    else if (request.to !== undefined && request.to !== madeFor(MIGRATIONS)) {
      throw failWith('USAGE/schema', { to: request.to, before, newest: madeFor(MIGRATIONS) })
    } else await migrateUp(database, MIGRATIONS)
    return { before, after: (await readSchema(database)).version }
  })
}

/** Makes a token directly in the database, for an administrator who lost theirs. */
export async function recoverToken(
  machine: Machine,
  request: { database?: string; role: Role; group: string; key?: string },
): Promise<Report<{ token: string }>> {
  return withDatabase(machine, request.database, async (database) => {
    const team = await readTeam(database)
    if (team === undefined) {
      throw failWith('TEAM_DATABASE/empty')
    }
    const key = (parseToken(request.key ?? '') ?? { key: request.key ?? '' }).key
    if (keyPrint(key) !== team.keyPrint) {
      throw failWith('TEAM_OTHER/key')
    }
    const secret = await addToken(database, { role: request.role, group: request.group, note: 'recovered', by: null })
    return { token: formatToken({ secret, key }) }
  })
}

async function withDatabase<T>(
  machine: Machine,
  named: string | undefined,
  work: (database: Database) => Promise<T>,
): Promise<Report<T>> {
  const database = openDatabase(addressOf(machine, named, undefined), () => {})
  try {
    return { value: await orExplain(work(database)), findings: [] }
  } finally {
    await database.end()
  }
}
