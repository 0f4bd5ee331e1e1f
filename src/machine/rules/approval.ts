import { failWith, type LoadoutError } from '../../text/trouble.ts'
import { compareText, isRecord, isTextList, sha256, sortedBy } from '../../text/values.ts'

/** A word of a closed list, or undefined. */
export function oneOf<T extends string>(words: readonly T[], value: unknown): T | undefined {
  return words.find((word) => word === value)
}

/** Earlier versions could approve a part of a pack: its guide, or all but its sources. */
const TIERS = ['guide', 'context', 'evidence'] as const

const DECISIONS = ['approved', 'denied'] as const
export type Decision = (typeof DECISIONS)[number]

const KINDS = ['pack', 'adapter', 'skill', 'rule', 'publisher'] as const

/** The SHA-256 of each file by its path. For a link, of its target path. */
export type FileDigests = Readonly<Record<string, string>>

/**
 * A person's decision about a pack, an adapter's command, an imported skill, a rule or the publisher of skills. Stored outside
 * all of them, so that none can approve itself.
 */
export interface Approval {
  /** Derived from the content, so that a record can be referred to later. */
  id: string
  kind: (typeof KINDS)[number]
  /** The folder of the pack, of the adapter's project, or of the library, after links. */
  root: string
  /** The name of the pack, the adapter or the skill; the address of a publisher. */
  name: string
  /**
   * Identifies the repository or folder at this path, or the publisher of a skill, so that another one at the same path or
   * of the same name inherits nothing.
   */
  place?: string
  /** Of KNOWLEDGE.md, of the command line, of the skill's files or of the rule, at approval. A denial needs none. */
  digest?: string
  /**
   * Every approved file; for a skill, each thing that it can do; for a publisher, the kinds of them. Missing with
   * `follow`, and in records of earlier versions, which ask again.
   */
  files?: FileDigests
  /** Later changes of this folder are approved too. */
  follow?: true
  /** Anything but `evidence` is an earlier approval of a part: it asks again. */
  tier: (typeof TIERS)[number]
  actor: string
  /** An ISO time. */
  at: string
  decision: Decision
}

const VERSION = 2
const OLD_VERSION = 1
const KEYS = ['id', 'kind', 'root', 'name', 'place', 'digest', 'files', 'follow', 'tier', 'actor', 'at', 'decision']
const OLD_KEYS = ['id', 'root', 'name', 'digest', 'treeDigest', 'tier', 'actor', 'at', 'decision']
const DIGEST = /^[0-9a-f]{64}$/

export function makeApproval(answer: Omit<Approval, 'id' | 'tier'>): Approval {
  const whole = { ...answer, tier: 'evidence' as const }
  return { ...whole, id: approvalId(whole) }
}

function approvalId({
  kind,
  root,
  name,
  place,
  digest,
  files,
  follow,
  tier,
  decision,
  at,
}: Omit<Approval, 'id'>): string {
  const pinned = Object.entries(files ?? {}).sort(([a], [b]) => compareText(a, b))
  const parts = [kind, root, name, place ?? '', digest ?? '', pinned, follow ?? false, tier, decision, at]
  return sha256(JSON.stringify(parts)).slice(0, 16)
}

/** The records of the file. Throws for anything unexpected: a half-understood record must approve nothing. */
export function parseApprovals(json: unknown, path: string): Approval[] {
  if (!isRecord(json)) throw bad(path, 'the file must be an object')
  const { version, approvals } = json
  if (version !== VERSION && version !== OLD_VERSION) throw bad(path, `"version" must be ${VERSION}`)
  if (!Array.isArray(approvals)) throw bad(path, '"approvals" must be a list')
  const parsed = approvals.map((record, at) => parseApproval(record, path, `"approvals[${at}]"`, version))
  if (new Set(parsed.map(keyOf)).size < parsed.length) throw bad(path, 'a folder has two decisions')
  return parsed
}

function parseApproval(record: unknown, path: string, what: string, version: number): Approval {
  if (!isRecord(record)) throw bad(path, `${what} must be an object`)
  const known = version === VERSION ? KEYS : OLD_KEYS
  const stranger = Object.keys(record).find((key) => !known.includes(key))
  if (stranger !== undefined) throw bad(path, `${what} has an unknown key: ${JSON.stringify(stranger)}`)
  const text = (key: string): string => {
    const value = record[key]
    if (typeof value !== 'string' || (value === '' && key !== 'name')) throw bad(path, `${what} needs a text "${key}"`)
    return value
  }
  const tier = oneOf(TIERS, record.tier)
  const decision = oneOf(DECISIONS, record.decision)
  const kind = version === VERSION ? oneOf(KINDS, record.kind) : 'pack'
  if (kind === undefined) throw bad(path, `"kind" of ${what} must be one of ${KINDS.join(', ')}`)
  if (tier === undefined) throw bad(path, `"tier" of ${what} must be one of ${TIERS.join(', ')}`)
  if (decision === undefined) throw bad(path, `"decision" of ${what} must be one of ${DECISIONS.join(', ')}`)
  if (record.follow !== undefined && record.follow !== true) throw bad(path, `"follow" of ${what} must be true`)
  const needsDigest = decision === 'approved' && record.follow !== true
  const approval: Omit<Approval, 'id'> = {
    kind,
    root: text('root'),
    name: text('name'),
    place: record.place === undefined ? undefined : text('place'),
    digest: record.digest !== undefined || needsDigest ? text('digest') : undefined,
    files: record.files === undefined ? undefined : parseFiles(record.files, path, what),
    follow: record.follow === true || undefined,
    tier,
    actor: text('actor'),
    at: text('at'),
    decision,
  }
  if (approval.digest !== undefined && !DIGEST.test(approval.digest)) {
    throw bad(path, `"digest" of ${what} is not a SHA-256`)
  }
  const id =
    version === VERSION
      ? approvalId(approval)
      : sha256(
          JSON.stringify([approval.root, approval.digest ?? '', approval.tier, approval.decision, approval.at]),
        ).slice(0, 16)
  if (text('id') !== id) throw bad(path, `${what} does not match its "id": it was edited by hand`)
  return { ...approval, id: approvalId(approval) }
}

function parseFiles(json: unknown, path: string, what: string): FileDigests {
  if (!isRecord(json)) throw bad(path, `"files" of ${what} must be an object`)
  const files = Object.entries(json).map(([name, digest]): [string, string] => {
    if (typeof digest !== 'string' || !DIGEST.test(digest))
      throw bad(path, `"files" of ${what} contains a value that is not a SHA-256`)
    return [name, digest]
  })
  return Object.fromEntries(files)
}

function bad(path: string, problem: string): LoadoutError {
  return failWith('BAD_APPROVALS/file', { path, problem })
}

export function formatApprovals(approvals: readonly Approval[]): string {
  return `${JSON.stringify({ version: VERSION, approvals }, null, 2)}\n`
}

/** A pack is identified by its folder; a project has several adapters, a library several skills. */
function keyOf({ kind, root, name }: Pick<Approval, 'kind' | 'root' | 'name'>): string {
  return JSON.stringify(kind === 'pack' ? [kind, root] : [kind, root, name])
}

/** One decision for each thing: a later one replaces an earlier one. */
export function withApproval(approvals: readonly Approval[], approval: Approval): Approval[] {
  return sortedBy([...withoutApproval(approvals, approval), approval], keyOf)
}

export function withoutApproval(
  approvals: readonly Approval[],
  answered: Pick<Approval, 'kind' | 'root' | 'name'>,
): Approval[] {
  return approvals.filter((approval) => keyOf(approval) !== keyOf(answered))
}

/** Describes the differences from the approved files. */
export function changesSince(approved: FileDigests, current: FileDigests): string[] {
  const names = [...new Set([...Object.keys(approved), ...Object.keys(current)])].sort(compareText)
  return names.flatMap((name) => {
    const was = Object.hasOwn(approved, name) ? approved[name] : undefined
    const is = Object.hasOwn(current, name) ? current[name] : undefined
    if (was === is) return []
    return [`${name} ${was === undefined ? 'was added' : is === undefined ? 'was removed' : 'changed'}`]
  })
}

const MOST_NAMED = 5

export function summarizeChanges(changes: readonly string[]): string {
  const rest = changes.length - MOST_NAMED
  return [...changes.slice(0, MOST_NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

/** What a catalog lists. */
export const CATALOG_KINDS = ['skill', 'pack'] as const
export type CatalogKind = (typeof CATALOG_KINDS)[number]

/** The name of the verdict about everything of a kind that has no verdict of its own. */
export const ANY_NAME = '*'

/** What the catalog of an organization says about a skill or a pack. Approvals and retirements were verified here. */
export interface Verdict {
  kind: CatalogKind
  name: string
  state: 'approved' | 'held' | 'retired'
  /** What the catalog calls the version. */
  version: string
  /** Of an approved version: the commit that has it, empty for a pack that is in no repository, and the hash of its folder. */
  commit?: string
  digest?: string
  /** Who signed it. */
  by?: string
  /** Why it is held. */
  why?: string
}

/** What the catalog last said. */
export interface Verdicts {
  /** The library on this machine that the verdicts about skills are for. */
  library: string
  verdicts: readonly Verdict[]
  /** When the signed catalog expires. */
  expires?: string
  /** Kinds of which only what is approved may be used, and nothing once the catalog has expired. */
  only?: readonly string[]
}

export const NO_VERDICTS: Verdicts = { library: '', verdicts: [] }

/** The verdicts at a time: of the kinds that need an approval, everything is held when the catalog has expired. */
export function verdictsAt({ verdicts, expires, only = [] }: Verdicts, now: Date): Verdict[] {
  const isExpired = expires !== undefined && Date.parse(expires) <= now.getTime()
  const unlisted = CATALOG_KINDS.filter((kind) => only.includes(kind)).map((kind): Verdict => {
    const why = 'the team uses only what its catalog lists and approves'
    return { kind, name: ANY_NAME, state: 'held', version: '', why }
  })
  return [...verdicts, ...unlisted].map((each) => {
    if (!isExpired || each.state !== 'approved' || !only.includes(each.kind)) return each
    return { ...each, state: 'held', why: `the team’s catalog expired on ${expires.slice(0, 10)}` }
  })
}

/** Why the team holds something back, in a sentence about it; undefined if it does not. */
export function whyHeld({ state, version, by, why }: Verdict): string | undefined {
  if (state === 'approved') return undefined
  if (state === 'retired') return `${by ?? 'the organization'} retired it in the catalog`
  return why ?? `version ${version} is not approved in the catalog`
}

/** Throws for anything that was not written by this program. */
export function parseVerdicts(json: unknown, path: string): Verdicts {
  if (isRecord(json) && typeof json.library === 'string' && Array.isArray(json.verdicts)) {
    const { library, verdicts, expires, only } = json
    const isLimits = (only === undefined || isTextList(only)) && (expires === undefined || typeof expires === 'string')
    if (isLimits && verdicts.every(isVerdict)) return { library, verdicts, expires, only }
  }
  throw failWith('FILE_UNREADABLE/verdicts', { path })
}

function isVerdict(json: unknown): json is Verdict {
  if (!isRecord(json) || typeof json.name !== 'string' || typeof json.version !== 'string') return false
  if (!CATALOG_KINDS.some((kind) => kind === json.kind)) return false
  if (json.state === 'approved') return typeof json.commit === 'string' && typeof json.digest === 'string'
  return json.state === 'held' || json.state === 'retired'
}
