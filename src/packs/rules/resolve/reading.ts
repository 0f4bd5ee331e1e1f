import type { Guide } from '../fence/guide.ts'
import type { PackManifest } from '../pack.ts'
import type { PackFiles } from '../pack-files.ts'
import type { Records } from '../records/health.ts'
import type { TaskWords } from '../task-words.ts'
import type { PackRequest } from './resolution.ts'

/** A pack while it is read for a task: what is known of it before a line of its content is chosen. */
export interface Reading {
  manifest: PackManifest
  files: PackFiles
  guide: Guide
  records: Records
  request: PackRequest
  /** The words of the task that are not the pack's own name: those that ask for something in it. */
  words: TaskWords
}

/** Whether a file is prose that a model can read. */
export function isProse(path: string): boolean {
  return /\.(?:md|markdown|txt)$/i.test(path)
}

/** What the guide's map says about a path. */
export function hintFor({ guide }: Reading, path: string): string {
  return guide.map
    .filter((entry) => entry.path === path)
    .map(({ hint }) => hint)
    .join(' ')
}
