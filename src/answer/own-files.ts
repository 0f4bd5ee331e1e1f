import { basename, dirname, join, normalize, relative } from 'node:path'
import { matchesPath, readGlob } from '../machine/glob.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT, type Project } from '../machine/open-project.ts'
import { SETTINGS_FILE } from '../machine/settings.ts'
import { isInPack } from '../packs/rules/pack.ts'
import { FileFinder, type FindRequest } from '../project/find-files.ts'
import { pointAtOnce, pointToFiles, pointWhenSure } from '../project/point-to-files.ts'
import type { FilePointer } from '../project/rules/file-pointer.ts'
import type { Task } from '../search/task.ts'
import { failWith } from '../text/trouble.ts'
import { type ContextSettings, chooseIntent, contextSettings, type Intent, intentOf } from './settings.ts'

export { pointerText } from '../project/rules/file-pointer.ts'

interface OwnFilesRequest {
  project: Project
  task: Task
  settings?: ContextSettings
  /** Default: the one detected from the task. */
  intent?: Intent
  excluded?: readonly string[]
  near?: readonly string[]
}

/** How to search the project's own files for a task; undefined if only patterns choose. */
export function findRequest({
  project,
  task,
  excluded = [],
  near,
  ...given
}: OwnFilesRequest): FindRequest | undefined {
  const { settings = contextSettings(project) } = given
  const { project: choice, intents } = settings
  if (choice === undefined) return undefined
  const { intent = intentOf(chooseIntent(task, intents), intents) } = given
  const hidden = new Set([...sourcesOf(settings), ...excluded])
  const isExcluded = matcher(choice.exclude)
  // Payloads and their index reach a bundle in their own way.
  const isPayload = matcher([...project.settings.payloads, INDEX_IN_PROJECT])
  const isBoosted = matcher(choice.boost)
  // The default intent does not describe the task.
  const isIntended = intent.keywords.length === 0 ? () => false : matcher(intent.include)
  return {
    task,
    project,
    near,
    useHistory: choice.history,
    leaveOutBy: JSON.stringify([[...hidden], choice.exclude, project.settings.payloads]),
    leaveOut: (path) => {
      // Notes, examples and indexes reach a bundle in their own way, or not at all.
      const isOwn = /^(?:\.loadout|\.claude\/loadout)\//.test(path)
      if (hidden.has(path) || isOwn || isPayload(path)) return 'hidden'
      if (isInPack(path)) return 'gate'
      return isExcluded(path) ? 'excluded' : undefined
    },
    lift: (path) => (isBoosted(path) ? 1.5 : 1) * (isIntended(path) ? 1.3 : 1),
  }
}

/** Settings, notes and adapter files: a bundle is made from them, so they do not count as files of the project. */
function sourcesOf({ tactical, adapters }: ContextSettings): string[] {
  return [SETTINGS_FILE, tactical?.path, ...adapters.map(({ file }) => file)].flatMap((path) => path ?? [])
}

function matcher(patterns: readonly string[]): (path: string) => boolean {
  const globs = patterns.map(readGlob)
  return (path) => globs.some((glob) => matchesPath(glob, path))
}

/** The paths of a file inside the project, by its own name and by that of a link's target. */
export function namesInside(machine: Machine, root: string, path: string): string[] {
  const names = [join(machine.realFolder(dirname(path)), basename(path)), machine.realFolder(path)]
  return [...new Set(names.map((name) => relative(root, name)))].filter((name) => !/^\.\.(?:\/|$)/.test(name))
}

/** Refuses to write the bundle over a file that the next bundle needs. */
export function refuseSource(names: readonly string[], settings: ContextSettings): void {
  const source = sourcesOf(settings).find((path) => names.includes(normalize(path)))
  if (source !== undefined) throw failWith('WRITE_FAILED/own-source', { source })
}

/**
 * Places in the project's own files about a task; empty if only patterns choose. `isSure`, for a hook: only when it is
 * sure. `isAtOnce`: without an index, within about a second.
 */
export async function pointIntoProject(
  machine: Machine,
  {
    limit,
    isSure = false,
    isAtOnce,
    ...asked
  }: { task: Task; project: Project; limit: number; isSure?: boolean; isAtOnce?: boolean },
): Promise<FilePointer[]> {
  const request = findRequest(asked)
  if (request === undefined) return []
  const finder = new FileFinder(machine)
  if (isAtOnce) return pointAtOnce(finder, request, { limit, isSure })
  return isSure ? pointWhenSure(finder, request, limit) : pointToFiles(finder, request, limit)
}
