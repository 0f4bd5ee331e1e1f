import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { failWith, type LoadoutError } from '../text/trouble.ts'
import { attempt } from '../text/values.ts'
import { exists, isFile, isFolder, readText } from './files.ts'

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
