import { realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { failWith, LoadoutError } from '../text/trouble.ts'
import { exists, isFolder } from './files.ts'
import { removeDeadLocks } from './git-folder.ts'
import { collect, type GitOutput, hintFor, KILLED, type ProcessOptions, reasonOf, spawnGit } from './git-process.ts'
import type { Machine } from './machine.ts'

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
  refuseOddFiles(folder)
  const settings = [...SETTINGS, ...(options.allowHooks ? [] : SETTINGS_WITHOUT_HOOKS), ...(options.settings ?? [])]
  const words = [...settings.flatMap((setting) => ['-c', setting]), '-C', resolve(folder)]
  const env = { ...gitEnv(machine, folder, options), ...(await sshEnv(machine, folder, args, options)), ...options.env }
  const output = await runToEnd([...words, ...args], env, `git ${args[0]} in ${folder}`, folder, options)
  if ((options.okCodes ?? [0]).includes(output.code)) return output
  const reason = reasonOf(output)
  throw new LoadoutError('GIT_FAILED', `git ${args[0]} failed in ${folder}: ${reason}`, {
    hint: hintFor(reason, folder, args),
  })
}

const READ_FIRST = ['HEAD', 'config', 'index', 'packed-refs']

/** If one of git's files is a pipe, git opens it and waits for a writer. */
function refuseOddFiles(folder: string): void {
  const own = join(folder, '.git')
  const places = isFolder(own) ? READ_FIRST.map((name) => join(own, name)) : [own]
  for (const place of places) {
    const stat = statSync(place, { throwIfNoEntry: false })
    if (stat === undefined || stat.isFile() || stat.isDirectory()) continue
    throw failWith('NOT_A_FILE/git', { place })
  }
}

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

/** Keeps ssh from asking for a password, unless the user configured another ssh command. */
async function sshEnv(
  machine: Machine,
  folder: string,
  [command = '']: readonly string[],
  { hasSshCommand }: GitOptions,
): Promise<NodeJS.ProcessEnv> {
  if (!NETWORK.includes(command) || machine.env.GIT_SSH_COMMAND || machine.env.GIT_SSH) return {}
  return (hasSshCommand ?? (await asksForSsh(machine, folder))) ? {} : { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' }
}

async function asksForSsh(machine: Machine, folder: string): Promise<boolean> {
  return (await runGit(machine, folder, ['config', '--get', 'core.sshCommand'], { okCodes: [0, 1] })).code === 0
}
