import type { TaskWords } from '../../../search/task-words.ts'
import type { ContextPart, PackWarning, Tier } from '../pack.ts'
import type { SectionIndex } from './section-index.ts'

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

/** Why a part was chosen. */
export type Rule =
  | 'guide'
  | 'view'
  | 'split'
  | 'section'
  | 'map'
  | 'page'
  | 'contradiction'
  | 'ontology'
  | 'answer'
  | 'excerpt'

/** A part that was chosen, before the budget is looked at. */
export interface Choice {
  part: ContextPart
  rule: Rule
  /** 0 to 1: how much of the task it speaks of. */
  score: number
  /** The words of the task it holds, or what led to it. */
  why: string
  /** What was read to make it. */
  sources: readonly { path: string; sha256: string; bytes: number }[]
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
