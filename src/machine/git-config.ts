import { join, resolve } from 'node:path'
import { shellWord } from '../text/printable.ts'
import { LoadoutError } from '../text/trouble.ts'
import { signatureOf } from './cache.ts'
import { runGit } from './git.ts'
import type { Machine } from './machine.ts'

export interface Setting {
  file: string
  /** Of the repository itself, not of the user or the machine. */
  isLocal: boolean
  key: string
  /** Undefined for a key that stands alone. */
  value: string | undefined
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
  await readSafeConfig(machine, repo)
}

/** All settings that hold in a repository, the last of a key counting; throws if they are unsafe. */
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
    hint: `if you do not need it: ${[...problems.keys()].join(' && ')}`,
  })
}

function dangerOf({ key, value = '' }: Setting): string | undefined {
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

/** What a command was told before, with the state of all files that it came from: most ask several times. */
const known = new WeakMap<Machine, Map<string, { settings: Setting[]; files: string[]; state: string }>>()

async function readConfig(machine: Machine, repo: string): Promise<Setting[]> {
  const before = known.get(machine)?.get(repo)
  if (before !== undefined && signatureOf(before.files, machine.now()).state === before.state) return before.settings
  const settings = await askForConfig(machine, repo)
  const own = [join(machine.home, '.gitconfig'), join(machine.home, '.config', 'git', 'config')]
  const files = [...new Set([...own, ...settings.map(({ file }) => file)])]
  const { state, isSettled } = signatureOf(files, machine.now())
  // What a repository includes may be a file that is not there yet.
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
