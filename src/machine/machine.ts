import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { type Finding, LoadoutError } from '../text/trouble.ts'

/** What the program takes from its surroundings. Handed in, so that everything below gives the same for the same. */
export interface Machine {
  cwd: string
  home: string
  env: Readonly<Record<string, string | undefined>>
  now(): Date
  /** Takes trouble that is not the answer of any use case: unknown keys of settings. The door adds it to the report. */
  report?(finding: Finding): void
  /** Who asks; a person on the command line when it is absent. */
  caller?: Caller
}

/** The same machine, whose trouble somebody else takes. Not a copy: a home that is missing costs only who needs it. */
export function reportingTo(machine: Machine, report: (finding: Finding) => void): Machine {
  return Object.create(machine, { report: { value: report } })
}

/** On whose behalf something is looked up, for the usage log. */
interface Caller {
  /** `cli`, `mcp`, or the agent whose hook it is. */
  via: string
  /** The conversation it happens in, where there is one. */
  session?: string | undefined
}

/** Asked only when needed: `loadout completion` works in a folder that is gone. */
export function thisMachine(): Machine {
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
    throw new LoadoutError('NOT_A_FOLDER', 'the working folder no longer exists', {
      hint: 'cd to one that does',
      cause: error,
    })
  }
}

/** A home that is no absolute path would scatter files over whatever folder one happens to be in. */
function homeFolder(): string {
  let home = ''
  try {
    home = process.env.HOME || homedir()
  } catch {}
  if (isAbsolute(home)) return home
  throw new LoadoutError('NOT_A_FOLDER', 'there is no home folder', { hint: 'set HOME to an absolute path' })
}

/** What the user configures for this machine. */
export function configFolder({ env, home }: Surroundings, platform = process.platform): string {
  const windows = platform === 'win32' ? absolute(env.APPDATA) : undefined
  return join(absolute(env.XDG_CONFIG_HOME) ?? windows ?? join(home, '.config'), 'loadout')
}

type Surroundings = Pick<Machine, 'env' | 'home'>

/** Where agents keep what users configure, on every system. */
export function xdgConfigHome({ env, home }: Surroundings): string {
  return absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config')
}

/** What must survive: the usage log, backups, the projects installed into. */
export function stateFolder({ env, home }: Surroundings, platform = process.platform): string {
  const windows = platform === 'win32' ? absolute(env.LOCALAPPDATA) : undefined
  return join(absolute(env.XDG_STATE_HOME) ?? windows ?? join(home, '.local', 'state'), 'loadout')
}

/** What can be rebuilt at any time. */
export function cacheFolder({ env, home }: Surroundings, platform = process.platform): string {
  const windows = platform === 'win32' ? absolute(env.LOCALAPPDATA) : undefined
  return join(absolute(env.XDG_CACHE_HOME) ?? (windows && join(windows, 'cache')) ?? join(home, '.cache'), 'loadout')
}

export function usageLogPath(machine: Machine): string {
  return join(stateFolder(machine), 'usage.jsonl')
}

/** Prompts that led to an entry, where the user keeps tasks: words of tasks, so they go when the log goes. */
export const LEARNED_PROMPTS = 'examples/from-use.jsonl'

/** The XDG rules: a relative path is to be ignored. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}
