import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { shellWord } from '../domain/skills/sync-decision.ts'
import type { Machine } from './machine.ts'

export interface GitOptions {
  /** Default: a minute. */
  timeoutMs?: number
  signal?: AbortSignal
  input?: string
  /** Only for what the user's own hooks are meant to guard: commit and push. */
  allowHooks?: boolean
  /** Exit codes that are an answer. Default: only 0. */
  okCodes?: readonly number[]
  /** More `key=value` settings for this call. */
  settings?: readonly string[]
  /** On top of the environment that is made here; undefined removes one. */
  env?: Readonly<Record<string, string | undefined>>
  /** Each line of stderr as it arrives; progress lines end in a carriage return. */
  onLine?: (line: string) => void
}

export interface GitOutput {
  stdout: string
  stderr: string
  code: number
}

const TIMEOUT_MS = 60_000
const LARGEST_OUTPUT = 64 * 1024 * 1024

// The command line wins over every file, so a repository cannot turn these on again.
const SETTINGS = [
  'core.fsmonitor=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'merge.autoStash=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.ext.allow=never',
]

// Hooks inherit what is set on the command line, and these would get in their way. An empty diff.external makes git
// fail rather than run something.
const SETTINGS_WITHOUT_HOOKS = [
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'color.ui=false',
  'diff.external=',
  'diff.ignoreSubmodules=all',
]

/** Runs git in a folder, without a shell, with nobody to ask and nothing of the repository's choosing to run. */
export async function runGit(
  machine: Machine,
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitOutput> {
  const settings = [...SETTINGS, ...(options.allowHooks ? [] : SETTINGS_WITHOUT_HOOKS), ...(options.settings ?? [])]
  const words = [...settings.flatMap((setting) => ['-c', setting]), '-C', resolve(folder)]
  const env = { ...gitEnv(machine, folder, options), ...(await sshEnv(machine, folder, args)), ...options.env }
  const output = await collect(
    spawnGit([...words, ...args], env, options.input),
    `git ${args[0]} in ${folder}`,
    options,
  )
  if ((options.okCodes ?? [0]).includes(output.code)) return output
  const reason = reasonOf(output)
  throw new LoadoutError('GIT_FAILED', `git ${args[0]} failed in ${folder}: ${reason}`, {
    hint: hintFor(reason, folder, args),
  })
}

// Of the variables that steer git, those a person sets for all repositories. The rest names one repository or a program.
const KEPT = /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|PROXY_COMMAND|EXEC_PATH|(?:SSL|HTTP|AUTHOR|COMMITTER)_\w+)$/
const KEPT_CONFIG = /^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|(?:KEY|VALUE)_\d+)$/

function gitEnv({ env, home }: Machine, folder: string, { allowHooks }: GitOptions): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([n]) => !n.startsWith('GIT_') || KEPT.test(n) || KEPT_CONFIG.test(n))
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    GIT_PAGER: 'cat',
    GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
    GIT_CEILING_DIRECTORIES: dirname(realOrResolved(folder)),
    // A hook may have a reason to take locks.
    ...(allowHooks ? {} : { GIT_OPTIONAL_LOCKS: '0' }),
  }
}

function realOrResolved(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder)
  }
}

const NETWORK = ['fetch', 'push', 'clone', 'remote', 'ls-remote']

/** ssh must not ask for a password either, unless it is not the plain ssh that would be told so. */
async function sshEnv(machine: Machine, folder: string, [command = '']: readonly string[]): Promise<NodeJS.ProcessEnv> {
  if (!NETWORK.includes(command) || machine.env.GIT_SSH_COMMAND || machine.env.GIT_SSH) return {}
  const { code } = await runGit(machine, folder, ['config', '--get', 'core.sshCommand'], { okCodes: [0, 1] })
  return code === 0 ? {} : { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' }
}

/** Its own session: nothing in it can reach the terminal, and all of it can be ended at once. */
function spawnGit(words: readonly string[], env: NodeJS.ProcessEnv, input: string | undefined): ChildProcess {
  const stdin = input === undefined ? 'ignore' : 'pipe'
  const child = spawn('git', words, { cwd: '/', env, detached: true, stdio: [stdin, 'pipe', 'pipe'] })
  child.stdin?.on('error', () => {}).end(input)
  if (running.size === 0) process.once('exit', endAll)
  running.add(child)
  return child
}

const running = new Set<ChildProcess>()

/** A session of its own would outlive the program. */
function endAll(): void {
  for (const child of running) killGroup(child, 'SIGKILL')
}

const KILL_GRACE_MS = 1500
// What a command leaves in the background, such as a shared ssh connection, may hold the pipes open for ever.
const PIPE_GRACE_MS = 500

function collect(child: ChildProcess, what: string, options: GitOptions): Promise<GitOutput> {
  const { timeoutMs = TIMEOUT_MS, signal, onLine } = options
  const endPipes = () => [child.stdout, child.stderr].forEach((pipe) => void pipe?.destroy())
  const killing = new Timer(KILL_GRACE_MS, () => [killGroup(child, 'SIGKILL'), endPipes()])
  const draining = new Timer(PIPE_GRACE_MS, endPipes)
  let stopped: LoadoutError | undefined
  const stop = (problem: string, hint: string) => {
    if (stopped) return
    stopped = new LoadoutError('GIT_FAILED', `${what} ${problem} and was stopped`, { hint })
    // Asked first, so that git removes its lock files.
    killGroup(child, 'SIGTERM')
    killing.start()
  }
  const limit = new Timer(timeoutMs, () =>
    stop(`took longer than ${timeoutMs / 1000} s`, 'check the connection and the hooks'),
  )
  const onAbort = () => stop('was cancelled', 'run it again')
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  let size = 0
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
      const [stdout, stderr] = [Buffer.concat(parts.stdout).toString(), Buffer.concat(parts.stderr).toString()]
      if (stopped) fail(stopped)
      else settle({ stdout, stderr, code: code ?? KILLED })
    })
  })
  return ended.finally(() => {
    // Git is gone; what it had started may have ignored the first signal.
    if (stopped) killGroup(child, 'SIGKILL')
    for (const timer of [killing, draining, limit]) timer.stop()
    signal?.removeEventListener('abort', onAbort)
    running.delete(child)
    if (running.size === 0) process.removeListener('exit', endAll)
  })
}

/** The exit code given to a git that a signal ended. */
const KILLED = 255

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

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // It has ended already.
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
    return new LoadoutError('GIT_FAILED', `git could not be started: ${error.message}`, { cause: error })
  }
  return new LoadoutError('GIT_MISSING', 'git could not be run: it is not on the PATH', {
    hint: 'install git, or add its folder to PATH',
    cause: error,
  })
}

// Also said when something better is: by the remote, or by a hook that writes to stdout.
const NOISE = /^(?:hint:|warning:|To |From |Cloning into|remote:$|error: failed to push some refs)/

/** The line that says what went wrong, without git's prefix. One that ends in a colon brings the next along. */
function reasonOf({ stdout, stderr, code }: GitOutput): string {
  const lines = [stderr, stdout].flatMap((text) => text.split(/[\r\n]+/)).map((line) => line.trim())
  const said = lines.filter((line) => line !== '')
  const at = said.findIndex((line) => !NOISE.test(line))
  const line = (said[at] ?? said[0] ?? `exit code ${code}`).replace(/^(?:fatal|error|remote): /, '')
  return withoutPassword(line.endsWith(':') ? `${line} ${said[at + 1] ?? ''}` : line)
}

export function withoutPassword(text: string): string {
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@']+@/gi, '$1')
}

const HINTS: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [/dubious ownership/, (folder) => `git config --global --add safe.directory ${shellWord(folder)}`],
  [/terminal prompts disabled|Permission denied \(|could not read (?:Username|Password)/, () => SIGN_IN],
  [/Host key verification failed/, () => 'connect once with ssh to accept the host key'],
  [/overwritten by/, () => 'move or commit these files first'],
  [/\.lock': File exists/, () => 'another git is at work here; wait for it, or remove the lock file if none is'],
  [/\[rejected\]|fetch first|non-fast-forward/, () => 'the remote has commits that are not here; sync again'],
  [/transport '.*' not allowed/, () => 'use a URL with https or ssh'],
]
const SIGN_IN = 'nobody is asked for a password: set up an ssh key or a git credential helper'

function hintFor(reason: string, folder: string, args: readonly string[]): string {
  const known = HINTS.find(([pattern]) => pattern.test(reason))
  const command = ['git', '-C', folder, ...args].map((word) => shellWord(withoutPassword(word))).join(' ')
  return known ? known[1](folder) : `run it by hand: ${command}`
}

interface Setting {
  file: string
  key: string
  value: string
}

type Danger = readonly [key: RegExp, reason: string, isDangerous?: (value: string) => boolean]

const RUNS = 'it makes git run a program of its choosing'

/** Settings of a repository that no command line can switch off. Keys are lower case except for their middle part. */
const DANGERS: readonly Danger[] = [
  [/^core\.(?:sshcommand|gitproxy|askpass|alternaterefscommand|editor)$/, RUNS],
  [/^(?:sequence\.editor|diff\.external|uploadpack\.packobjectshook)$/, RUNS],
  [/^core\.hookspath$/, 'it makes git run hooks from a folder of its choosing'],
  [/^credential\.(?:.*\.)?helper$/s, RUNS],
  [/^filter\..*\.(?:clean|smudge|process)$/s, RUNS],
  [/^merge\..*\.driver$/s, RUNS],
  [/^diff\..*\.(?:command|textconv)$/s, RUNS],
  [/^gpg\.(?:.*\.)?(?:program|defaultkeycommand)$/s, RUNS],
  [/^trailer\..*\.(?:command|cmd)$/s, RUNS],
  [/^remote\..*\.(?:uploadpack|receivepack|vcs)$/s, RUNS],
  [/^remote\..*\.proxy$/s, 'it sends what is fetched and pushed through another host'],
  [/^http\.(?:.*\.)?savecookies$/s, 'it lets a server write to a file of its choosing'],
  [/^protocol\.(?:.*\.)?allow$/s, 'it permits transports that run programs'],
  [/^includeif\.onbranch:.*\.path$/s, 'it changes the settings with the branch, after they were checked'],
  [/^remote\..*\.(?:url|pushurl)$/s, 'it is no plain address', isUnsafeUrl],
  [/^branch\..*\.(?:remote|pushremote)$/s, 'it is no plain address', isUnsafeUrl],
  [/^remote\.pushdefault$/, 'it is no plain address', isUnsafeUrl],
  [/^remote\..*\.fetch$/s, 'fetching would overwrite what is not a copy of the remote', overwritesLocalRefs],
  [/^(?:remote|branch)\.-/, 'its name would be read as an option'],
]
const REWRITTEN_URL = /^url\.(.*)\.(?:pushinsteadof|insteadof)$/s

/** Throws for settings of the repository itself with which git would run a program, whatever it is asked to do. */
export async function refuseUnsafeConfig(machine: Machine, repo: string): Promise<void> {
  const problems = new Map<string, string>()
  for (const setting of await readLocalConfig(machine, repo)) {
    const reason = dangerOf(setting)
    const { file, key } = setting
    const removal = `git config --file ${shellWord(file)} --unset-all ${shellWord(key)}`
    if (reason !== undefined) problems.set(removal, `${file} sets ${key}: ${reason}`)
  }
  if (problems.size === 0) return
  throw new LoadoutError('GIT_UNSAFE', [...problems.values()].join('; '), {
    hint: `if you do not need it: ${[...problems.keys()].join(' && ')}`,
  })
}

function dangerOf({ key, value }: Setting): string | undefined {
  const base = REWRITTEN_URL.exec(key)?.[1]
  if (base !== undefined && isUnsafeUrl(base)) return 'it leads to no plain address'
  return DANGERS.find(([pattern, , isDangerous]) => pattern.test(key) && (isDangerous?.(value) ?? true))?.[1]
}

/** What would be taken for an option, or for the name of a program that speaks for the remote (`ext::…`). */
export function isUnsafeUrl(url: string): boolean {
  return url.startsWith('-') || /^[\w+.-]*::/.test(url) || /\p{Cc}/u.test(url)
}

function overwritesLocalRefs(refspec: string): boolean {
  const [, to = ''] = refspec.split(':')
  return to !== '' && !/^refs\/(?:remotes|tags|notes)\//.test(to)
}

/** The files of the repository, with what they include; not those of the user and the machine. */
async function readLocalConfig(machine: Machine, repo: string): Promise<Setting[]> {
  const list = ['config', '--list', '--show-scope', '--show-origin', '--includes', '-z']
  const fields = (await runGit(machine, repo, list)).stdout.split('\0')
  const settings: Setting[] = []
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin = '', setting = ''] = fields.slice(at, at + 3)
    if (scope !== 'local' && scope !== 'worktree') continue
    const [key = ''] = setting.split('\n', 1)
    settings.push({ file: resolve(repo, origin.replace(/^file:/, '')), key, value: setting.slice(key.length + 1) })
  }
  return settings
}
