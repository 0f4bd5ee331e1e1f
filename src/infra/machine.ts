import { homedir } from 'node:os'
import { join } from 'node:path'

/** What the program takes from its surroundings. Handed in, so that everything below gives the same for the same. */
export interface Machine {
  cwd: string
  home: string
  env: Readonly<Record<string, string | undefined>>
  now(): Date
}

export function thisMachine(): Machine {
  return { cwd: process.cwd(), home: homedir(), env: process.env, now: () => new Date() }
}

/** What must survive: the usage log, later approvals, audit records and backups. */
export function stateFolder({ env, home }: Machine): string {
  return join(absolute(env.XDG_STATE_HOME) ?? join(home, '.local', 'state'), 'loadout')
}

/** What can be rebuilt at any time. */
export function cacheFolder({ env, home }: Machine): string {
  return join(absolute(env.XDG_CACHE_HOME) ?? join(home, '.cache'), 'loadout')
}

export function usageLogPath(machine: Machine): string {
  return join(stateFolder(machine), 'usage.jsonl')
}

/** The XDG rules: a relative path is to be ignored. */
function absolute(path: string | undefined): string | undefined {
  return path?.startsWith('/') ? path : undefined
}
