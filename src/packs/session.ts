import { HOOK_HOSTS } from '../agents/rules/hook-hosts.ts'
import { exists } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { claimant, claimLine, NO_AGENT, readSession, sessionPath } from '../machine/sessions.ts'
import { LoadoutError } from '../text/trouble.ts'
import { formatClaim, readState } from '../usage/rules/session-state.ts'

const CONVERSATION = /^(?!\.+$)[A-Za-z0-9._-]{1,128}$/

/** Digests of the pack texts that a conversation already has. An unreadable file counts as empty. */
export function givenPacks(machine: Machine, session: string): string[] {
  requireConversation(session)
  const claims = agentsOf(machine, session).flatMap((agent) => {
    try {
      return readState(readSession(machine, agent, session)).claims
    } catch {
      return []
    }
  })
  const sums = claims.flatMap(({ parts }) => parts.flatMap((part) => (part.form === 'pack' ? [part.sum] : [])))
  return [...new Set(sums)]
}

/** Records delivered pack texts, in the file of the conversation's hooks if it has hooks. */
export function notePacks(machine: Machine, session: string, sums: readonly string[], audit?: string): void {
  requireConversation(session)
  if (sums.length === 0) return
  const parts = sums.map((sum) => ({ form: 'pack' as const, sum, audit }))
  const [agent = NO_AGENT] = agentsOf(machine, session)
  claimLine(machine, agent, session, formatClaim({ by: claimant(), parts }))
}

function agentsOf(machine: Machine, session: string): string[] {
  const agents = [...HOOK_HOSTS.map(({ agent }) => agent), NO_AGENT]
  return agents.filter((agent) => exists(sessionPath(machine, agent, session)))
}

function requireConversation(session: string): void {
  if (CONVERSATION.test(session)) return
  throw new LoadoutError('USAGE', `"${session.slice(0, 80)}" cannot be the name of a session`, {
    hint: 'use letters, digits, dots, dashes and underscores',
  })
}
