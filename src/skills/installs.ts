import { join } from 'node:path'
import { Config, requireProject } from '../agents/config.ts'
import { AGENTS, type Agent, requireAgent, type TargetRoot } from '../agents/rules/agents.ts'
import { exists, isFile, isFolder, readJson, textOf } from '../machine/files.ts'
import { readInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import type { Verdict } from '../machine/rules/approval.ts'
import { requireParts, SETTINGS_FILE } from '../machine/settings.ts'
import { asFinding, failWith } from '../text/trouble.ts'
import { compareText, isTextList } from '../text/values.ts'
import { libraryHashOf } from './disk/library-git.ts'
import { isVersion, type RegistryReading, requireLibraryFolder, versionPlace } from './disk/registry.ts'
import { Versions } from './disk/versions.ts'
import { LOCK_FILE, type Lock, type LockedSkill, NO_LOCK, parseLock, versionKey } from './rules/lock.ts'
import type { Wanted } from './rules/manifest.ts'
import { readFrontmatter } from './rules/review/sheet.ts'
import { EVERY_AGENT, parseSkill, type RegisteredSkill, SKILL_FILE, type Skill } from './rules/skill.ts'

/** Which installs a command is about: the user's, or those of a project. */
export interface ScopeRequest {
  /** A folder of the project; undefined for the user's own skills. */
  project?: string
  /** Also every project with installs on this machine. */
  allProjects?: boolean
  /** The current verdicts of the catalog; default: the last known ones. */
  verdicts?: readonly Verdict[]
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
  /** This command is the only writer of the library. */
  isLibraryWriter = false
  /** What the lock of the project pins, instead of the library: then `library` and `repo` are the project. */
  readonly locked: RegistryReading | undefined

  constructor(
    machine: Machine,
    request: ScopeRequest,
    scope?: { project: string; agents: readonly string[]; registry: RegistryReading; verdicts: readonly Verdict[] },
  ) {
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
    this.verdicts = scope?.verdicts ?? request.verdicts ?? machine.verdicts.read(this.library)
    this.repo = new Repository(machine, this.library)
  }

  /** The same installs, as if some of this were different. */
  with(changes: Partial<Pick<Installs, 'machine' | 'library' | 'verdicts' | 'roots'>>): Installs {
    return Object.assign(Object.create(Installs.prototype), this, changes)
  }

  /** The folders of the named agents, or of all enabled ones. */
  rootsFor(agents: readonly string[] | undefined): TargetRoot[] {
    if (agents === undefined) return this.roots
    const disabled = agents.filter((id) => !this.config.isEnabled(id))
    if (disabled.length > 0) {
      throw failWith('UNSUPPORTED_TARGET/disabled-agents', {
        disabled: disabled.join(', '),
        disabled2: disabled.join(' '),
      })
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

/** What `loadout.json` of a project asks for, and what its lock pins. */
export class Manifest {
  readonly machine: Machine
  readonly project: string
  readonly wanted: { skills: Wanted; packs: Wanted; rules: Wanted; profile?: string } = {
    skills: {},
    packs: {},
    rules: {},
  }
  /** The agents that get the skills: as written, or those that are enabled here. */
  readonly agents: readonly string[] = []
  readonly lock: Lock = NO_LOCK

  constructor(machine: Machine, project: string, parts: Partial<Pick<Manifest, 'wanted' | 'agents' | 'lock'>> = {}) {
    this.machine = machine
    this.project = project
    Object.assign(this, parts)
  }

  /** The manifest of the project, by default of that around the working folder. Throws if it has none. */
  static require(machine: Machine, { project: named }: { project?: string }): Manifest {
    const project = named === undefined ? machine.openProject().repository : requireProject(machine, named)
    const manifest = project === undefined ? undefined : Manifest.read(machine, project)
    if (manifest !== undefined) return manifest
    throw failWith('MANIFEST/none', { project: project ?? machine.cwd })
  }

  /** Undefined if the project has neither a manifest nor a lock. Throws if one of them cannot be used. */
  static read(machine: Machine, project: string): Manifest | undefined {
    const hasLock = exists(join(project, LOCK_FILE))
    if (!hasLock && !isFile(join(project, SETTINGS_FILE))) return undefined
    const { settings } = machine.projectAt(project)
    requireParts(settings, 'skills', 'packs', 'rules', 'profile', 'agents')
    const { skills, packs, rules, profile, agents } = settings
    if (!hasLock && skills === undefined && packs === undefined && rules === undefined) return undefined
    const ids = agents?.map((name) => requireAgent(name).id) ?? new Config(machine).agentsHere()
    return new Manifest(machine, project, {
      wanted: { skills: skills ?? {}, packs: packs ?? {}, rules: rules ?? {}, profile },
      agents: [...new Set(ids)],
      lock: hasLock ? readLock(project) : NO_LOCK,
    })
  }

  with(changes: Partial<Pick<Manifest, 'wanted' | 'agents' | 'lock'>>): Manifest {
    const { wanted, agents, lock } = this
    return new Manifest(this.machine, this.project, { wanted, agents, lock, ...changes })
  }

  /** The cache of what the lock pins. */
  get versions(): Versions {
    return new Versions(this.machine, this.project)
  }

  /** The skills of the lock as a library that can be installed from. `trustsLock`: what it allows counts as answered. */
  registry(skills: readonly LockedSkill[] = this.lock.skills, trustsLock = false): RegistryReading {
    const registry: RegistryReading = { skills: [], invalid: [], findings: [] }
    const registered = skills.map((row): RegisteredSkill => {
      const allowed = new Set(Object.values(row.allows))
      const place = this.versions.placeOf(row)
      const skill = readKept(place, row.name, registry)
      const held = readFrontmatter(skill).flatMap(({ key, id }) => (key === undefined || allowed.has(id) ? [] : [key]))
      const heldKeys = held.length === 0 ? undefined : [...new Set(held)].sort()
      return {
        skill: { ...skill, heldKeys, targets: row.agents ?? skill.targets },
        folder: `skills/${row.name}`,
        sourceHash: versionKey(row),
        version: { commit: row.commit ?? '', place },
        locked: { at: row.at, trusted: trustsLock ? allowed : new Set() },
      }
    })
    return { ...registry, skills: registered }
  }

  /** The folders of the project, with what its lock pins in the place of a library. */
  installs(trustsLock = false): Installs {
    const { machine, project, agents } = this
    const registry = this.registry(this.lock.skills, trustsLock)
    return new Installs(machine, {}, { project, agents, registry, verdicts: this.verdictsOn(registry) })
  }

  /**
   * What the team's catalog says about the skills of the lock. It approves versions of the library: a pinned skill is
   * approved if it has the same files.
   */
  private verdictsOn({ skills }: RegistryReading): Verdict[] {
    const { machine } = this
    const { library } = new Config(machine)
    return machine.verdicts.read(library).map((verdict): Verdict => {
      const { name, state, digest = '', version, by = 'your team' } = verdict
      const pinned = skills.find(({ skill }) => skill.name === name)
      if (verdict.kind !== 'skill' || state !== 'approved' || pinned?.version === undefined) return verdict
      const places = [versionPlace(machine, digest, name), join(library ?? '', 'skills', name)]
      const approved = places.find((place) => isVersion(place, digest))
      const held = (why: string): Verdict => ({ ...verdict, state: 'held', why })
      if (approved === undefined)
        return held(`loadout sync brings version ${version}, which ${by} approved, to compare it`)
      const { place } = pinned.version
      const isSame = isFolder(place) && libraryHashOf(place, name) === libraryHashOf(approved, name)
      return isSame
        ? { ...verdict, digest: pinned.sourceHash }
        : held(`it differs from version ${version} that ${by} approved`)
    })
  }
}

/** A use case on the manifest of a project. */
export function withManifest<Request extends { project?: string }, Result>(
  run: (manifest: Manifest, request: Request) => Result,
): (machine: Machine, request: Request) => Result {
  return (machine, request) => run(Manifest.require(machine, request), request)
}

function readLock(project: string): Lock {
  const read = readInside(project, LOCK_FILE, { most: 16 * 1024 * 1024 })
  if (read.bytes === undefined) throw read.failure
  return parseLock(textOf(Buffer.from(read.bytes), join(project, LOCK_FILE)))
}

/** What is known of a skill without its files is its name. */
function readKept(place: string, name: string, { findings }: RegistryReading): Skill {
  const bare = { name, description: '', tags: [], targets: [], metadata: {}, others: {} }
  if (!exists(place)) return bare
  try {
    return parseSkill(readJson(join(place, SKILL_FILE)), name).skill ?? bare
  } catch (error) {
    findings.push(asFinding(error))
    return bare
  }
}

/** For commands that only read or install: a project with a manifest has the skills of its lock, and no library. */
export function withScope<Request extends ScopeRequest, Result>(
  run: (installs: Installs, request: Request) => Result,
): (machine: Machine, request: Request) => Result {
  return (machine, request) => {
    const project = request.project === undefined ? undefined : requireProject(machine, request.project)
    const manifest = project === undefined ? undefined : Manifest.read(machine, project)
    const isLocked = manifest && (manifest.lock.skills.length > 0 || Object.keys(manifest.wanted.skills).length > 0)
    return run(isLocked ? manifest.installs() : new Installs(machine, request), request)
  }
}
