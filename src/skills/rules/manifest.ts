import { addressProblem } from '../../machine/rules/settings-shape.ts'
import { parseJson } from '../../text/json.ts'
import { pathProblem } from '../../text/paths.ts'
import { type Finding, failWith, LoadoutError, report } from '../../text/trouble.ts'
import { compareText, isRecord, isTextList, setOwn, sha256, sortedBy } from '../../text/values.ts'
import { EVERY_AGENT, nameProblem, type Skill } from './skill.ts'
import { parseRepositoryName } from './source-name.ts'

export const LOCK_FILE = 'loadout.lock'
const VERSION = 1
const MOST = 5000
/** In a list of names: everything that the source has. */
export const ALL = '*'

/** Sources with the wanted names: `skills` of loadout.json. */
export type Wanted = Readonly<Record<string, readonly string[]>>

/** One thing that a project is given, pinned. */
export interface Locked {
  name: string
  /** The key of loadout.json that brings it. */
  from: string
  /** Where git fetches it; undefined for a folder of the project. */
  url?: string
  /** Its folder in the source, or in the project. */
  folder: string
  ref?: string
  commit?: string
  /** Hash of the folder as the source has it. */
  digest: string
  /** When this version was locked. */
  at: string
}

/** A skill that a project is given. */
export interface LockedSkill extends Locked {
  /** The other skills of the lock that it needs. */
  requires: string[]
  /** The hash of the copy that each agent gets. */
  copies: Record<string, string>
  /** What people agreed that it may do: a readable name, and the id of the capability. */
  allows: Record<string, string>
  approved?: { by: string; at: string }
}

export interface Lock {
  /** In the order of their names. */
  skills: LockedSkill[]
}

export const NO_LOCK: Lock = { skills: [] }

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
  const part = value.skills ?? {}
  if (!isRecord(part)) throw failWith('LOCK_INVALID/form', { problem: '"skills" must be an object' })
  const entries = Object.entries(part)
  if (entries.length > MOST) {
    throw failWith('LOCK_INVALID/form', { problem: `"skills" has ${entries.length} entries, more than ${MOST}` })
  }
  const skills = sortedBy(entries, ([name]) => name).map(([name, row]) => {
    if (!isRecord(row)) throw failWith('LOCK_INVALID/form', { problem: `"skills.${name}" must be an object` })
    const { requires = [], copies = {}, allows = {}, approved } = row
    const isTexts = (value: unknown): value is Record<string, string> =>
      isRecord(value) && Object.values(value).every((each) => typeof each === 'string')
    if (!isTextList(requires) || !isTexts(copies) || !isTexts(allows)) {
      throw failWith('LOCK_INVALID/form', { problem: `${name}: "requires", "copies" or "allows" has the wrong form` })
    }
    const { by, at } = isRecord(approved) ? approved : {}
    const isApproved = typeof by === 'string' && typeof at === 'string'
    return { ...parseRow(name, row), requires, copies, allows, approved: isApproved ? { by, at } : undefined }
  })
  return { skills }
}

function parseRow(name: string, row: Record<string, unknown>): Locked {
  const wrong = (problem: string) => failWith('LOCK_INVALID/form', { problem: `${name.slice(0, 80)}: ${problem}` })
  const { from, url, folder, ref, commit, digest, at } = row
  if (nameProblem(name) !== undefined) throw wrong('the name is not valid')
  for (const [key, value] of Object.entries({ from, folder, digest, at })) {
    if (typeof value !== 'string') throw wrong(`"${key}" must be a text`)
  }
  for (const [key, value] of Object.entries({ url, ref, commit })) {
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
    ref: text(ref),
    commit: text(commit),
    digest: String(digest),
    at: String(at),
  }
}

export function formatLock({ skills }: Lock): string {
  const table: Record<string, unknown> = {}
  for (const { name, ...row } of sortedBy(skills, ({ name }) => name)) setOwn(table, name, sortedTexts(row))
  return `${JSON.stringify({ version: VERSION, skills: table }, null, 2)}\n`
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

/** A source of loadout.json: a repository, or a folder of the project. */
export interface SourceAddress {
  /** As loadout.json names it. */
  key: string
  url?: string
  ref?: string
  /** Only this part of the repository; for a folder of the project, its path. */
  folder: string
}

/** What a key of loadout.json means. Throws for an address that cannot be restored from a clone. */
export function addressOf(key: string): SourceAddress {
  const problem = addressProblem(key)
  if (problem === undefined && key.startsWith('./')) return { key, folder: key.slice(2).replace(/\/+$/, '') }
  const named = problem === undefined ? parseRepositoryName(key) : undefined
  if (named === undefined || named.refAndFolder !== undefined) {
    throw failWith('MANIFEST/address', { key, problem: problem ?? 'it is a web page; write owner/repo#ref' })
  }
  return { key, url: named.url, ref: named.ref, folder: named.folder ?? '' }
}

/** One skill that a source offers, before anything is chosen. */
export interface OfferedSkill {
  name: string
  folder: string
  plugin?: string
  needs: readonly Need[]
}

/** A source that no key of the manifest names, and that a skill needs. */
export interface MissingSource {
  source: string
  name: string
  by: string
}

/**
 * Chooses what a manifest asks for, with everything that it needs. A need is met by the same source, else by the only
 * other source that has a skill of this name. Throws for conflicts, cycles and needs that nothing meets.
 */
export function chooseWanted(
  wanted: Wanted,
  offered: ReadonlyMap<string, readonly OfferedSkill[]>,
): { skills: { name: string; from: string; requires: string[] }[]; missing: MissingSource[]; findings: Finding[] } {
  const byName = new Map([...offered].map(([key, offers]) => [key, new Map(offers.map((each) => [each.name, each]))]))
  const chosen = new Map<string, string>()
  const choose = (name: string, key: string, why: string) => {
    const before = chosen.get(name)
    if (before !== undefined && before !== key)
      throw failWith('NEEDS/conflict', { name, first: before, second: key, why })
    chosen.set(name, key)
  }
  const keys = Object.keys(wanted).sort(compareText)
  for (const key of keys) {
    const offers = offered.get(key) ?? []
    for (const word of wanted[key] ?? []) {
      const meant = offers.filter(
        ({ name, folder, plugin }) => word === ALL || word === name || word === folder || word === plugin,
      )
      if (meant.length === 0 && word !== ALL) throw failWith('MANIFEST/not-offered', { word, key })
      for (const { name } of meant) choose(name, key, 'loadout.json')
    }
  }
  const missing: MissingSource[] = []
  const findings: Finding[] = []
  const requires = new Map<string, string[]>()
  const meet = (name: string, key: string, need: Need): string | undefined => {
    if (need.range !== undefined) {
      findings.push(report('NEEDS/range', { name, needed: need.name, range: need.range }, { subject: name }))
    }
    const here = need.source === undefined || isSameSource(need.source, key) ? byName.get(key)?.has(need.name) : false
    const others = keys.filter((each) => each !== key && byName.get(each)?.has(need.name))
    const named = need.source === undefined ? others : others.filter((each) => isSameSource(need.source ?? '', each))
    const found = here ? key : (named.find((each) => chosen.get(need.name) === each) ?? named[0])
    if (found === undefined || (!here && named.length > 1 && chosen.get(need.name) === undefined)) {
      if (need.source !== undefined) missing.push({ source: need.source, name: need.name, by: name })
      else if (found !== undefined)
        throw failWith('NEEDS/conflict', { name: need.name, first: named[0] ?? '', second: named[1] ?? '', why: name })
      else if (need.isSure) throw failWith('NEEDS/missing', { name, needed: need.name, key })
      return undefined
    }
    choose(need.name, found, name)
    return need.name
  }
  const order = inOrderOfNeed([...chosen.keys()], (name) => {
    const key = chosen.get(name) ?? ''
    const met = (byName.get(key)?.get(name)?.needs ?? []).flatMap((need) => meet(name, key, need) ?? [])
    requires.set(name, [...new Set(met)].sort(compareText))
    return met
  })
  const skills = order.map((name) => ({ name, from: chosen.get(name) ?? '', requires: requires.get(name) ?? [] }))
  return { skills, missing, findings }
}

/** Whether a written source is the repository of a key. A version counts only if both name one. */
function isSameSource(source: string, key: string): boolean {
  try {
    const [a, b] = [addressOf(source), addressOf(key)]
    if (a.url === undefined || a.url.toLowerCase() !== b.url?.toLowerCase()) return false
    if (a.ref !== undefined && b.ref !== undefined && a.ref !== b.ref) {
      throw failWith('NEEDS/versions', { first: source, second: key })
    }
    return true
  } catch (error) {
    if (error instanceof LoadoutError && error.code !== 'NEEDS') return false
    throw error
  }
}

/** Where manifest and lock disagree: what `install` would resolve, and what `--frozen` refuses. */
export function compareWithLock(wanted: Wanted, rows: readonly Locked[], what: 'skill' | 'pack' | 'rule'): Finding[] {
  const byKey = new Map<string, Locked[]>()
  for (const row of rows) byKey.set(row.from, [...(byKey.get(row.from) ?? []), row])
  const findings: Finding[] = []
  for (const [key, names] of Object.entries(wanted)) {
    const own = byKey.get(key) ?? []
    const { url, ref } = addressOf(key)
    for (const row of own) {
      if (row.url !== url) {
        const facts = { name: row.name, locked: row.url ?? 'the project', key }
        findings.push(report('LOCK_MISMATCH/address', facts, { subject: row.name }))
      } else if (ref !== undefined && row.ref !== ref && !row.commit?.startsWith(ref)) {
        const facts = { name: row.name, locked: row.ref ?? row.commit ?? '', key }
        findings.push(report('LOCK_MISMATCH/address', facts, { subject: row.name }))
      }
    }
    const isThere = (word: string) =>
      word === ALL ? own.length > 0 : own.some(({ name, folder }) => name === word || folder === word)
    const absent = names.filter((word) => !isThere(word) && !own.some(({ folder }) => isInPlugin(folder, word)))
    for (const name of absent) findings.push(report('LOCK_MISMATCH/unlocked', { what, name, key }, { subject: name }))
  }
  for (const row of rows) {
    if (Object.hasOwn(wanted, row.from)) continue
    findings.push(report('LOCK_MISMATCH/extra', { what, name: row.name, key: row.from }, { subject: row.name }))
  }
  return findings
}

/** A plugin is named by a folder on the way to its skills. */
function isInPlugin(folder: string, word: string): boolean {
  return folder.split('/').slice(0, -1).includes(word)
}

/** Names of the lock that nothing in the manifest asks for and no other skill needs. */
export function unneeded(wanted: Wanted, skills: readonly LockedSkill[]): string[] {
  const isWanted = ({ name, folder, from }: LockedSkill) =>
    (wanted[from] ?? []).some((word) => word === ALL || word === name || word === folder || isInPlugin(folder, word))
  const byName = new Map(skills.map((each) => [each.name, each]))
  const starts = skills.filter(isWanted).map(({ name }) => name)
  const needed = new Set(inOrderOfNeed(starts, (name) => byName.get(name)?.requires ?? []))
  return skills.map(({ name }) => name).filter((name) => !needed.has(name))
}

/** What a skill says it cannot work without. */
export interface Need {
  /** The skill that is needed. */
  name: string
  /** As written, if it names a repository: `owner/repo`, with `#ref` if a version is meant. */
  source?: string
  /** A range such as `>=1.2`: Loadout follows tags and commits, and reports ranges. */
  range?: string
  /** False: some skills list programs under the same key, so it counts only if a skill has this name. */
  isSure: boolean
}

const SURE = ['requires', 'depends', 'depends_on', 'depends-on']

/**
 * The skills that a skill needs: `requires` of its skill.json, and the keys that public skills use in frontmatter. A
 * key below `metadata` may list names in one text.
 */
export function needsOf({ metadata, others, name: own }: Pick<Skill, 'metadata' | 'others' | 'name'>): Need[] {
  const fields: Record<string, unknown> = metadata[EVERY_AGENT] ?? {}
  const inMetadata = isRecord(fields.metadata) ? fields.metadata : {}
  const found = [
    ...SURE.flatMap((key) => [others[key], fields[key], inMetadata[key]]).flatMap((value) => readNeeds(value, true)),
    ...[others.dependencies, fields.dependencies, inMetadata.dependencies].flatMap((value) => readNeeds(value, false)),
  ].filter(({ name }) => name !== own)
  return [...new Map(found.reverse().map((need) => [need.name, need])).values()].sort((a, b) =>
    compareText(a.name, b.name),
  )
}

function readNeeds(value: unknown, isSure: boolean): Need[] {
  if (typeof value === 'string') return value.split(/[\s,]+/).flatMap((word) => readNeed(word, isSure))
  if (Array.isArray(value)) return value.slice(0, 1000).flatMap((each) => readNeed(each, isSure))
  return isRecord(value) && !isSure ? readNeeds(value.skills, isSure) : []
}

function readNeed(value: unknown, isSure: boolean): Need[] {
  if (isRecord(value)) {
    const { name, skill = name, source, git = source, ref } = value
    if (typeof skill !== 'string' || nameProblem(skill) !== undefined) return []
    const address = typeof git === 'string' ? `${git}${typeof ref === 'string' ? `#${ref}` : ''}` : undefined
    return [{ name: skill, source: address, isSure }]
  }
  if (typeof value !== 'string' || value.length > 300) return []
  // owner/repo/…/name#ref, or owner/repo@name
  const [, repository, folder, at, ref = ''] =
    /^((?:[a-z]+:)?[\w.-]+\/[\w.-]+?)(?:\/((?:[\w.-]+\/)*[\w.-]+))?(?:@([\w-]+))?(#[\w./-]+)?$/.exec(value) ?? []
  const last = at ?? folder?.split('/').at(-1)
  if (repository !== undefined && last !== undefined && nameProblem(last) === undefined) {
    return [{ name: last, source: `${repository}${ref}`, isSure }]
  }
  const [, name = '', range] = /^([a-z0-9-]+)(?:@?([<>=^~]*\d[\w.*-]*))?$/.exec(value) ?? []
  return nameProblem(name) === undefined ? [{ name, range, isSure }] : []
}

/** The skills of a library that need one of these, apart from these. */
export function neededBy(names: readonly string[], skills: readonly Skill[]): Map<string, string[]> {
  const needers = (name: string) =>
    skills.filter(
      (skill) => !names.includes(skill.name) && needsOf(skill).some((need) => need.name === name && need.isSure),
    )
  return new Map(
    names.flatMap((name) => {
      const by = needers(name).map((skill) => skill.name)
      return by.length === 0 ? [] : [[name, by.sort(compareText)] as const]
    }),
  )
}

/** The names and what they need of a library, each after what it needs. Throws for a need that nothing meets. */
export function withNeeded(names: readonly string[], skills: readonly Skill[]): string[] {
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  return inOrderOfNeed(names, (name) => {
    const skill = byName.get(name)
    return (skill === undefined ? [] : needsOf(skill)).flatMap((need) => {
      if (byName.has(need.name)) return [need.name]
      if (need.isSure) throw failWith('NEEDS/library', { name, needed: need.name })
      return []
    })
  })
}

/**
 * The names and everything that they need, each after what it needs itself, and otherwise in the order of the names: the
 * same on every machine. Throws for a cycle.
 */
export function inOrderOfNeed(names: readonly string[], needs: (name: string) => readonly string[]): string[] {
  const done = new Set<string>()
  const path: string[] = []
  const open = new Set<string>()
  // A list instead of calls: a long chain of skills must not end the program.
  for (const start of [...names].sort(compareText)) {
    const rest: { name: string; left: string[] }[] = []
    const enter = (name: string) => {
      if (done.has(name)) return
      if (open.has(name)) {
        throw failWith('NEEDS/cycle', { path: [...path.slice(path.indexOf(name)), name].join(' → ') })
      }
      open.add(name)
      path.push(name)
      rest.push({ name, left: [...new Set(needs(name))].sort(compareText).reverse() })
    }
    enter(start)
    for (let top = rest.at(-1); top !== undefined; top = rest.at(-1)) {
      const next = top.left.pop()
      if (next !== undefined) enter(next)
      else {
        rest.pop()
        path.pop()
        open.delete(top.name)
        done.add(top.name)
      }
    }
  }
  return [...done]
}
