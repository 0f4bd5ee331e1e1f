import { failWith, type LoadoutError } from '../../text/trouble.ts'
import { attempt, isRecord } from '../../text/values.ts'
import { ENTRY_KINDS, type EntryKind } from './usage-event.ts'

/** Something that a session received. `sum` is the checksum of the delivered text, to notice a change. */
export type DeliveredPart =
  /** `body` is equal for the same text under another id. */
  | { form: 'text'; id: string; sum: string; body: string }
  /** `section`: of a pack, a digest of the headings that it was pointed to. */
  | { form: 'pointer'; kind: EntryKind; id: string; sum: string; section?: string }
  /** A place in the project's own files. */
  | { form: 'file'; path: string; sum: string }
  /** The list of loadable entries, from the start of the session. */
  | { form: 'index'; sum: string }
  /** The text of a pack, which the conversation requested itself; `audit` is the record that reproduces it. */
  | { form: 'pack'; sum: string; audit?: string }

/** When and where something was delivered; undefined in files of earlier versions. */
interface ClaimPlace {
  /** ISO 8601: the time of the events in the usage log. */
  at?: string
  cwd?: string
  /** The agent's own file of the conversation. */
  transcript?: string
}

/** One line of a session's file: what a process is about to deliver, written before delivery. */
export interface Claim extends ClaimPlace {
  /** Identifies the process among others that claim at the same moment. */
  by: string
  parts: readonly DeliveredPart[]
  /** The number of this start of the session; undefined for a prompt. */
  start?: number
  /** Earlier deliveries are no longer in the context. */
  isAnew?: boolean
  /** The context was compacted to a summary: texts of packs and pointers to sections from before are gone. */
  isCompacted?: boolean
  /** The families of entries that the prompt was about; shares of 1. Contains no word of the prompt. */
  about?: Shares
}

type Shares = readonly (readonly [family: string, share: number])[]

export interface SessionState {
  starts: number
  /** Since the context was last empty; each with what it really delivered: the first to claim a part wins. */
  claims: readonly Claim[]
  given: ReadonlySet<string>
}

/** Keys that two claims must not both deliver. */
export function keysOf(part: DeliveredPart): string[] {
  if (part.form === 'text') return [`text ${part.id}`, `body ${part.body}`]
  if (part.form === 'pack') return [`pack ${part.sum}`]
  if (part.form === 'file') return [`file ${part.path}`]
  if (part.form === 'index') return ['index']
  return [part.section === undefined ? `pointer ${part.kind} ${part.id}` : `section ${part.id} ${part.section}`]
}

/** What need not be given any more after this part: who was pointed to a section knows its pack. */
export function heldAfter(part: DeliveredPart): string[] {
  const isSection = part.form === 'pointer' && part.section !== undefined
  return isSection ? [...keysOf(part), `pointer ${part.kind} ${part.id}`] : keysOf(part)
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

/** Larger than any start in the file, even if the file is damaged. */
export function nextStart(text: string): number {
  return text.split('\n').length + 1
}

/**
 * Throws for an invalid line: its deliveries would be repeated, which must not happen. Lines before the context was
 * last empty do not matter.
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
      problem = failWith('BAD_JSON/session')
      continue
    }
    // Two hooks for one start: the first wins.
    if (claim.start !== undefined && claim.start <= starts) continue
    if (claim.start !== undefined) starts = claim.start
    if (claim.isAnew) {
      problem = undefined
      claims = []
      given = new Set()
    }
    if (claim.isCompacted) {
      claims = claims.map((each) => ({ ...each, parts: each.parts.filter(({ form }) => form !== 'pack') }))
      given = new Set([...given].filter((key) => !/^(?:pack|section) /.test(key)))
    }
    const parts = claim.parts.filter((part) => keysOf(part).every((key) => !given.has(key)))
    claims.push({ ...claim, parts })
    for (const part of claim.parts) for (const key of heldAfter(part)) given.add(key)
  }
  if (problem !== undefined) throw problem
  return { starts, claims, given }
}

/** The parts that this claim won; undefined when another process started the session first. */
export function wonBy({ claims }: SessionState, by: string): readonly DeliveredPart[] | undefined {
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
    start: start === undefined ? undefined : Number(start),
    isAnew: isAnew === true ? isAnew : undefined,
    isCompacted: isCompacted === true ? isCompacted : undefined,
    about: Array.isArray(about) ? about.filter(isShare) : undefined,
    at: textOf(json.at),
    cwd: textOf(json.cwd),
    transcript: textOf(json.transcript),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Every line that can be read, also from before the context was last empty. */
export function readClaims(text: string): Claim[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : (readClaim(line) ?? [])))
}

function isShare(json: unknown): json is [string, number] {
  return Array.isArray(json) && typeof json[0] === 'string' && Number.isFinite(json[1])
}

function readPart(json: unknown): DeliveredPart | undefined {
  if (!isRecord(json) || typeof json.sum !== 'string') return undefined
  const { form, id, sum, body, kind, path, audit, section } = json
  if (form === 'index') return { form, sum }
  if (form === 'pack') return { form, sum, audit: typeof audit === 'string' ? audit : undefined }
  if (form === 'file' && typeof path === 'string') return { form, path, sum }
  if (form === 'text' && typeof id === 'string' && typeof body === 'string') return { form, id, sum, body }
  const known = ENTRY_KINDS.find((each) => each === kind)
  return form === 'pointer' && typeof id === 'string' && known !== undefined
    ? { form, kind: known, id, sum, section: typeof section === 'string' ? section : undefined }
    : undefined
}

function parse(line: string): unknown {
  return attempt(() => JSON.parse(line), undefined)
}
