import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { failWith } from '../text/trouble.ts'
import { compareText, sha256 } from '../text/values.ts'
import { asLoadoutError, exists, requireFile } from './files.ts'
import type { Machine } from './machine.ts'

/** What was delivered to a session so far; empty for an unknown session. */
export function readSession(machine: Machine, agent: string, session: string): string {
  const path = sessionPath(machine, agent, session)
  if (!exists(path)) return ''
  requireFile(path)
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    return readAll(file)
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Appends a line in a single write, and returns the resulting file: the first line wins. */
export function claimLine(machine: Machine, agent: string, session: string, line: string): string {
  const path = sessionPath(machine, agent, session)
  try {
    if (exists(path)) requireFile(path)
    else machine.records.privateFolder(SESSIONS)
    const file = openSync(path, 'a+', 0o600)
    try {
      const bytes = Buffer.from(line)
      // Every later reader would fail on a truncated line, and nothing would be delivered until the context is empty
      // again.
      if (writeSync(file, bytes) < bytes.length) throw failWith('WRITE_FAILED/disk-full', { path })
      return readAll(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  }
}

/** Stands for the agent in the file of a session that no hook has reported yet. */
export const NO_AGENT = 'packs'

/** Takes over what was delivered to a session before its agent's first hook. */
export function adoptSession(machine: Machine, agent: string, session: string): void {
  const earlier = readSession(machine, NO_AGENT, session)
  if (earlier === '') return
  claimLine(machine, agent, session, earlier)
  rmSync(sessionPath(machine, NO_AGENT, session), { force: true })
}

const TASK = '.task'
const TASK_KEPT_MS = 60 * 60 * 1000

/** Notes the task of a subagent that is about to start, until `takeTask`. */
export function noteTask(machine: Machine, agent: string, session: string, task: string): void {
  machine.records.privateFolder(SESSIONS)
  const path = `${sessionPath(machine, agent, session)}.${process.hrtime.bigint().toString().padStart(20, '0')}${TASK}`
  writeFileSync(path, task, { mode: 0o600, flag: 'wx' })
}

/** The oldest note of a conversation. Each is taken once, whichever process asks; one that is an hour old is dropped. */
export function takeTask(machine: Machine, agent: string, session: string): string | undefined {
  const of = `${basename(sessionPath(machine, agent, session))}.`
  const folder = sessionsFolder(machine)
  if (!exists(folder)) return undefined
  for (const name of readdirSync(folder).sort(compareText)) {
    if (!name.startsWith(of) || !name.endsWith(TASK)) continue
    const path = join(folder, name)
    try {
      const isOld = machine.now().getTime() - statSync(path).mtimeMs > TASK_KEPT_MS
      const task = readFileSync(path, 'utf8')
      rmSync(path)
      if (!isOld) return task
    } catch {
      // Another subagent took it.
    }
  }
  return undefined
}

/** Distinguishes this process from every other that claims at the same moment. */
export function claimant(): string {
  return `${process.pid}-${process.hrtime.bigint()}`
}

function readAll(file: number): string {
  const { size } = fstatSync(file)
  if (size > 4 * 1024 * 1024) throw failWith('FILE_TOO_LARGE/session')
  const bytes = Buffer.allocUnsafe(size)
  let length = 0
  while (length < size) {
    const count = readSync(file, bytes, length, size - length, length)
    if (count === 0) break
    length += count
  }
  return bytes.toString('utf8', 0, length)
}

const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/

/** Agents choose session names freely: a name that could be a path, or is too long, is replaced by its digest. */
export function sessionPath(machine: Machine, agent: string, session: string): string {
  return join(sessionsFolder(machine), `${agent}.${PLAIN.test(session) ? session : `~${sha256(session)}`}.jsonl`)
}

export function sessionsFolder(machine: Machine): string {
  return machine.records.path(SESSIONS)
}

const SESSIONS = 'hooks/sessions'
const MOST_LOOKED_AT = 500

/** Removes sessions unused for a month: a few at each call, a different part each time. */
export function pruneSessions(machine: Machine): void {
  const folder = sessionsFolder(machine)
  const now = machine.now().getTime()
  try {
    const names = readdirSync(folder)
    const from = names.length > MOST_LOOKED_AT ? now % names.length : 0
    for (const name of [...names.slice(from), ...names.slice(0, from)].slice(0, MOST_LOOKED_AT)) {
      const path = join(folder, name)
      if (now - statSync(path).mtimeMs > (name.endsWith(TASK) ? TASK_KEPT_MS : 30 * 24 * 60 * 60 * 1000))
        rmSync(path, { force: true })
    }
  } catch {
    // Old files are harmless; the next session tries again.
  }
}
