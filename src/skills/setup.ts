import { libraryPath, readConfig, requireProject, targetRoots } from '../agents/config.ts'
import { AGENTS, requireAgent, type TargetRoot } from '../agents/rules/agents.ts'
import { type Config, isEnabled } from '../agents/rules/config.ts'
import { exists, isFolder, readJson } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import type { Verdict } from '../machine/rules/verdict.ts'
import { readVerdicts } from '../machine/verdicts.ts'
import { LoadoutError } from '../text/trouble.ts'
import { compareText, isTextList } from '../text/values.ts'
import { requireLibraryFolder } from './disk/registry.ts'
import { EVERY_AGENT } from './rules/skill.ts'

/** Which installs a command is about: the user's, or those of a project. */
export interface ScopeRequest {
  /** A folder of the project; undefined for the user's own skills. */
  project?: string
  /** Also every project with installs on this machine. */
  allProjects?: boolean
  /** The current verdicts of the catalog; default: the last known ones. */
  verdicts?: readonly Verdict[]
}

/** The paths and settings of this machine. */
export interface Setup {
  machine: Machine
  config: Config
  library: string
  project: string | undefined
  /** Folders of the enabled agents, in the requested scope. */
  roots: TargetRoot[]
  /** The user's own folders, which also apply in a project. */
  userRoots: TargetRoot[]
  /** The named project, and others if requested. */
  projects: readonly string[]
  /** The verdicts of the organization's catalog about skills of the library. */
  verdicts: readonly Verdict[]
  /** The repository with the commits; `library` may be a copy of its files. */
  repo: Repository
}

export function openSetup(machine: Machine, request: ScopeRequest): Setup {
  const config = readConfig(machine)
  const library = libraryPath(machine, config)
  requireLibraryFolder(library)
  const project = request.project === undefined ? undefined : requireProject(machine, request.project)
  const userRoots = targetRoots(machine, config, undefined)
  const roots = project === undefined ? userRoots : targetRoots(machine, config, project)
  const named = project === undefined ? [] : [project]
  const projects = [...new Set([...named, ...(request.allProjects ? knownProjects(machine) : [])])]
  const verdicts = request.verdicts ?? readVerdicts(machine, library)
  const repo = new Repository(machine, library)
  return { machine, config, library, repo, project, roots, userRoots, projects, verdicts }
}

/** Opens the setup. Throws unless the library is a git repository. */
export async function openGitSetup(machine: Machine, request: ScopeRequest): Promise<Setup> {
  const setup = openSetup(machine, request)
  await setup.repo.require()
  return setup
}

/** The agents named with `--target`; undefined for none, or `all`. */
export function namedAgents(names: readonly string[] | undefined): string[] | undefined {
  const ids = (names ?? []).flatMap((name) => name.split(',')).map((id) => id.trim())
  if (ids.length === 0 || ids.includes('all')) return undefined
  return [...new Set(ids.map((id) => requireAgent(id).id))]
}

/**
 * The supported agents from `--targets`: agents, `all` for the currently enabled ones, `*` for every one.
 */
export function namedTargets(names: readonly string[] | undefined, config: Config): string[] | undefined {
  const ids = (names ?? []).flatMap((name) => name.split(',')).map((id) => id.trim())
  if (ids.length === 0) return undefined
  if (ids.includes(EVERY_AGENT)) return [EVERY_AGENT]
  return ids.includes('all') ? enabledAgents(config) : [...new Set(ids.map((id) => requireAgent(id).id))]
}

export function enabledAgents(config: Config): string[] {
  return AGENTS.map(({ id }) => id).filter((id) => isEnabled(config, id))
}

/** The folders of the named agents, or of all enabled ones. */
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

/** The folders of all other requested projects. */
export function otherProjectRoots({ machine, config, project, projects }: Setup, which?: () => boolean): TargetRoot[] {
  const others = projects.filter((each) => each !== project)
  return others.flatMap((each) => targetRoots(machine, config, each, which))
}

/** The existing folders that copies of the named agents can be removed from. */
export function removalRoots(setup: Setup, agents: readonly string[] | undefined): TargetRoot[] {
  return [...allRoots(setup), ...otherProjectRoots(setup, () => true)]
    .filter((root) => agents === undefined || root.agents.some((id) => agents.includes(id)))
    .filter(({ path }) => isFolder(path))
}

/** The folders of the requested scope, and in a project also the user's own. */
export function everyRoot({ roots, userRoots, project }: Setup): TargetRoot[] {
  return project === undefined ? roots : [...roots, ...userRoots]
}

/** Includes the folders of disabled agents, so that installs there can still be removed. */
export function allRoots({ machine, config, project }: Setup): TargetRoot[] {
  return targetRoots(machine, config, project, () => true)
}

const PROJECTS = 'projects.json'

/** The existing projects with installs on this machine. */
export function knownProjects(machine: Machine): string[] {
  return readProjects(machine.records.path(PROJECTS)).filter(isFolder)
}

/** Call it before the first install, so that `loadout delete` finds the skills that a project uses. */
export function rememberProject(machine: Machine, project: string): void {
  const known = readProjects(machine.records.path(PROJECTS))
  if (known.includes(project)) return
  machine.records.write(PROJECTS, `${JSON.stringify([...known, project].sort(compareText), null, 2)}\n`)
}

function readProjects(path: string): string[] {
  const json = exists(path) ? readJson(path) : []
  return isTextList(json) ? json : []
}
