import type { Task, TaskWords } from '../../../search/task.ts'
import type { Guide } from '../fence/guide.ts'
import { isProse, type PackFiles, type PackManifest, type PackWarning } from '../pack.ts'
import type { Records } from '../records/health.ts'
import type { Choice } from './choice.ts'
import type { SectionHit } from './section-documents.ts'

/** The question to one pack that passed its gates. */
export interface PackRequest {
  task: Task
  wantsCitations: boolean
  /** The caller wants more than the closest sections. */
  isDeep: boolean
  /** The pack is disputed: give its contradictions and the sources too. */
  isDisputed: boolean
  /** The sections of the pack that match the task, best first. */
  hits: readonly SectionHit[]
  /** How rare a stem is among all sections that were asked, from near 0 to 1. */
  rarity: (term: string) => number
}

/** A pack and a task, with everything that is known before content is chosen. */
export interface Reading {
  manifest: PackManifest
  files: PackFiles
  guide: Guide
  records: Records
  request: PackRequest
  /** The words of the task without those of the pack's name. */
  words: TaskWords
  /** The same words, weighted by how rare they are. */
  rareWords: TaskWords
  hits: readonly SectionHit[]
}

/** Whether a pack has the document that it names as its primary one, or any document. */
export function hasDocument({ files, manifest: { primaryDocument } }: Reading): boolean {
  return primaryDocument === undefined
    ? files.list('documents').some(isProse)
    : files.sizeOf(primaryDocument) !== undefined
}

export interface Omission {
  path: string
  lines?: { from: number; to: number }
  reason: 'budget'
  tokens: number
}

/** What one pack gives to a task. */
export interface PackResolution {
  /** Digest of the KNOWLEDGE.md; undefined if it could not be read. */
  entryDigest: string | undefined
  /** In the order of the wrapper; the guide is not among `selectedFiles`. */
  choices: readonly Choice[]
  sourceAnchors: readonly string[]
  /** Statements without a source, if the pack requires sources. */
  citationGaps: readonly { path: string; line: number }[]
  warnings: readonly PackWarning[]
  /** Gaps that the pack declares and the task asks about. */
  missing: readonly string[]
  /** A prepared answer of the pack settles the task. */
  isAnswered: boolean
  /** Digest of the source map, if there is one. */
  sourceMapDigest: string | undefined
  /** Ids of the claims that the chosen files rely on. */
  claims: readonly string[]
  /** The compile run of each chosen view. */
  runs: Readonly<Record<string, string>>
}
