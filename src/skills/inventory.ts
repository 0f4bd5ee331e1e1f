import { join } from 'node:path'
import { findAgent, type Scope, type TargetRoot } from '../agents/rules/agents.ts'
import { type Cache, type CacheKey, signatureOf } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { listed } from '../text/count.ts'
import { asFinding, type Finding, report } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { readSkillsLock } from './disk/foreign-skill.ts'
import { commitsBehind } from './disk/library-git.ts'
import { SKILLS_FOLDER } from './disk/registry.ts'
import { isUnchanged, type Listed, readFolders, stampFolder, writeFolders } from './disk/tree-cache.ts'
import { type ClearedRegistry, withheldIn } from './gate.ts'
import { type Installs, type ScopeRequest, withScope } from './installs.ts'
import { foreseeEdits, type Observation, observe, recoverAll } from './observe.ts'
import {
  EDIT_OUTCOMES,
  type EditOutcome,
  isForEveryAgent,
  type Placement,
  type PlacementState,
  placeOf,
  type Skill,
  type SkillState,
  type SkillStatus,
} from './rules/skill.ts'

export interface PlacementView {
  agents: readonly string[]
  /** Agents with a folder of their own that read this copy too. */
  alsoReadBy?: readonly string[]
  scope: Scope
  state: PlacementState
  path: string
  reason?: string
  /** For a copy that was edited by hand: what the next sync does with the edit. */
  edit?: EditOutcome
}

export interface SkillView {
  name: string
  description: string
  tags: string[]
  targets: string[]
  /** The address or the path of its import. */
  source?: string
  state: SkillState
  /** Why it cannot be used: it is invalid, in quarantine or denied. */
  problems: string[]
  /** How many commits of this skill the oldest outdated copy is behind, if git knows. */
  commitsBehind?: number
  placements: PlacementView[]
}

export interface Inventory {
  library: string
  scope: Scope
  project?: string
  /** The enabled agents, in the order of their table. */
  agents: string[]
  skills: SkillView[]
  /** The number of skills in the agents' folders that Loadout did not install and that the library lacks. */
  unmanaged: number
  /** How many of these are in the folders of the project. */
  unmanagedInProject?: number
}

/** Every skill with its installs and their states. In a project it also shows the user's installs. */
export const takeInventory = withScope(async (installs, _: ScopeRequest): Promise<Inventory> => {
  const roots = installs.everyRoot()
  await recoverAll(installs, roots)
  const before = recallCurrent(installs, roots)
  if (before !== undefined) return before
  const places = stampPlaces(installs, roots)
  const observation = await observe(installs, roots)
  const outdated = observation.statuses.filter(({ state }) => state === 'outdated')
  // Each count needs one call of git. With more outdated skills than this, Loadout does not count.
  const asksGit = outdated.length <= 20 && installs.locked === undefined
  const edits = await foreseeEdits(installs, observation)
  let withheld: ClearedRegistry['withheld'] = new Map()
  const undecided: Finding[] = []
  try {
    withheld = withheldIn(installs.repo, observation.registry)
  } catch (error) {
    undecided.push(asFinding(error))
  }
  const skills = await Promise.all(
    observation.statuses.map(async (status) => {
      const refusal = withheld.get(status.name)
      const { name, state, problems, registered } = status
      const behind = asksGit ? await behindOf(installs, status) : undefined
      const source = registered?.skill?.source?.url ?? registered?.skill?.source?.path
      const view = {
        name,
        description: registered?.skill.description ?? '',
        tags: registered?.skill.tags ?? [],
        targets: registered === undefined ? [] : supportedHere(installs, registered.skill),
        source,
        state,
        problems,
        commitsBehind: behind,
        placements: status.placements.map((found) => viewPlacement(found, edits.get(placeOf(found)))),
      }
      return refusal === undefined ? view : { ...view, problems: [...view.problems, refusal.message] }
    }),
  )
  // Skills without our marker whose names are not in the library.
  const { placements, statuses } = observation
  const known = new Set(statuses.map(({ name }) => name))
  const unmanaged = placements.filter(
    ({ name, isSkill, marker }) => isSkill && marker === undefined && !known.has(name),
  )
  const value: Inventory = {
    library: installs.library,
    scope: installs.project === undefined ? 'user' : 'project',
    project: installs.project,
    agents: installs.roots.flatMap(({ agents }) => agents),
    skills,
    unmanaged: countNames(unmanaged),
    unmanagedInProject:
      installs.project === undefined ? undefined : countNames(unmanaged.filter(({ root }) => root.scope === 'project')),
  }
  const findings = [...undecided, ...observation.registry.findings, ...otherManagers(installs, observation)]
  // The state of outdated skills and of merges also depends on git, and that of a project on its lock file.
  const isJudgedByFolders =
    outdated.length === 0 && installs.project === undefined && [...edits.values()].every((each) => each === 'kept')
  const { seen } = observation
  const judgedBy = isJudgedByFolders && places && seen ? new Map([...places, ...seen]) : undefined
  const rest: Rest = { inventory: value, findings, made: madeFrom(installs, roots) }
  writeFolders(installs.machine.cache, keyOf(installs.project), judgedBy ?? new Map(), rest)
  installs.machine.report(...findings)
  return value
})

function countNames(placements: readonly Placement[]): number {
  return new Set(placements.map(({ name }) => name)).size
}

/** The agents that it names, or all that are enabled. */
function supportedHere({ roots }: Installs, { targets }: Skill): string[] {
  if (isForEveryAgent({ targets })) return roots.flatMap(({ agents }) => agents)
  return targets.map((target) => findAgent(target)?.id ?? target)
}

export function viewPlacement(found: SkillStatus['placements'][number], edit?: EditOutcome): PlacementView {
  const { state, placement } = found
  const { agents, alsoReadBy, scope } = placement.root
  const reason = found.reason ?? (edit && EDIT_OUTCOMES[edit])
  return { agents, alsoReadBy, scope, state, path: placeOf(found), reason, edit }
}

async function behindOf({ repo }: Installs, status: SkillStatus): Promise<number | undefined> {
  const outdated = status.placements.filter(({ state }) => state === 'outdated')
  const markers = outdated.flatMap(({ placement }) => placement.marker ?? [])
  const commits = new Set(markers.flatMap((marker) => ('commit' in marker ? marker.commit : [])))
  if (status.registered === undefined || commits.size === 0) return undefined
  const { folder } = status.registered
  const counts = await Promise.all([...commits].map((commit) => commitsBehind(repo, commit, folder)))
  const known = counts.filter((count): count is number => count !== undefined && count > 0)
  return known.length === 0 ? undefined : Math.max(...known)
}

/** Reports skills of a project that another manager manages, according to its lock file. */
function otherManagers({ machine, project }: Installs, { placements }: Observation): Finding[] {
  if (project === undefined) return []
  const { skills, findings } = readSkillsLock(machine, project)
  const found = placements.filter(({ name, marker, root }) => root.scope === 'project' && !marker && skills.has(name))
  if (found.length === 0) return findings
  const names = [...new Set(found.map(({ name }) => `${name} from ${skills.get(name)?.from}`))]
  return [
    ...findings,
    report('UNMANAGED_FOLDER/manager-skills', {
      what: names.length === 1 ? 'a skill' : `${names.length} skills`,
      names: listed(names),
    }),
  ]
}

/** The last inventory, to show while Loadout takes the current one. */
export function recallInventory(machine: Machine, { project }: { project: string | undefined }): Inventory | undefined {
  return readStored(machine.cache, project)?.inventory
}

/** The last inventory, if it is still current: all its source folders are unchanged. */
function recallCurrent(installs: Installs, roots: readonly TargetRoot[]): Inventory | undefined {
  const stored = readStored(installs.machine.cache, installs.project)
  if (stored === undefined || stored.folders.size === 0 || stored.made !== madeFrom(installs, roots)) return undefined
  for (const [folder, listed] of stored.folders) if (!isUnchanged(folder, listed)) return undefined
  installs.machine.report(...stored.findings)
  return stored.inventory
}

/** The folders whose entries determine what to read. The caller stamps them before it reads them. */
function stampPlaces(
  { machine, library }: Installs,
  roots: readonly TargetRoot[],
): ReadonlyMap<string, Listed> | undefined {
  const places = [join(library, SKILLS_FOLDER), ...roots.map(({ path }) => path)]
  const stamped = places.map((path) => [path, stampFolder(path, machine.now())] as const)
  const sure = stamped.flatMap(([path, listed]) => (listed === undefined ? [] : [[path, listed] as const]))
  return sure.length === places.length ? new Map(sure) : undefined
}

/** Increase the version whenever the evaluation of placements changes, because its result is stored. */
function keyOf(project = ''): CacheKey {
  return { kind: 'inventories', version: 10, name: [project] }
}

function madeFrom({ machine, library, verdicts }: Installs, roots: readonly TargetRoot[]): string {
  const { state } = signatureOf([machine.approvals.path], machine.now())
  return JSON.stringify([library, roots, verdicts, state])
}

interface Rest {
  inventory: Inventory
  findings: Finding[]
  /** The library, the agents' folders, the verdicts of the catalog, and the state of the approvals. */
  made: string
}

function readStored(
  cache: Cache,
  project: string | undefined,
): (Rest & { folders: ReadonlyMap<string, Listed> }) | undefined {
  const { folders, rest } = readFolders(cache, keyOf(project)) ?? {}
  return folders !== undefined && isRest(rest) ? { ...rest, folders } : undefined
}

function isRest(json: unknown): json is Rest {
  return isRecord(json) && isRecord(json.inventory) && Array.isArray(json.findings) && typeof json.made === 'string'
}
