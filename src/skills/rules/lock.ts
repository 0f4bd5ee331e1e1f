import { parseJson } from '../../text/json.ts'
import { pathProblem } from '../../text/paths.ts'
import { failWith } from '../../text/trouble.ts'
import { compareText, isRecord, isTextList, setOwn, sha256, sortedBy } from '../../text/values.ts'
import { nameProblem } from './skill.ts'

export const LOCK_FILE = 'loadout.lock'
const VERSION = 1
const MOST = 5000
/** The name of a rule is a file name. */
export const RULE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

/** One thing that a project is given, pinned. */
export interface Locked {
  name: string
  /** The key of loadout.json that brings it. */
  from: string
  /** Where git fetches it; undefined for a folder of the project. */
  url?: string
  /** Its folder in the source, or in the project. */
  folder: string
  /** The plugin that it belongs to there. */
  plugin?: string
  ref?: string
  commit?: string
  /** Hash of the folder as the source has it. */
  digest: string
  /** When this version was locked. */
  at: string
}

/** A pack or a rule that a project is given. `approved`: who agreed that its text may be read. */
export interface LockedText extends Locked {
  approved?: { by: string; at: string }
}

/** A skill that a project is given. */
export interface LockedSkill extends LockedText {
  /** The other skills of the lock that it needs. */
  requires: string[]
  /** The agents that get it, if the profile says so. */
  agents?: string[]
  /** The hash of the copy that each agent gets. */
  copies: Record<string, string>
  /** What people agreed that it may do: a readable name, and the id of the capability. */
  allows: Record<string, string>
}

/** What a profile asks for: for each source its skills, each with its agents. */
export interface LockedProfile {
  name: string
  skills: Record<string, Record<string, string[]>>
}

/** Everything in the order of its names. */
export interface Lock {
  skills: LockedSkill[]
  packs: LockedText[]
  rules: LockedText[]
  profile?: LockedProfile
}

export const NO_LOCK: Lock = { skills: [], packs: [], rules: [] }

/** What a manifest names beside skills: text that models read. */
export const TEXT_KINDS = ['pack', 'rule'] as const
export type TextKind = (typeof TEXT_KINDS)[number]
export const keyOfKind = (kind: TextKind) => (kind === 'pack' ? 'packs' : 'rules')

/** Identifies a version of a skill and the record of its source, which its skill.json contains. */
export function versionKey({ name, url, folder, commit, digest, at }: Locked): string {
  return sha256(JSON.stringify([name, url ?? '', folder, commit ?? '', digest, at]))
}

/** Parses loadout.lock. A lock is from outside, so nothing in it is believed before it has its form. */
export function parseLock(text: string): Lock {
  if (/^(?:<{7}|={7}|>{7})(?: |$)/m.test(text)) throw failWith('LOCK_INVALID/conflict')
  const { value, problem } = parseJson(text)
  if (problem !== undefined || !isRecord(value)) {
    throw failWith('LOCK_INVALID/form', { problem: problem ?? 'it must contain an object' })
  }
  if (typeof value.version === 'number' && value.version > VERSION) {
    throw failWith('LOCK_INVALID/newer', { version: value.version })
  }
  if (value.version !== VERSION) throw failWith('LOCK_INVALID/form', { problem: '"version" must be 1' })
  const rows = (key: 'skills' | 'packs' | 'rules') => {
    const part = value[key] ?? {}
    if (!isRecord(part)) throw failWith('LOCK_INVALID/form', { problem: `"${key}" must be an object` })
    const entries = Object.entries(part)
    if (entries.length > MOST) {
      throw failWith('LOCK_INVALID/form', { problem: `"${key}" has ${entries.length} entries, more than ${MOST}` })
    }
    return sortedBy(entries, ([name]) => name).map(([name, row]) => {
      if (!isRecord(row)) throw failWith('LOCK_INVALID/form', { problem: `"${key}.${name}" must be an object` })
      const { by, at } = isRecord(row.approved) ? row.approved : {}
      const isApproved = typeof by === 'string' && typeof at === 'string'
      const approved = isApproved ? { by, at } : undefined
      return { row, locked: { ...parseRow(name, row, key === 'rules'), approved } }
    })
  }
  const skills = rows('skills').map(({ row, locked }): LockedSkill => {
    const { requires = [], agents, copies = {}, allows = {} } = row
    const isTexts = (each: unknown): each is Record<string, string> =>
      isRecord(each) && Object.values(each).every((text) => typeof text === 'string')
    const isAgents = agents === undefined || isTextList(agents)
    if (!isTextList(requires) || !isAgents || !isTexts(copies) || !isTexts(allows)) {
      const problem = `${locked.name}: "requires", "agents", "copies" or "allows" has the wrong form`
      throw failWith('LOCK_INVALID/form', { problem })
    }
    return { ...locked, requires, agents, copies, allows }
  })
  const [packs, rules] = [rows('packs'), rows('rules')].map((part) => part.map(({ locked }): LockedText => locked))
  return { skills, packs: packs ?? [], rules: rules ?? [], profile: parseProfile(value.profile) }
}

function parseProfile(value: unknown): LockedProfile | undefined {
  if (value === undefined) return undefined
  const { name, skills } = isRecord(value) ? value : {}
  const isOfSource = (each: unknown): each is Record<string, string[]> =>
    isRecord(each) && Object.values(each).every(isTextList)
  const isWhole = (each: unknown): each is LockedProfile['skills'] =>
    isRecord(each) && Object.values(each).every(isOfSource)
  if (typeof name === 'string' && isWhole(skills)) return { name, skills }
  throw failWith('LOCK_INVALID/form', { problem: '"profile" must have a name and skills' })
}

function parseRow(name: string, row: Record<string, unknown>, isFile: boolean): Locked {
  const wrong = (problem: string) => failWith('LOCK_INVALID/form', { problem: `${name.slice(0, 80)}: ${problem}` })
  const { from, url, folder, plugin, ref, commit, digest, at } = row
  if (isFile ? !RULE_NAME.test(name) : nameProblem(name) !== undefined) throw wrong('the name is not valid')
  for (const [key, value] of Object.entries({ from, folder, digest, at })) {
    if (typeof value !== 'string') throw wrong(`"${key}" must be a text`)
  }
  for (const [key, value] of Object.entries({ url, plugin, ref, commit })) {
    if (value !== undefined && typeof value !== 'string') throw wrong(`"${key}" must be a text`)
  }
  if (!/^[0-9a-f]{64}$/.test(String(digest))) throw wrong('"digest" must be a SHA-256')
  if (url !== undefined && !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(String(commit))) {
    throw wrong('"commit" must be the full id of a commit')
  }
  const problem = folder === '' ? undefined : pathProblem(String(folder))
  if (problem !== undefined) throw wrong(`"folder" is refused: ${problem}`)
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return {
    name,
    from: String(from),
    url: text(url),
    folder: String(folder),
    plugin: text(plugin),
    ref: text(ref),
    commit: text(commit),
    digest: String(digest),
    at: String(at),
  }
}

export function formatLock({ profile, ...lock }: Lock): string {
  const table = (rows: readonly (LockedText & Partial<LockedSkill>)[]) => {
    const found: Record<string, unknown> = {}
    for (const { name, ...row } of sortedBy(rows, (each) => each.name)) {
      const { from, url, folder, plugin, ref, commit, digest, at, requires, agents, copies, allows, approved } = row
      const source = { from, url, folder, plugin, ref, commit, digest, at }
      setOwn(found, name, sortedTexts({ ...source, requires, agents, copies, allows, approved }))
    }
    return found
  }
  const part = (rows: readonly LockedText[]) => (rows.length === 0 ? undefined : table(rows))
  const [packs, rules] = [part(lock.packs), part(lock.rules)]
  return `${JSON.stringify({ version: VERSION, profile, skills: table(lock.skills), packs, rules }, null, 2)}\n`
}

/** Maps in the order of their keys, and without those that are empty: the same lock has the same bytes. */
function sortedTexts(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([key, value]) => {
      if (Array.isArray(value)) return value.length === 0 ? [] : [[key, value]]
      if (!isRecord(value)) return [[key, value]]
      const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b))
      return entries.length === 0 ? [] : [[key, Object.fromEntries(entries)]]
    }),
  )
}
