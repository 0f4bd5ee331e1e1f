import { failWith } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { parseSince } from '../usage/rules/summary.ts'
import { withTeam } from './disk/team.ts'
import { type AuditEntry, CHAIN_START, followEntry, type StoredEntry } from './rules/audit.ts'

export interface AuditLog {
  entries: AuditEntry[]
  /** How many the server has, from the first on. */
  checked: number
  /** The hash of the newest: noted elsewhere, it shows later that nothing was cut off. */
  head: string
}

/** Reads the team's audit log from its first entry, checks that no entry was changed or taken out, and returns the wanted ones. */
export const readTeamAudit = withTeam(async (team, request: { since?: string; after?: string }): Promise<AuditLog> => {
  const since = request.since === undefined ? '' : parseSince(request.since, team.machine.now())
  const entries: AuditEntry[] = []
  let last = { id: 0, hash: CHAIN_START }
  let isWanted = request.after === undefined
  for (;;) {
    const path = `/v1/audit?after=${last.id}`
    const { entries: page } = await team.call({ method: 'GET', path })
    if (!Array.isArray(page) || !page.every(isStored)) throw failWith('UNREACHABLE/audit')
    if (page.length === 0) break
    for (const stored of page) {
      const entry = followEntry(last, stored)
      if (entry === undefined) throw failWith('TEAM_AUDIT', { id: last.id + 1 })
      last = { id: entry.id, hash: stored.hash }
      if (isWanted && entry.at >= since) entries.push(entry)
      isWanted ||= stored.hash === request.after
    }
  }
  if (!isWanted) throw failWith('TEAM_AUDIT/cut', { head: String(request.after) })
  return { entries, checked: last.id, head: last.hash }
})

function isStored(value: unknown): value is StoredEntry {
  return isRecord(value) && typeof value.entry === 'string' && typeof value.hash === 'string'
}
