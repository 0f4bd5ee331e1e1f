import { delimiter, dirname, join, resolve } from 'node:path'
import { commonGitFolder, gitFolder } from '../../machine/git-process.ts'
import type { Machine } from '../../machine/machine.ts'
import { type GitOptions, runGit } from '../../machine/repository.ts'
import { Walk } from '../../machine/walk.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { statOf } from './stamps.ts'

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
  const isPipe = (path: string) => statOf(path)?.isFIFO() || statOf(path)?.isSocket()
  if (settings === 'stuck' || settings?.some(isPipe)) return 'stuck'
  const folders = foldersOf(repository, prefix)
  if (folders === 'stuck') return 'stuck'
  return settings && folders && { ...folders, paths: [...settings, ...folders.paths] }
}

function foldersOf(repository: string, prefix: string): Witnesses | 'stuck' | undefined {
  // For folders with more entries, asking git is not much slower than reading all the stamps.
  const walk = new Walk(repository, { useGitignore: true, mostFolders: 20_000 })
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
  // They are read at once, or never.
  const listed = await askGit(machine, repository, words, { timeoutMs: 5_000 })
  if (listed === undefined) return 'stuck'
  let own: string
  let common: string
  try {
    own = gitFolder(repository)
    common = commonGitFolder(own)
  } catch (error) {
    if (error instanceof LoadoutError) return 'stuck'
    throw error
  }
  const { home, env } = machine
  const global = join(machine.xdgConfigHome, 'git')
  const programs = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'git'))
  const program = programs.find((path) => statOf(path) !== undefined)
  const found = new Set([
    ...['index', 'HEAD', 'config.worktree'].map((name) => join(own, name)),
    ...['config', 'info/exclude'].map((name) => join(common, name)),
    ...[join(global, 'config'), join(global, 'ignore'), join(home, '.gitconfig'), '/etc/gitconfig'],
    ...(program === undefined ? [] : [program]),
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

/** Whether git agrees. If it does not, a file may appear in a place that is not watched. */
export async function areIgnored(machine: Machine, repository: string, folders: readonly string[]): Promise<boolean> {
  if (folders.length === 0) return true
  const input = folders.map((folder) => `${folder}\0`).join('')
  const stdout = await askGit(machine, repository, ['check-ignore', '--no-index', '-z', '--stdin'], { input })
  const agreed = new Set((stdout ?? '').split('\0'))
  return folders.every((folder) => agreed.has(folder))
}

/** Undefined if git cannot answer. */
export async function askGit(
  machine: Machine,
  repository: string,
  args: readonly string[],
  options: Pick<GitOptions, 'input' | 'timeoutMs'> = {},
): Promise<string | undefined> {
  try {
    return (await runGit(machine, repository, args, { timeoutMs: 20_000, okCodes: [0, 1], ...options })).stdout
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}
