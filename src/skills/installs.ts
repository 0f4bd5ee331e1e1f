import { Config, requireProject } from '../agents/config.ts'
import { AGENTS, type Agent, requireAgent, type TargetRoot } from '../agents/rules/agents.ts'
import { exists, isFolder, readJson } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import type { Verdict } from '../machine/rules/verdict.ts'
import { readVerdicts } from '../machine/verdicts.ts'
import { failWith } from '../text/trouble.ts'
import { compareText, isTextList } from '../text/values.ts'
import { type RegistryReading, requireLibraryFolder } from './disk/registry.ts'
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

/** A project whose lock says what is installed there, and for whom. */
export interface LockedScope {
  project: string
  agents: readonly string[]
  registry: RegistryReading
}

/** The library and the agents' folders that a command is about, opened once. */
export class Installs {
  readonly machine: Machine
  readonly config: Config
  readonly library: string
  readonly project: string | undefined
  /** Folders of the enabled agents, in the requested scope. */
  readonly roots: TargetRoot[]
  /** The user's own folders, which also apply in a project. */
  readonly userRoots: TargetRoot[]
  /** The named project, and others if requested. */
  readonly projects: readonly string[]
  /** The verdicts of the organization's catalog about skills of the library. */
  readonly verdicts: readonly Verdict[]
  /** The repository with the commits; `library` may be a copy of its files. */
  readonly repo: Repository
  /** What the lock of the project pins, instead of the library: then `library` and `repo` are the project. */
  readonly locked: RegistryReading | undefined

  constructor(machine: Machine, request: ScopeRequest, scope?: LockedScope) {
    this.machine = machine
    this.config = new Config(machine)
    this.locked = scope?.registry
    this.library = scope?.project ?? this.config.requireLibrary()
    requireLibraryFolder(this.library)
    const { project = request.project } = scope ?? {}
    this.project = project === undefined ? undefined : requireProject(machine, project)
    this.userRoots = scope === undefined ? this.config.targetRoots() : []
    const isMeant = scope && (({ id }: Agent) => scope.agents.includes(id))
    this.roots = this.project === undefined ? this.userRoots : this.config.targetRoots(this.project, isMeant)
    const named = this.project === undefined ? [] : [this.project]
    this.projects = [...new Set([...named, ...(request.allProjects ? this.knownProjects() : [])])]
    this.verdicts = scope === undefined ? (request.verdicts ?? readVerdicts(machine, this.library)) : []
    this.repo = new Repository(machine, this.library)
  }

  /** The same installs, as if some of this were different. */
  with(changes: Partial<Pick<Installs, 'machine' | 'library' | 'verdicts'>>): Installs {
    return Object.assign(Object.create(Installs.prototype), this, changes)
  }

  /** The folders of the named agents, or of all enabled ones. */
  rootsFor(agents: readonly string[] | undefined): TargetRoot[] {
    if (agents === undefined) return this.roots
    const disabled = agents.filter((id) => !this.config.isEnabled(id))
    if (disabled.length > 0) {
      throw failWith('TARGET_DISABLED/agents', { disabled: disabled.join(', '), disabled2: disabled.join(' ') })
    }
    return this.roots.filter((root) => root.agents.some((id) => agents.includes(id)))
  }

  /** The folders of the requested scope, and in a project also the user's own. */
  everyRoot(): TargetRoot[] {
    return this.project === undefined ? this.roots : [...this.roots, ...this.userRoots]
  }

  /** The folders of all other requested projects. */
  otherProjectRoots(which?: () => boolean): TargetRoot[] {
    const others = this.projects.filter((each) => each !== this.project)
    return others.flatMap((each) => this.config.targetRoots(each, which))
  }

  /** The existing folders that copies of the named agents can be removed from, those of disabled agents too. */
  removalRoots(agents: readonly string[] | undefined): TargetRoot[] {
    return [...this.config.targetRoots(this.project, () => true), ...this.otherProjectRoots(() => true)]
      .filter((root) => agents === undefined || root.agents.some((id) => agents.includes(id)))
      .filter(({ path }) => isFolder(path))
  }

  /** The existing projects with installs on this machine. */
  knownProjects(): string[] {
    return this.recordedProjects().filter(isFolder)
  }

  /** Call it before the first install in a project, so that `loadout delete` finds the skills that it uses. */
  rememberProject(): void {
    const known = this.recordedProjects()
    if (this.project === undefined || known.includes(this.project)) return
    const all = [...known, this.project].sort(compareText)
    this.machine.records.write(PROJECTS, `${JSON.stringify(all, null, 2)}\n`)
  }

  private recordedProjects(): string[] {
    const path = this.machine.records.path(PROJECTS)
    const json = exists(path) ? readJson(path) : []
    return isTextList(json) ? json : []
  }
}

const PROJECTS = 'projects.json'

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
  return AGENTS.map(({ id }) => id).filter((id) => config.isEnabled(id))
}

/** A use case on the installs that its request names, opened before it runs. */
export function withInstalls<Request extends object, Result>(
  run: (installs: Installs, request: Request) => Result,
): (machine: Machine, request: Request) => Result {
  return (machine, request) => run(new Installs(machine, request), request)
}
