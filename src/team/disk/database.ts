import pg from 'pg'
import { failWith } from '../../text/trouble.ts'

export type Database = pg.Pool
export type Connection = pg.PoolClient

/** The schema of all tables of the team's server. */
const SCHEMA = 'loadout_team'

/**
 * Opens no connection yet. `onError` receives errors of idle connections. A statement that takes longer than
 * `statementMs` is cancelled; a lock may take a third of that, and a connection a sixth, but at
 * least 5 seconds.
 */
export function openDatabase(url: string, onError: (error: unknown) => void, statementMs = 30_000): Database {
  const connectMs = Math.max(5_000, Math.ceil(statementMs / 6))
  const limits = `statement_timeout=${statementMs} lock_timeout=${Math.ceil(statementMs / 3)}`
  const settings = `search_path=${SCHEMA} timezone=UTC ${limits}`
  const pool = new pg.Pool({
    ...connectionOf(url),
    max: 10,
    connectionTimeoutMillis: connectMs,
    application_name: 'loadout team',
    options: settings
      .split(' ')
      .map((setting) => `-c ${setting}`)
      .join(' '),
    // A database that disappears silently must not block a request for ever.
    query_timeout: statementMs + connectMs,
    keepAlive: true,
  })
  pool.on('error', onError)
  // A connection that breaks between two statements must not end the server: the next statement fails with the reason.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function connectionOf(url: string): { connectionString: string } {
  try {
    const { protocol, hostname } = new URL(url)
    if (['postgres:', 'postgresql:'].includes(protocol) && hostname !== '') return { connectionString: url }
  } catch {
    // Reported below, without the password that the address may contain.
  }
  throw failWith('USAGE/database')
}

export async function inTransaction<T>(database: Database, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await database.connect()
  let broken: Error | undefined
  try {
    await connection.query('BEGIN')
    const result = await work(connection)
    await connection.query('COMMIT')
    return result
  } catch (error) {
    broken = await connection.query('ROLLBACK').then(
      () => undefined,
      (cause: Error) => cause,
    )
    throw error
  } finally {
    // A connection that cannot even roll back is thrown away.
    connection.release(broken)
  }
}

/** Why a database cannot be used, for the log and for the client. */
export type DatabaseTrouble = 'down' | 'read-only' | 'full' | 'slow' | 'not set up'

const TROUBLES: readonly (readonly [pattern: RegExp, trouble: DatabaseTrouble])[] = [
  [/^25006$/, 'read-only'],
  [/^53[12]00$/, 'full'],
  [/^(57014|55P03|40P01|40001|25P03)$/, 'slow'],
  [/^(42P01|3F000|42703)$/, 'not set up'],
  [/^(08|57P|53300|28|3D000|58)/, 'down'],
  [/^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/, 'down'],
]

/** Undefined for an error that is not the database's state: a bug. */
export function troubleOf(error: unknown): DatabaseTrouble | undefined {
  const { code = '', message = '' } = error as { code?: unknown; message?: unknown }
  const found = TROUBLES.find(([pattern]) => pattern.test(String(code)))?.[1]
  if (found !== undefined) return found
  if (/timeout exceeded|Query read timeout/i.test(String(message))) return 'slow'
  return /Connection terminated|Client has encountered a connection error/i.test(String(message)) ? 'down' : undefined
}

export const TROUBLE_TEXTS: Record<DatabaseTrouble, string> = {
  down: 'the team’s database cannot be reached',
  'read-only': 'the team’s database is read-only',
  full: 'the disk of the team’s database is full',
  slow: 'the team’s database is too slow to answer',
  'not set up': 'the team’s database lacks tables that it should have',
}

/**
 * One change of the schema. Instances of two versions run at the same time during an upgrade: a change adds what the
 * new version needs and takes nothing from the old one. Unused parts are removed in a later version.
 */
export interface Migration {
  version: number
  name: string
  /** The oldest program, by the schema it was made for, that works with the database afterwards. */
  oldest: number
  up: string
  /** Undefined: there is no way back. */
  down: string | undefined
}

/** The schema of a database. */
export interface AppliedSchema {
  version: number
  /** The oldest program, by the schema it was made for, that still works with it. */
  oldest: number
}

/** Whether a program works with the schema of a database. */
export type SchemaFit =
  /** The database is older: the program migrates it first. */
  | 'behind'
  | 'same'
  /** The database is newer, and this program still works with it: both versions run side by side during an upgrade. */
  | 'ahead'
  | 'too new'

export function judgeSchema({ version, oldest }: AppliedSchema, made: number): SchemaFit {
  if (version < made) return 'behind'
  if (version === made) return 'same'
  return oldest <= made ? 'ahead' : 'too new'
}

// An arbitrary number; all instances use the same.
const MIGRATION_LOCK = 5_628_621

const NO_SCHEMA: AppliedSchema = { version: 0, oldest: 0 }

export async function readSchema(database: Pick<Database, 'query'>): Promise<AppliedSchema> {
  const found = await database.query<{ here: boolean }>('SELECT to_regclass($1) IS NOT NULL AS here', [
    `${SCHEMA}.migration`,
  ])
  if (!found.rows[0]?.here) return NO_SCHEMA
  const { rows } = await database.query<AppliedSchema>(
    `SELECT version, oldest FROM ${SCHEMA}.migration ORDER BY version DESC LIMIT 1`,
  )
  return rows[0] ?? NO_SCHEMA
}

/** Brings the schema up to what this program was made for. Several instances that start at once take turns. */
export async function migrateUp(database: Database, migrations: readonly Migration[]): Promise<SchemaFit> {
  const made = madeFor(migrations)
  // A database that is up to date may be read-only: reports still work.
  const fit = requireFit(await readSchema(database), made)
  if (fit !== 'behind') return fit
  return underLock(database, async (connection) => {
    await connection.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`)
    await connection.query(
      `CREATE TABLE IF NOT EXISTS ${SCHEMA}.migration
         (version int PRIMARY KEY, name text NOT NULL, oldest int NOT NULL, applied timestamptz NOT NULL DEFAULT now())`,
    )
    const applied = await readSchema(connection)
    for (const migration of migrations.filter(({ version }) => version > applied.version)) {
      await step(connection, migration.up, [
        'INSERT INTO migration (version, name, oldest) VALUES ($1, $2, $3)',
        [migration.version, migration.name, migration.oldest],
      ])
    }
    return requireFit(await readSchema(connection), made)
  })
}

/** Reverts migrations, the newest first. Data that the older schema has no place for is lost. */
export async function migrateDown(database: Database, migrations: readonly Migration[], to: number): Promise<number[]> {
  return underLock(database, async (connection) => {
    const { version } = await readSchema(connection)
    const undone = migrations.filter((each) => each.version > to && each.version <= version).reverse()
    const known = migrations.some((each) => each.version === to)
    if (!known || version > madeFor(migrations)) {
      throw failWith('TEAM_DATABASE/schema-back', { version, to })
    }
    for (const { down, version: number } of undone) {
      if (down === undefined) throw failWith('TEAM_DATABASE/schema-down', { number })
      await step(connection, down, ['DELETE FROM migration WHERE version = $1', [number]])
    }
    return undone.map((each) => each.version)
  })
}

export function madeFor(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0
}

export function requireFit(applied: AppliedSchema, made: number): SchemaFit {
  const fit = judgeSchema(applied, made)
  if (fit !== 'too new') return fit
  throw failWith('TEAM_DATABASE/schema-newer', { version: applied.version, oldest: applied.oldest, made })
}

/**
 * All or nothing. Waits only briefly for a table that is in use, so that requests do not queue up behind it, then tries
 * again.
 */
async function step(connection: Connection, sql: string, [note, values]: [string, unknown[]]): Promise<void> {
  for (let left = 15; ; left--) {
    try {
      await connection.query('BEGIN')
      await connection.query("SET LOCAL lock_timeout = '2s'")
      await connection.query(sql)
      await connection.query(note, values)
      await connection.query('COMMIT')
      return
    } catch (error) {
      await connection.query('ROLLBACK')
      if (left === 0 || (error as { code?: string }).code !== LOCK_TIMEOUT) throw error
    }
  }
}
const LOCK_TIMEOUT = '55P03'

async function underLock<T>(database: Database, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await database.connect()
  try {
    await connection.query("SET lock_timeout = '60s'; SET statement_timeout = '10min'")
    await connection.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    return await work(connection)
  } finally {
    // Closing the session releases the lock and its settings in any case.
    connection.release(true)
  }
}
