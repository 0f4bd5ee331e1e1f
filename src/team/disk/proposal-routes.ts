import { HttpRefusal } from '../../machine/http.ts'
import { failWith } from '../../text/trouble.ts'
import { PROPOSAL_STATES, type Proposal, proposalId, readChange } from '../rules/proposal.ts'
import { type Answer, badRequest, type Call, type Route, readObject, withAudit } from './routes.ts'

export const PROPOSAL_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/v1/proposals', right: 'proposals.send', answer: propose },
  { method: 'GET', path: '/v1/proposals', right: 'proposals.read', answer: list },
  { method: 'GET', path: '/v1/proposals/:id', right: 'proposals.read', answer: show },
  { method: 'POST', path: '/v1/proposals/:id/decide', right: 'catalog.publish', answer: decide },
]

/** A token that proposes more than this at once is not a person at work. */
const MOST_OPEN = 50

/** Adds a change, or a voice to an equal one. A change that was decided stays decided. */
async function propose({ backend, caller, readBody }: Call): Promise<Answer> {
  const body = await readObject(readBody)
  const change = readChange(body)
  if (typeof change === 'string') throw badRequest(change)
  const { note = '' } = body
  if (typeof note !== 'string' || !/^[\p{L}\p{N}\p{P}\p{S} ]{0,200}$/u.test(note))
    throw badRequest('"note" is not a short text')
  const id = proposalId(change)
  const { name, base, result, patch } = change
  return withAudit(backend, async (connection, noteEntry) => {
    const { rows: open } = await connection.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM proposal p JOIN proposal_voice v ON v.proposal = p.id
       WHERE v.token = $1 AND p.state = 'open' AND p.id <> $2`,
      [caller.id, id],
    )
    if ((open[0]?.count ?? 0) >= MOST_OPEN)
      throw new HttpRefusal(409, failWith('LOCKED/proposals', { most: MOST_OPEN }))
    const { rowCount: isNew } = await connection.query(
      'INSERT INTO proposal (id, name, base, result, patch) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
      [id, name, base, result, patch],
    )
    const { rowCount: isVoice } = await connection.query(
      'INSERT INTO proposal_voice (proposal, token, note) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [id, caller.id, note],
    )
    if (isVoice) await noteEntry({ actor: caller.id, action: 'change proposed', about: { proposal: id, name } })
    const { rows } = await connection.query<Proposal>(`${PROPOSALS} WHERE p.id = $1 GROUP BY p.id`, [id])
    const [{ people, state } = { people: 1, state: 'open' }] = rows
    return { json: { id, people, state, isNew: isNew === 1 } }
  })
}

// A person with two machines is one voice; a token without a person is one of its own.
const PROPOSALS = `
  SELECT p.id, p.name, p.base, p.result, p.state,
    to_char(p.made AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS made,
    count(DISTINCT coalesce(t.person, v.token))::int AS people,
    array_remove(array_agg(DISTINCT v.note), '') AS notes
  FROM proposal p JOIN proposal_voice v ON v.proposal = p.id JOIN token t ON t.id = v.token`

/** Those that wait, the most wanted first; with `all` those that were decided, too. */
async function list({ backend: { database }, query: { all } }: Call): Promise<Answer> {
  const { rows } = await database.query<Proposal>(
    `${PROPOSALS} WHERE $1 OR p.state = 'open' GROUP BY p.id ORDER BY people DESC, p.made, p.id LIMIT 500`,
    [all === '1'],
  )
  return { json: { proposals: rows } }
}

async function show({ backend: { database }, params: { id = '' } }: Call): Promise<Answer> {
  const { rows } = await database.query<Proposal>(
    `SELECT f.*, p.patch FROM (${PROPOSALS} WHERE p.id = $1 GROUP BY p.id) f JOIN proposal p ON p.id = f.id`,
    [id],
  )
  const [proposal] = rows
  if (proposal === undefined) throw notThere(id)
  return { json: { proposal } }
}

async function decide({ backend, caller, params: { id = '' }, readBody }: Call): Promise<Answer> {
  const { state, version } = await readObject(readBody)
  const decided = PROPOSAL_STATES.find((each) => each === state)
  if (decided === undefined) throw badRequest(`"state" must be one of ${PROPOSAL_STATES.join(', ')}`)
  if (version !== undefined && (typeof version !== 'string' || version.length > 100))
    throw badRequest('"version" is not a version')
  return withAudit(backend, async (connection, note) => {
    const { rows } = await connection.query<{ name: string }>(
      'UPDATE proposal SET state = $2 WHERE id = $1 RETURNING name',
      [id, decided],
    )
    const [found] = rows
    if (found === undefined) throw notThere(id)
    const about = { proposal: id, name: found.name, state: decided, version }
    await note({ actor: caller.id, action: 'proposal decided', about })
    return { json: { id, state: decided } }
  })
}

function notThere(id: string): HttpRefusal {
  return new HttpRefusal(404, failWith('ENTRY_NOT_FOUND/proposal', { id: id.slice(0, 64) }))
}
