import { type Stats, statSync } from 'node:fs'
import { delimiter, join, relative, resolve, sep } from 'node:path'
import { type CacheKey, isSettled, readCached, type Stamp, stampOf, writeCached } from '../../machine/cache.ts'
import { runGit } from '../../machine/git.ts'
import { commonGitFolder, gitFolder } from '../../machine/git-folder.ts'
import { Kept } from '../../machine/kept.ts'
import { type Machine, xdgConfigHome } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { Walk } from '../../machine/walk.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText, keyOf } from '../../text/values.ts'
import { LEFT_OUT, leftOutByPath } from '../rules/candidates.ts'

// The paths of a project, as git lists them. Starting git takes longer than all else that a warm question needs, so the
// list is kept with its witnesses: every folder that git looked into, every .gitignore, the index and settings of git.
// Whatever changes the list changes the stamp of one of them.

export interface ListedPaths {
  /** Sorted by code units. */
  paths: readonly string[]
  /** See `keyOf`. */
  keys: Float64Array
  /** Why a path is no candidate, as far as it tells itself: a place in LEFT_OUT, or NO_REASON. */
  reasons: Uint8Array
  by: 'git' | 'walk'
}

export const NO_REASON = 255

interface KnownPaths extends ListedPaths {
  witnesses: readonly string[]
  /** NUMBERS of each; zeros for what does not exist. */
  stamps: Float64Array
}

const KIND = 'project-paths'
const VERSION = 1
const NUMBERS = 5
const KEPT_PROJECTS = 4
const GIT_MS = 20_000

const kept = new Kept<KnownPaths>(KEPT_PROJECTS)

/** The files that git tracks or would track; without git, those that no .gitignore names. None is opened. */
export async function listPaths(
  machine: Machine,
  { root, repository }: Pick<Project, 'root' | 'repository'>,
): Promise<ListedPaths> {
  const prefix = repository === undefined ? undefined : insideOf(repository, root)
  if (repository === undefined || prefix === undefined) return describe(listByWalk(root), 'walk')
  const key: CacheKey = { kind: KIND, version: VERSION, name: [root], state: surroundings(machine, repository) }
  const name = JSON.stringify([root, key.state])
  const known = kept.get(name) ?? readCached(machine, key, decode)
  if (known !== undefined && isStill(known)) {
    kept.set(name, known)
    return known
  }
  const now = machine.now()
  const witnesses = await findWitnesses(machine, repository, prefix)
  const stamps = stampsOf(witnesses?.paths ?? [])
  const listed = await listByGit(machine, repository, prefix)
  if (listed === undefined) return describe(listByWalk(root), 'walk')
  const found = describe(listed, 'git')
  if (witnesses === undefined || !areSettled(stamps, now)) return found
  if (!(await areIgnored(machine, repository, witnesses.ignored))) return found
  const fresh: KnownPaths = { ...found, witnesses: witnesses.paths, stamps }
  kept.set(name, fresh)
  writeCached(machine, key, encode(fresh))
  return fresh
}

/** With a slash at its end, or empty; undefined when the root is not inside. */
function insideOf(repository: string, root: string): string | undefined {
  const inside = relative(repository, root).split(sep).join('/')
  if (inside.startsWith('..')) return undefined
  return inside === '' ? '' : `${inside}/`
}

/** What steers git from outside of any file. */
function surroundings({ env, home }: Machine, repository: string): string {
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

/** Nothing of the repository's choosing runs: listing needs neither filters nor hooks, and the file monitor is off. */
async function listByGit(machine: Machine, repository: string, prefix: string): Promise<string[] | undefined> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...limitTo(prefix)]
  const stdout = await askGit(machine, repository, args)
  if (stdout === undefined) return undefined
  const paths = new Set<string>()
  for (const path of stdout.split('\0')) {
    if (path !== '' && !path.endsWith('/') && path.startsWith(prefix)) paths.add(path.slice(prefix.length))
  }
  return [...paths].sort(compareText)
}

async function askGit(machine: Machine, repository: string, args: string[], input?: string) {
  try {
    const options = { timeoutMs: GIT_MS, okCodes: [0, 1], ...(input !== undefined && { input }) }
    return (await runGit(machine, repository, args, options)).stdout
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

export function limitTo(prefix: string): string[] {
  return prefix === '' ? [] : ['--', `:(literal)${prefix}`]
}

const MOST_FOLDERS = 50_000

function listByWalk(root: string): string[] {
  const ignore = ['versions', 'dependencies'] as const
  const walk = new Walk(root, { ignore, useGitignore: true, mostFolders: MOST_FOLDERS })
  const paths: string[] = []
  for (const { inside, entries, enter } of walk.folders()) {
    for (const { name, kind, isIgnored, isNameable } of entries) {
      if (isIgnored || !isNameable) continue
      if (kind === 'folder') enter(name)
      else if (kind === 'file') paths.push(inside === '' ? name : `${inside}/${name}`)
    }
  }
  return paths.sort(compareText)
}

interface Witnesses {
  paths: string[]
  /** Folders that were not entered because a .gitignore names them; from the repository. */
  ignored: string[]
}

/** Undefined when not all of them can be told. */
async function findWitnesses(machine: Machine, repository: string, prefix: string): Promise<Witnesses | undefined> {
  const settings = await settingsOfGit(machine, repository)
  const folders = settings && foldersOf(repository, prefix)
  return folders && { ...folders, paths: [...settings, ...folders.paths] }
}

/** Of folders with more in them, a question of git is not much slower than asking for all the stamps. */
const MOST_WITNESSES = 20_000

function foldersOf(repository: string, prefix: string): Witnesses | undefined {
  const walk = new Walk(repository, { useGitignore: true, mostFolders: MOST_WITNESSES })
  const [paths, ignored]: [string[], string[]] = [[], []]
  // Of the folders above the root, only their .gitignore files count.
  const above = prefix.split('/').slice(0, -1)
  above.forEach((_, at) => {
    const folder = join(repository, ...above.slice(0, at))
    paths.push(folder, join(folder, '.gitignore'))
  })
  for (const { path, inside, entries, enter } of walk.folders(prefix)) {
    paths.push(path)
    for (const { name, kind, isIgnored, isNameable } of entries) {
      if (!isNameable) return undefined
      if (name === '.gitignore') paths.push(join(path, name))
      if (kind !== 'folder' || name === '.git') continue
      if (isIgnored) ignored.push(inside === '' ? name : `${inside}/${name}`)
      else enter(name)
    }
  }
  const { count, unreadable } = walk.leftOut
  return count > 0 || unreadable.length > 0 ? undefined : { paths, ignored }
}

/** The files that git reads its settings and its general list of ignored names from, there or not. */
async function settingsOfGit(machine: Machine, repository: string): Promise<string[] | undefined> {
  const listed = await askGit(machine, repository, ['config', '--list', '--show-origin', '-z', '--includes'])
  if (listed === undefined) return undefined
  const folders = foldersOfGit(repository)
  if (folders === undefined) return undefined
  const { own, common } = folders
  const { home } = machine
  const global = join(xdgConfigHome(machine), 'git')
  const found = new Set([
    ...['index', 'HEAD', 'config.worktree'].map((name) => join(own, name)),
    ...['config', 'info/exclude'].map((name) => join(common, name)),
    ...[join(global, 'config'), join(global, 'ignore'), join(home, '.gitconfig'), '/etc/gitconfig'],
    ...programOf(machine),
  ])
  const fields = listed.split('\0')
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (fields[at]!.startsWith('file:')) found.add(resolve(repository, fields[at]!.slice(5)))
    const [, excludes] = /^core\.excludesfile\n(.*)$/s.exec(fields[at + 1]!) ?? []
    if (excludes === undefined) continue
    if (/^(?:~[^/]|%)/.test(excludes)) return undefined
    found.add(excludes.startsWith('~/') ? join(home, excludes.slice(2)) : resolve(repository, excludes))
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

/** Whether git agrees. Where it does not, a file may appear where nobody looks. */
async function areIgnored(machine: Machine, repository: string, folders: readonly string[]): Promise<boolean> {
  if (folders.length === 0) return true
  const input = folders.map((folder) => `${folder}\0`).join('')
  const stdout = await askGit(machine, repository, ['check-ignore', '--no-index', '-z', '--stdin'], input)
  const agreed = new Set((stdout ?? '').split('\0'))
  return folders.every((folder) => agreed.has(folder))
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const NOWHERE: Stamp = [0, 0, 0, 0, 0]

function stampsOf(paths: readonly string[]): Float64Array {
  const stamps = new Float64Array(paths.length * NUMBERS)
  paths.forEach((path, at) => {
    const stat = statOf(path)
    stamps.set(stat === undefined ? NOWHERE : stampOf(stat), at * NUMBERS)
  })
  return stamps
}

function areSettled(stamps: Float64Array, now: Date): boolean {
  for (let at = 0; at < stamps.length; at += NUMBERS) {
    if (!isSettled([0, 0, 0, stamps[at + 3]!, stamps[at + 4]!], now)) return false
  }
  return true
}

function isStill({ witnesses, stamps }: KnownPaths): boolean {
  return witnesses.every((path, at) => {
    const stat = statOf(path)
    const [inode, size, mode, modifiedAt, changedAt] = stat === undefined ? NOWHERE : stampOf(stat)
    const place = at * NUMBERS
    return (
      stamps[place + 4] === changedAt &&
      stamps[place + 3] === modifiedAt &&
      stamps[place] === inode &&
      stamps[place + 1] === size &&
      stamps[place + 2] === mode
    )
  })
}

// Two numbers, the stamps of the witnesses, the keys, the reasons, then all paths, each ended by NUL.
function encode({ paths, keys, reasons, witnesses, stamps }: KnownPaths): Uint8Array {
  const bytes = (array: Float64Array | Uint32Array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  const head = Uint32Array.of(witnesses.length, paths.length)
  return Buffer.concat([
    bytes(head),
    bytes(stamps),
    bytes(keys),
    reasons,
    Buffer.from([...witnesses, ...paths].map((path) => `${path}\0`).join('')),
  ])
}

function decode(bytes: Uint8Array): KnownPaths | undefined {
  const [witnessCount = 0, pathCount = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 2)
  let at = bytes.byteOffset + 8
  const stamps = new Float64Array(bytes.buffer, at, witnessCount * NUMBERS)
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
