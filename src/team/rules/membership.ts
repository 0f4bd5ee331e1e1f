import { parseInstant } from '../../text/instant.ts'
import { failWith, type LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { asRole, type Role } from './access.ts'

/** What a machine knows about the team that it joined. */
export interface Membership {
  /** Without a slash at its end. */
  url: string
  team: string
  /** The part of the token that is sent to the server. */
  secret: string
  /** The team's key; only administrators store it, to invite others. */
  key?: string
  /** Proves to the server that the key is that of its team. */
  keyPrint: string
  /** The pseudonym of the person. */
  person: string
  group: string
  role: Role
  joined: string
}

/** What a machine has sent and what comes next. */
export interface OutboxState {
  machine: string
  /** The number of the next batch. Batches in the outbox with a smaller number are complete and may be sent. */
  next: number
  /** How many bytes of the usage log are in batches, and a digest of them, which shows whether the log was replaced. */
  offset: number
  mark: string
  /** The day and the digest of the last list of installed skills. */
  installed: string
  /** Events that were left out because a field has the wrong form. */
  leftOut: number
  /** How the last attempt ended. */
  last?: { at: string; code?: string; message?: string; failures: number; hoursOff?: number }
}

export function brokenFile(problem: string, cause: LoadoutError): LoadoutError {
  return failWith('FILE_UNREADABLE/team-file', { problem }, { cause })
}

export function parseMembership(json: unknown, path: string): Membership {
  if (isRecord(json)) {
    const { url, team, secret, key, keyPrint, person, group, role: named, joined } = json
    const role = asRole(named)
    const texts = [url, team, secret, keyPrint, person, group, joined]
    const isTexts = texts.every((text) => typeof text === 'string' && !/\p{Cc}/u.test(text))
    if (role !== undefined && isTexts && parseInstant(String(joined)) !== undefined) {
      const known = { url, team, secret, keyPrint, person, group, joined } as Omit<Membership, 'role' | 'key'>
      return { ...known, role, key: typeof key === 'string' ? key : undefined }
    }
  }
  throw failWith('FILE_UNREADABLE/membership', { path })
}

export function parseOutbox(json: unknown, path: string): OutboxState {
  if (isRecord(json)) {
    const { machine, next, offset, mark, installed, leftOut, last } = json
    const isCount = [next, offset, leftOut].every((each) => Number.isSafeInteger(each) && Number(each) >= 0)
    if (isCount && [machine, mark, installed].every((text) => typeof text === 'string')) {
      const state = { machine, next, offset, mark, installed, leftOut } as OutboxState
      return isRecord(last) ? { ...state, last: last as unknown as NonNullable<OutboxState['last']> } : state
    }
  }
  throw failWith('FILE_UNREADABLE/sent', { path })
}

const MINUTE = 60_000
const USUAL_MS = 15 * MINUTE
const LONGEST_MS = 12 * 60 * MINUTE

/** How long to wait before the next attempt: longer after each failure, so that a recovering server is not flooded. */
export function nextAttemptMs(failures: number): number {
  return Math.min(LONGEST_MS, USUAL_MS * 2 ** Math.min(failures, 10))
}

/**
 * Checks the address of a server. Plain HTTP would reveal the token on the network, so it is allowed only on this
 * machine.
 */
export function serverAddress(text: string): string | { problem: string } {
  if (!URL.canParse(text)) return { problem: `"${text}" is not an address such as https://team.example.com` }
  const { protocol, hostname, username, password, search, hash, origin, pathname } = new URL(text)
  if (username + password + search + hash !== '')
    return { problem: 'the address must not contain a user, query or fragment' }
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol === 'https:' || (protocol === 'http:' && isHere)) return `${origin}${pathname.replace(/\/+$/, '')}`
  return { problem: `${protocol}// is not safe for a token: the address must begin with https://` }
}
