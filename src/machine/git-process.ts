import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { shellWord } from '../text/printable.ts'
import { failWith, type LoadoutError } from '../text/trouble.ts'
import { attempt } from '../text/values.ts'
import { exists, isFile, isFolder, readText } from './files.ts'
import { childOptions, endTree } from './platform.ts'

/** How git is run: with a deadline, ended together with Loadout, its errors told with a remedy. */
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

/** Where git stores its own files: `.git`, or the folder named by the `.git` file of a worktree. */
export function gitFolder(repo: string): string {
  if (!isFolder(repo)) throw notARepository(repo, 'there is no such folder')
  const path = join(repo, '.git')
  if (!exists(path)) throw notARepository(repo, 'it has no .git')
  if (isFolder(path)) return path
  const target = /^gitdir: (.+)$/m.exec(readText(path, 65_536))?.[1]
  const folder = target === undefined ? undefined : resolve(repo, target)
  if (folder === undefined || !isFolder(folder)) throw notARepository(repo, 'its .git leads nowhere')
  return folder
}

/** The folder that the worktrees of a repository share: its git folder, or the one that it names. */
export function commonGitFolder(own: string): string {
  const link = join(own, 'commondir')
  return isFile(link) ? resolve(own, readText(link, 65_536).trim()) : own
}

/** A bare repository contains no files of its project. */
export function isBareRepository(root: string): boolean {
  return isFile(join(root, 'HEAD')) && isFolder(join(root, 'objects')) && isFolder(join(root, 'refs'))
}

export function notARepository(folder: string, problem: string): LoadoutError {
  return failWith('REPO_NOT_FOUND', { folder, problem })
}

/**
 * Removes the lock files of a killed git. Git does not record which process holds a lock, so a lock is removed only if
 * it is not older than the interrupted change, and no git of this user, or of the user whose file the lock is, is in
 * this repository and older than the lock. False: a git may still be running; nothing was removed.
 */
export function removeDeadLocks(repo: string, since: number): boolean {
  const locks = locksOf(repo).filter(({ changed }) => changed >= since)
  const users = new Set([process.getuid?.(), undefined, ...locks.map(({ user }) => user)])
  const living = (isFolder('/proc/self') ? gitsInProc() : gitsOfPs()).filter(
    (git) => users.has(git.user) && mayWorkIn(git, repo),
  )
  const newest = Math.max(-Infinity, ...locks.map(({ changed }) => changed))
  if (living.some((git) => isOwnWriter(git) || git.started <= newest + CLOCK_SLACK_MS)) return false
  for (const { path } of locks) rmSync(path, { force: true })
  return true
}

// Start times of processes and file times are only approximate.
const CLOCK_SLACK_MS = 1_000

interface GitProcess {
  started: number
  /** The number of its user, if the system reports it. */
  user: number | undefined
  /** Its arguments, and its environment if readable. */
  words: string
  environment: string
  /** Its working folder, if the system reports it. */
  folder: string | undefined
}

/** A git that an earlier Loadout started and that may be about to take a lock. */
function isOwnWriter({ words }: GitProcess): boolean {
  const isOwn = words.includes('core.fsmonitor=false')
  return isOwn && /\0(?:add|commit|update-index|reset|merge|checkout|checkout-index|fetch|push|remote)\0/.test(words)
}

/** True if in doubt. */
function mayWorkIn({ words, environment, folder }: GitProcess, repo: string): boolean {
  if (folder === undefined) return true
  const places = [repo, realpathSync(repo), gitFolder(repo), realpathSync(gitFolder(repo))]
  const named = [...`${words}${environment}`.matchAll(/\0(?:--git-dir[=\0]|GIT_DIR=)([^\0]*)/g)].map(([, path = '']) =>
    resolve(folder, path),
  )
  const folders = [folder, ...named, ...named.flatMap((path) => attempt(() => realpathSync(path), []))]
  return places.some(
    (place) => words.includes(place) || folders.some((path) => path === place || path.startsWith(place + sep)),
  )
}

function gitsInProc(): GitProcess[] {
  // Aligns the two clocks at this process: a container may not know when the system started.
  const [ownStart, ownTicks] = [Date.now() - process.uptime() * 1000, startTicks('self')]
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const words = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''
      if (!isGit(words.split('\0')[0] ?? '')) return []
      const started = ownStart + (startTicks(pid) - ownTicks) * TICK_MS
      const environment = attempt(() => `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`, '')
      const folder = attempt(() => readlinkSync(`/proc/${pid}/cwd`), undefined)
      // The folder of another user's process is unreadable, but also that of one that has just ended.
      if (folder === undefined && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '') return []
      return [{ started, user: statSync(`/proc/${pid}`).uid, words, environment, folder }]
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}

const TICK_MS = 10

/** The 22nd field; the second is a name in brackets that may contain anything. */
function startTicks(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
}

function gitsOfPs(): GitProcess[] {
  const env = { PATH: process.env.PATH, LC_ALL: 'C' }
  const flags = ['-axww', '-o', 'lstart=', '-o', 'command=']
  const list = attempt(() => execFileSync('ps', flags, { encoding: 'utf8', env }), undefined)
  if (list === undefined)
    return [{ started: -Infinity, user: undefined, words: '', environment: '', folder: undefined }]
  return list.split('\n').flatMap((line) => {
    const [, start = '', command = ''] = /^\s*(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(line) ?? []
    const words = `${command.split(' ').join('\0')}\0`
    if (!isGit(words.split('\0')[0] ?? '') || words.includes('--daemon')) return []
    return [{ started: Date.parse(start), user: undefined, words, environment: '', folder: undefined }]
  })
}

function isGit(program: string): boolean {
  return /^git(?:-.+)?$/.test(basename(program))
}

function locksOf(repo: string): { path: string; changed: number; user: number }[] {
  const own = gitFolder(repo)
  const folders = [...new Set([own, commonGitFolder(own)])]
  const paths = folders.flatMap((folder) => [
    ...readdirSync(folder).map((name) => join(folder, name)),
    ...(isFolder(join(folder, 'refs'))
      ? readdirSync(join(folder, 'refs'), { recursive: true, encoding: 'utf8' }).map((name) =>
          join(folder, 'refs', name),
        )
      : []),
  ])
  const locks = paths.filter((path) => path.endsWith('.lock') && isFile(path))
  const read = (path: string, { mtimeMs, uid } = statSync(path)) => ({ path, changed: mtimeMs, user: uid })
  return locks.flatMap((path) => attempt(() => read(path), []))
}
