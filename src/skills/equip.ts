import { dirname } from 'node:path'
import type { TargetRoot } from '../agents/rules/agents.ts'
import { RECORDED_AGENTS } from '../agents/rules/recorded-rules.ts'
import { isCrowdedOut } from '../agents/rules/visibility.ts'
import { openScan, seeAgent } from '../agents/see.ts'
import { exists, isFolder, isWritable } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { grouped } from '../text/count.ts'
import { type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { summarizeLog } from '../usage/usage.ts'
import { readForReview } from './disk/registry.ts'
import { enabledAgents, type Installs, namedAgents, type ScopeRequest, withInstalls, withScope } from './installs.ts'
import {
  asRootWriter,
  asWriter,
  carryOut,
  type Observation,
  type Outcome,
  observe,
  type RunOptions,
} from './observe.ts'
import { neededBy, withNeeded } from './rules/needs.ts'
import { type OperationPlan, planEquip, planUnequip } from './rules/operations.ts'
import { isInstalled, requireName, type SkillStatus, supports } from './rules/skill.ts'

/** Which skills: by name, by tag, or all. */
export interface EquipCommand extends ScopeRequest, RunOptions {
  names: readonly string[]
  tags?: readonly string[]
  all?: boolean
  targets?: readonly string[]
  /** Replaces folders and links that Loadout did not install, after a backup. */
  replace?: boolean
  /** For removing: skills without any use in the usage log. */
  unused?: boolean
}

/** Installs skills for agents. */
export const equip = withScope(async (installs, request: EquipCommand): Promise<Outcome> => {
  const agents = namedAgents(request.targets)
  requireSelection(request)
  if (installs.locked !== undefined) throw failWith('MANIFEST/managed', { names: request.names.join(' ') })
  const meant = rootsInUse(installs, installs.rootsFor(agents), request)
  // A folder that cannot be written must not keep the skills from the other agents.
  const open = meant.filter(({ path }) => canHold(path))
  const roots = open.length === 0 || agents !== undefined ? meant : open
  for (const { path } of meant.filter((root) => !roots.includes(root))) {
    const what = exists(path) && !isFolder(path) ? 'WRITE_FAILED/part' : 'WRITE_FAILED/permission'
    installs.machine.report(report(what, { path }, { severity: 'error', subject: path }))
  }
  const outcome = await change(installs, roots, 'equip', request, ({ statuses }) => {
    const isExplicit = request.names.length > 0
    const wanted = isExplicit ? request.names : select(statuses, request, ({ registered }) => registered !== undefined)
    const names = withNeeded(
      wanted,
      statuses.flatMap(({ registered }) => registered?.skill ?? []),
    )
    return planEquip(statuses, { names, agents, roots, isExplicit, replaces: () => request.replace ?? false })
  })
  if (request.dryRun || outcome.operations.length === 0) return outcome
  const { machine, project } = installs
  const agentsOf = roots.flatMap((root) => root.agents)
  machine.report(...seeRooms(machine, agentsOf, project).flatMap(({ problem }) => problem ?? []))
  return outcome
})

/** Whether an agent's folder, or the nearest one above it, is a folder that can be written. */
function canHold(path: string): boolean {
  if (exists(path)) return isFolder(path) && isWritable(path)
  return dirname(path) === path || canHold(dirname(path))
}

/** Leaves out missing folders of agents that none of the named skills supports, so that Loadout does not create them. */
function rootsInUse(installs: Installs, roots: readonly TargetRoot[], { names }: EquipCommand): TargetRoot[] {
  if (names.length === 0 || roots.every(({ path }) => isFolder(path))) return [...roots]
  const { skills } = readForReview(installs.repo)
  const named = skills.filter(({ skill }) => names.includes(skill.name))
  const isWanted = (id: string) => named.some(({ skill }) => supports(skill, id))
  return roots.filter(({ path, agents }) => isFolder(path) || agents.some(isWanted))
}

/** Removes installed copies. Foreign folders stay. */
export const unequip = withScope(async (installs, request: EquipCommand): Promise<Outcome> => {
  const agents = namedAgents(request.targets)
  requireSelection(request)
  const roots = installs.removalRoots(agents)
  return change(installs, roots, 'unequip', request, ({ statuses, placements }) => {
    const present = new Set(placements.map(({ name }) => name))
    const isKnown = (name: string) => present.has(name)
    const isExplicit = request.names.length > 0
    const used = request.unused ? usedSkills(installs.machine) : undefined
    if (request.unused && used === undefined) throw failWith('NOTHING_TO_DO/no-use')
    const isMeant = (status: SkillStatus) => isInstalled(status) && used?.has(status.name) !== true
    const names = isExplicit ? request.names : select(statuses, request, isMeant)
    const here = statuses.filter((status) => isInstalled(status)).flatMap(({ registered }) => registered?.skill ?? [])
    for (const [name, by] of isExplicit ? neededBy(names, here) : []) {
      throw failWith('NEEDS/by', { name, by: by.join(', ') })
    }
    return planUnequip(statuses, { names, agents, roots, isExplicit, isKnown })
  })
})

/** The skills with a use in the log; undefined if there are none, because then the log proves nothing about the others. */
export function usedSkills(machine: Machine): ReadonlySet<string> | undefined {
  const entries = summarizeLog(machine.quiet(), {}).filter(({ kind, used }) => kind === 'skill' && used > 0)
  return entries.length > 0 ? new Set(entries.map(({ entryId }) => entryId)) : undefined
}

function requireSelection({ names, tags, all, unused }: EquipCommand): void {
  for (const name of names) requireName(name)
  if (names.length > 0 || all || unused || (tags ?? []).length > 0) return
  throw failWith('USAGE/no-skill')
}

function select(
  statuses: readonly SkillStatus[],
  { tags = [], all, unused }: EquipCommand,
  isMeant: (status: SkillStatus) => boolean,
): string[] {
  const hasTag = ({ registered }: SkillStatus) => registered?.skill.tags.some((tag) => tags.includes(tag))
  const chosen = statuses.filter((status) => isMeant(status) && (all || unused || hasTag(status)))
  if (chosen.length === 0 && !all && !unused) {
    throw failWith('SKILL_NOT_FOUND/tag', { tags: tags.join(' or ') })
  }
  return chosen.map(({ name }) => name)
}

/** Plans under the lock, so that nothing changes between the plan and the change. A dry run only plans. */
async function change(
  installs: Installs,
  roots: readonly TargetRoot[],
  purpose: 'equip' | 'unequip',
  request: RunOptions,
  plan: (observation: Observation) => OperationPlan,
): Promise<Outcome> {
  // Removing copies needs neither the library nor git.
  const lock = purpose === 'unequip' ? asRootWriter : asWriter
  const run = async () => {
    if (!request.dryRun) installs.rememberProject()
    const observation = await observe(installs, roots, true)
    return carryOut(installs, observation, plan(observation), request, { isAll: true })
  }
  return request.dryRun ? run() : lock(installs, roots, purpose, run, request.signal)
}

/** How full an agent's list of skills for its model is. */
export interface ListingRoom {
  agent: string
  label: string
  /** Skills in the list, with or without their whole descriptions. */
  skills: number
  cut: number
  dropped: number
  used: number
  /** The maximum size of the list, and its unit. */
  room: number
  unit: 'characters' | 'tokens'
  /** What to do if the list is too full. */
  problem?: Finding
}

/** The room in the lists of the enabled agents, if their rules are known. */
export const readListing = withInstalls((installs, _: ScopeRequest): ListingRoom[] => {
  const { machine, config, project } = installs
  return seeRooms(machine, enabledAgents(config), project)
})

/** How full their lists are; `problem`: an agent cannot show its model all installed skills. */
export function seeRooms(machine: Machine, agents: readonly string[], project: string | undefined): ListingRoom[] {
  const limited = RECORDED_AGENTS.filter((id) => agents.includes(id))
  const scan = openScan(machine)
  const rooms = limited.flatMap((id) => {
    try {
      const seen = seeAgent(machine.quiet(), { agent: id, project }, scan)
      const { agent, label, budget, used = 0 } = seen
      if (budget === undefined) return []
      const listed = seen.skills.filter(({ fate }) => LISTED.includes(fate))
      const crowded = listed.filter(isCrowdedOut)
      const cut = crowded.filter(({ fate }) => fate === 'cut')
      const dropped = crowded.filter(({ fate }) => fate === 'dropped')
      const room: ListingRoom = {
        agent,
        label,
        skills: listed.length,
        cut: cut.length,
        dropped: dropped.length,
        used,
        room: budget.budget,
        unit: budget.unit === 'tokens' ? 'tokens' : 'characters',
      }
      return [room]
    } catch (error) {
      // `loadout see` reports settings of an agent that cannot be read.
      if (error instanceof LoadoutError) return []
      throw error
    }
  })
  const full = rooms.filter(({ cut, dropped }) => cut + dropped > 0)
  return rooms.map((room) => (full.includes(room) ? { ...room, problem: problemOf(room, project, full.length) } : room))
}

const LISTED: readonly string[] = ['visible', 'named', 'undescribed', 'cut', 'dropped']

function problemOf(
  { agent, label, skills, cut, dropped }: ListingRoom,
  project: string | undefined,
  full: number,
): Finding {
  const facts = { label, which: full > 1 ? '' : ` ${agent}`, skills: grouped(skills), crowded: grouped(cut + dropped) }
  return report('NOT_SEEN/full', { ...facts, scope: project === undefined ? '' : ' --project .' }, { subject: agent })
}
