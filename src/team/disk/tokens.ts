import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { failWith } from '../../text/trouble.ts'
import { asRole, asSecret, hashSecret, keyPrint, type Role, tokenId } from '../rules/access.ts'
import type { Database } from './database.ts'

/** A token in a list, without its secret. */
export interface TokenView {
  id: string
  role: Role
  group: string
  note: string
  person: string | null
  created: string
  revoked: string | null
  expires: string | null
  machines: number
}

/** The sender of a request. */
export interface Caller {
  id: string
  role: Role
  group: string
  /** The oldest program that works with the current database: another instance may have migrated it. */
  oldest: number
}

export interface Team {
  id: string
  keyPrint: string
}

/** Undefined for a secret that is unknown or revoked. Read for every request, so that a revocation counts at once. */
export async function findCaller(database: Database, secret: string): Promise<Caller | undefined> {
  const { rows } = await database.query<{ id: string; role: string; group: string; oldest: number }>(
    `SELECT id, role, group_name AS "group", (SELECT oldest FROM migration ORDER BY version DESC LIMIT 1) AS oldest
     FROM token WHERE hash = $1 AND revoked IS NULL AND (expires IS NULL OR expires > now())`,
    [hashSecret(secret)],
  )
  const role = asRole(rows[0]?.role)
  return rows[0] === undefined || role === undefined ? undefined : { ...rows[0], role }
}

export interface TokenWish {
  role: Role
  group: string
  note: string
  /** The token of the administrator who creates it. */
  by: string | null
  /** Until it is refused. */
  hours?: number
  /** The person whom it is bound to. */
  person?: string
  isSession?: boolean
}

/** Returns the secret, which is not stored. */
export async function addToken(database: Pick<Database, 'query'>, wish: TokenWish): Promise<string> {
  const secret = asSecret(randomBytes(24))
  await database.query(
    `INSERT INTO token (id, hash, role, group_name, note, created_by, expires, person, is_session)
     VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(hours => $7::int), $8, $9)`,
    [
      ...[tokenId(secret), hashSecret(secret), wish.role, wish.group, wish.note, wish.by],
      ...[wish.hours ?? null, wish.person ?? null, wish.isSession ?? false],
    ],
  )
  return secret
}

export async function listTokens(database: Database): Promise<TokenView[]> {
  const { rows } = await database.query<TokenView>(
    `SELECT t.id, t.role, t.group_name AS "group", t.note, t.person,
       to_char(t.created, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS created,
       to_char(t.revoked, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS revoked,
       to_char(t.expires, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS expires,
       (SELECT count(*)::int FROM machine m WHERE m.token = t.id AND m.left_at IS NULL) AS machines
     FROM token t WHERE NOT is_session ORDER BY t.created, t.id`,
  )
  return rows
}

/** Keeps the last administrator: a team without one could not be managed over the network. */
export async function revokeToken(
  database: Pick<Database, 'query'>,
  id: string,
): Promise<'revoked' | 'not found' | 'last administrator'> {
  const { rows } = await database.query<{ role: string; others: number }>(
    `SELECT role, (SELECT count(*)::int FROM token o WHERE o.role = 'admin' AND o.revoked IS NULL AND o.expires IS NULL AND o.id <> t.id) AS others
     FROM token t WHERE id = $1`,
    [id],
  )
  if (rows[0] === undefined) return 'not found'
  if (rows[0].role === 'admin' && rows[0].others === 0) return 'last administrator'
  await database.query('UPDATE token SET revoked = coalesce(revoked, now()) WHERE id = $1', [id])
  return 'revoked'
}

/** Revokes every token of a person: when they leave. Returns the ids. An administrator who stays must remain. */
export async function revokePerson(
  database: Pick<Database, 'query'>,
  person: string,
): Promise<string[] | 'last administrator'> {
  const { rows: left } = await database.query(
    `SELECT FROM token WHERE role = 'admin' AND revoked IS NULL AND expires IS NULL AND person IS DISTINCT FROM $1 LIMIT 1`,
    [person],
  )
  if (left.length === 0) return 'last administrator'
  const { rows } = await database.query<{ id: string }>(
    'UPDATE token SET revoked = now() WHERE person = $1 AND revoked IS NULL RETURNING id',
    [person],
  )
  return rows.map(({ id }) => id)
}

export async function readTeam(database: Database): Promise<Team | undefined> {
  const { rows } = await database.query<Team>('SELECT id, key_print AS "keyPrint" FROM team')
  return rows[0]
}

export function makeKey(): string {
  return asSecret(randomBytes(24))
}

/**
 * Creates the team in an empty database; undefined if there is one. Of instances that start at once, only one creates
 * it.
 */
export async function createTeam(database: Database, key: string): Promise<{ secret: string } | undefined> {
  const { rowCount } = await database.query('INSERT INTO team (id, key_print) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    randomBytes(16).toString('hex'),
    keyPrint(key),
  ])
  if (rowCount !== 1) return undefined
  return { secret: await addToken(database, { role: 'admin', group: 'admins', note: 'first administrator', by: null }) }
}

export interface MachineView {
  machine: number
  group: string
  client: string
  joined: string
  seen: string
  batches: number
  hoursOff: number
  lostBatches: number
  isSeparated: boolean
  hasLeft: boolean
}

/** Machines have numbers: the server knows neither their names nor their users. */
export async function listMachines(database: Database): Promise<MachineView[]> {
  const { rows } = await database.query<MachineView>(
    `SELECT id AS machine, group_name AS "group", client, to_char(joined, 'YYYY-MM-DD') AS joined,
       to_char(seen, 'YYYY-MM-DD') AS seen, last_sequence::int AS batches, hours_off AS "hoursOff",
       lost_batches::int AS "lostBatches", separated_from IS NOT NULL AS "isSeparated", left_at IS NOT NULL AS "hasLeft"
     FROM machine ORDER BY id`,
  )
  return rows
}

/** A variable of the environment, or the content of the file that it names with `_FILE` behind its name. */
export function readVariable(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const path = env[`${name}_FILE`]
  if (env[name] || !path) return env[name] || undefined
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw failWith('USAGE/environment-file', { name: `${name}_FILE`, path }, { cause })
  }
}

/** Makes the file before the team, so that no token is lost; only its owner may read it. */
export function reserveTokenFile(path: string): (token: string) => void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    throw failWith('USAGE/token-file', { path }, { cause })
  }
  return (token) => writeFileSync(path, `${token}\n`)
}
