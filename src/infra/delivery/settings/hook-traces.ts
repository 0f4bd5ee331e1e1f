import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from '../../machine.ts'
import { sessionsFolder } from '../../sessions.ts'
import { hookLogPath } from '../session/hook-log.ts'

/** What the hooks of an agent have left behind. */
export interface HookTraces {
  /** When a session was last given something. */
  lastAnswer?: string
  /** The last line of the log about it. */
  lastTrouble?: string
}

export function findTraces(machine: Machine, agent: string): HookTraces {
  const lastAnswer = newestSession(machine, agent)
  const lastTrouble = readLog(machine).findLast((line) => line.split(' ')[1] === agent)
  return { ...(lastAnswer === undefined ? {} : { lastAnswer }), ...(lastTrouble === undefined ? {} : { lastTrouble }) }
}

function newestSession(machine: Machine, agent: string): string | undefined {
  try {
    const folder = sessionsFolder(machine)
    const names = readdirSync(folder).filter((name) => name.startsWith(`${agent}.`))
    const times = names.map((name) => statSync(join(folder, name)).mtimeMs)
    return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString()
  } catch {
    return undefined
  }
}

function readLog(machine: Machine): string[] {
  try {
    return readFileSync(hookLogPath(machine), 'utf8').split('\n')
  } catch {
    return []
  }
}
