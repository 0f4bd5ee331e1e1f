import { addressProblem } from '../../machine/rules/settings-shape.ts'
import { type Finding, failWith, LoadoutError, report } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import type { Locked, LockedProfile, LockedSkill } from './lock.ts'
import { inOrderOfNeed, type Need } from './needs.ts'
import { parseRepositoryName } from './source-name.ts'

/** In a list of names: everything that the source has. */
export const ALL = '*'

/** Sources with the wanted names: `skills` of loadout.json. */
export type Wanted = Readonly<Record<string, readonly string[]>>

/** The wanted skills, those of the profile included. */
export function withProfile(skills: Wanted, profile: LockedProfile | undefined): Wanted {
  const all = Object.entries(skills).map(([key, names]): [string, readonly string[]] => {
    const brought = Object.keys(profile?.skills[key] ?? {})
    return [key, [...new Set([...names, ...brought])]]
  })
  return Object.fromEntries(all)
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

/** What a word of loadout.json names: everything, a name or a folder; else a plugin, or a folder on the way to skills. */
export function namedBy<Named extends Pick<OfferedSkill, 'name' | 'folder' | 'plugin'>>(
  word: string,
  all: readonly Named[],
): Named[] {
  const exact = all.filter(({ name, folder }) => [ALL, name, folder].includes(word))
  if (exact.length > 0) return exact
  return all.filter(({ folder, plugin }) => word === plugin || `/${folder}`.includes(`/${word}/`))
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
      throw failWith('NEEDS/conflict', { what: 'skill', name, first: before, second: key, why })
    chosen.set(name, key)
  }
  const keys = Object.keys(wanted).sort(compareText)
  for (const key of keys) {
    const offers = offered.get(key) ?? []
    for (const word of wanted[key] ?? []) {
      const meant = namedBy(word, offers)
      if (meant.length === 0 && word !== ALL) throw failWith('MANIFEST/not-offered', { what: 'skill', word, key })
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
        throw failWith('NEEDS/conflict', {
          what: 'skill',
          name: need.name,
          first: named[0] ?? '',
          second: named[1] ?? '',
          why: name,
        })
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

/** Whether a row is of the repository and the version that its key names. */
function isOfAddress({ from, url, ref, commit }: Locked): boolean {
  const address = addressOf(from)
  const isVersion = address.ref === undefined || ref === address.ref || commit?.startsWith(address.ref) === true
  return url === address.url && isVersion
}

/** The rows of a source that still are what its key names. */
export function rowsOf<Row extends Locked>(key: string, rows: readonly Row[]): Row[] {
  return rows.filter((row) => row.from === key && isOfAddress(row))
}

/** The words of a source that none of its rows answers. */
export function missingWords(words: readonly string[], rows: readonly Locked[]): string[] {
  return words.filter((word) => namedBy(word, rows).length === 0)
}

/** Where manifest and lock disagree: what `install` would resolve, and what `--frozen` refuses. */
export function compareWithLock(wanted: Wanted, rows: readonly Locked[], what: 'skill' | 'pack' | 'rule'): Finding[] {
  const byKey = new Map<string, Locked[]>()
  for (const row of rows) byKey.set(row.from, [...(byKey.get(row.from) ?? []), row])
  const findings: Finding[] = []
  for (const [key, names] of Object.entries(wanted)) {
    const own = byKey.get(key) ?? []
    const { url } = addressOf(key)
    for (const row of own.filter((each) => !isOfAddress(each))) {
      const locked = row.url !== url ? (row.url ?? 'the project') : (row.ref ?? row.commit ?? '')
      findings.push(report('LOCK_MISMATCH/address', { name: row.name, locked, key }, { subject: row.name }))
    }
    for (const name of missingWords(names, own)) {
      findings.push(report('LOCK_MISMATCH/unlocked', { what, name, key }, { subject: name }))
    }
  }
  for (const row of rows) {
    if (Object.hasOwn(wanted, row.from)) continue
    findings.push(report('LOCK_MISMATCH/extra', { what, name: row.name, key: row.from }, { subject: row.name }))
  }
  return findings
}

/** Names of the lock that nothing in the manifest asks for and no other skill needs. */
export function unneeded(wanted: Wanted, skills: readonly LockedSkill[]): string[] {
  const starts = Object.entries(wanted).flatMap(([key, words]) => {
    const own = skills.filter(({ from }) => from === key)
    return words.flatMap((word) => namedBy(word, own).map(({ name }) => name))
  })
  const byName = new Map(skills.map((each) => [each.name, each]))
  const needed = new Set(inOrderOfNeed(starts, (name) => byName.get(name)?.requires ?? []))
  return skills.map(({ name }) => name).filter((name) => !needed.has(name))
}
