import pg from 'pg'
import { LoadoutError } from '../../text/trouble.ts'

export type Database = pg.Pool
export type Connection = pg.PoolClient

/** The schema of all tables of the team's server. */
export const SCHEMA = 'loadout_team'

const MOST_CONNECTIONS = 10
const CONNECT_MS = 5_000
const STATEMENT_MS = 30_000

/**
 * Opens no connection yet. `onError` receives errors of idle connections. A statement that takes longer than
 * `statementMs` is cancelled.
 */
export function openDatabase(url: string, onError: (error: unknown) => void, statementMs = STATEMENT_MS): Database {
  const limits = `statement_timeout=${statementMs} lock_timeout=${Math.ceil(statementMs / 3)}`
  const settings = `search_path=${SCHEMA} timezone=UTC ${limits}`
  const pool = new pg.Pool({
    ...connectionOf(url),
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'loadout team',
    options: settings
      .split(' ')
      .map((setting) => `-c ${setting}`)
      .join(' '),
    // A database that disappears silently must not block a request for ever.
    query_timeout: statementMs + CONNECT_MS,
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
  throw new LoadoutError('USAGE', 'the address of the database is not of the form postgres://user@host/database', {
    hint: 'loadout team serve --database postgres://loadout@localhost/loadout, or --try',
  })
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
