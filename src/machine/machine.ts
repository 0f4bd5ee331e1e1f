import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { type Finding, failWith } from '../text/trouble.ts'

/** What the program takes from its environment. Passed in, so that the same input gives the same output. */
export interface Machine {
  cwd: string
  home: string
  env: Readonly<Record<string, string | undefined>>
  now(): Date
  /**
   * Receives findings that belong to no use case, such as unknown keys of settings. `createLoadout` adds them to the
   * report.
   */
  report?(finding: Finding): void
  /** The caller; a person on the command line by default. */
  caller?: Caller
}

/** The same machine with another `report`. Not a copy: `home` throws only when it is read. */
export function reportingTo(machine: Machine, report: (finding: Finding) => void): Machine {
  return Object.create(machine, { report: { value: report } })
}

/** The caller on whose behalf something is looked up, for the usage log. */
interface Caller {
  /** `cli`, `mcp`, or the agent whose hook it is. */
  via: string
  /** The conversation, if there is one. */
  session?: string
  /** The model, if the agent named it. */
  model?: string
}

/** Evaluated on demand: `loadout completion` works in a deleted folder. */
export function localMachine(): Machine {
  return {
    get cwd() {
      return workingFolder()
    },
    get home() {
      return homeFolder()
    },
    env: process.env,
    now: () => new Date(),
  }
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
export function configFolder({ env, home }: Surroundings, platform = process.platform): string {
  const windows = platform === 'win32' ? absolute(env.APPDATA) : undefined
  return join(absolute(env.XDG_CONFIG_HOME) ?? windows ?? join(home, '.config'), 'loadout')
}

type Surroundings = Pick<Machine, 'env' | 'home'>

/** Where agents store users' configuration, on every system. */
export function xdgConfigHome({ env, home }: Surroundings): string {
  return absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config')
}

/** Data that must survive: the usage log, backups, the projects with installations. */
export function stateFolder({ env, home }: Surroundings, platform = process.platform): string {
  const windows = platform === 'win32' ? absolute(env.LOCALAPPDATA) : undefined
  return join(absolute(env.XDG_STATE_HOME) ?? windows ?? join(home, '.local', 'state'), 'loadout')
}

/** Data that can be rebuilt at any time. */
export function cacheFolder({ env, home }: Surroundings, platform = process.platform): string {
  const windows = platform === 'win32' ? absolute(env.LOCALAPPDATA) : undefined
  return join(absolute(env.XDG_CACHE_HOME) ?? (windows && join(windows, 'cache')) ?? join(home, '.cache'), 'loadout')
}

export function usageLogPath(machine: Machine): string {
  return join(stateFolder(machine), 'usage.jsonl')
}

/**
 * Prompts that led to an entry, if the user keeps tasks. They contain words of tasks, so erasing the log erases them.
 */
export const LEARNED_PROMPTS = 'examples/from-use.jsonl'

/** By the XDG rules a relative path is ignored. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}
