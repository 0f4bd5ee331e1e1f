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

/** Stands for the agent in the file of a session that no hook has reported yet. */
export const NO_AGENT = 'packs'

const TASK = '.task'
const TASK_KEPT_MS = 60 * 60 * 1000

const SESSIONS = 'hooks/sessions'
const MOST_LOOKED_AT = 500

/** What conversations were given so far, in files of the state folder. */
export class Sessions {
  private readonly machine: Pick<Machine, 'records' | 'now'>

  constructor(machine: Pick<Machine, 'records' | 'now'>) {
    this.machine = machine
  }

  get folder(): string {
    return this.machine.records.path(SESSIONS)
  }

  /** What was delivered to a session so far; empty for an unknown session. */
  read(agent: string, session: string): string {
    const path = this.path(agent, session)
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
  claimLine(agent: string, session: string, line: string): string {
    const path = this.path(agent, session)
    try {
      if (exists(path)) requireFile(path)
      else this.machine.records.privateFolder(SESSIONS)
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

  /** Takes over what was delivered to a session before its agent's first hook. */
  adopt(agent: string, session: string): void {
    const earlier = this.read(NO_AGENT, session)
    if (earlier === '') return
    this.claimLine(agent, session, earlier)
    rmSync(this.path(NO_AGENT, session), { force: true })
  }

  /** Notes the task of a subagent that is about to start, until `takeTask`. */
  noteTask(agent: string, session: string, task: string): void {
    this.machine.records.privateFolder(SESSIONS)
    const path = `${this.path(agent, session)}.${process.hrtime.bigint().toString().padStart(20, '0')}${TASK}`
    writeFileSync(path, task, { mode: 0o600, flag: 'wx' })
  }

  /** The oldest note of a conversation. Each is taken once, whichever process asks; one that is an hour old is dropped. */
  takeTask(agent: string, session: string): string | undefined {
    const of = `${basename(this.path(agent, session))}.`
    const folder = this.folder
    if (!exists(folder)) return undefined
    for (const name of readdirSync(folder).sort(compareText)) {
      if (!name.startsWith(of) || !name.endsWith(TASK)) continue
      const path = join(folder, name)
      try {
        const isOld = this.machine.now().getTime() - statSync(path).mtimeMs > TASK_KEPT_MS
        const task = readFileSync(path, 'utf8')
        rmSync(path)
        if (!isOld) return task
      } catch {
        // Another subagent took it.
      }
    }
    return undefined
  }

  /** Agents choose session names freely: a name that could be a path, or is too long, is replaced by its digest. */
  path(agent: string, session: string): string {
    return join(this.folder, `${agent}.${PLAIN.test(session) ? session : `~${sha256(session)}`}.jsonl`)
  }

  /** Removes sessions unused for a month: a few at each call, a different part each time. */
  prune(): void {
    const folder = this.folder
    const now = this.machine.now().getTime()
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
