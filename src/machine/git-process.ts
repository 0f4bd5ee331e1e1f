import { type ChildProcess, spawn } from 'node:child_process'
import { shellWord } from '../text/printable.ts'
import { failWith, type LoadoutError } from '../text/trouble.ts'
import { childOptions, endTree } from './platform.ts'

export interface ProcessOptions {
  /** Default: a minute. */
  timeoutMs?: number
  /** Returns the output as bytes: each byte becomes the character with its number. */
  isBinary?: boolean
  signal?: AbortSignal
  /** Receives each line of stderr as it arrives; progress lines end in a carriage return. */
  onLine?: (line: string) => void
}

export interface GitOutput {
  stdout: string
  stderr: string
  code: number
}
const LARGEST_OUTPUT = 64 * 1024 * 1024

/** A separate session: its processes cannot reach the terminal, and can be ended together. */
export function spawnGit(words: readonly string[], env: NodeJS.ProcessEnv, input: string | undefined): ChildProcess {
  const stdin = input === undefined ? 'ignore' : 'pipe'
  const child = spawn('git', words, { ...childOptions(), cwd: '/', env, stdio: [stdin, 'pipe', 'pipe'] })
  child.stdin?.on('error', () => {}).end(input)
  if (running.size === 0) process.once('exit', endAll)
  running.add(child)
  return child
}

const running = new Set<ChildProcess>()

/** Otherwise a separate session would outlive the program. */
function endAll(): void {
  for (const child of running) endTree(child, 'SIGKILL')
}
// Background processes of a command, such as a shared ssh connection, may hold the pipes open forever.
const PIPE_GRACE_MS = 500

export function collect(child: ChildProcess, what: string, options: ProcessOptions): Promise<GitOutput> {
  const { timeoutMs = 60_000, signal, onLine } = options
  let size = 0
  const endPipes = () => [child.stdout, child.stderr].forEach((pipe) => void pipe?.destroy())
  const killing = new Timer(1500, () => [endTree(child, 'SIGKILL'), endPipes()])
  // After a pause of this process, output of git may still be unread: timers run before pipes.
  const draining = new Timer(PIPE_GRACE_MS, () => {
    const before = size
    setImmediate(() => {
      if (size === before) endPipes()
    })
  })
  let stopped: LoadoutError | undefined
  const stop = (problem: string, hint: string) => {
    if (stopped) return
    stopped = failWith('GIT_FAILED/stopped', { what, problem, hint })
    // A polite signal first, so that git removes its lock files.
    endTree(child, 'SIGTERM')
    killing.start()
  }
  const limit = new Timer(timeoutMs, () =>
    stop(`took longer than ${timeoutMs / 1000} s`, 'check the connection and the hooks'),
  )
  const onAbort = () => stop('was cancelled', 'run it again')
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  const receive = (part: Buffer[]) => (bytes: Buffer) => {
    size += bytes.length
    if (size > LARGEST_OUTPUT) stop(`wrote more than ${LARGEST_OUTPUT} bytes`, 'check the repository')
    else part.push(bytes)
    if (child.exitCode !== null) draining.start()
  }
  child.stdout?.on('data', receive(parts.stdout))
  child.stderr?.on('data', receive(parts.stderr))
  if (onLine) child.stderr?.on('data', lineReader(onLine))
  child.once('exit', () => draining.start())
  limit.start()
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()
  const ended = new Promise<GitOutput>((settle, fail) => {
    child.once('error', (error) => fail(startError(error)))
    child.once('close', (code) => {
      const stdout = Buffer.concat(parts.stdout).toString(options.isBinary ? 'latin1' : 'utf8')
      const stderr = Buffer.concat(parts.stderr).toString()
      if (stopped) fail(stopped)
      else settle({ stdout, stderr, code: code ?? KILLED })
    })
  })
  return ended.finally(() => {
    // Git has ended; its children may have ignored the first signal.
    if (stopped) endTree(child, 'SIGKILL')
    for (const timer of [killing, draining, limit]) timer.stop()
    signal?.removeEventListener('abort', onAbort)
    running.delete(child)
    if (running.size === 0) process.removeListener('exit', endAll)
  })
}

/** The exit code for a git that a signal ended. */
export const KILLED = 255

class Timer {
  readonly #milliseconds: number
  readonly #run: () => void
  #timeout: NodeJS.Timeout | undefined

  constructor(milliseconds: number, run: () => void) {
    this.#milliseconds = milliseconds
    this.#run = run
  }

  start(): void {
    this.stop()
    this.#timeout = setTimeout(this.#run, this.#milliseconds)
  }

  stop(): void {
    clearTimeout(this.#timeout)
  }
}

function lineReader(onLine: (line: string) => void): (bytes: Buffer) => void {
  let rest = ''
  return (bytes) => {
    const lines = (rest + bytes.toString()).split(/[\r\n]+/)
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') onLine(line.trim())
  }
}

function startError(error: Error): LoadoutError {
  if (!('code' in error) || (error.code !== 'ENOENT' && error.code !== 'EACCES')) {
    return failWith('GIT_FAILED/start', { problem: error.message }, { cause: error })
  }
  return failWith('GIT_MISSING', {}, { cause: error })
}

// Git prints this even when the remote, or a hook that writes to stdout, gives a better reason.
const NOISE = /^(?:hint:|warning:|To |From |Cloning into|remote:$|error: failed to push some refs)/

/** The line with the reason, without git's prefix. A line that ends in a colon includes the next. */
export function reasonOf({ stdout, stderr, code }: GitOutput): string {
  const lines = [stderr, stdout].flatMap((text) => text.split(/[\r\n]+/)).map((line) => line.trim())
  const said = lines.filter((line) => line !== '')
  const at = said.findIndex((line) => !NOISE.test(line))
  const line = (said[at] ?? said[0] ?? `exit code ${code}`).replace(/^(?:fatal|error|remote): /, '')
  return withoutPassword(line.endsWith(':') ? `${line} ${said[at + 1] ?? ''}` : line)
}

export function withoutPassword(text: string): string {
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@']+@/gi, '$1')
}

// What git prints without a terminal when a host requires a login or denies access.
const LOGIN =
  /could not read (?:Username|Password)|terminal prompts disabled|Authentication failed|Permission denied \(|error: 40[13]\b/

/** Whether a remote required a login. Many hosts also do so for a repository that does not exist. */
export function needsLogin(reason: string): boolean {
  return LOGIN.test(reason)
}

const HINTS: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [/dubious ownership/, (folder) => `git config --global --add safe.directory ${shellWord(folder)}`],
  [LOGIN, () => SIGN_IN],
  [/Host key verification failed/, () => 'connect once with ssh to accept the host key'],
  [/overwritten by/, () => 'move or commit these files first'],
  [/\.lock': File exists/, () => 'another git is running here; wait for it, or remove the lock file if none is'],
  [/\[rejected\]|fetch first|non-fast-forward/, () => 'the remote has commits that are not here; sync again'],
  [/transport '.*' not allowed/, () => 'use a URL with https or ssh'],
]
const SIGN_IN = 'if you may read it, set up an ssh key or a git credential helper: Loadout never asks for a password'

export function hintFor(reason: string, folder: string, args: readonly string[]): string {
  const known = HINTS.find(([pattern]) => pattern.test(reason))
  const command = ['git', '-C', folder, ...args].map((word) => shellWord(withoutPassword(word))).join(' ')
  return known ? known[1](folder) : `run it by hand: ${command}`
}
