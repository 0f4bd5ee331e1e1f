import { isUtf8 } from 'node:buffer'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { delimiter, isAbsolute } from 'node:path'
import { codeOf } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import { childOptions, endTree } from '../../machine/platform.ts'
import { parseForeignJson } from '../../text/json.ts'
import { pathProblem } from '../../text/paths.ts'
import { failWith, type LoadoutError } from '../../text/trouble.ts'
import type { AdapterSettings } from '../settings.ts'

/** A failure names no folder of this machine, so that a bundle may contain it. */
export type Fetched = { payload: unknown; failure?: undefined } | { payload?: undefined; failure: LoadoutError }

/** A larger output is not a summary. */
export const LARGEST_PAYLOAD = 1024 * 1024

/**
 * The output of an adapter as JSON of any shape, or why there is none. The caller asked the gate: a person approved this
 * command on this machine, in its current form. Never rejects.
 */
export async function fetchAdapter(
  machine: Machine,
  projectRoot: string,
  { file, command, timeoutMs }: AdapterSettings,
  signal?: AbortSignal,
): Promise<Fetched> {
  if (file !== undefined) {
    const problem = pathProblem(file)
    if (problem !== undefined) return { failure: failWith('PATH_ESCAPE/adapter', { problem }) }
    const { bytes, failure } = readInside(projectRoot, file, { most: LARGEST_PAYLOAD })
    return bytes === undefined ? { failure } : parse(bytes)
  }
  if (command === undefined || command.length === 0) return { failure: failWith('ADAPTER_FAILED/nothing') }
  const { stdout, failure } = await runProgram(machine, projectRoot, command, { timeoutMs, signal })
  return stdout === undefined ? { failure } : parse(stdout)
}

function parse(bytes: Buffer): Fetched {
  if (!isUtf8(bytes)) return { failure: failWith('NOT_TEXT/adapter') }
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  const { value, problem } = parseForeignJson(text)
  return problem === undefined ? { payload: value } : { failure: failWith('BAD_JSON/adapter', { problem }) }
}

interface ProcessLimits {
  timeoutMs: number
  signal: AbortSignal | undefined
}

type ProcessOutput = { stdout: Buffer; failure?: undefined } | { stdout?: undefined; failure: LoadoutError }

/** How long a process may take to end after the first signal. */
const TERM_GRACE_MS = 300
/** Afterwards Loadout no longer waits for the system. */
const KILL_GRACE_MS = 300
/** How long to wait for output after the process has ended. */
const DRAIN_MS = 200

/**
 * Runs a program without a shell and returns its output. Settles within its time limit and a second, never rejects, and
 * ends the child processes that the program leaves behind. Discards standard error, which may contain anything.
 */
function runProgram(
  machine: Machine,
  cwd: string,
  [program = '', ...args]: readonly string[],
  limits: ProcessLimits,
): Promise<ProcessOutput> {
  const mark = createMark()
  try {
    const env = environmentOf(machine, mark)
    const child = spawn(program, args, { ...childOptions(), cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
    return new Run(child, mark, limits).outcome
  } catch (error) {
    return Promise.resolve({ failure: startFailure(error) })
  }
}

class Run {
  readonly outcome: Promise<ProcessOutput>
  private readonly child: ChildProcess
  private readonly mark: ProcessMark
  private readonly limits: ProcessLimits
  private readonly timers: NodeJS.Timeout[] = []
  private readonly parts: Buffer[] = []
  private size = 0
  private failure: LoadoutError | undefined
  private hasEnded = false
  private isSettled = false
  private settle: (output: ProcessOutput) => void = () => {}

  constructor(child: ChildProcess, mark: ProcessMark, limits: ProcessLimits) {
    this.child = child
    this.mark = mark
    this.limits = limits
    this.outcome = new Promise((settle) => {
      this.settle = settle
    })
    this.watch()
  }

  private watch(): void {
    const { child, limits } = this
    if (running.size === 0) process.once('exit', endAll)
    running.add(this)
    child.once('error', (error) => this.finish(startFailure(error)))
    child.once('exit', (code, signal) => this.onExit(code, signal))
    child.once('close', () => this.finish())
    child.stdout?.on('data', (bytes: Buffer) => this.receive(bytes)).on('error', () => {})
    this.after(limits.timeoutMs, () => {
      if (!this.hasEnded) this.stop(failWith('ADAPTER_FAILED/timeout', { timeoutMs: limits.timeoutMs }))
    })
    limits.signal?.addEventListener('abort', this.onAbort)
    if (limits.signal?.aborted) this.onAbort()
  }

  private readonly onAbort = () => this.stop(failWith('ADAPTER_FAILED/cancelled'))

  private receive(bytes: Buffer): void {
    if (this.failure !== undefined) return
    this.size += bytes.length
    this.parts.push(bytes)
    if (this.size > LARGEST_PAYLOAD) this.stop(failWith('ADAPTER_FAILED/flood', { most: LARGEST_PAYLOAD }))
  }

  private onExit(code: number | null, signal: NodeJS.Signals | null): void {
    if (signal !== null) this.failure ??= failWith('ADAPTER_FAILED/signal', { signal })
    else if (code !== 0) this.failure ??= failWith('ADAPTER_FAILED/exit', { code: String(code) })
    this.hasEnded = true
    this.killAll()
    this.after(DRAIN_MS, () => this.finish())
  }

  /** A polite signal first, so that a program can clean up, then a kill. */
  private stop(failure: LoadoutError): void {
    if (this.failure !== undefined || this.isSettled) return
    this.failure = failure
    this.parts.length = 0
    this.child.stdout?.destroy()
    endTree(this.child, 'SIGTERM')
    this.after(TERM_GRACE_MS, () => this.killAll())
    this.after(TERM_GRACE_MS + KILL_GRACE_MS, () => this.finish())
  }

  /** The process group, and processes that left it. */
  killAll(): void {
    endTree(this.child, 'SIGKILL')
    this.mark.killAll()
  }

  private finish(failure = this.failure): void {
    if (this.isSettled) return
    this.isSettled = true
    // Again: a process that was starting when the leader ended shows its environment only now.
    this.killAll()
    for (const timer of this.timers) clearTimeout(timer)
    this.limits.signal?.removeEventListener('abort', this.onAbort)
    running.delete(this)
    if (running.size === 0) process.removeListener('exit', endAll)
    this.child.stdout?.destroy()
    this.settle(failure === undefined ? { stdout: Buffer.concat(this.parts) } : { failure })
  }

  /** Reads output that arrived while this process was busy, before the time limit counts. */
  private after(milliseconds: number, run: () => void): void {
    const unlessSettled = () => {
      if (!this.isSettled) run()
    }
    this.timers.push(setTimeout(() => setImmediate(unlessSettled), milliseconds))
  }
}

const running = new Set<Run>()

/** Adapters run in their own session, which would outlive Loadout. */
function endAll(): void {
  for (const run of running) run.killAll()
}

/** Enough to find programs and their settings, without the secrets of a shell. */
function environmentOf({ env, home }: Machine, { variables }: ProcessMark): Record<string, string> {
  // A relative folder would be inside the project. If one is closed to this user, the system would report a missing
  // program as one that may not be executed.
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && canEnter(folder))
  return { PATH: folders.join(delimiter) || '/usr/local/bin:/usr/bin:/bin', HOME: home, LANG: 'C', ...variables }
}

function canEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function startFailure(error: unknown): LoadoutError {
  const code = codeOf(error)
  if (code === 'ENOENT') return failWith('ENTRY_NOT_FOUND/program')
  if (code === 'EACCES' || code === 'EPERM') return failWith('ADAPTER_FAILED/closed')
  return failWith('ADAPTER_FAILED/start', { why: code || 'unknown reason' })
}

/** Passed to a program and inherited by its children: identifies its processes even after they left its group. */
interface ProcessMark {
  /** For the program's environment. */
  variables: Record<string, string>
  /** Ends every process with the mark. Does nothing where the system does not show environments. */
  killAll(): void
}

const NAME = 'LOADOUT_ADAPTER_RUN'
// Repeated, because a program may fork during the search.
const MOST_ROUNDS = 5

/** Create it before the program starts: processes that already run are ignored later. */
function createMark(): ProcessMark {
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

/** A zombie process has no environment any more. */
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
