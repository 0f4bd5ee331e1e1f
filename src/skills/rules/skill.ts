import { AGENT_IDS, findAgent, isAgent, type TargetRoot } from '../../agents/rules/agents.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText, getOwn, isRecord, isTextList, nearest, setOwn } from '../../text/values.ts'
import type { InstallMarker } from './marker.ts'
import { formatSource, parseSource, type SkillSource } from './source.ts'

export const SKILL_FILE = 'skill.json'

/** In `targets`: every agent that is enabled. As the name of a map: frontmatter for every agent. */
export const EVERY_AGENT = '*'

/** What `skill.json` says: the truth about a skill. Its text is `SKILL.md` beside it. */
export interface Skill {
  name: string
  description: string
  tags: string[]
  /** Agents that it supports, as its author wrote them: ids, or `*`. Ask `supports`. */
  targets: string[]
  /** Frontmatter by agent, or under `*` for all of them. Ask `metadataFor`. */
  metadata: Record<string, Record<string, unknown>>
  /** Where it was imported from. */
  source?: SkillSource
  /** Fields of skill.json that are not ours; kept when it is written again. */
  others: Record<string, unknown>
}

/** A skill, or why it cannot be used. Never both. */
export type ParsedSkill = { skill: Skill; problems?: undefined } | { skill?: undefined; problems: string[] }

/** Reads skill.json, of any shape. A missing name is the folder's. */
export function parseSkill(json: unknown, folder: string): ParsedSkill {
  if (!isRecord(json)) return { problems: ['skill.json must hold an object'] }
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
      ...(source && { source }),
      others,
    },
  }
}

export function supports({ targets }: Pick<Skill, 'targets'>, agent: string): boolean {
  return targets.some((target) => target === agent || target === EVERY_AGENT || findAgent(target)?.id === agent)
}

/** The frontmatter that one agent gets. */
export function metadataFor({ metadata }: Pick<Skill, 'metadata'>, agent: string): Record<string, unknown> {
  return { ...(getOwn(metadata, EVERY_AGENT) ?? {}), ...(getOwn(metadata, agent) ?? {}) }
}

function targetProblems(targets: unknown): string[] {
  if (!isTextList(targets) || targets.length === 0)
    return [`"targets" must list agents, as loadout agents names them, or *`]
  const unknown = targets.filter((target) => target !== EVERY_AGENT && findAgent(target) === undefined)
  const twice = targets.filter((target, at) => targets.indexOf(target) < at)
  return [
    ...unknown.map((target) => `"targets" names an unknown agent ${JSON.stringify(target)}`),
    ...twice.map((target) => `"targets" names ${target} twice`),
  ]
}

const OWN_FIELDS = ['name', 'description', 'tags', 'targets']

function sortFields(json: Record<string, unknown>) {
  const metadata: Skill['metadata'] = {}
  const others: Record<string, unknown> = {}
  const problems: string[] = []
  const source = parseSource(json.source)
  for (const [key, value] of Object.entries(json)) {
    if (OWN_FIELDS.includes(key) || (key === 'source' && source !== undefined)) continue
    if (key !== EVERY_AGENT && !isAgent(key)) setOwn(others, key, value)
    else if (isRecord(value)) metadata[key] = value
    else problems.push(`"${key}" must be an object with what only that agent understands`)
  }
  return { metadata, others, source, problems }
}

/** The text of skill.json: our fields first, then agents, then what is not ours, each in a fixed order. */
export function formatSkill({ name, description, tags, targets, metadata, source, others }: Skill): string {
  const json: Record<string, unknown> = { name, description, tags, targets }
  for (const id of [EVERY_AGENT, ...AGENT_IDS]) {
    const own = getOwn(metadata, id)
    if (own !== undefined) json[id] = own
  }
  if (source !== undefined) json.source = formatSource(source)
  for (const [key, value] of Object.entries(others).sort(([a], [b]) => compareText(a, b))) setOwn(json, key, value)
  return `${JSON.stringify(json, null, 2)}\n`
}

const PATTERN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/
const LONGEST = 64

/** Why a text cannot name a skill, or undefined when it can. A name becomes a folder, so nothing else may pass. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'it is empty'
  if (name.length > LONGEST) return `it has ${name.length} characters, more than ${LONGEST}`
  return PATTERN.test(name) ? undefined : 'a name has lower case letters, digits, and hyphens inside'
}

/** Asked wherever a name enters, before it becomes part of a path. */
export function requireName(name: string): string {
  const problem = nameProblem(name)
  if (problem === undefined) return name
  throw new LoadoutError('BAD_NAME', `${shorten(JSON.stringify(name))} cannot be a skill: ${problem}`, {
    hint: 'loadout inventory lists the skills',
  })
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

/** A name that cannot be used: there is none, or there is one that is broken. */
export function missing(name: string, status: SkillStatus | undefined, statuses: readonly SkillStatus[]): LoadoutError {
  const known = statuses.filter(({ registered }) => registered !== undefined).map((each) => each.name)
  return notUsable(name, status?.problems ?? [], known)
}

export function notUsable(name: string, problems: readonly string[], known: readonly string[]): LoadoutError {
  if (problems.length > 0) {
    return new LoadoutError('INVALID_SKILL', `${name} cannot be used: ${problems.join('; ')}`, {
      hint: 'repair it in the library; loadout validate tells when it is right',
    })
  }
  const close = nearest(name, known)
  return new LoadoutError(
    'SKILL_NOT_FOUND',
    `the library has no skill "${name}"${close === undefined ? '' : `; did you mean ${close}?`}`,
    { hint: 'loadout inventory lists the skills' },
  )
}

/** A skill of the library that can be installed. */
export interface RegisteredSkill {
  skill: Skill
  /** Below the library: `skills/<folder>`. */
  folder: string
  sourceHash: string
  /** For a version that the catalog approved and that is not the library's newest. */
  version?: SkillVersion
}

/** A skill as it was at a commit of the library. */
interface SkillVersion {
  commit: string
  /** Where its files are. */
  place: string
}

/** What the library holds: skills that work, and folders that do not, with the reason. */
export interface Registry {
  skills: readonly RegisteredSkill[]
  invalid: readonly { name: string; folder: string; problems: string[] }[]
}

/** What stands in a target root under the name of a skill. */
export interface Placement {
  name: string
  root: TargetRoot
  /** Only a folder can be ours. */
  kind: 'folder' | 'file' | 'link'
  /** What a link leads to. */
  link?: string
  /** Whether it holds a SKILL.md. */
  isSkill?: boolean
  /** Absent without our marker file; a problem when there is one that cannot be read. */
  marker?: InstallMarker | { problem: string }
  /** Of what is there now, without the marker. */
  contentHash?: string
  /** What would be there if it were installed now: asked for markers without hashes, and for folders without marker. */
  expectedHash?: string
  /** Why the folder could not be read. */
  problem?: string
}

/** In the order in which they ask for attention. */
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
  /** The agent it was installed for; the first that reads the folder when the marker does not say. */
  agent: string
  /** The library's content differs from what was installed, whatever else is true of it. */
  isBehind: boolean
  /** Whether it was edited is unknown: treated as edited. */
  mayBeEdited: boolean
  /** Not ours, and exactly what would be installed: the marker is all that is missing. */
  isIdentical?: true
  reason?: string
}

export type SkillState = PlacementState | 'inactive' | 'invalid'

/** A skill with all its placements. */
export interface SkillStatus {
  name: string
  state: SkillState
  placements: PlacementStatus[]
  /** Absent when the library does not have it, or only a broken one. */
  registered?: RegisteredSkill
  problems: string[]
  /** What the catalog of the organization has against installing it. */
  refusal?: { kind: 'held' | 'retired'; why: string }
}

/** Whether some copy of it is ours. */
export function isInstalled({ placements }: SkillStatus): boolean {
  return placements.some(({ state }) => state !== 'unmanaged' && state !== 'broken')
}
