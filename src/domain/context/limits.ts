import type { Partitions } from './context-settings.ts'
import { SOURCE_CLASSES, type SourceClass } from './source-class.ts'

/** What a bundle may be at most. */
export interface Limits {
  maxFiles: number
  maxCharsPerFile: number
  /** Of the rendering, in the unit of the measure. */
  total: number
  partitions: Partitions
}

/** Slices that a project can do without. */
export interface Configured {
  tactical: boolean
  adapter: boolean
}

/**
 * What each class may take of a space. The share of a slice that the project does not have goes to control plane and
 * task; that of one which is only switched off, or fails, stays empty, so that nothing else changes.
 */
export function sharesOf(space: number, partitions: Partitions, configured: Configured): Record<SourceClass, number> {
  const tactical = configured.tactical ? partitions.tactical : 0
  const adapter = configured.adapter ? partitions.adapter : 0
  const grounds = partitions.controlPlane + partitions.task
  const left = 100 - tactical - adapter
  const share = (percent: number) => Math.floor((space * percent) / 100)
  const controlPlane = grounds === 0 ? 0 : share((left * partitions.controlPlane) / grounds)
  return {
    control_plane: controlPlane,
    task: Math.max(0, space - controlPlane - share(tactical) - share(adapter)),
    tactical: share(tactical),
    adapter: share(adapter),
  }
}

/** Places that an optional slice keeps, however many files come before it. */
const RESERVED_PLACES = 2

/** How many files of each class may be in the bundle, before their size is looked at. */
export function placesOf(wanted: Readonly<Record<SourceClass, number>>, maxFiles: number): Record<SourceClass, number> {
  const places: Record<SourceClass, number> = { control_plane: 0, task: 0, tactical: 0, adapter: 0 }
  const reserved = (later: readonly SourceClass[]) =>
    later
      .filter((each) => each === 'tactical' || each === 'adapter')
      .reduce((sum, each) => sum + Math.min(wanted[each], RESERVED_PLACES), 0)
  let left = Math.max(0, Math.floor(maxFiles))
  SOURCE_CLASSES.forEach((each, at) => {
    const keep = each === 'control_plane' ? 0 : reserved(SOURCE_CLASSES.slice(at + 1))
    places[each] = Math.min(wanted[each], Math.max(0, left - keep))
    left -= places[each]
  })
  return places
}
