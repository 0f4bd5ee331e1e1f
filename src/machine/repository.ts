import { realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { shellWord } from '../text/printable.ts'
import { failWith, LoadoutError } from '../text/trouble.ts'
import { signatureOf } from './cache.ts'
import { exists, isFolder, makeFolder } from './files.ts'
import {
  collect,
  type GitOutput,
  gitFolder,
  hintFor,
  KILLED,
  notARepository,
  type ProcessOptions,
  reasonOf,
  removeDeadLocks,
  spawnGit,
} from './git-process.ts'
import type { Machine } from './machine.ts'

/** A folder with a git repository, and the machine whose git works in it. */
export class Repository {
  readonly machine: Machine
  readonly path: string

  constructor(machine: Machine, path: string) {
    this.machine = machine
    this.path = path
  }

  /** The same git in another folder. */
  at(path: string): Repository {
    return new Repository(this.machine, path)
  }

  git(args: readonly string[], options: GitOptions = {}): Promise<GitOutput> {
    return runGit(this.machine, this.path, args, options)
  }

  /** All settings in effect. Throws for settings that make git run a program. */
  settings(): Promise<Setting[]> {
    return readSafeConfig(this)
  }

  /** Throws unless the folder is the root of a repository with a work tree; a folder inside another one is refused. */
  async require(): Promise<void> {
    gitFolder(this.path)
    await this.settings()
    const top = await this.workingRoot()
    if (realpathSync(top) !== realpathSync(this.path)) throw notARepository(this.path, `its files are in ${top}`)
  }

  private async workingRoot(): Promise<string> {
    try {
      return (await this.git(['rev-parse', '--show-toplevel'])).stdout.replace(/\n$/, '')
    } catch (error) {
      const message = error instanceof LoadoutError ? error.message : ''
      if (message.includes('must be run in a work tree'))
        throw notARepository(this.path, 'it has no files of its own (bare)')
      if (message.includes('not a git repository')) throw notARepository(this.path, 'its .git is incomplete')
      throw error
    }
  }

  async init(): Promise<void> {
    makeFolder(this.path)
    await this.git(['init', '--quiet', '--template=', '--initial-branch=main'])
  }

  /** Undefined before the first commit. */
  async head(): Promise<string | undefined> {
    const { stdout } = await this.git(['rev-parse', '--quiet', '--verify', 'HEAD'], { okCodes: [0, 1] })
    return stdout.trim() || undefined
  }

  async commitOf(ref: string): Promise<string> {
    const { stdout } = await this.git(['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`])
    return stdout.trim()
  }

  async branch(): Promise<string | undefined> {
    const { stdout } = await this.git(['symbolic-ref', '--quiet', 'HEAD'], { okCodes: [0, 1] })
    const branch = /^refs\/heads\/(.+)\n$/.exec(stdout)?.[1]
    if (branch !== undefined) this.refuseOption(branch)
    return branch
  }

  /** Throws for the name of a branch or remote that git would read as an option. */
  refuseOption(name: string): void {
    if (!name.startsWith('-')) return
    throw failWith('GIT_UNSAFE/option', { name, repo: this.path })
  }
}

/** `2.39.5` */
export async function gitVersion(machine: Machine): Promise<string> {
  const { stdout } = await runGit(machine, '/', ['version'])
  return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim()
}

export interface Setting {
  file: string
  /** Set in the repository itself, not by the user or the machine. */
  isLocal: boolean
  key: string
  /** Undefined for a key without a value. */
  value: string | undefined
}

type Danger = readonly [key: RegExp, reason: string, isDangerous?: (value: string) => boolean]

const RUNS = 'it makes git run a program that the repository chooses'

/** Repository settings that no command line can switch off. Keys are lower case except for their middle part. */
const DANGERS: readonly Danger[] = [
  [/^core\.(?:sshcommand|gitproxy|askpass|alternaterefscommand|editor)$/, RUNS],
  [/^(?:sequence\.editor|diff\.external|uploadpack\.packobjectshook)$/, RUNS],
  [/^core\.hookspath$/, 'it makes git run hooks from a folder that the repository chooses'],
  [/^credential\.(?:.*\.)?helper$/s, RUNS],
  [/^filter\..*\.(?:clean|smudge|process)$/s, RUNS],
  [/^merge\..*\.driver$/s, RUNS],
  [/^diff\..*\.(?:command|textconv)$/s, RUNS],
  [/^gpg\.(?:.*\.)?(?:program|defaultkeycommand)$/s, RUNS],
  [/^trailer\..*\.(?:command|cmd)$/s, RUNS],
  [/^remote\..*\.(?:uploadpack|receivepack|vcs)$/s, RUNS],
  [/^remote\..*\.proxy$/s, 'it sends fetches and pushes through another host'],
  [/^http\.(?:.*\.)?savecookies$/s, 'it lets a server write to a file that the repository chooses'],
  [/^protocol\.(?:.*\.)?allow$/s, 'it permits transports that run programs'],
  [/^includeif\.onbranch:.*\.path$/s, 'it changes the settings with the branch, after they were checked'],
  [/^remote\..*\.(?:url|pushurl)$/s, 'it is not a plain address', isUnsafeUrl],
  [/^branch\..*\.(?:remote|pushremote)$/s, 'it is not a plain address', isUnsafeUrl],
  [/^remote\.pushdefault$/, 'it is not a plain address', isUnsafeUrl],
  [/^remote\..*\.fetch$/s, 'fetching would overwrite local refs', overwritesLocalRefs],
  [/^(?:remote|branch)\.-/, 'its name would be read as an option'],
]
const REWRITTEN_URL = /^url\.(.*)\.(?:pushinsteadof|insteadof)$/s

/** All settings in effect in a repository, the last one of a key; throws if they are unsafe. */
async function readSafeConfig(repo: Repository): Promise<Setting[]> {
  const settings = await readConfig(repo)
  const problems = new Map<string, string>()
  for (const setting of settings) {
    const reason = setting.isLocal ? dangerOf(setting) : undefined
    const { file, key } = setting
    const removal = `git config --file ${shellWord(file)} --unset-all ${shellWord(key)}`
    if (reason !== undefined) problems.set(removal, `${file} sets ${key}: ${reason}`)
  }
  if (problems.size === 0) return settings
  const [commands, settingsFound] = [[...problems.keys()].join(' && '), [...problems.values()].join('; ')]
  throw failWith('GIT_UNSAFE/settings', { problems: settingsFound, commands })
}

function dangerOf({ key, value = '' }: Setting): string | undefined {
  const base = REWRITTEN_URL.exec(key)?.[1]
  if (base !== undefined && isUnsafeUrl(base)) return 'it does not lead to a plain address'
  return DANGERS.find(([pattern, , isDangerous]) => pattern.test(key) && (isDangerous?.(value) ?? true))?.[1]
}

/** A URL that git would read as an option, or that names a remote helper program (`ext::…`). */
export function isUnsafeUrl(url: string): boolean {
  return url.startsWith('-') || /^[\w+.-]*::/.test(url) || /\p{Cc}/u.test(url)
}

function overwritesLocalRefs(refspec: string): boolean {
  const [, to = ''] = refspec.split(':')
  return to !== '' && !/^refs\/(?:remotes|tags|notes)\//.test(to)
}

/** Earlier answers, with the state of all files they came from: most commands ask several times. */
const known = new WeakMap<Machine, Map<string, { settings: Setting[]; files: string[]; state: string }>>()

async function readConfig(repository: Repository): Promise<Setting[]> {
  const { machine, path: repo } = repository
  const before = known.get(machine)?.get(repo)
  if (before !== undefined && signatureOf(before.files, machine.now()).state === before.state) return before.settings
  const settings = await askForConfig(repository)
  const own = [join(machine.home, '.gitconfig'), join(machine.home, '.config', 'git', 'config')]
  const files = [...new Set([...own, ...settings.map(({ file }) => file)])]
  const { state, isSettled } = signatureOf(files, machine.now())
  // A repository may include a file that does not exist yet.
  const isAll = !settings.some(({ key, isLocal }) => isLocal && /^include(?:if\..*)?\.path$/s.test(key))
  const kept = known.get(machine) ?? new Map()
  if (isSettled && isAll) known.set(machine, kept.set(repo, { settings, files, state }))
  return settings
}

async function askForConfig(repository: Repository): Promise<Setting[]> {
  const list = ['config', '--list', '--show-scope', '--show-origin', '--includes', '-z']
  const fields = (await repository.git(list)).stdout.split('\0')
  const settings: Setting[] = []
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin = '', setting = ''] = fields.slice(at, at + 3)
    const [key = '', ...value] = setting.split('\n')
    settings.push({
      file: resolve(repository.path, origin.replace(/^file:/, '')),
      isLocal: scope === 'local' || scope === 'worktree',
      key,
      value: value.length === 0 ? undefined : value.join('\n'),
    })
  }
  return settings
}

export interface GitOptions extends ProcessOptions {
  input?: string
  /** Only for commit and push, which the user's hooks are meant to guard. */
  allowHooks?: boolean
  /** Exit codes that are not errors. Default: only 0. */
  okCodes?: readonly number[]
  /** Whether the user configured an ssh command, if known; otherwise git is asked. */
  hasSshCommand?: boolean
  /** Additional `key=value` settings for this call. */
  settings?: readonly string[]
  /** Changes to the environment of this call; undefined removes a variable. */
  env?: Readonly<Record<string, string | undefined>>
}

/** Options of a call that may take long. */
export type Patience = Pick<GitOptions, 'signal' | 'timeoutMs'>

/** Options of a call that runs the user's hooks. */
export const HOOKS_MS = 10 * 60_000

// The command line overrides every file, so a repository cannot turn these on again.
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

// Hooks inherit the settings of the command line, and these would disturb them. An empty diff.external makes git
// fail rather than run something.
const SETTINGS_WITHOUT_HOOKS = [
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'color.ui=false',
  'diff.external=',
  'diff.ignoreSubmodules=all',
]

/** Runs git in a folder, without a shell, without prompts, and without any program that the repository chooses. */
export async function runGit(
  machine: Machine,
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitOutput> {
  // If one of git's files is a pipe, git opens it and waits for a writer.
  const own = join(folder, '.git')
  const places = isFolder(own) ? READ_FIRST.map((name) => join(own, name)) : [own]
  for (const place of places) {
    const stat = statSync(place, { throwIfNoEntry: false })
    if (stat === undefined || stat.isFile() || stat.isDirectory()) continue
    throw failWith('NOT_A_FILE/git', { place })
  }
  const settings = [...SETTINGS, ...(options.allowHooks ? [] : SETTINGS_WITHOUT_HOOKS), ...(options.settings ?? [])]
  const words = [...settings.flatMap((setting) => ['-c', setting]), '-C', resolve(folder)]
  const kept = Object.entries(machine.env).filter(([n]) => !n.startsWith('GIT_') || KEPT.test(n) || KEPT_CONFIG.test(n))
  const env = {
    ...{
      ...Object.fromEntries(kept),
      HOME: machine.home,
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
      ...(options.allowHooks ? {} : { GIT_OPTIONAL_LOCKS: '0' }),
    },
    ...(await sshEnv(machine, folder, args, options)),
    ...options.env,
  }
  const output = await runToEnd([...words, ...args], env, `git ${args[0]} in ${folder}`, folder, options)
  if ((options.okCodes ?? [0]).includes(output.code)) return output
  const reason = reasonOf(output)
  const [command = ''] = args
  throw failWith('GIT_FAILED/command', { command, folder, reason, hint: hintFor(reason, folder, args) })
}

const READ_FIRST = ['HEAD', 'config', 'index', 'packed-refs']

/** A git that did not end by itself may have left its lock files. */
async function runToEnd(words: string[], env: NodeJS.ProcessEnv, what: string, folder: string, options: GitOptions) {
  const begun = Date.now()
  let isKilled = true
  try {
    const output = await collect(spawnGit(words, env, options.input), what, options)
    isKilled = output.code === KILLED
    return output
  } finally {
    if (isKilled && exists(join(folder, '.git'))) removeDeadLocks(folder, begun - FILE_CLOCK_MS)
  }
}

// The resolution of file timestamps.
const FILE_CLOCK_MS = 20

// The git variables that a user sets for all repositories. The others name one repository or a program.
const KEPT = /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|PROXY_COMMAND|EXEC_PATH|(?:SSL|HTTP|AUTHOR|COMMITTER)_\w+)$/
const KEPT_CONFIG = /^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|(?:KEY|VALUE)_\d+)$/

function realOrResolved(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder)
  }
}

const NETWORK = ['fetch', 'push', 'clone', 'remote', 'ls-remote']

/** Keeps ssh from asking for a password, unless the user configured another ssh command. */
async function sshEnv(
  machine: Machine,
  folder: string,
  [command = '']: readonly string[],
  { hasSshCommand }: GitOptions,
): Promise<NodeJS.ProcessEnv> {
  if (!NETWORK.includes(command) || machine.env.GIT_SSH_COMMAND || machine.env.GIT_SSH) return {}
  const isSet = async () =>
    (await runGit(machine, folder, ['config', '--get', 'core.sshCommand'], { okCodes: [0, 1] })).code === 0
  return (hasSshCommand ?? (await isSet())) ? {} : { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' }
}
