import { join, resolve } from 'node:path'
import { shellWord } from '../text/printable.ts'
import { LoadoutError } from '../text/trouble.ts'
import { signatureOf } from './cache.ts'
import { runGit } from './git.ts'
import type { Machine } from './machine.ts'

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
export async function readSafeConfig(machine: Machine, repo: string): Promise<Setting[]> {
  const settings = await readConfig(machine, repo)
  const problems = new Map<string, string>()
  for (const setting of settings) {
    const reason = setting.isLocal ? dangerOf(setting) : undefined
    const { file, key } = setting
    const removal = `git config --file ${shellWord(file)} --unset-all ${shellWord(key)}`
    if (reason !== undefined) problems.set(removal, `${file} sets ${key}: ${reason}`)
  }
  if (problems.size === 0) return settings
  throw new LoadoutError('GIT_UNSAFE', [...problems.values()].join('; '), {
    hint: `if you do not need it, run: ${[...problems.keys()].join(' && ')}`,
  })
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

async function readConfig(machine: Machine, repo: string): Promise<Setting[]> {
  const before = known.get(machine)?.get(repo)
  if (before !== undefined && signatureOf(before.files, machine.now()).state === before.state) return before.settings
  const settings = await askForConfig(machine, repo)
  const own = [join(machine.home, '.gitconfig'), join(machine.home, '.config', 'git', 'config')]
  const files = [...new Set([...own, ...settings.map(({ file }) => file)])]
  const { state, isSettled } = signatureOf(files, machine.now())
  // A repository may include a file that does not exist yet.
  const isAll = !settings.some(({ key, isLocal }) => isLocal && /^include(?:if\..*)?\.path$/s.test(key))
  const kept = known.get(machine) ?? new Map()
  if (isSettled && isAll) known.set(machine, kept.set(repo, { settings, files, state }))
  return settings
}

async function askForConfig(machine: Machine, repo: string): Promise<Setting[]> {
  const list = ['config', '--list', '--show-scope', '--show-origin', '--includes', '-z']
  const fields = (await runGit(machine, repo, list)).stdout.split('\0')
  const settings: Setting[] = []
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin = '', setting = ''] = fields.slice(at, at + 3)
    const [key = '', ...value] = setting.split('\n')
    settings.push({
      file: resolve(repo, origin.replace(/^file:/, '')),
      isLocal: scope === 'local' || scope === 'worktree',
      key,
      value: value.length === 0 ? undefined : value.join('\n'),
    })
  }
  return settings
}
