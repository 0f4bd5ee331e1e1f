import type { TaskWords } from '../../../search/task-words.ts'
import type { Guide } from '../fence/guide.ts'
import { isProse, type PackFiles, type PackManifest, type PackWarning, type Tier } from '../pack.ts'
import type { Records } from '../records/health.ts'
import type { Choice } from './choice.ts'
import type { SectionHit, SectionIndex } from './section-index.ts'

/** What is asked of one pack that has passed its gates. */
export interface PackRequest {
  task: string
  words: TaskWords
  /** Facts that the caller needs; each that is not found is named as missing. */
  needs: readonly string[]
  wantsCitations: boolean
  /** The caller knows that the task needs more than the short views. */
  isDeep: boolean
  /** The pack may only be used together with its deeper layers: it is disputed. */
  mustEscalate: boolean
  /** How far the pack is open. */
  tier: Tier
  /** The sections of the pack; made on the first question. */
  sections: () => SectionIndex
}

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

/** The documents of a pack, the primary one first. */
export function documentPaths({ files, manifest: { primaryDocument } }: Reading): string[] {
  const all = files.list('documents').filter(isProse)
  const primary = all.filter((path) => path === primaryDocument)
  return [...primary, ...all.filter((path) => path !== primaryDocument)]
}

/** Why the short views were not enough. */
export type Escalation = 'no-view' | 'stale' | 'disputed' | 'insufficient' | 'multi-hop' | 'map' | 'failed-run'

export interface Omission {
  path: string
  lines?: { from: number; to: number }
  reason: 'budget'
  tokens: number
}

/** What one pack gives to a task. */
export interface PackResolution {
  /** Of the KNOWLEDGE.md that was read; undefined when it could not be. */
  entryDigest: string | undefined
  /** The words of the task that ask for something in the pack. */
  words: TaskWords
  /** In the order of the wrapper; the guide is not among `selectedFiles`. */
  choices: readonly Choice[]
  escalations: readonly Escalation[]
  sourceAnchors: readonly string[]
  /** Statements without a source, where the pack wants one for each. */
  citationGaps: readonly { path: string; line: number }[]
  warnings: readonly PackWarning[]
  /** Facts that the task needs and the pack does not have. */
  missing: readonly string[]
  /** Of the source map that was read; undefined when there is none. */
  sourceMapDigest: string | undefined
  /** Claims of the source map that the chosen files rest on. */
  claims: readonly string[]
  /** The compile run behind each chosen view. */
  runs: Readonly<Record<string, string>>
}
