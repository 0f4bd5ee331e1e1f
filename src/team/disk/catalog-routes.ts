import { HttpRefusal } from '../../machine/http.ts'
import { CATALOG_KINDS, type CatalogKind } from '../../machine/rules/verdict.ts'
import { isRecord, isTextList } from '../../text/values.ts'
import {
  type CatalogEntry,
  type CatalogState,
  nameProblem,
  parseStatement,
  type Statement,
  versionProblem,
} from '../rules/catalog.ts'
import { type Connection, inTransaction } from './database.ts'
import { type Answer, badRequest, type Call, type Route, readObject, requireTeam } from './routes.ts'

export const CATALOG_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/v1/catalog', right: 'catalog.read', answer: list },
  { method: 'POST', path: '/v1/catalog', right: 'catalog.publish', answer: publish },
  { method: 'POST', path: '/v1/catalog/quarantine', right: 'catalog.publish', answer: quarantine },
  { method: 'POST', path: '/v1/catalog/statements', right: 'catalog.approve', answer: takeStatement },
]

const LONGEST_SIGNATURE = 16_384
const MOST_VERSIONS = 50_000

async function list({ backend: { database } }: Call): Promise<Answer> {
  const { rows } = await database.query<CatalogEntry>(
    `SELECT kind, name, version, state, owner, commit_id AS "commit", digest, groups,
       to_char(published AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS published, statement, signature
     FROM catalog_version ORDER BY kind, name, version LIMIT ${MOST_VERSIONS}`,
  )
  const entries = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
  return { json: { entries } }
}

/** Adds a version as a draft. The same content again changes nothing; other content for this version is refused. */
async function publish({ backend: { database }, caller, readBody }: Call): Promise<Answer> {
  const body = await readObject(readBody)
  const { kind, name, version } = readName(body)
  const { owner, commit, digest, groups } = body
  if (typeof owner !== 'string' || !/^[\p{L}\p{N}@._ -]{1,100}$/u.test(owner)) throw badRequest('"owner" is not a name')
  if (typeof commit !== 'string' || typeof digest !== 'string' || !isTextList(groups)) {
    throw badRequest('"commit", "digest" and "groups" are needed')
  }
  const problem = versionProblem({ kind, name, version, commit, digest, groups })
  if (problem !== undefined) throw badRequest(problem)
  return inTransaction(database, async (connection) => {
    const values = [kind, name, version, owner, commit, digest, groups]
    const { rowCount } = await connection.query(
      `INSERT INTO catalog_version (kind, name, version, state, owner, commit_id, digest, groups)
       VALUES ($1, $2, $3, 'draft', $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
      values,
    )
    if (rowCount === 0) {
      const { rows } = await connection.query<{ digest: string; state: CatalogState }>(
        'SELECT digest, state FROM catalog_version WHERE kind = $1 AND name = $2 AND version = $3',
        [kind, name, version],
      )
      const [known] = rows
      if (known?.digest === digest) return { json: { state: known.state, isNew: false } }
      throw new HttpRefusal(409, 'SKILL_EXISTS', `the catalog already has another ${name} ${version}`, {
        hint: 'publish it as another version: --version',
      })
    }
    await noteChange(connection, { kind, name, version }, 'draft', caller.id)
    return { json: { state: 'draft', isNew: true } }
  })
}

/** Stops a version at once, without a signature: machines no longer install it, and remove nothing. */
async function quarantine({ backend: { database }, caller, readBody }: Call): Promise<Answer> {
  const body = await readObject(readBody)
  const named = readName(body)
  const isHeld = body.isHeld !== false
  return inTransaction(database, async (connection) => {
    const { rows } = await connection.query<{ state: CatalogState }>(
      `UPDATE catalog_version SET state = CASE WHEN $4 THEN 'quarantined' WHEN statement IS NULL THEN 'draft' ELSE 'approved' END
       WHERE kind = $1 AND name = $2 AND version = $3 AND state <> 'retired' RETURNING state`,
      [named.kind, named.name, named.version, isHeld],
    )
    const state = rows[0]?.state
    if (state === undefined) throw notThere(named)
    await noteChange(connection, named, state, caller.id)
    return { json: { state } }
  })
}

/** Stores a signed statement. Machines verify it; the server checks only its form and its team. */
async function takeStatement({ backend: { database }, caller, readBody }: Call): Promise<Answer> {
  const { statement: text, signature } = await readObject(readBody)
  if (typeof text !== 'string' || typeof signature !== 'string' || signature.length > LONGEST_SIGNATURE) {
    throw badRequest('"statement" and "signature" are needed')
  }
  const statement = parseStatement(text)
  if (statement === undefined) throw badRequest('"statement" is not a statement about the catalog')
  const { id } = await requireTeam(database)
  if (statement.team !== id) throw new HttpRefusal(409, 'TEAM_OTHER', 'the statement is about another team')
  return inTransaction(database, async (connection) => {
    const found =
      statement.version === '*' ? await retireAll(connection, statement) : await signVersion(connection, statement)
    if (!found) throw notThere(statement)
    const { kind, name, version, state } = statement
    await connection.query(
      `UPDATE catalog_version SET statement = $4, signature = $5 WHERE kind = $1 AND name = $2 AND version = $3`,
      [kind, name, version, text, signature],
    )
    await noteChange(connection, statement, state, caller.id)
    return { json: { state } }
  })
}

async function signVersion(connection: Connection, { kind, name, version, state, commit, digest, groups }: Statement) {
  const { rowCount } = await connection.query(
    `UPDATE catalog_version SET state = $4, groups = $7
     WHERE kind = $1 AND name = $2 AND version = $3 AND commit_id = $5 AND digest = $6`,
    [kind, name, version, state, commit, digest, groups],
  )
  return rowCount === 1
}

/** Retires every version, and stores that in a row with the version `*`. */
async function retireAll(connection: Connection, { kind, name, state, groups, by }: Statement) {
  if (state !== 'retired') throw badRequest('only a retirement may be about all versions')
  const { rowCount } = await connection.query(
    `UPDATE catalog_version SET state = 'retired' WHERE kind = $1 AND name = $2`,
    [kind, name],
  )
  if (rowCount === 0) return false
  await connection.query(
    `INSERT INTO catalog_version (kind, name, version, state, owner, commit_id, digest, groups)
     VALUES ($1, $2, '*', 'retired', $3, '', '', $4) ON CONFLICT DO NOTHING`,
    [kind, name, by.slice(0, 100), groups],
  )
  return true
}

type Named = Pick<CatalogEntry, 'kind' | 'name' | 'version'>

async function noteChange(connection: Connection, { kind, name, version }: Named, state: string, token: string) {
  await connection.query('INSERT INTO catalog_change (kind, name, version, state, token) VALUES ($1, $2, $3, $4, $5)', [
    kind,
    name,
    version,
    state,
    token,
  ])
}

function readName(json: unknown): Named {
  if (!isRecord(json)) throw badRequest('it is not an object')
  const { kind, name, version } = json
  const known = CATALOG_KINDS.find((each) => each === kind)
  if (known === undefined) throw badRequest(`"kind" must be one of ${CATALOG_KINDS.join(', ')}`)
  if (typeof name !== 'string' || typeof version !== 'string') throw badRequest('"name" and "version" are needed')
  const problem = nameProblem({ name, version })
  if (problem !== undefined) throw badRequest(problem)
  return { kind: known satisfies CatalogKind, name, version }
}

function notThere({ kind, name, version }: Named): HttpRefusal {
  return new HttpRefusal(404, 'SKILL_NOT_FOUND', `the catalog has no such version of the ${kind} ${name}: ${version}`, {
    hint: 'run loadout catalog publish first',
  })
}
