import type { SourceClass } from '../bundle.ts'
import type { Partitions } from '../context-settings.ts'

/** The maximum size of a bundle. */
export interface Limits {
  maxFiles: number
  maxCharsPerFile: number
  /** Of the rendering, in the unit of the measure. */
  total: number
  partitions: Partitions
  /** Limits that a user or a project set. They are never widened. */
  isSet?: { maxFiles: boolean; maxCharsPerFile: boolean }
}

/** Optional slices. */
export interface Configured {
  tactical: boolean
  adapter: boolean
}

/**
 * The shares of each class. The share of a slice that the project does not have goes to control plane and task; the
 * share of one that is only switched off, or fails, stays empty, so that nothing else changes. Each share is rounded by
 * itself: the remainder is unused, so that no share shrinks when the space grows.
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
 * What earlier classes leave goes to the optional slices in fixed parts: none gets more because another is empty.
 */
export function partsOf(flowing: number, partitions: Partitions, configured: Configured) {
  const tactical = configured.tactical ? Math.max(1, partitions.tactical) : 0
  const adapter = configured.adapter ? Math.max(1, partitions.adapter) : 0
  const part = (weight: number) => (weight === 0 ? 0 : Math.floor((flowing * weight) / (tactical + adapter)))
  return { tactical: part(tactical), adapter: part(adapter) }
}

/** The number of places of the control plane, by its share, rounded: one of two, and none of one. */
export function planePlaces({ maxFiles, partitions: { controlPlane, task } }: Limits): number {
  const grounds = controlPlane + task
  return grounds === 0 ? 0 : Math.round((maxFiles * controlPlane) / grounds)
}

/** The class of each place after the control plane, if its slice is configured; all others belong to the task. */
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
 * How many files of each class may be in the bundle, before sizes count. Optional slices keep a few places however many
 * files a task has, even if empty. Places that the task does not need go to them.
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
