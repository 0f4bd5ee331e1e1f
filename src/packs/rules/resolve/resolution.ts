import type { TaskWords } from '../../../search/task-words.ts'
import type { Guide } from '../fence/guide.ts'
import { isProse, type PackFiles, type PackManifest, type PackWarning, type Tier } from '../pack.ts'
import type { Records } from '../records/health.ts'
import type { Choice } from './choice.ts'
import type { SectionHit, SectionIndex } from './section-index.ts'

/** The question to one pack that passed its gates. */
export interface PackRequest {
  task: string
  words: TaskWords
  /** Facts that the caller needs. The result lists those that were not found. */
  needs: readonly string[]
  wantsCitations: boolean
  /** The caller wants more than the short views. */
  isDeep: boolean
  /** The pack is disputed: read the pages behind its views too. */
  mustEscalate: boolean
  /** What may be read of the pack. */
  tier: Tier
  /** Opens the section index of the pack on the first call. */
  sections: () => SectionIndex
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
  /** The same words, weighted by how rare they are in this pack. */
  rareWords: TaskWords
  sections: SectionIndex
  /** The sections that match the task, best first. */
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
  /** Digest of the KNOWLEDGE.md; undefined if it could not be read. */
  entryDigest: string | undefined
  /** The words of the task without those of the pack's name. */
  words: TaskWords
  /** In the order of the wrapper; the guide is not among `selectedFiles`. */
  choices: readonly Choice[]
  escalations: readonly Escalation[]
  sourceAnchors: readonly string[]
  /** Statements without a source, if the pack requires sources. */
  citationGaps: readonly { path: string; line: number }[]
  warnings: readonly PackWarning[]
  /** Facts that the task needs and the pack does not have. */
  missing: readonly string[]
  /** Digest of the source map, if there is one. */
  sourceMapDigest: string | undefined
  /** Ids of the claims that the chosen files rely on. */
  claims: readonly string[]
  /** The compile run of each chosen view. */
  runs: Readonly<Record<string, string>>
}
