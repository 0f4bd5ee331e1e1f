import { basename, dirname, join, normalize, relative } from 'node:path'
import { matchesPath, readGlob } from '../machine/glob.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT, type Project, realFolder } from '../machine/open-project.ts'
import { SETTINGS_FILE } from '../machine/settings.ts'
import type { FindRequest } from '../project/find-files.ts'
import { pointToFiles, pointWhenSure } from '../project/point-to-files.ts'
import { type FilePointer, pointerText } from '../project/rules/file-pointer.ts'
import type { Task } from '../search/task.ts'
import { failWith } from '../text/trouble.ts'
import { quickDigest } from '../text/values.ts'
import { isInPack } from './disk/read-candidate.ts'
import type { ContextSettings, Intent } from './rules/context-settings.ts'
import { chooseIntent } from './rules/presets.ts'
import { contextSettings } from './settings.ts'

// The weight of a file that an intent or a setting names.
const BOOST = 1.5
const LIFT = 1.3

/** How to search the project's own files for a task; undefined if only patterns choose. */
export function findRequest(
  project: Project,
  settings: ContextSettings,
  {
    task,
    intent,
    excluded = [],
    near,
  }: { task: Task; intent: Intent; excluded?: readonly string[]; near?: readonly string[] },
): FindRequest | undefined {
  const { project: choice } = settings
  if (choice === undefined) return undefined
  const hidden = new Set([...sourcesOf(settings), ...excluded])
  const isExcluded = matcher(choice.exclude)
  // Payloads and their index reach a bundle in their own way.
  const payloads = [...project.settings.payloads, INDEX_IN_PROJECT]
  const isPayload = matcher(payloads)
  // Hashed, because it is cached, and settings may contain secrets.
  const leaveOutRule = quickDigest(JSON.stringify([[...hidden], choice.exclude, payloads]))
  const isBoosted = matcher(choice.boost)
  // The default intent does not describe the task.
  const isIntended = intent.keywords.length === 0 ? () => false : matcher(intent.include)
  const leaveOut: NonNullable<FindRequest['leaveOut']> = (path) => {
    if (hidden.has(path) || isOwn(path) || isPayload(path)) return 'hidden'
    if (isInPack(path)) return 'gate'
    return isExcluded(path) ? 'excluded' : undefined
  }
  const lift = (path: string) => (isBoosted(path) ? BOOST : 1) * (isIntended(path) ? LIFT : 1)
  return { task, project, leaveOut, leaveOutRule, lift, useHistory: choice.history, near }
}

/** Settings, notes and adapter files: a bundle is made from them, so they do not count as files of the project. */
function sourcesOf({ tactical, adapters }: ContextSettings): string[] {
  return [SETTINGS_FILE, tactical?.path, ...adapters.map(({ file }) => file)].flatMap((path) => path ?? [])
}

/** The paths of a file inside the project, by its own name and by that of a link's target. */
export function namesInside(machine: Machine, root: string, path: string): string[] {
  const names = [join(realFolder(machine, dirname(path)), basename(path)), realFolder(machine, path)]
  return [...new Set(names.map((name) => relative(root, name)))].filter((name) => !/^\.\.(?:\/|$)/.test(name))
}

/** Refuses to write the bundle over a file that the next bundle needs. */
export function refuseSource(names: readonly string[], settings: ContextSettings): void {
  const source = sourcesOf(settings).find((path) => names.includes(normalize(path)))
  if (source === undefined) return
  throw failWith('WRITE_FAILED/own-source', { source })
}

/** Notes, examples and indexes reach a bundle in their own way, or not at all. */
function isOwn(path: string): boolean {
  return /^(?:\.loadout|\.claude\/loadout)\//.test(path)
}

function matcher(patterns: readonly string[]): (path: string) => boolean {
  const globs = patterns.map(readGlob)
  return (path) => globs.some((glob) => matchesPath(glob, path))
}

/** Like `findRequest`, with the intent detected from the task. */
export function requestFor(project: Project, settings: ContextSettings, task: Task): FindRequest | undefined {
  const { key } = chooseIntent(task, settings.intents)
  const intent = settings.intents.find((each) => each.key === key) ?? { key, keywords: [], include: [] }
  return findRequest(project, settings, { task, intent })
}

/** Places in the project's own files about a task; empty if only patterns choose. A hook points only when sure. */
export async function pointIntoProject(
  machine: Machine,
  { task, project, limit }: { task: Task; project: Project; limit: number },
  point: typeof pointToFiles = pointToFiles,
): Promise<FilePointer[]> {
  const request = requestFor(project, contextSettings(project), task)
  return request === undefined ? [] : point(machine, request, limit)
}

/** For a hook: only when the answer is certain. `line` is the place with each part cleaned for its reader. */
export async function pointersWhenSure(machine: Machine, request: { task: Task; project: Project; limit: number }) {
  const pointers = await pointIntoProject(machine, request, pointWhenSure)
  return pointers.map((pointer) => ({
    path: pointer.path,
    line: (clean: (part: string) => string) => pointerText(pointer, clean),
  }))
}
