import { type Stats, statSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { isSettled, type Stamp, stampOf } from '../../machine/cache.ts'
import { commonGitFolder, gitFolder } from '../../machine/git-folder.ts'
import type { Machine } from '../../machine/machine.ts'
import { type GitOptions, runGit } from '../../machine/repository.ts'
import { Walk } from '../../machine/walk.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { STAMP_NUMBERS } from './stamps.ts'

// The files that git reads to list a project. If none of them has changed, neither has the list.

export interface Witnesses {
  paths: string[]
  /** Folders that were not entered because a .gitignore excludes them; relative to the repository. */
  ignored: string[]
}

/** Undefined: not all of them are known. `stuck`: git would fail, or wait for the writer of a pipe. */
export async function findWitnesses(
  machine: Machine,
  repository: string,
  prefix: string,
): Promise<Witnesses | 'stuck' | undefined> {
  const settings = await settingsOfGit(machine, repository)
  if (settings === 'stuck' || settings?.some(isPipe)) return 'stuck'
  const folders = foldersOf(repository, prefix)
  if (folders === 'stuck') return 'stuck'
  return settings && folders && { ...folders, paths: [...settings, ...folders.paths] }
}

function isPipe(path: string): boolean {
  const stat = statOf(path)
  return stat !== undefined && (stat.isFIFO() || stat.isSocket())
}

/** For folders with more entries, asking git is not much slower than reading all the stamps. */
const MOST_WITNESSES = 20_000

function foldersOf(repository: string, prefix: string): Witnesses | 'stuck' | undefined {
  const walk = new Walk(repository, { useGitignore: true, mostFolders: MOST_WITNESSES })
  const [paths, ignored]: [string[], string[]] = [[], []]
  // Of the folders above the root, only the .gitignore files count.
  const above = prefix.split('/').slice(0, -1)
  above.forEach((_, at) => {
    const folder = join(repository, ...above.slice(0, at))
    paths.push(folder, join(folder, '.gitignore'))
  })
  let isTold = true
  for (const { path, inside, entries, enter } of walk.folders(prefix)) {
    paths.push(path)
    for (const { name, kind, isIgnored, isNameable } of entries) {
      if (name === '.gitignore') {
        if (kind === 'other') return 'stuck'
        paths.push(join(path, name))
      }
      if (kind !== 'folder' || name === '.git') continue
      isTold &&= isNameable
      if (isIgnored) ignored.push(inside === '' ? name : `${inside}/${name}`)
      else enter(name)
    }
  }
  const { count, unreadable } = walk.leftOut
  return isTold && count === 0 && unreadable.length === 0 ? { paths, ignored } : undefined
}

/** The files from which git reads its settings and its global ignore list, existing or not. */
async function settingsOfGit(machine: Machine, repository: string): Promise<string[] | 'stuck' | undefined> {
  const words = ['config', '--list', '--show-origin', '-z', '--includes']
  const listed = await askGit(machine, repository, words, { timeoutMs: SETTINGS_MS })
  const folders = listed === undefined ? undefined : foldersOfGit(repository)
  if (listed === undefined || folders === undefined) return 'stuck'
  const { own, common } = folders
  const { home } = machine
  const global = join(machine.xdgConfigHome, 'git')
  const found = new Set([
    ...['index', 'HEAD', 'config.worktree'].map((name) => join(own, name)),
    ...['config', 'info/exclude'].map((name) => join(common, name)),
    ...[join(global, 'config'), join(global, 'ignore'), join(home, '.gitconfig'), '/etc/gitconfig'],
    ...programOf(machine),
  ])
  const fields = listed.split('\0')
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const origin = fields[at]!.startsWith('file:') ? resolve(repository, fields[at]!.slice(5)) : repository
    if (origin !== repository) found.add(origin)
    // An included file without content has no entry of its own.
    const [, key, value = ''] = /^(core\.excludesfile|include(?:if\..*)?\.path)\n(.*)$/s.exec(fields[at + 1]!) ?? []
    if (key === undefined) continue
    if (/^(?:~[^/]|%)/.test(value)) return undefined
    const from = key === 'core.excludesfile' ? repository : dirname(origin)
    found.add(value.startsWith('~/') ? join(home, value.slice(2)) : resolve(from, value))
  }
  return [...found]
}

function foldersOfGit(repository: string): { own: string; common: string } | undefined {
  try {
    const own = gitFolder(repository)
    return { own, common: commonGitFolder(own) }
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

function programOf({ env }: Machine): string[] {
  const places = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'git'))
  const found = places.find((path) => statOf(path) !== undefined)
  return found === undefined ? [] : [found]
}

/** Whether git agrees. If it does not, a file may appear in a place that is not watched. */
export async function areIgnored(machine: Machine, repository: string, folders: readonly string[]): Promise<boolean> {
  if (folders.length === 0) return true
  const input = folders.map((folder) => `${folder}\0`).join('')
  const stdout = await askGit(machine, repository, ['check-ignore', '--no-index', '-z', '--stdin'], { input })
  const agreed = new Set((stdout ?? '').split('\0'))
  return folders.every((folder) => agreed.has(folder))
}

const GIT_MS = 20_000
/** They are read at once, or never. */
const SETTINGS_MS = 5_000

/** Undefined if git cannot answer. */
export async function askGit(
  machine: Machine,
  repository: string,
  args: readonly string[],
  options: Pick<GitOptions, 'input' | 'timeoutMs'> = {},
): Promise<string | undefined> {
  try {
    return (await runGit(machine, repository, args, { timeoutMs: GIT_MS, okCodes: [0, 1], ...options })).stdout
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const NOWHERE: Stamp = [0, 0, 0, 0, 0]

/** STAMP_NUMBERS of each; zeros for what does not exist. */
export function stampsOf(paths: readonly string[]): Float64Array {
  const stamps = new Float64Array(paths.length * STAMP_NUMBERS)
  paths.forEach((path, at) => {
    const stat = statOf(path)
    stamps.set(stat === undefined ? NOWHERE : stampOf(stat), at * STAMP_NUMBERS)
  })
  return stamps
}

export function areSettled(stamps: Float64Array, now: Date): boolean {
  for (let at = 0; at < stamps.length; at += STAMP_NUMBERS) {
    if (!isSettled([0, 0, 0, stamps[at + 3]!, stamps[at + 4]!], now)) return false
  }
  return true
}

/** Whether all are unchanged. */
export function areStill(paths: readonly string[], stamps: Float64Array): boolean {
  return paths.every((path, at) => {
    const stat = statOf(path)
    const [inode, size, mode, modifiedAt, changedAt] = stat === undefined ? NOWHERE : stampOf(stat)
    const place = at * STAMP_NUMBERS
    return (
      stamps[place + 4] === changedAt &&
      stamps[place + 3] === modifiedAt &&
      stamps[place] === inode &&
      stamps[place + 1] === size &&
      stamps[place + 2] === mode
    )
  })
}
