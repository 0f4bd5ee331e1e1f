import type { SourceClass } from '../bundle.ts'
import type { Partitions } from '../context-settings.ts'

/** What a bundle may be at most. */
export interface Limits {
  maxFiles: number
  maxCharsPerFile: number
  /** Of the rendering, in the unit of the measure. */
  total: number
  partitions: Partitions
  /** Those that a user or a project set. They are never widened. */
  isSet?: { maxFiles: boolean; maxCharsPerFile: boolean }
}

/** Slices that a project can do without. */
export interface Configured {
  tactical: boolean
  adapter: boolean
}

/**
 * What each class may take of a space. The share of a slice that the project does not have goes to control plane and
 * task; that of one which is only switched off, or fails, stays empty, so that nothing else changes. Each share is
 * rounded by itself: the remainder is unused, so that no share shrinks when the space grows.
 */
export function sharesOf(space: number, partitions: Partitions, configured: Configured): Record<SourceClass, number> {
  const tactical = configured.tactical ? partitions.tactical : 0
  const adapter = configured.adapter ? partitions.adapter : 0
  const grounds = partitions.controlPlane + partitions.task
  const left = 100 - tactical - adapter
  const share = (percent: number) => Math.floor((space * percent) / 100)
  return {
    control_plane: grounds === 0 ? 0 : share((left * partitions.controlPlane) / grounds),
    task: grounds === 0 ? share(left) : share((left * partitions.task) / grounds),
    tactical: share(tactical),
    adapter: share(adapter),
  }
}

/**
 * What the classes before leave over goes to the optional slices in fixed parts: none of them has more because another
 * has nothing to say.
 */
export function partsOf(flowing: number, partitions: Partitions, configured: Configured) {
  const tactical = configured.tactical ? Math.max(1, partitions.tactical) : 0
  const adapter = configured.adapter ? Math.max(1, partitions.adapter) : 0
  const part = (weight: number) => (weight === 0 ? 0 : Math.floor((flowing * weight) / (tactical + adapter)))
  return { tactical: part(tactical), adapter: part(adapter) }
}

/** How many of the places are the control plane's share, to the nearest: one of two, and none of one. */
export function planePlaces({ maxFiles, partitions: { controlPlane, task } }: Limits): number {
  const grounds = controlPlane + task
  return grounds === 0 ? 0 : Math.round((maxFiles * controlPlane) / grounds)
}

/** Whose each place behind the control plane is, as long as a slice is configured; all further ones are the task's. */
const TURNS: readonly SourceClass[] = [
  'task',
  'task',
  'tactical',
  'task',
  'adapter',
  'task',
  'tactical',
  'task',
  'adapter',
]

/**
 * How many files of each class may be in the bundle, before their size is looked at. Optional slices keep a few places
 * however many files a task has, also while they have nothing to say. Places that the task does not need are theirs.
 */
export function placesOf(
  wanted: Readonly<Record<SourceClass, number>>,
  maxFiles: number,
  configured: Configured,
): Record<SourceClass, number> {
  const all = Math.max(0, Math.floor(maxFiles))
  const controlPlane = Math.min(wanted.control_plane, all)
  const left = all - controlPlane
  const turns = TURNS.filter((each) => each === 'task' || configured[each as keyof Configured]).slice(0, left)
  const turnsOf = (each: SourceClass) => turns.filter((turn) => turn === each).length
  const tasks = turnsOf('task') + left - turns.length
  const task = Math.min(wanted.task, tasks)
  const spare = tasks - task
  const isShared = configured.tactical && configured.adapter
  const tactical = turnsOf('tactical') + (isShared ? Math.ceil(spare / 2) : spare)
  const adapter = turnsOf('adapter') + (isShared ? Math.floor(spare / 2) : spare)
  return {
    control_plane: controlPlane,
    task,
    tactical: configured.tactical ? Math.min(wanted.tactical, tactical) : 0,
    adapter: configured.adapter ? Math.min(wanted.adapter, adapter) : 0,
  }
}

/** How long a text is, in characters or in tokens. Of two joined texts it is at most the sum. */
export type Measure = (text: string) => number

export const countCharacters: Measure = (text) => text.length

/** The longest beginning of a text, as `cut` makes it, within a size. */
export function cutToSize(
  text: string,
  size: number,
  measure: Measure,
  cut: (text: string, characters: number) => string,
): string {
  if (size <= 0) return ''
  if (measure === countCharacters) return cut(text, Math.floor(size))
  if (measure(text) <= size) return cut(text, text.length)
  let [fits, tooLong] = [0, text.length]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (measure(cut(text, middle)) <= size) fits = middle
    else tooLong = middle
  }
  return cut(text, fits)
}
