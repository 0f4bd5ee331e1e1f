import { appendFileSync, statSync } from 'node:fs'
import { printableLine } from '../text/printable.ts'
import { LoadoutError } from '../text/trouble.ts'
import { codeOf } from './files.ts'
import type { Machine } from './machine.ts'
import { move } from './platform.ts'

/** A hook cannot print errors: it writes them here. */
export function hookLogPath(machine: Machine): string {
  return machine.records.path('hooks.log')
}

/** Never fails. A full file becomes `hooks.log.1`, so that there are never more than two. */
export function logLine(machine: Machine, about: string, message: string): void {
  try {
    const path = hookLogPath(machine)
    machine.records.privateFolder('')
    const found = statSync(path, { throwIfNoEntry: false })
    if (found !== undefined && !found.isFile()) return
    if (found !== undefined && found.size > 64 * 1024) move(path, `${path}.1`)
    const line = printableLine(`${machine.now().toISOString()} ${about}: ${message}`).slice(0, 500)
    appendFileSync(path, `${line}\n`, { mode: 0o600 })
  } catch {
    // The log is the last place to report to.
  }
}

/** If one source fails, a hook continues without it and logs one line. */
export function attemptOrLog<T>(log: (message: string) => void, what: string, read: () => T, otherwise: T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    log(`${what}: ${describeTrouble(error)}`)
    return otherwise
  }
}

/** Describes an error without any text of a prompt: only messages of our own are known to be safe. */
export function describeTrouble(error: unknown): string {
  if (error instanceof LoadoutError) return `${error.code} ${error.message}`
  if (!(error instanceof Error)) return 'an unexpected error'
  const place = /\n\s+at (.*)/.exec(error.stack ?? '')?.[1] ?? ''
  return `${[error.name, codeOf(error)].filter((word) => word !== '').join(' ')} at ${place}`
}
