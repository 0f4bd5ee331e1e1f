import { join } from 'node:path'
import { targetRoots } from '../agents/config.ts'
import type { Machine } from '../machine/machine.ts'
import { realOrSame } from '../machine/open-project.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { groupBy } from '../text/values.ts'
import { buildFor, hashBuild } from './disk/build.ts'
import { type ForeignOptions, readForeignSkill } from './disk/foreign-skill.ts'
import { findSkillFolders } from './disk/registry.ts'
import { type LockedSkill, readSkillsLock } from './disk/skills-lock.ts'
import { type Observation, observe, recoverAll } from './observe.ts'
import { type ForeignSkill, groupCandidates, type ImportCandidate, isSameSkill } from './rules/candidates.ts'
import { type Refusal, refusalFindings } from './rules/refusals.ts'
import { type RegisteredSkill, supports } from './rules/skill.ts'
import { enabledAgents, openSetup, type ScopeRequest, type Setup } from './setup.ts'

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

/** In characters: enough for the user to judge a skill. */
const MOST_SHOWN = 8_000

export function textShown(skill: ForeignSkill | undefined, { texts }: { texts?: boolean }): { text?: string } {
  return texts && skill !== undefined ? { text: skill.document.slice(0, MOST_SHOWN) } : {}
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
export async function listCandidates(machine: Machine, request: CandidatesRequest): Promise<Report<CandidateView[]>> {
  const setup = openSetup(machine, request)
  const recovered = await recoverAll(setup, setup.roots)
  const { candidates, links, refusals, findings } = findUnmanaged(setup, await observe(setup, setup.roots), undefined)
  const value = candidates.map((candidate) => ({
    ...viewCandidate(candidate, links),
    ...textShown(candidate.merged ?? candidate.copies[0], request),
  }))
  return { value, findings: [...recovered, ...findings, ...refusalFindings(refusals)] }
}

/** Finds skills without our marker. Reports folders that it cannot read, and returns the others. */
export function findUnmanaged(
  setup: Setup,
  observation: Observation,
  targets: readonly string[] | undefined,
): UnmanagedSkills {
  const places = unmanagedPlaces(setup, observation)
  const { skills, refusals } = readForeign(places, { targets, enabled: enabledAgents(setup.config) })
  const { skills: locked, findings } = readSkillsLock(setup.machine, setup.project)
  const judged = skills.map((copy) => ({ copy, state: stateOf(setup, observation, copy) }))
  // No enabled agent reads the shared folder, so there is no need to list skills there that the library has.
  const known = judged.filter(({ copy, state }) => copy.agents.length > 0 || state === 'new')
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

/** Looks in the folders of the enabled agents, and in the shared folder that other managers link to. */
function unmanagedPlaces({ machine, config, project }: Setup, { placements, roots }: Observation): UnmanagedPlace[] {
  const inRoots = placements
    .filter(({ isSkill, marker }) => isSkill && marker === undefined)
    .map(({ name, root, link }): UnmanagedPlace => {
      return { path: join(root.path, name), agents: root.agents, link }
    })
  const behind = new Set(inRoots.map(({ path }) => realOrSame(path)))
  const shared = targetRoots(machine, config, project, ({ id }) => id === 'agents')
  const others = shared.filter(({ path }) => !roots.some((root) => realOrSame(root.path) === realOrSame(path)))
  const inShared = findSkillFolders(others).filter(({ path }) => !behind.has(realOrSame(path)))
  return [...inRoots, ...inShared.map(({ path }) => ({ path, agents: [] }))]
}

function stateOf(setup: Setup, { find, registry }: Observation, copy: ForeignSkill): UnmanagedState {
  const registered = find(copy.skill.name)
  if (registered !== undefined) return compare(setup, registered, copy)
  return registry.invalid.some(({ name }) => name === copy.skill.name) ? 'differs' : 'new'
}

/** Compares a copy with the library's skill of the same name. */
function compare({ library }: Setup, { skill, folder }: RegisteredSkill, copy: ForeignSkill): UnmanagedState {
  const path = join(library, folder)
  try {
    const agent = copy.agents.find((id) => supports(skill, id)) ?? copy.agents[0] ?? ''
    if (hashBuild(buildFor(path, skill, agent)) === copy.treeHash) return 'identical'
    return isSameSkill(copy, readForeignSkill(path, { agents: [] })) ? 'same' : 'differs'
  } catch (error) {
    if (error instanceof LoadoutError) return 'differs'
    throw error
  }
}

type Folder = { path: string; agents: readonly string[]; found?: ForeignSkill['found'] }

/** Reads folders of skills. `refusals` has those that cannot be read, `failure` the first error. */
export function readForeign(
  folders: readonly Folder[],
  options: Omit<ForeignOptions, 'agents'>,
): { skills: ForeignSkill[]; refusals: Refusal[]; failure?: LoadoutError } {
  const skills: ForeignSkill[] = []
  const refusals: Refusal[] = []
  let failure: LoadoutError | undefined
  for (const { path, agents, found } of folders) {
    try {
      skills.push({ ...readForeignSkill(path, { ...options, agents }), ...(found && { found }) })
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
    problem: state === 'differs' ? 'the library has another text under this name' : undefined,
    ...(problem === undefined ? {} : { problem }),
  }
}
