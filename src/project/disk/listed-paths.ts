import { delimiter, dirname, join, relative, resolve, sep } from 'node:path'
import { type CacheKey, RecentValues } from '../../machine/cache.ts'
import { commonGitFolder, gitFolder, isBareRepository } from '../../machine/git-process.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { type GitOptions, Repository } from '../../machine/repository.ts'
import { Walk } from '../../machine/walk.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText, keyOf } from '../../text/values.ts'
import { LEFT_OUT, leftOutByPath } from '../rules/candidates.ts'
import { areSame, areSettled, bytesOf, STAMP_NUMBERS, stampsOf, statOf } from './stamps.ts'

// The paths of a project, as git lists them. Starting git takes longer than the rest of a warm question, so the list is
// cached with its witnesses: every folder that git read, every .gitignore, the index and settings of git. A change of
// the list always changes the stamp of one of them.

interface ListedPaths {
  /** Sorted by code units. */
  paths: readonly string[]
  /** See `keyOf`. */
  keys: Float64Array
  /** Why a path is not a candidate, judging by the path alone: an index into LEFT_OUT, or NO_REASON. */
  reasons: Uint8Array
  by: 'git' | 'walk'
}

export const NO_REASON = 255

export interface KnownPaths extends ListedPaths {
  /** A change of the list changes one of these. */
  witnesses: readonly string[]
  /** See `stampsOf`. */
  stamps: Float64Array
}

const kept = new RecentValues<KnownPaths>(4)

/** The files that git tracks or would track; without git, those that no .gitignore excludes. Opens none. */
export async function listPaths(
  machine: Machine,
  { root, repository }: Pick<Project, 'root' | 'repository'>,
): Promise<ListedPaths | KnownPaths> {
  const prefix = repository === undefined ? undefined : prefixOf(repository, root)
  if (repository === undefined || prefix === undefined) return describe(listByWalk(root), 'walk')
  const key: CacheKey = { kind: 'project-paths', version: 2, name: [root], state: surroundings(machine, repository) }
  const name = JSON.stringify([root, key.state])
  const known = kept.get(name) ?? machine.cache.read(key, decode)
  if (known !== undefined && areSame(stampsOf(known.witnesses), known.stamps)) {
    kept.set(name, known)
    return known
  }
  const now = machine.now()
  const git = new Repository(machine, repository)
  const witnesses = await findWitnesses(git, prefix)
  if (witnesses === 'stuck') return describe(listByWalk(root), 'walk')
  const stamps = stampsOf(witnesses?.paths ?? [])
  // Runs nothing that the repository chooses: listing needs neither filters nor hooks, and the file monitor is off.
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...limitTo(prefix)]
  const listed = await askGit(git, args)
  if (listed === undefined) return describe(listByWalk(root), 'walk')
  const inside = listed.split('\0').filter((path) => path !== '' && !path.endsWith('/') && path.startsWith(prefix))
  const found = describe([...new Set(inside.map((path) => path.slice(prefix.length)))].sort(compareText), 'git')
  if (witnesses === undefined || !areSettled(stamps, now)) return found
  if (!(await areIgnored(git, witnesses.ignored))) return found
  const fresh: KnownPaths = { ...found, witnesses: witnesses.paths, stamps }
  kept.set(name, fresh)
  machine.cache.write(key, encode(fresh))
  return fresh
}

/** Where a folder is in its repository: with a trailing slash, or empty; undefined when it is not inside. */
export function prefixOf(repository: string, root: string): string | undefined {
  const inside = relative(repository, root).split(sep).join('/')
  if (inside.startsWith('..')) return undefined
  return inside === '' ? '' : `${inside}/`
}

/** Settings of git outside any file. */
export function surroundings({ env, home }: Machine, repository: string): string {
  const steering = Object.entries(env).filter(([name]) =>
    /^(?:GIT_CONFIG|GIT_EXEC_PATH|XDG_CONFIG_HOME$|PATH$)/.test(name),
  )
  return JSON.stringify([repository, home, steering.sort(([a], [b]) => compareText(a, b))])
}

function describe(paths: readonly string[], by: ListedPaths['by']): ListedPaths {
  const keys = Float64Array.from(paths, keyOf)
  const reasons = Uint8Array.from(paths, (path) => {
    const reason = leftOutByPath(path)
    return reason === undefined ? NO_REASON : LEFT_OUT.indexOf(reason)
  })
  return { paths, keys, reasons, by }
}

export function limitTo(prefix: string): string[] {
  return prefix === '' ? [] : ['--', `:(literal)${prefix}`]
}

function listByWalk(root: string): string[] {
  if (isBareRepository(root)) return []
  const ignore = ['versions', 'dependencies'] as const
  const walk = new Walk(root, { ignore, useGitignore: true, mostFolders: 50_000 })
  const paths: string[] = []
  for (const { inside, entries, enter } of walk.folders()) {
    for (const { name, kind, isIgnored, isNameable } of entries) {
      if (isIgnored) continue
      if (kind === 'folder' && isNameable) enter(name)
      else if (kind === 'file') paths.push(inside === '' ? name : `${inside}/${name}`)
    }
  }
  return paths.sort(compareText)
}

// Two numbers, the stamps of the witnesses, the keys, the reasons, then all paths, each terminated by NUL.
function encode({ paths, keys, reasons, witnesses, stamps }: KnownPaths): Uint8Array {
  const head = Uint32Array.of(witnesses.length, paths.length)
  const names = Buffer.from([...witnesses, ...paths].map((path) => `${path}\0`).join(''))
  return Buffer.concat([bytesOf(head), bytesOf(stamps), bytesOf(keys), reasons, names])
}

function decode(bytes: Uint8Array): KnownPaths | undefined {
  const [witnessCount = 0, pathCount = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 2)
  let at = bytes.byteOffset + 8
  const stamps = new Float64Array(bytes.buffer, at, witnessCount * STAMP_NUMBERS)
  at += stamps.byteLength
  const keys = new Float64Array(bytes.buffer, at, pathCount)
  at += keys.byteLength
  const reasons = new Uint8Array(bytes.buffer, at, pathCount)
  at += pathCount
  const names = Buffer.from(bytes.buffer, at, bytes.byteOffset + bytes.length - at).toString('utf8')
  const all = names.split('\0')
  if (all.length !== witnessCount + pathCount + 1) return undefined
  return { witnesses: all.slice(0, witnessCount), stamps, paths: all.slice(witnessCount, -1), keys, reasons, by: 'git' }
}

// The files that git reads to list a project. If none of them has changed, neither has the list.

interface Witnesses {
  paths: string[]
  /** Folders that were not entered because a .gitignore excludes them; relative to the repository. */
  ignored: string[]
}

/** Undefined: not all of them are known. `stuck`: git would fail, or wait for the writer of a pipe. */
async function findWitnesses(repository: Repository, prefix: string): Promise<Witnesses | 'stuck' | undefined> {
  const settings = await settingsOfGit(repository)
  const isPipe = (path: string) => statOf(path)?.isFIFO() || statOf(path)?.isSocket()
  if (settings === 'stuck' || settings?.some(isPipe)) return 'stuck'
  const folders = foldersOf(repository.path, prefix)
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
async function settingsOfGit(git: Repository): Promise<string[] | 'stuck' | undefined> {
  const { machine, path: repository } = git
  const words = ['config', '--list', '--show-origin', '-z', '--includes']
  // They are read at once, or never.
  const listed = await askGit(git, words, { timeoutMs: 5_000 })
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
async function areIgnored(git: Repository, folders: readonly string[]): Promise<boolean> {
  if (folders.length === 0) return true
  const input = folders.map((folder) => `${folder}\0`).join('')
  const stdout = await askGit(git, ['check-ignore', '--no-index', '-z', '--stdin'], { input })
  const agreed = new Set((stdout ?? '').split('\0'))
  return folders.every((folder) => agreed.has(folder))
}

/** Undefined if git cannot answer. */
export async function askGit(
  git: Repository,
  args: readonly string[],
  options: Pick<GitOptions, 'input' | 'timeoutMs'> = {},
): Promise<string | undefined> {
  try {
    return (await git.git(args, { timeoutMs: 20_000, okCodes: [0, 1], ...options })).stdout
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}
