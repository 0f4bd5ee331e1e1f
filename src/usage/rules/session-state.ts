import { LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { ENTRY_KINDS, type EntryKind } from './usage-event.ts'

/** Something a session was given. `sum` is of the text as it was given, so that a change is noticed. */
export type Part =
  /** `body` is the same for the same text under another id. */
  | { form: 'text'; id: string; sum: string; body: string }
  | { form: 'pointer'; kind: EntryKind; id: string; sum: string }
  /** A place in the project's own files. */
  | { form: 'file'; path: string; sum: string }
  /** What can be loaded, from the start of the session. */
  | { form: 'index'; sum: string }
  /** The text of a pack, which the conversation asked for itself; `audit` is the record that gives it again. */
  | { form: 'pack'; sum: string; audit?: string }

/** One line of a session's file: what somebody claims to give, written before it is given. */
export interface Claim {
  /** Who claims, to be told from others that do so at the same moment. */
  by: string
  parts: readonly Part[]
  /** The how-manieth start of the session this is; absent for a prompt. */
  start?: number
  /** What was given before is no longer in anybody's context. */
  isAnew?: boolean
  /** The context was cut down to a summary: texts of packs that were given before are gone. */
  isCompacted?: boolean
  /** Which families of entries the prompt was about, in shares of 1. No word of the prompt is kept. */
  about?: Shares
}

type Shares = readonly (readonly [family: string, share: number])[]

export interface SessionState {
  starts: number
  /** Since the context was last empty; of each what was really given: the first to claim a part has it. */
  claims: readonly Claim[]
  given: ReadonlySet<string>
}

/** What two claims may not both give. */
export function keysOf(part: Part): string[] {
  if (part.form === 'text') return [`text ${part.id}`, `body ${part.body}`]
  if (part.form === 'pack') return [`pack ${part.sum}`]
  if (part.form === 'file') return [`file ${part.path}`]
  return [part.form === 'pointer' ? `pointer ${part.kind} ${part.id}` : 'index']
}

/** What the last prompts were about, the newest first. */
export function recentShares({ claims }: SessionState, count: number): Shares[] {
  return claims
    .flatMap(({ about }) => (about === undefined ? [] : [about]))
    .slice(-count)
    .reverse()
}

export function formatClaim(claim: Claim): string {
  return `${JSON.stringify(claim)}\n`
}

/** More than any start that the file can tell of: for one that begins anew, although the file is damaged. */
export function nextStart(text: string): number {
  return text.split('\n').length + 1
}

/**
 * Throws when a line cannot be understood: what it said was given would be given again, and that must not be. Before the
 * context was last empty it does not matter.
 */
export function readState(text: string): SessionState {
  let claims: Claim[] = []
  let given = new Set<string>()
  let starts = 0
  let problem: LoadoutError | undefined
  for (const line of text.split('\n')) {
    if (line === '') continue
    const claim = readClaim(line)
    if (claim === undefined) {
      problem = broken()
      continue
    }
    // Two hooks for one start: the first has it.
    if (claim.start !== undefined && claim.start <= starts) continue
    if (claim.start !== undefined) starts = claim.start
    if (claim.isAnew) {
      problem = undefined
      claims = []
      given = new Set()
    }
    if (claim.isCompacted) {
      claims = claims.map((each) => ({ ...each, parts: each.parts.filter(({ form }) => form !== 'pack') }))
      given = new Set([...given].filter((key) => !key.startsWith('pack ')))
    }
    const parts = claim.parts.filter((part) => keysOf(part).every((key) => !given.has(key)))
    claims.push({ ...claim, parts })
    for (const part of claim.parts) for (const key of keysOf(part)) given.add(key)
  }
  if (problem !== undefined) throw problem
  return { starts, claims, given }
}

/** What this claim has won; undefined when another was first to start the session. */
export function wonBy({ claims }: SessionState, by: string): readonly Part[] | undefined {
  return claims.find((claim) => claim.by === by)?.parts
}

function readClaim(line: string): Claim | undefined {
  const json = parse(line)
  if (!isRecord(json) || typeof json.by !== 'string' || !Array.isArray(json.parts)) return undefined
  const { by, start, isAnew, isCompacted, about } = json
  if (start !== undefined && !(Number.isInteger(start) && Number(start) > 0)) return undefined
  const parts = json.parts.flatMap((part) => readPart(part) ?? [])
  if (parts.length < json.parts.length) return undefined
  return {
    by,
    parts,
    ...(start === undefined ? {} : { start: Number(start) }),
    ...(isAnew === true ? { isAnew } : {}),
    ...(isCompacted === true ? { isCompacted } : {}),
    ...(Array.isArray(about) ? { about: about.filter(isShare) } : {}),
  }
}

function isShare(json: unknown): json is [string, number] {
  return Array.isArray(json) && typeof json[0] === 'string' && Number.isFinite(json[1])
}

function readPart(json: unknown): Part | undefined {
  if (!isRecord(json) || typeof json.sum !== 'string') return undefined
  const { form, id, sum, body, kind, path, audit } = json
  if (form === 'index') return { form, sum }
  if (form === 'pack') return { form, sum, ...(typeof audit === 'string' ? { audit } : {}) }
  if (form === 'file' && typeof path === 'string') return { form, path, sum }
  if (form === 'text' && typeof id === 'string' && typeof body === 'string') return { form, id, sum, body }
  const known = ENTRY_KINDS.find((each) => each === kind)
  return form === 'pointer' && typeof id === 'string' && known !== undefined
    ? { form, kind: known, id, sum }
    : undefined
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function broken(): LoadoutError {
  return new LoadoutError('BAD_JSON', 'the state of the session has a line that cannot be understood')
}
