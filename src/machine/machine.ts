import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { alsoNaming, type Finding, failWith, type Report } from '../text/trouble.ts'
import { Approvals, CatalogRecord } from './approvals.ts'
import { Cache } from './cache.ts'
import { exists, readJson } from './files.ts'
import { followLinks, openProject, type Project, projectAt } from './open-project.ts'
import { Records } from './records.ts'
import { asRecord, unknownKeys } from './rules/settings-shape.ts'
import { Sessions } from './sessions.ts'

/** What the program takes from its environment. Passed in, so that the same input gives the same output. */
export interface Surroundings {
  cwd: string
  home: string
  env: Readonly<Record<string, string | undefined>>
  now(): Date
  /** The caller; a person on the command line by default. */
  caller?: Caller
  /** False: caches, the usage log and the records of bundles are read, and not written. */
  persist?: boolean
  /** Receives what a person should know about a call; `collect` returns it beside the answer. */
  report?(...findings: Finding[]): void
}

/** Declares that a machine has the fields of its surroundings. */
export interface Machine extends Omit<Surroundings, 'report'> {}

/** This computer, opened once at the edge: its surroundings, and the folders and files of this user. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor copies every field.
export class Machine {
  /** Not spread: a home or a working folder that does not exist is an error only for who needs it. */
  constructor(surroundings: Surroundings) {
    Object.defineProperties(this, Object.getOwnPropertyDescriptors(surroundings))
  }

  /** What was reported between two calls, for example when the settings of a project are read first: the next call tells. */
  private readonly unheard: Finding[] = []

  report(...findings: Finding[]): void {
    this.unheard.push(...findings)
  }

  /** The same machine with another `report`. Not a copy: `home` throws only when it is read. */
  reportingTo(report: (...findings: Finding[]) => void): Machine {
    return Object.create(this, { report: { value: report } })
  }

  /** For a question whose findings are not worth telling: who asks it tells them, or they change nothing. */
  quiet(): Machine {
    return this.reportingTo(() => {})
  }

  /** Runs a use case, and returns its answer with everything that it reported: in order, each finding once. */
  collect<T>(run: (machine: Machine) => Promise<T>): Promise<Report<T>>
  collect<T>(run: (machine: Machine) => T): Report<T>
  collect<T>(run: (machine: Machine) => T | Promise<T>): Report<T> | Promise<Report<T>> {
    const found = new Map<string, Finding>()
    const listening = this.reportingTo((...findings) => {
      for (const finding of findings) {
        const { code, message, subject, path, line } = finding
        const key = JSON.stringify([code, message, subject, path, line])
        if (!found.has(key)) found.set(key, finding)
      }
    })
    const told = () => {
      listening.report(...this.unheard.splice(0))
      return [...found.values()]
    }
    const finish = (value: T) => ({ value, findings: told() })
    const fail = (error: unknown): never => {
      throw alsoNaming(error, told())
    }
    try {
      const value = run(listening)
      return value instanceof Promise ? value.then(finish, fail) : finish(value)
    } catch (error) {
      return fail(error)
    }
  }

  get configFolder(): string {
    return configFolder(this)
  }

  /** Where agents store users' configuration, on every system. */
  get xdgConfigHome(): string {
    return absolute(this.env.XDG_CONFIG_HOME) ?? join(this.home, '.config')
  }

  get stateFolder(): string {
    return stateFolder(this)
  }

  get cacheFolder(): string {
    return cacheFolder(this)
  }

  get usageLog(): string {
    return join(this.stateFolder, 'usage.jsonl')
  }

  /** What this user approved and asked for. */
  get records(): Records {
    return new Records(this.stateFolder)
  }

  /** What this user allowed. */
  get approvals(): Approvals {
    return new Approvals(this)
  }

  get verdicts(): CatalogRecord {
    return new CatalogRecord(this)
  }

  /** What conversations were given so far. */
  get sessions(): Sessions {
    return new Sessions(this)
  }

  get cache(): Cache {
    return new Cache(this.cacheFolder, this.persist)
  }

  /** `config.json`. */
  get config(): ConfigFile {
    return new ConfigFile(this)
  }

  /** The only way to find a project; an open one is returned unchanged. */
  openProject(named?: string | Project): Project {
    return openProject(this, named)
  }

  /** A folder as a project, whatever it contains; it need not exist. */
  projectAt(root: string, place = root): Project {
    return projectAt(this, root, place)
  }

  /** The real path of a typed path. Missing parts keep their names below the part that exists. */
  realFolder(typed: string): string {
    return followLinks(this.resolve(typed))
  }

  /** The path that a user typed: `~` is the home folder, the rest is relative to the working folder. */
  resolve(typed: string): string {
    return resolve(this.cwd, this.expandHome(typed))
  }

  expandHome(path: string): string {
    return path === '~' || path.startsWith('~/') ? join(this.home, path.slice(1)) : path
  }
}

/** A use case on something of this machine, which is opened for each call. */
export function opening<Opened, Request, Result>(
  Thing: new (machine: Machine) => Opened,
  run: (opened: Opened, request: Request) => Result,
): (machine: Machine, request: Request) => Result {
  return (machine, request) => run(new Thing(machine), request)
}

/** The caller on whose behalf something is looked up, for the usage log. */
interface Caller {
  /** `cli`, `mcp`, or the agent whose hook it is. */
  via: string
  /** The conversation, if there is one. */
  session?: string
  /** Of a subagent: the conversation that started it. */
  parent?: string
  /** The model, if the agent named it. */
  model?: string
}

/** Evaluated on demand: `loadout completion` works in a deleted folder. */
export function localMachine(): Machine {
  return new Machine({
    get cwd() {
      return workingFolder()
    },
    get home() {
      return homeFolder()
    },
    env: process.env,
    now: () => new Date(),
  })
}

function workingFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    throw failWith('NOT_A_FOLDER/gone', {}, { cause: error })
  }
}

/** With a relative home, Loadout would write files into whatever the working folder is. */
function homeFolder(): string {
  let home = ''
  try {
    home = process.env.HOME || homedir()
  } catch {}
  if (isAbsolute(home)) return home
  throw failWith('NOT_A_FOLDER/home')
}

/** The folder of this user's configuration. */
export function configFolder({ env, home }: Place, platform = process.platform): string {
  const windows = platform === 'win32' ? absolute(env.APPDATA) : undefined
  return join(absolute(env.XDG_CONFIG_HOME) ?? windows ?? join(home, '.config'), 'loadout')
}

type Place = Pick<Surroundings, 'env' | 'home'>

/** Data that must survive: the usage log, backups, the projects with installations. */
export function stateFolder({ env, home }: Place, platform = process.platform): string {
  const windows = platform === 'win32' ? absolute(env.LOCALAPPDATA) : undefined
  return join(absolute(env.XDG_STATE_HOME) ?? windows ?? join(home, '.local', 'state'), 'loadout')
}

/** Data that can be rebuilt at any time. */
export function cacheFolder({ env, home }: Place, platform = process.platform): string {
  const windows = platform === 'win32' ? absolute(env.LOCALAPPDATA) : undefined
  return join(absolute(env.XDG_CACHE_HOME) ?? (windows && join(windows, 'cache')) ?? join(home, '.cache'), 'loadout')
}

/**
 * Prompts that led to an entry, if the user keeps tasks. They contain words of tasks, so erasing the log erases them.
 */
export const LEARNED_PROMPTS = 'examples/from-use.jsonl'

/** By the XDG rules a relative path is ignored. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}

/** The unchanged file with all its keys, known or not. */
export type ConfigJson = Record<string, unknown>

/** The only reader of `config.json`. `changeConfig` changes it. */
class ConfigFile {
  readonly machine: Machine

  constructor(machine: Machine) {
    this.machine = machine
  }

  get path(): string {
    const named = this.machine.env.LOADOUT_CONFIG
    return named ? this.machine.resolve(named) : join(this.machine.configFolder, 'config.json')
  }

  /** A path from the configuration: `~` is the home folder; a relative path is relative to the file. */
  resolve(path: string): string {
    const expanded = this.machine.expandHome(path)
    return isAbsolute(expanded) ? resolve(expanded) : resolve(dirname(this.path), expanded)
  }

  /** Always reports unknown keys; the users of a value check it. */
  read(): ConfigJson {
    const { path } = this
    const json = asRecord(exists(path) ? readJson(path) : {}, path, 'the file')
    this.machine.report(...unknownKeys(json, path))
    return json
  }
}
