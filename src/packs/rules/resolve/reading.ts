import type { TaskWords } from '../../../search/task-words.ts'
import type { Guide } from '../fence/guide.ts'
import type { PackFiles, PackManifest } from '../pack.ts'
import type { Records } from '../records/health.ts'
import type { PackRequest } from './resolution.ts'
import type { SectionHit, SectionIndex } from './section-index.ts'

/** A pack while it is read for a task: what is known of it before a line of its content is chosen. */
export interface Reading {
  manifest: PackManifest
  files: PackFiles
  guide: Guide
  records: Records
  request: PackRequest
  /** The words of the task that are not the pack's own name: those that ask for something in it. */
  words: TaskWords
  /** The same words by how rare they are in this pack: what few sections hold says most. */
  rareWords: TaskWords
  sections: SectionIndex
  /** The sections that share a subject with the task, best first. */
  hits: readonly SectionHit[]
}

/** What the guide's map says about a path. */
export function hintFor({ guide }: Reading, path: string): string {
  return guide.map
    .filter((entry) => entry.path === path)
    .map(({ hint }) => hint)
    .join(' ')
}

