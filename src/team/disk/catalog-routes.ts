import { HttpRefusal } from '../../machine/http.ts'
import { CATALOG_KINDS, type CatalogKind } from '../../machine/rules/approval.ts'
import { failWith, report, toldOf } from '../../text/trouble.ts'
import { isRecord, isTextList, sha256 } from '../../text/values.ts'
import { type CatalogEntry, type CatalogState, nameProblem, parseSnapshot, versionProblem } from '../rules/catalog.ts'
import { type Answer, badRequest, type Call, type Route, readObject, requireTeam, withAudit } from './routes.ts'

/** The signed catalog. */
export const CATALOG_PATH = '/v1/catalog/snapshot'

export const CATALOG_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/v1/catalog', right: 'catalog.read', answer: refuseEarlier },
  { method: 'POST', path: '/v1/catalog', right: 'catalog.publish', answer: publish },
  { method: 'POST', path: '/v1/catalog/quarantine', right: 'catalog.publish', answer: quarantine },
  { method: 'POST', path: '/v1/catalog/statements', right: 'catalog.approve', answer: refuseEarlier },
  { method: 'GET', path: CATALOG_PATH, right: 'catalog.read', answer: show },
  { method: 'POST', path: CATALOG_PATH, right: 'catalog.approve', answer: takeSnapshot },
]

/** A catalog of 5,000 versions has 1.4 MB. */
export const LARGEST_CATALOG = 16 * 1024 * 1024
const CLOCK_MS = 3_600_000

/** Programs that verify single versions. */
async function refuseEarlier(): Promise<Answer> {
  return { status: 426, json: { error: toldOf(report('TEAM_FORMAT/old-machine')) } }
}

/**
 * The signed catalog, without its text if the machine has it, and what machines must know beside it: drafts and stops.
 * With `all` every version.
 */
async function show({ backend: { database }, query: { have = '', all } }: Call): Promise<Answer> {
  // Before the versions: a stop that was lifted between the two queries must not appear as a new one.
  const { rows: signed } = await database.query<{ isSame: boolean; text: string | null; signature: string }>(
    // Of the text as it is: a digest that stands beside another text would hide it from approvers, who could then never sign.
    `SELECT is_same AS "isSame", CASE WHEN is_same THEN NULL ELSE text END AS text, signature
     FROM catalog_snapshot, LATERAL (SELECT encode(sha256(convert_to(text, 'UTF8')), 'hex') = $1 AS is_same) known`,
    [have],
  )
  const { rows } = await database.query<CatalogEntry>(
    `SELECT kind, name, version, state, owner, commit_id AS "commit", digest, groups,
       to_char(published AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS published, statement, signature
     FROM catalog_version WHERE $1 OR state IN ('draft', 'quarantined') ORDER BY kind, name, version LIMIT 50000`,
    [all === '1'],
  )
  const entries = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
  return { json: { ...signed[0], entries } }
}

/** Adds a version as a draft. The same content again changes nothing; other content for this version is refused. */
async function publish({ backend, caller, readBody }: Call): Promise<Answer> {
  const body = await readObject(readBody)
  const { kind, name, version } = readName(body)
  const { owner, commit, digest, groups } = body
  if (typeof owner !== 'string' || !/^[\p{L}\p{N}@._ -]{1,100}$/u.test(owner)) throw badRequest('"owner" is not a name')
  if (typeof commit !== 'string' || typeof digest !== 'string' || !isTextList(groups)) {
    throw badRequest('"commit", "digest" and "groups" are needed')
  }
  const problem = versionProblem({ kind, name, version, commit, digest, groups })
  if (problem !== undefined) throw badRequest(problem)
  return withAudit(backend, async (connection, note) => {
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
      throw new HttpRefusal(409, failWith('FILE_EXISTS/skill-catalog', { name, version }))
    }
    await note({ actor: caller.id, action: 'version published', about: { kind, name, version, digest } })
    return { json: { state: 'draft', isNew: true } }
  })
}

/** Stops a version at once, without a signature: machines no longer install it, and remove nothing. */
async function quarantine(call: Call): Promise<Answer> {
  const { backend, caller, readBody } = call
  const body = await readObject(readBody)
  const named = readName(body)
  if (body.isHeld === false) return refuseEarlier()
  return withAudit(backend, async (connection, note) => {
    const { rowCount } = await connection.query(
      `UPDATE catalog_version SET state = 'quarantined'
       WHERE kind = $1 AND name = $2 AND version = $3 AND state <> 'retired'`,
      [named.kind, named.name, named.version],
    )
    if (rowCount === 0) throw notThere(named)
    await note({ actor: caller.id, action: 'version quarantined', about: named })
    return { json: { state: 'quarantined' } }
  })
}

/** Stores the next signed catalog. Machines verify it; the server checks its form, its team, its time and its place. */
async function takeSnapshot({ backend, caller, readBody }: Call): Promise<Answer> {
  const { database, now } = backend
  const { text, signature, after } = await readObject(readBody)
  const isText = typeof text === 'string' && typeof signature === 'string' && typeof after === 'string'
  if (!isText || signature.length > 16_384) throw badRequest('"text", "signature" and "after" are needed')
  const snapshot = parseSnapshot(text)
  if (snapshot === undefined) throw badRequest('"text" is not a catalog')
  const { id } = await requireTeam(database)
  const { team, number, at, versions } = snapshot
  if (team !== id) throw new HttpRefusal(409, failWith('TEAM_OTHER/catalog'))
  if (Math.abs(Date.parse(at) - now().getTime()) > CLOCK_MS) {
    throw new HttpRefusal(409, failWith('TEAM_CLOCK/signed', { at, now: now().toISOString() }))
  }
  return withAudit(backend, async (connection, note) => {
    // One after the other: of two approvers at once, the second meets the catalog of the first.
    await connection.query('LOCK TABLE catalog_snapshot IN SHARE ROW EXCLUSIVE MODE')
    const { rows } = await connection.query<{ text: string }>('SELECT text FROM catalog_snapshot')
    if ((rows[0] === undefined ? '' : sha256(rows[0].text)) !== after) {
      throw new HttpRefusal(409, failWith('LOCKED/catalog'))
    }
    await connection.query(
      `INSERT INTO catalog_snapshot (text, signature, digest) VALUES ($1, $2, $3) ON CONFLICT (is_only)
       DO UPDATE SET text = excluded.text, signature = excluded.signature, digest = excluded.digest, taken = now()`,
      [text, signature, sha256(text)],
    )
    // A stop that arrived after the approver had asked stays.
    await connection.query(
      `UPDATE catalog_version v SET state = s.state, groups = ARRAY(SELECT jsonb_array_elements_text(s.groups))
       FROM jsonb_to_recordset($1::jsonb) AS s (kind text, name text, version text, state text, groups jsonb, changed bigint)
       WHERE v.kind = s.kind AND v.name = s.name AND v.version = s.version
         AND NOT (v.state = 'quarantined' AND s.state = 'approved' AND s.changed < $2)`,
      [JSON.stringify(versions.map(({ by: _, ...each }) => each)), number],
    )
    const changed = versions
      .filter((each) => each.changed === number)
      .map(({ kind, name, version, state, groups }) => ({ kind, name, version, state, groups }))
    await note({ actor: caller.id, action: 'catalog signed', about: { number, by: snapshot.by, changed } })
    return { json: { number } }
  })
}

type Named = Pick<CatalogEntry, 'kind' | 'name' | 'version'>

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
  return new HttpRefusal(404, failWith('SKILL_NOT_FOUND/catalog-version', { kind, name, version }))
}
