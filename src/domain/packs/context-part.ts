import type { PackLayer } from './vocabulary.ts'

/** A piece of a pack that goes to the model: some lines of a file, or text made from its records. */
export interface ContextPart {
  path: string
  layer: PackLayer | 'guide'
  /** Counted from 1, both included. Absent when the text was put together from records. */
  lines?: { from: number; to: number }
  text: string
}
