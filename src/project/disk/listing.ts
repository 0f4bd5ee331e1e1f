import { lstatSync, type Stats } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { runGit } from '../../machine/git.ts'
import { isUnfinished } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { Walk } from '../../machine/walk.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { LARGEST_FILE, type LeftOut, leftOutByPath } from '../rules/candidates.ts'

/** A file that may be about a task, as it was when it was looked at. */
export interface ListedFile {
  path: string
  stat: Stats
}

export interface Listing {
  /** By path, in code units. */
  files: ListedFile[]
  leftOut: Map<LeftOut, number>
  by: 'git' | 'walk'
}

const GIT_MS = 20_000

/** The files that git tracks or would track; without git, those that no .gitignore names. None is opened. */
export async function listProject(
  machine: Machine,
  { root, repository }: Pick<Project, 'root' | 'repository'>,
  why: (path: string) => LeftOut | 'hidden' | undefined,
): Promise<Listing> {
  const tracked = repository === undefined ? undefined : await listByGit(machine, root, repository)
  const paths = tracked ?? listByWalk(root)
  const leftOut = new Map<LeftOut, number>()
  const files: ListedFile[] = []
  for (const path of paths) {
    const given = why(path)
    if (given === 'hidden' || isUnfinished(path.slice(path.lastIndexOf('/') + 1))) continue
    const reason = leftOutByPath(path) ?? given
    const stat = reason === undefined ? statOf(join(root, path)) : undefined
    const found = reason ?? (stat === undefined ? undefined : reasonOf(stat))
    if (found !== undefined) leftOut.set(found, (leftOut.get(found) ?? 0) + 1)
    else if (stat !== undefined) files.push({ path, stat })
  }
  return { files, leftOut, by: tracked === undefined ? 'walk' : 'git' }
}

/** A file that git knows and that is gone is no candidate, and not worth a word. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function reasonOf(stat: Stats): LeftOut | undefined {
  if (!stat.isFile()) return 'special'
  return stat.size > LARGEST_FILE ? 'large' : undefined
}

/** Nothing of the repository's choosing runs: listing needs neither filters nor hooks, and the file monitor is off. */
async function listByGit(machine: Machine, root: string, repository: string): Promise<string[] | undefined> {
  const inside = relative(repository, root).split(sep).join('/')
  if (inside.startsWith('..')) return undefined
  const prefix = inside === '' ? '' : `${inside}/`
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  try {
    const { stdout } = await runGit(machine, repository, [...args, ...limitTo(prefix)], { timeoutMs: GIT_MS })
    const paths = new Set<string>()
    for (const path of stdout.split('\0')) {
      if (path !== '' && !path.endsWith('/') && path.startsWith(prefix)) paths.add(path.slice(prefix.length))
    }
    return [...paths].sort(compareText)
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
