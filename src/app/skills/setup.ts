import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { requireAgent } from '../../domain/skills/agents.ts'
import { type Config, isEnabled } from '../../domain/skills/config.ts'
import type { TargetRoot } from '../../domain/skills/placement.ts'
import { libraryPath, readConfig } from '../../infra/config.ts'
import type { Machine } from '../../infra/machine.ts'
import { requireLibraryFolder } from '../../infra/skills/registry.ts'
import { requireProject, targetRoots } from '../../infra/skills/target-roots.ts'

/** Which installs a command is about: the user's, or those of a project. */
export interface ScopeRequest {
  /** A folder of the project; undefined for the user's own skills. */
  project?: string | undefined
}

/** Where everything is on this machine. */
export interface Setup {
  machine: Machine
  config: Config
  library: string
  project: string | undefined
  /** Folders of the enabled agents, in the scope that was asked for. */
  roots: TargetRoot[]
  /** The user's own, which a project also sees. */
  userRoots: TargetRoot[]
}

export function openSetup(machine: Machine, request: ScopeRequest): Setup {
  const config = readConfig(machine)
  const library = libraryPath(machine, config)
  requireLibraryFolder(library)
  const project = request.project === undefined ? undefined : requireProject(machine, config, request.project)
  const userRoots = targetRoots(machine, config, undefined)
  const roots = project === undefined ? userRoots : targetRoots(machine, config, project)
  return { machine, config, library, project, roots, userRoots }
}

/** The agents that a person named with `--target`: undefined when none, or `all`. */
export function namedAgents(names: readonly string[] | undefined): string[] | undefined {
  const ids = (names ?? []).flatMap((name) => name.split(',')).map((id) => id.trim())
  if (ids.length === 0 || ids.includes('all')) return undefined
  return [...new Set(ids.map((id) => requireAgent(id).id))]
}

/** The folders of the named agents, or of all that are enabled. */
export function rootsFor(setup: Setup, agents: readonly string[] | undefined): TargetRoot[] {
  if (agents === undefined) return setup.roots
  const disabled = agents.filter((id) => !isEnabled(setup.config, id))
  if (disabled.length > 0) {
    throw new LoadoutError('TARGET_DISABLED', `${disabled.join(', ')} is not enabled on this machine`, {
      hint: `loadout agents enable ${disabled.join(' ')}`,
    })
  }
  return setup.roots.filter((root) => root.agents.some((id) => agents.includes(id)))
}

/** Also the folders of agents that are switched off: what was once installed there can still be removed. */
export function allRoots({ machine, config, project }: Setup): TargetRoot[] {
  return targetRoots(machine, config, project, () => true)
}
