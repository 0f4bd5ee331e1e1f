import { join } from 'node:path'
import type { Scope } from '../agents/rules/agents.ts'
import { isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import type { Repository } from '../machine/repository.ts'
import { withScratch } from '../machine/scratch.ts'
import type { Report } from '../text/trouble.ts'
import { buildFor, writeBuild } from './disk/build.ts'
import { diffFolders } from './disk/git-folders.ts'
import { skillPlace } from './disk/registry.ts'
import { copyTree } from './disk/tree.ts'
import { observe, recoverAll } from './observe.ts'
import { missing, type PlacementState, type RegisteredSkill, requireName } from './rules/skill.ts'
import { namedAgents, openSetup, rootsFor, type ScopeRequest } from './setup.ts'

export interface SkillDiff {
  name: string
  /** One for each installed copy that differs from what Loadout would install now. */
  differences: { agents: readonly string[]; scope: Scope; state: PlacementState; path: string; text: string }[]
}

/**
 * How installed copies of a skill differ from what the library would install; with `refresh`, how they would change if
 * they were installed again.
 */
export async function diffSkill(
  machine: Machine,
  request: ScopeRequest & { name: string; targets?: readonly string[]; refresh?: boolean },
): Promise<Report<SkillDiff>> {
  const name = requireName(request.name)
  const setup = openSetup(machine, request)
  const roots = rootsFor(setup, namedAgents(request.targets))
  const findings = await recoverAll(setup, roots)
  const { statuses } = await observe(setup, roots)
  const status = statuses.find((each) => each.name === name)
  if (status?.registered === undefined) throw missing(name, status, statuses)
  const value: SkillDiff = { name, differences: [] }
  for (const { placement, state, agent } of status.placements) {
    if (placement.kind !== 'folder') continue
    const { root } = placement
    const path = join(root.path, name)
    const text = await diffInstall(
      setup.repo,
      skillPlace(setup.library, status.registered),
      status.registered,
      agent,
      path,
      request.refresh,
    )
    if (text !== '') value.differences.push({ agents: root.agents, scope: root.scope, state, path, text })
  }
  return { value, findings }
}

/** The diff from what Loadout would install to what is installed; with `refresh` the reverse. */
function diffInstall(
  repo: Repository,
  folder: string,
  { skill }: RegisteredSkill,
  agent: string,
  installed: string,
  refresh = false,
) {
  return withScratch(async (scratch) => {
    writeBuild(buildFor(folder, skill, agent), join(scratch, 'library'))
    try {
      copyTree(installed, join(scratch, 'installed'))
    } catch (error) {
      // Another command has removed the copy since it was seen.
      if (!isFolder(installed)) return ''
      throw error
    }
    return refresh
      ? diffFolders(repo.at(scratch), 'installed', 'library')
      : diffFolders(repo.at(scratch), 'library', 'installed')
  })
}
