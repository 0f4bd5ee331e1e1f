import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** Handed to a program and, by it, to all that it starts: tells its processes even after they have left its group. */
export interface ProcessMark {
  /** For the program's environment. */
  variables: Record<string, string>
  /** Ends whatever carries the mark. Does nothing where the system does not tell environments. */
  killAll(): void
}

const NAME = 'LOADOUT_ADAPTER_RUN'
// One that forks as fast as it is looked for is looked for again.
const MOST_ROUNDS = 5

/** To be made before the program is started: what is running by then is not looked at later. */
export function createMark(): ProcessMark {
  const value = randomBytes(16).toString('hex')
  const before = new Set(listProcesses())
  const findMarked = () => listProcesses().filter((pid) => !before.has(pid) && carries(pid, `${NAME}=${value}`))
  const killAll = () => {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const found = findMarked()
      if (found.length === 0) return
      found.forEach(kill)
    }
  }
  return { variables: { [NAME]: value }, killAll }
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** What has ended and waits for its parent has no environment any more. */
function carries(pid: string, variable: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(variable)
  } catch {
    return false
  }
}

function kill(pid: string): void {
  try {
    process.kill(Number(pid), 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
