import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { failWith } from '../../text/trouble.ts'
import { compareText, nearest, setOwn, sortedBy } from '../../text/values.ts'
import { EVERY_AGENT, metadataFor, requireName, SKILL_FILE, type Skill } from './skill.ts'

/** A skill's folder outside the library, in its form for the library. */
export interface ForeignSkill {
  path: string
  /** The agents that read the folder it is in, if any. */
  agents: readonly string[]
  skill: Skill
  /** Whether its skill.json names agents; otherwise it belongs to another program, or is missing. */
  isDeclared: boolean
  /** SKILL.md for the library: without the parts that installing generates. */
  document: string
  /** All other files: path to content and executable bit. */
  files: ReadonlyMap<string, string>
  /** Hash of the folder as found, with SKILL.md and skill.json unchanged. */
  treeHash: string
  /** The name in its skill.json, if that is invalid: the folder's name is used instead. */
  badName?: string
  /** Where it was found in a source. */
  found?: { folder: string; plugin?: string; isAside: boolean }
}

/** A skill that could be imported, with all copies that were found. */
export interface ImportCandidate {
  name: string
  copies: ForeignSkill[]
  /** The combined copies; undefined when they disagree. */
  merged?: ForeignSkill
  /** Why it cannot be imported. */
  problem?: string
  /** Copies in hidden folders, documents or tests that differ from the others, and are ignored. */
  passedOver?: ForeignSkill[]
}

/** Groups copies by name. Equal copies are one candidate; different copies are a blocked candidate. */
export function groupCandidates(found: readonly ForeignSkill[]): ImportCandidate[] {
  const byName = new Map<string, ForeignSkill[]>()
  for (const each of found) byName.set(each.skill.name, [...(byName.get(each.skill.name) ?? []), each])
  return sortedBy(byName, ([name]) => name).map(([name, unsorted]) => {
    const copies = sortedBy(unsorted, ({ path, found }) => `${found?.isAside ? 1 : 0} ${path}`)
    const differing = differences(copies)
    if (differing.length === 0) return { name, copies, merged: merge(copies) }
    const visible = copies.filter(({ found }) => !found?.isAside)
    if (visible.length > 0 && visible.length < copies.length && differences(visible).length === 0) {
      return { name, copies: visible, merged: merge(visible), passedOver: copies.slice(visible.length) }
    }
    // Plugins of one source may each have a skill of this name.
    const isOther = differing.includes(SKILL_FILE_DESCRIPTION) && copies.every(({ found }) => found !== undefined)
    const problem = isOther ? 'several different skills have this name' : `its copies differ in ${differing.join(', ')}`
    return { name, copies, problem }
  })
}

/** Paths and fields in which copies disagree. Metadata of different agents does not count. */
function differences(copies: readonly ForeignSkill[]): string[] {
  const [first, ...others] = copies
  if (first === undefined) return []
  const differing = new Set<string>()
  for (const other of others) {
    if (first.document !== other.document) differing.add(DOCUMENT_FILE)
    for (const path of new Set([...first.files.keys(), ...other.files.keys()])) {
      if (first.files.get(path) !== other.files.get(path)) differing.add(path)
    }
    const fields = ['description', 'tags', 'others'] as const
    const found = fields.filter((field) => !isSame(first.skill[field], other.skill[field])).map(asWritten)
    // Targets that were only guessed from a copy's location are combined; targets that an author wrote must agree.
    if (first.isDeclared && other.isDeclared && !isSame(first.skill.targets, other.skill.targets))
      found.push(asWritten('targets'))
    const isSaid = ({ skill }: ForeignSkill, agent: string) => agent in skill.metadata || EVERY_AGENT in skill.metadata
    for (const agent of new Set([...Object.keys(first.skill.metadata), ...Object.keys(other.skill.metadata)])) {
      const isBoth = isSaid(first, agent) && isSaid(other, agent)
      if (isBoth && !isSame(metadataFor(first.skill, agent), metadataFor(other.skill, agent)))
        found.push(asWritten(agent))
    }
    for (const field of found) differing.add(field)
  }
  return [...differing].sort(compareText)
}

const SKILL_FILE_DESCRIPTION = asWritten('description')

function asWritten(field: string): string {
  return `${SKILL_FILE} (${field})`
}

function merge(copies: readonly ForeignSkill[]): ForeignSkill {
  const base = copies.find(({ isDeclared }) => isDeclared) ?? copies[0]!
  const metadata: Skill['metadata'] = {}
  for (const { skill } of copies) for (const [id, own] of Object.entries(skill.metadata)) setOwn(metadata, id, own)
  const isForAll = !base.isDeclared && copies.some(({ skill }) => skill.targets.length === 0)
  const named = base.isDeclared ? base.skill.targets : [...new Set(copies.flatMap(({ skill }) => skill.targets))]
  const targets = isForAll ? [] : named
  return { ...base, agents: copies.flatMap(({ agents }) => agents), skill: { ...base.skill, targets, metadata } }
}

/** Whether two copies are equal apart from their tags, their agents and the form of their frontmatter. */
export function isSameSkill(a: ForeignSkill, b: ForeignSkill): boolean {
  const bare = (copy: ForeignSkill): ForeignSkill => {
    return { ...copy, isDeclared: false, skill: { ...copy.skill, tags: [], others: {} } }
  }
  return a.skill.name === b.skill.name && differences([bare(a), bare(b)]).length === 0
}

function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b)
}

/** The same text for the same value, in any order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => compareText(a, b)))
      : part,
  )
}

/** Not in the library; in it identically; its name is used by another skill; its copies disagree. */
export type OfferState = 'new' | 'unchanged' | 'taken' | 'blocked'

/** A skill that could be imported, under its future name. */
export interface Offer {
  candidate: ImportCandidate
  name: string
  state: OfferState
  reason?: string
}

export interface Naming {
  names?: readonly string[]
  as?: string
  prefix?: string
}

/** Gives each candidate its name in the library. */
export function nameOffers(candidates: readonly ImportCandidate[], naming: Naming): Offer[] {
  const { as, prefix = '' } = naming
  // If the user names a folder, only that copy counts, even if other folders have a skill of the same name.
  const { names = [] } = naming
  const offers = candidates
    .flatMap((candidate) => {
      const named = candidate.copies.filter(
        ({ found }) => found !== undefined && names.some((each) => isFolder(each, found.folder)),
      )
      if (candidate.merged !== undefined || named.length === 0) return [candidate]
      return named.map((copy) => ({ name: candidate.name, copies: [copy], merged: copy }))
    })
    .map((candidate): Offer => {
      const name = prefix === '' ? candidate.name : requireName(`${prefix}${candidate.name}`)
      return { candidate, name, state: 'new' }
    })
  if (as === undefined) return offers
  const meant = naming.names === undefined ? offers : chooseOffers(offers, naming.names)
  if (meant.length !== 1) {
    throw failWith('USAGE/as', { meant: meant.length })
  }
  const name = requireName(as)
  return offers.map((offer) => (offer === meant[0] ? { ...offer, name } : offer))
}

function isFolder(named: string, folder: string): boolean {
  return folder !== '' && named.replace(/^\.\//, '').replace(/\/+$/, '') === folder
}

/** Finds offers by their current or future name, folder or plugin. Throws for a word without a match. */
export function chooseOffers(offers: readonly Offer[], names: readonly string[]): Offer[] {
  const words = names
    .flatMap((name) => name.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const chosen = new Set<Offer>()
  for (const word of words) {
    const meant = offers.filter((offer) => {
      const { candidate, name } = offer
      if (candidate.name === word || name === word) return true
      return candidate.copies.some(
        ({ found }) => found !== undefined && (found.plugin === word || isFolder(word, found.folder)),
      )
    })
    if (meant.length === 0) {
      const close = nearest(
        word,
        offers.map(({ name }) => name),
      )
      throw failWith('SKILL_NOT_FOUND/not-offered', { word: JSON.stringify(word), close })
    }
    for (const offer of meant) chosen.add(offer)
  }
  return offers.filter((offer) => chosen.has(offer))
}
