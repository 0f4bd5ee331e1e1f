import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { failWith, unlessTrouble } from '../text/trouble.ts'
import { attempt } from '../text/values.ts'
import { asLoadoutError, isFile, isFolder } from './files.ts'
import type { Machine } from './machine.ts'
import { readProjectSettings, SETTINGS_FILE, type Settings } from './settings.ts'

const PAYLOADS_IN_PROJECT = '.claude/loadout'
export const INDEX_IN_PROJECT = `${PAYLOADS_IN_PROJECT}/index.json`

/** The project of a call. Opened once per call and passed on. */
export interface Project {
  /** The folder that the call named, or the working folder. */
  readonly place: string
  /** The folder of the project: its index, settings, notes and payloads are below it. */
  readonly root: string
  /** The nearest folder upwards from `place` that has a `.git`. */
  readonly repository: string | undefined
  /** The `loadout.json` of the root; read on first use, when its mistakes are reported. */
  readonly settings: Settings
}

/**
 * Behind `machine.openProject`, the only way to find a project. A named folder is used as it is, and must exist; an open project is returned
 * unchanged. Otherwise: the nearest folder upwards with payloads, an index or a `loadout.json`, up to the repository
 * root or, without a repository, up to the folders of this user; else the repository; else the working folder.
 */
export function openProject(machine: Machine, named?: string | Project): Project {
  if (typeof named === 'object') return named
  if (named !== undefined) return projectAt(machine, requireFolder(machine, named))
  const { cwd } = machine
  if (isProject(cwd)) return projectAt(machine, cwd)
  const repository = findRepository(cwd)
  const root = (repository === undefined ? ownFolders(machine, cwd) : upwards(cwd, repository)).find(isProject)
  return projectAt(machine, root ?? repository ?? cwd, cwd)
}

/** A folder as a project, whatever it contains; it need not exist. */
export function projectAt(machine: Machine, root: string, place = root): Project {
  let repository: string | undefined | null = null
  let settings: Settings | undefined
  return {
    place,
    root,
    get repository() {
      if (repository === null) repository = findRepository(place)
      return repository
    },
    get settings() {
      settings ??= readProjectSettings(machine, root)
      return settings
    },
  }
}

/**
 * Without a repository the extent of a project is unknown. The parents that count: up to, not including, the
 * home, the root of the disk, and any folder in which others may put a `loadout.json`, such as /tmp.
 */
function ownFolders(machine: Machine, start: string): string[] {
  const home = unlessTrouble(() => realOrSame(machine.home), undefined)
  const around = upwards(start, undefined)
  const end = around.findIndex(
    (folder, at) =>
      at > 0 &&
      (folder === home ||
        dirname(folder) === folder ||
        attempt(() => (statSync(folder).mode & WRITABLE_BY_OTHERS) !== 0, true)),
  )
  return end < 0 ? around : around.slice(0, end)
}

const WRITABLE_BY_OTHERS = 0o002

function requireFolder(machine: Machine, named: string): string {
  if (named === '') {
    throw failWith('USAGE/project')
  }
  const folder = machine.resolve(named)
  if (!isFolder(folder)) {
    const problem = existsSync(folder) ? 'is not a folder' : 'does not exist'
    throw failWith('NOT_A_FOLDER/project', { folder, problem })
  }
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
  } catch (error) {
    throw asLoadoutError(error, folder, 'read')
  }
  return folder
}

function isProject(folder: string): boolean {
  return isFolder(join(folder, PAYLOADS_IN_PROJECT)) || isFile(join(folder, SETTINGS_FILE))
}

/** The nearest folder upwards with a `.git`. */
export function findRepository(start: string): string | undefined {
  return upwards(start, undefined).find((folder) => existsSync(join(folder, '.git')))
}

/** A folder and its parents, innermost first, up to and including the last; without one, up to the root of the disk. */
export function upwards(start: string, last: string | undefined): string[] {
  const folders = [start]
  for (let folder = start; folder !== last && dirname(folder) !== folder; ) {
    folder = dirname(folder)
    folders.push(folder)
  }
  return folders
}

/** The real path. Missing parts keep their names below the part that exists. */
export function followLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(followLinks(dirname(path)), basename(path))
  }
}

/** The real path; a path that does not exist is returned unchanged. */
export function realOrSame(path: string): string {
  return attempt(() => realpathSync(path), path)
}
