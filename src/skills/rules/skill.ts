import { AGENT_IDS, findAgent, isAgent, type TargetRoot } from '../../agents/rules/agents.ts'
import { STANDARD_KEYS } from '../../text/skill-document.ts'
import { failWith, type LoadoutError } from '../../text/trouble.ts'
import { compareText, getOwn, isRecord, isTextList, nearest, setOwn } from '../../text/values.ts'
import type { InstallMarker } from './reconcile.ts'

export const SKILL_FILE = 'skill.json'

/** In `targets`: every enabled agent. As the name of a map: frontmatter for every agent. */
export const EVERY_AGENT = '*'

/** The content of `skill.json`: the source of truth about a skill. Its text is `SKILL.md` beside it. */
export interface Skill {
  name: string
  description: string
  tags: string[]
  /** Supported agents, as its author wrote them: ids, or `*`. Empty if it names none, as for `*`. Use `supports`. */
  targets: string[]
  /** Frontmatter by agent, or under `*` for all of them. Use `metadataFor`. */
  metadata: Record<string, Record<string, unknown>>
  /** Where it was imported from. */
  source?: SkillSource
  /** Unknown fields of skill.json; kept when it is written again. */
  others: Record<string, unknown>
  /** Frontmatter keys that the user has not allowed on this machine: not installed, and not part of skill.json. */
  heldKeys?: readonly string[]
}

/** Where a skill of the library was imported from: `source` in skill.json. */
export interface SkillSource {
  /** An address that git can clone, without a password. Exactly one of `url` and `path`. */
  url?: string
  /** A folder or an archive on the machine that imported it; `~/…` in the home folder. */
  path?: string
  /** The path of the skill in the source, with slashes; empty for the source itself. */
  folder: string
  /** The branch or tag. */
  ref?: string
  /** If the source is a git repository. */
  commit?: string
  /** Hash of the folder as found, before any change for the library. */
  treeHash: string
  importedAt: string
  /** Hash of the folder as import wrote it into the library, with skill.json without this record. */
  libraryHash?: string
  /** Unknown keys; kept when it is written again. */
  others: Record<string, unknown>
}

const SOURCE_KEYS = ['url', 'path', 'folder', 'ref', 'commit', 'tree_hash', 'imported_at', 'library_hash']

/** Undefined for any other kind of "source" in a skill.json, which stays unchanged. */
export function parseSource(json: unknown): SkillSource | undefined {
  if (!isRecord(json)) return undefined
  const { url, path, folder, ref, commit, tree_hash, imported_at, library_hash } = json
  const optional = [url, path, ref, commit, library_hash]
  if (optional.some((value) => value !== undefined && typeof value !== 'string')) return undefined
  if ((url === undefined) === (path === undefined)) return undefined
  if (typeof folder !== 'string' || typeof tree_hash !== 'string' || typeof imported_at !== 'string') return undefined
  return {
    url: typeof url === 'string' ? url : undefined,
    path: typeof path === 'string' ? path : undefined,
    folder,
    ref: typeof ref === 'string' ? ref : undefined,
    commit: typeof commit === 'string' ? commit : undefined,
    treeHash: tree_hash,
    importedAt: imported_at,
    libraryHash: typeof library_hash === 'string' ? library_hash : undefined,
    others: Object.fromEntries(Object.entries(json).filter(([key]) => !SOURCE_KEYS.includes(key))),
  }
}

export function formatSource(source: SkillSource): Record<string, unknown> {
  const { url, path, folder, ref, commit, treeHash, importedAt, libraryHash, others } = source
  const known = { url, path, folder, ref, commit, tree_hash: treeHash, imported_at: importedAt }
  return { ...known, library_hash: libraryHash, ...others }
}

/** Parses skill.json, of any shape. A missing name defaults to the folder's. */
export function parseSkill(
  json: unknown,
  folder: string,
): { skill: Skill; problems?: undefined } | { skill?: undefined; problems: string[] } {
  if (!isRecord(json)) return { problems: ['skill.json must contain an object'] }
  const problems: string[] = []
  const name = json.name ?? folder
  const { description, tags = [], targets } = json
  if (typeof name !== 'string') problems.push('"name" must be a text')
  else {
    const problem = nameProblem(name)
    if (problem !== undefined) problems.push(`the name ${JSON.stringify(name.slice(0, 80))} is refused: ${problem}`)
  }
  if (typeof description !== 'string' || description.trim() === '') problems.push('"description" must be a text')
  if (!isTextList(tags)) problems.push('"tags" must be a list of texts')
  problems.push(...targetProblems(targets))
  const { metadata, others, source, problems: metadataProblems } = sortFields(json)
  problems.push(...metadataProblems)
  if (problems.length > 0 || typeof name !== 'string' || typeof description !== 'string') return { problems }
  return {
    skill: {
      name,
      description,
      tags: isTextList(tags) ? tags : [],
      targets: isTextList(targets) ? targets : [],
      metadata,
      source,
      others,
    },
  }
}

export function supports({ targets }: Pick<Skill, 'targets'>, agent: string): boolean {
  return isForEveryAgent({ targets }) || targets.some((target) => findAgent(target)?.id === agent)
}

/** Whether it is for every agent that is enabled, now or later. */
export function isForEveryAgent({ targets }: Pick<Skill, 'targets'>): boolean {
  return targets.length === 0 || targets.includes(EVERY_AGENT)
}

/** The frontmatter for one agent. */
export function metadataFor({ metadata }: Pick<Skill, 'metadata'>, agent: string): Record<string, unknown> {
  return { ...(getOwn(metadata, EVERY_AGENT) ?? {}), ...(getOwn(metadata, agent) ?? {}) }
}

function targetProblems(targets: unknown): string[] {
  if (targets === undefined) return []
  if (!isTextList(targets) || targets.length === 0)
    return [`"targets" must list agents, as loadout agents names them, or *`]
  const unknown = targets.filter((target) => target !== EVERY_AGENT && findAgent(target) === undefined)
  const twice = targets.filter((target, at) => targets.indexOf(target) < at)
  return [
    ...unknown.map((target) => `"targets" names an unknown agent ${JSON.stringify(target)}`),
    ...twice.map((target) => `"targets" names ${target} twice`),
  ]
}

function sortFields(json: Record<string, unknown>) {
  const metadata: Skill['metadata'] = {}
  const others: Record<string, unknown> = {}
  const problems: string[] = []
  const source = parseSource(json.source)
  for (const [key, value] of Object.entries(json)) {
    if (['name', 'description', 'tags', 'targets'].includes(key) || (key === 'source' && source !== undefined)) continue
    if (key !== EVERY_AGENT && !isAgent(key)) setOwn(others, key, value)
    else if (isRecord(value)) metadata[key] = value
    else problems.push(`"${key}" must be an object with what only that agent understands`)
  }
  return { metadata, others, source, problems }
}

/** The text of skill.json: known fields first, then agents, then unknown fields, each in a fixed order. */
export function formatSkill({ name, description, tags, targets, metadata, source, others }: Skill): string {
  const json: Record<string, unknown> = { name, description, tags, targets: targets.length > 0 ? targets : undefined }
  for (const id of [EVERY_AGENT, ...AGENT_IDS]) {
    const own = getOwn(metadata, id)
    if (own !== undefined) json[id] = own
  }
  if (source !== undefined) json.source = formatSource(source)
  for (const [key, value] of Object.entries(others).sort(([a], [b]) => compareText(a, b))) setOwn(json, key, value)
  return `${JSON.stringify(json, null, 2)}\n`
}

/** Without the record of its import, and without a "source" of another program, which uses the same key. */
export function withoutSource(skill: Skill): Skill {
  const { source: _, others, ...rest } = skill
  const { source: __, ...kept } = others
  return { ...rest, others: kept }
}

const PATTERN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/
const LONGEST = 64

/** Why a text cannot be the name of a skill; undefined if it can. Strict, because a name becomes a folder. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'it is empty'
  if (name.length > LONGEST) return `it has ${name.length} characters, more than ${LONGEST}`
  return PATTERN.test(name) ? undefined : 'a name has lower case letters, digits, and hyphens inside'
}

/** Call it for every name from outside, before it becomes part of a path. */
export function requireName(name: string): string {
  const problem = nameProblem(name)
  if (problem === undefined) return name
  const text = JSON.stringify(name)
  throw failWith('BAD_NAME/skill', { name: text.length > 100 ? `${text.slice(0, 99)}…` : text, problem })
}

/** The error for a skill that is missing or broken. */
export function missing(name: string, status: SkillStatus | undefined, statuses: readonly SkillStatus[]): LoadoutError {
  const known = statuses.filter(({ registered }) => registered !== undefined).map((each) => each.name)
  return notUsable(name, status?.problems ?? [], known)
}

function notUsable(name: string, problems: readonly string[], known: readonly string[]): LoadoutError {
  if (problems.length > 0) {
    return failWith('INVALID_SKILL/not-usable', { name, problems: problems.join('; ') })
  }
  const close = nearest(name, known)
  return failWith('SKILL_NOT_FOUND/not-usable', { name, close })
}

/** Finds a skill of the library. Throws if it is missing or broken. */
export function requireSkill({ skills, invalid, withheld }: Registry, name: string): RegisteredSkill {
  const found = skills.find(({ skill }) => skill.name === name)
  if (found !== undefined) return found
  const refusal = withheld?.get(name)
  if (refusal !== undefined) throw refusal
  const problems = invalid.find((each) => each.name === name)?.problems ?? []
  const known = skills.map(({ skill }) => skill.name)
  throw notUsable(name, problems, known)
}

/** A skill of the library that can be installed. */
export interface RegisteredSkill {
  skill: Skill
  /** Below the library: `skills/<folder>`. */
  folder: string
  sourceHash: string
  /** Set if its files are not in the library: an approved older version, or a version of a project's lock. */
  version?: {
    commit: string
    /** Where its files are. */
    place: string
  }
  /** Set if the lock of a project pins it. */
  locked?: {
    /** When it was locked: the copies of a project are the same on every machine. */
    at: string
    /** The ids of capabilities that count as allowed, because the user trusts the lock. */
    trusted: ReadonlySet<string>
  }
}

/** The content of the library: working skills, and broken folders with the reason. */
export interface Registry {
  skills: readonly RegisteredSkill[]
  invalid: readonly { name: string; folder: string; problems: string[] }[]
  /** The skills that may not be used on this machine, which are then not in `skills`. */
  withheld?: ReadonlyMap<string, LoadoutError>
}

/** What is in a target root under the name of a skill. */
export interface Placement {
  name: string
  root: TargetRoot
  /** Only a folder can be managed. */
  kind: 'folder' | 'file' | 'link'
  /** The target of a link. */
  link?: string
  /** Whether it contains a SKILL.md. */
  isSkill?: boolean
  /** Undefined without our marker file; a problem if it cannot be read. */
  marker?: InstallMarker | { problem: string }
  /** Hash of the current content, without the marker. */
  contentHash?: string
  /** Hash of what an install would contain now: for markers without hashes, and for folders without a marker. */
  expectedHash?: string
  /** Why the folder could not be read. */
  problem?: string
}

/** The most urgent first. */
export const PLACEMENT_STATES = [
  'broken',
  'edited',
  'orphaned',
  'unsupported',
  'outdated',
  'unmanaged',
  'current',
] as const

export type PlacementState = (typeof PLACEMENT_STATES)[number]

export interface PlacementStatus {
  state: PlacementState
  placement: Placement
  /** The agent of the install; the first that reads the folder if the marker does not say. */
  agent: string
  /** The library's content differs from what was installed. */
  isBehind: boolean
  /** It was edited, or Loadout cannot tell and treats it as edited. */
  mayBeEdited: boolean
  /** An unmanaged folder with exactly the content of an install: only the marker is missing. */
  isIdentical?: true
  reason?: string
}

/** What the next sync does with an edited copy. */
export type EditOutcome = 'kept' | 'merged' | 'conflicts'

export const EDIT_OUTCOMES: Record<EditOutcome, string> = {
  kept: 'the edit stays',
  merged: 'sync merges the edit with the change of the library',
  conflicts: 'the edit conflicts with the library: it stays, and sync opens a merge',
}

export function isEdited({ state, mayBeEdited }: PlacementStatus): boolean {
  return state === 'edited' || mayBeEdited
}

export function placeOf({ placement }: PlacementStatus): string {
  return `${placement.root.path}/${placement.name}`
}

export type SkillState = PlacementState | 'inactive' | 'invalid'

/** A skill with all its placements. */
export interface SkillStatus {
  name: string
  state: SkillState
  placements: PlacementStatus[]
  /** Undefined when the library lacks it, or has only a broken one. */
  registered?: RegisteredSkill
  problems: string[]
  /** Why the catalog of the organization forbids installing it. */
  refusal?: { kind: 'held' | 'retired'; why: string }
}

/** Whether any copy of it is managed. */
export function isInstalled({ placements }: SkillStatus): boolean {
  return placements.some(({ state }) => state !== 'unmanaged' && state !== 'broken')
}

export interface TargetChange {
  add: readonly string[]
  remove: readonly string[]
  /** The enabled agents, which replace `*` when one agent is removed. */
  enabled: readonly string[]
}

/** The skill with other agents; undefined when none would be left. */
export function changedTargets(skill: Skill, { add, remove, enabled }: TargetChange): Skill | undefined {
  const isForAll = isForEveryAgent(skill)
  if (isForAll && remove.length === 0) return skill
  const base = isForAll && !remove.includes(EVERY_AGENT) ? [...enabled] : skill.targets
  const idOf = (target: string) => findAgent(target)?.id ?? target
  const kept = base.filter((target) => !remove.includes(idOf(target)))
  const isForAllThen = add.includes(EVERY_AGENT) || kept.includes(EVERY_AGENT)
  const targets = isForAllThen
    ? [EVERY_AGENT]
    : [...kept, ...new Set(add.filter((id) => !kept.some((target) => idOf(target) === id)))]
  if (targets.length === 0) return undefined
  return withSharedMetadata({ ...skill, targets }, skill)
}

/** New agents get the metadata that all agents share: the keys of the public format, if equal. */
function withSharedMetadata(skill: Skill, before: Skill): Skill {
  const fresh = skill.targets.filter((id) => !before.targets.includes(id) && getOwn(skill.metadata, id) === undefined)
  const known = before.targets.map((id) => metadataFor(before, id))
  const [first = {}] = known
  const shared = Object.entries(first).filter(([key, value]) => {
    return STANDARD_KEYS.includes(key) && known.every((each) => JSON.stringify(each[key]) === JSON.stringify(value))
  })
  if (fresh.length === 0 || shared.length === 0 || isForEveryAgent(before)) return skill
  const own = Object.fromEntries(fresh.map((id) => [id, Object.fromEntries(shared)]))
  return { ...skill, metadata: { ...skill.metadata, ...own } }
}
