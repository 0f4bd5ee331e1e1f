import { basename, dirname, join } from 'node:path'
import type { TargetRoot } from '../agents/rules/agents.ts'
import { realOrSame } from '../machine/open-project.ts'
import { listed } from '../text/count.ts'
import { type Finding, failWith, LoadoutError, unlessTrouble } from '../text/trouble.ts'
import { groupBy } from '../text/values.ts'
import {
  ASIDE,
  discoverSkills,
  type ForeignOptions,
  type LeftOutSkills,
  type LockedSkill,
  readForeignSkill,
  readSkillsLock,
} from './disk/foreign-skill.ts'
import type { ImportSource } from './disk/import-source.ts'
import { findSkillFolders, SKILLS_FOLDER } from './disk/registry.ts'
import { buildFor, hashBuild } from './disk/tree.ts'
import { enabledAgents, type Installs, namedTargets, type ScopeRequest, withInstalls } from './installs.ts'
import { type Observation, observe, recoverAll } from './observe.ts'
import {
  type ForeignSkill,
  groupCandidates,
  type ImportCandidate,
  isSameSkill,
  nameOffers,
  type Offer,
  type OfferState,
} from './rules/candidates.ts'
import { type Refusal, refusalFindings } from './rules/operations.ts'
import { supports } from './rules/skill.ts'

export { listPlugins } from './disk/marketplaces.ts'

/**
 * How an unmanaged skill compares with the library: not in it, installed identically, equal in another form, another
 * text under its name, or copies that disagree.
 */
export type UnmanagedState = 'new' | 'identical' | 'same' | 'differs' | 'blocked'

export interface CandidateView {
  name: string
  description: string
  targets: string[]
  paths: string[]
  state: UnmanagedState
  /** The targets of paths that are links. */
  links?: Record<string, string>
  /** Its source, in the lock file of another manager. */
  manager?: string
  /** Why it cannot be imported. */
  problem?: string
  /** The beginning of its text, if requested. */
  text?: string
}

export interface CandidatesRequest extends ScopeRequest {
  /** Include the beginning of every text. */
  texts?: boolean
}

function textShown(skill: ForeignSkill | undefined, { texts }: { texts?: boolean }): { text?: string } {
  // In characters: enough for the user to judge a skill.
  return texts && skill !== undefined ? { text: skill.document.slice(0, 8_000) } : {}
}

export interface UnmanagedCandidate extends ImportCandidate {
  state: UnmanagedState
  locked?: LockedSkill
}

/** Skills in the agents' folders that Loadout did not install. */
export interface UnmanagedSkills {
  candidates: UnmanagedCandidate[]
  /** Targets of links, by the path of the link. */
  links: ReadonlyMap<string, string>
  refusals: Refusal[]
  findings: Finding[]
}

/** Skills in the agents' folders that could go into the library. */
export const listCandidates = withInstalls(async (installs, request: CandidatesRequest): Promise<CandidateView[]> => {
  await recoverAll(installs, installs.roots)
  const { candidates, links, refusals, findings } = findUnmanaged(
    installs,
    await observe(installs, installs.roots),
    undefined,
  )
  const value = candidates.map((candidate) => ({
    ...viewCandidate(candidate, links),
    ...textShown(candidate.merged ?? candidate.copies[0], request),
  }))
  installs.machine.report(...findings, ...refusalFindings(refusals))
  return value
})

/** Finds skills without our marker. Reports folders that it cannot read, and returns the others. */
function findUnmanaged(
  installs: Installs,
  observation: Observation,
  targets: readonly string[] | undefined,
): UnmanagedSkills {
  // Looks in the folders of the enabled agents, and in the shared folder that other managers link to.
  const { config, project } = installs
  const { placements, roots } = observation
  const inRoots = placements
    .filter(({ isSkill, marker }) => isSkill && marker === undefined)
    .map(({ name, root, link }): UnmanagedPlace => {
      // A skill in the shared folder is for every agent, not for those without a folder of their own.
      return { path: join(root.path, name), agents: root.agents.includes('agents') ? [] : root.agents, link }
    })
  const shared = config.targetRoots(project, ({ id }) => id === 'agents' || config.isEnabled(id))
  const others = shared.filter(({ path, agents }) => {
    return agents.includes('agents') && !roots.some((root) => realOrSame(root.path) === realOrSame(path))
  })
  const isRead = others.some(({ alsoReadBy = [] }) => alsoReadBy.length > 0)
  const behind = new Set(isRead ? [] : inRoots.map(({ path }) => realOrSame(path)))
  const inShared = findSkillFolders(others).filter(({ path }) => !behind.has(realOrSame(path)))
  const unread = new Set(isRead ? [] : inShared.map(({ path }) => path))
  const places = [...inRoots, ...inShared.map(({ path }): UnmanagedPlace => ({ path, agents: [] }))]
  const { skills, refusals } = readForeign(places, { targets, enabled: enabledAgents(installs.config) })
  const { skills: locked, findings } = readSkillsLock(installs.machine, installs.project)
  const judged = skills.map((copy) => ({ copy, state: stateOf(installs, observation, copy) }))
  // If no enabled agent reads the shared folder, there is no need to list skills there that the library has.
  const known = judged.filter(({ copy, state }) => !unread.has(copy.path) || state === 'new')
  const fresh = groupCandidates(known.filter(({ state }) => state === 'new').map(({ copy }) => copy))
  const taken = (['identical', 'same', 'differs'] as const).flatMap((state) => {
    const some = known.flatMap((each) => (each.state === state ? [each.copy] : []))
    const byName = groupBy(some, ({ skill }) => skill.name)
    return [...byName].map(([name, copies]): UnmanagedCandidate => ({ name, copies, state }))
  })
  const candidates = [
    ...fresh.map((each): UnmanagedCandidate => ({ ...each, state: each.problem === undefined ? 'new' : 'blocked' })),
    ...taken,
  ].map((each) => {
    const lock = locked.get(each.name)
    return lock === undefined ? each : { ...each, locked: lock }
  })
  const links = new Map(places.flatMap(({ path, link }) => (link === undefined ? [] : [[path, link]])))
  return { candidates, links, refusals, findings }
}

interface UnmanagedPlace {
  path: string
  agents: readonly string[]
  link?: string
}

function stateOf(installs: Installs, { find, registry }: Observation, copy: ForeignSkill): UnmanagedState {
  const registered = find(copy.skill.name)
  if (registered !== undefined) {
    // Compares a copy with the library's skill of the same name.
    const { skill, folder } = registered
    const path = join(installs.library, folder)
    return unlessTrouble(() => {
      const agent = copy.agents.find((id) => supports(skill, id)) ?? copy.agents[0] ?? 'agents'
      if (hashBuild(buildFor(path, skill, agent)) === copy.treeHash) return 'identical'
      return isSameSkill(copy, readForeignSkill(path, { agents: [] })) ? 'same' : 'differs'
    }, 'differs')
  }
  return registry.invalid.some(({ name }) => name === copy.skill.name) ? 'differs' : 'new'
}

type Folder = { path: string; agents: readonly string[]; found?: ForeignSkill['found'] }

/** Reads folders of skills. `refusals` has those that cannot be read, `failure` the first error. */
function readForeign(
  folders: readonly Folder[],
  options: Omit<ForeignOptions, 'agents'>,
): { skills: ForeignSkill[]; refusals: Refusal[]; failure?: LoadoutError } {
  const skills: ForeignSkill[] = []
  const refusals: Refusal[] = []
  let failure: LoadoutError | undefined
  for (const { path, agents, found } of folders) {
    try {
      skills.push({ ...readForeignSkill(path, { ...options, agents }), found })
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
      const { code, message, hint } = error
      failure ??= error
      const reason = message.replace(`${path} cannot be imported: `, '').replaceAll(`${path}/`, '')
      const name = found?.folder || path
      refusals.push({ name, folder: found?.folder ?? path, code, reason, hint })
    }
  }
  return { skills, refusals, failure }
}

function viewCandidate(candidate: UnmanagedCandidate, links: ReadonlyMap<string, string>): CandidateView {
  const { name, copies, merged, problem, state, locked } = candidate
  const shown = merged ?? copies[0]
  const paths = copies.map(({ path }) => path)
  const linked = paths.flatMap((path) => (links.has(path) ? [[path, links.get(path) ?? ''] as const] : []))
  return {
    name,
    description: shown?.skill.description ?? '',
    targets: merged?.skill.targets ?? [...new Set(copies.flatMap(({ skill }) => skill.targets))],
    paths,
    state,
    links: linked.length === 0 ? undefined : Object.fromEntries(linked),
    manager: locked?.from,
    problem: problem ?? (state === 'differs' ? 'the library has another text under this name' : undefined),
  }
}

/** One skill that was found, and what importing it would do. */
export interface SkillOffer {
  name: string
  description: string
  /** Relative to the source; the full path of a skill in an agent's folder. */
  folder: string
  plugin?: string
  state: OfferState
  reason?: string
  /** What a new skill can do, in a few words; empty if it only informs. Absent if it was not looked through. */
  can?: string
  /** The beginning of its text, if requested. */
  text?: string
}

/** All skills that were found, before the user chooses. */
export interface Found {
  offers: Offer[]
  refused: Refusal[]
  leftOut: LeftOutSkills[]
  findings: Finding[]
  /** Where it came from; undefined for the agents' folders. */
  source: ImportSource | undefined
}

/** How to name the found skills, and for which agents. */
export interface FindRequest {
  targets?: readonly string[]
  /** The new name of the only skill; `prefix` goes in front of every name. */
  as?: string
  prefix?: string
  /** Include the beginning of every text in the list. */
  texts?: boolean
}

/** Every skill of a source, or of the agents' folders, with what importing it would do. */
export async function findOffers(
  installs: Installs,
  source: ImportSource | undefined,
  request: FindRequest,
): Promise<Found> {
  const observation = await observe(installs, installs.everyRoot(), true)
  const targets = namedTargets(request.targets, installs.config)
  // Reads the skills of a source. Throws if it has only one skill and that cannot be read.
  const found =
    source === undefined
      ? findAround(installs, observation, targets)
      : readSource(source, installs.everyRoot(), { targets, enabled: enabledAgents(installs.config) })
  // Decides what importing an offer would do.
  const { registry } = observation
  const taken = new Set([
    ...registry.skills.map(({ skill }) => skill.name),
    ...registry.invalid.map(({ name }) => name),
  ])
  const byName = new Map(registry.skills.flatMap((each) => [[each.skill.name, each] as const]))
  const byFolder = new Map(registry.skills.map((each) => [each.folder, each]))
  const offers = nameOffers(found.candidates, request).map((offer): Offer => {
    const known = byName.get(offer.name) ?? byFolder.get(`${SKILLS_FOLDER}/${offer.name}`)
    const { candidate, name } = offer
    const loose = 'state' in candidate ? (candidate as UnmanagedCandidate).state : 'new'
    if (loose === 'identical' || loose === 'same') return { ...offer, state: 'unchanged' }
    const { merged, problem } = candidate
    if (known === undefined && !taken.has(name)) {
      return merged === undefined ? { ...offer, state: 'blocked', reason: problem } : offer
    }
    if (known !== undefined && merged !== undefined) {
      const own = readForeignSkill(join(installs.library, known.folder), { agents: [] })
      const isSame = isSameSkill({ ...merged, skill: { ...merged.skill, name: own.skill.name } }, own)
      if (isSame || known.skill.source?.treeHash === merged.treeHash) return { ...offer, state: 'unchanged' }
    }
    return { ...offer, state: 'taken', reason: 'the library has another skill of this name' }
  })
  return { ...found, offers, source }
}

function findAround(installs: Installs, observation: Observation, targets: string[] | undefined) {
  const { candidates, refusals, findings } = findUnmanaged(installs, observation, targets)
  return { candidates, refused: refusals, leftOut: [], findings }
}

/** The skills of a source. One in a folder of `roots` is for the agents that read it. */
export function readSource(
  source: Pick<ImportSource, 'root' | 'part' | 'plugin'>,
  roots: readonly TargetRoot[],
  options: Omit<ForeignOptions, 'agents'>,
) {
  const { skills, leftOut, findings } = discoverIn(source)
  const folders = skills.map(({ path, folder, plugin }) => {
    const root = roots.find((each) => realOrSame(each.path) === realOrSame(dirname(path)))
    const place = [source.part, folder].filter((part) => part !== '').join('/')
    const isAside = ASIDE.test(folder)
    const found = { folder: place, isAside, plugin }
    if (root === undefined) return { path, agents: [], found }
    return { path: join(root.path, basename(path)), agents: root.agents, found }
  })
  const ofPlugin = folders.filter(({ found }) => source.plugin === undefined || found.plugin === source.plugin)
  const read = readForeign(ofPlugin, options)
  if (read.failure !== undefined && skills.length === 1) throw read.failure
  const candidates = groupCandidates(read.skills)
  return { candidates, refused: read.refusals, leftOut: [...leftOut, ...copiesIn(candidates)], findings }
}

/** The folders of skills in a source. Throws if there is none. */
export function discoverIn(source: Pick<ImportSource, 'root'>): ReturnType<typeof discoverSkills> {
  const discovered = discoverSkills(source.root)
  if (discovered.skills.length > 0) return discovered
  const rest = discovered.leftOut.map(({ count, reason }) => `${count} left out (${reason})`).join(', ')
  throw failWith('NOTHING_TO_DO/import-folder', { root: source.root, what: rest === '' ? '' : `: ${rest}` })
}

/** Reports additional copies of skills that are imported once. */
function copiesIn(candidates: readonly ImportCandidate[]): LeftOutSkills[] {
  const folders = (copies: readonly ForeignSkill[]) => copies.map(({ found, path }) => found?.folder ?? path)
  const mirrors = candidates.flatMap(({ copies, merged }) => (merged === undefined ? [] : folders(copies.slice(1))))
  const hidden = candidates.flatMap(({ passedOver = [] }) => folders(passedOver))
  const row = (reason: string, all: string[]) => ({ reason, count: all.length, examples: all.slice(0, 5) })
  return [
    row('copies of the same content in other folders', mirrors),
    row('copies in hidden folders, or below docs, examples or tests, that differ from the others', hidden),
  ].filter(({ count }) => count > 0)
}

export function viewOffer({ candidate, name, state, reason }: Offer, request: FindRequest): SkillOffer {
  const shown = candidate.merged ?? candidate.copies[0]
  const { folder = shown?.path ?? '', plugin } = shown?.found ?? {}
  const description = shown?.skill.description ?? ''
  const told = { plugin, state, reason }
  return { name, description, folder, ...told, ...textShown(shown, request) }
}

/** Why an offer is not imported. */
export function refusalOf({ candidate, name, state, reason = '' }: Offer): Refusal[] {
  const [copy] = candidate.copies
  const folder = copy?.found?.folder ?? copy?.path ?? ''
  if (state === 'blocked') {
    const hint =
      copy?.found === undefined
        ? 'make the copies equal, or import one of them by its path'
        : 'choose one: loadout import <source> --skill <folder>, with --as <name> for another name'
    return [
      {
        name,
        folder,
        code: 'MERGE_CONFLICT',
        reason: `${reason} (${listed(candidate.copies.map(({ found, path }) => found?.folder ?? path))})`,
        hint,
      },
    ]
  }
  if (state !== 'taken') return []
  const isLoose = copy !== undefined && copy.found === undefined
  const hint = isLoose
    ? 'loadout diff <skill> compares; loadout install <skill> --replace takes the one of the library, loadout adopt <skill> yours'
    : 'loadout import <source> --skill <name> --as <other> gives another name; loadout update <skill> takes what is new in its source'
  return [{ name, folder, code: 'FILE_EXISTS', reason, hint }]
}
