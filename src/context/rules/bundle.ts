import { printableJson } from '../../text/printable.ts'
import { sha256 } from '../../text/values.ts'
import type { Degradation } from './advice/optional-slice.ts'

/** Where a part of a bundle comes from. An earlier class governs, and is never displaced by a later one. */
export const SOURCE_CLASSES = ['control_plane', 'task', 'tactical', 'adapter'] as const
export type SourceClass = (typeof SOURCE_CLASSES)[number]

/** Something that wants a place in the bundle. Its text was read no further than it can be needed. */
export interface Candidate {
  /** Unique in a bundle: a path inside the project, `payload:<id>`, `pack:<name>`, `note:<id>` or `<adapter>:<id>`. */
  path: string
  sourceClass: SourceClass
  /** What chose it: `control_plane`, `intent:spec`, `core`, `keywords`, `ranked`, `pack`, `tactical`, `adapter`. */
  selectedBy: string
  /** For people, in one sentence. */
  reason: string
  /** 0 to 1; 1 where nothing was weighed. */
  score: number
  /** Line ends are `\n`, no byte order mark. The beginning only, if the whole is longer than can be needed. */
  text: string
  /** Characters of the whole, as it would be shown; null when it was too large to be read to its end. */
  charsTotal: number | null
  /** Of the bytes of the whole; null when it was too large to be read to its end. */
  sha256: string | null
  /** Facts about its origin that a reader can check: the pattern, the layer, the scope, the freshness. */
  provenance: Readonly<Record<string, string | number | boolean | null>>
  /** Already fenced by its own kind: kept whole or left out, never cut. */
  isWhole: boolean
}

/** The same with another text, some of it masked or made harmless. The whole grows or shrinks by as much. */
export function withText(candidate: Candidate, text: string): Candidate {
  const { charsTotal, text: before } = candidate
  if (text === before) return candidate
  return { ...candidate, text, charsTotal: charsTotal === null ? null : charsTotal + text.length - before.length }
}

/** Something that did not make it, and why. */
export interface Omission {
  path: string
  sourceClass: SourceClass
  reason:
    | 'budget'
    | 'duplicate'
    | 'unsafe'
    | 'unreadable'
    | 'outside_root'
    | 'not_a_file'
    | 'binary'
    | 'expired'
    | 'empty'
    | 'gate'
  detail: string
}

/** One part of a bundle, traceable to where it comes from. */
export interface BundleFile {
  path: string
  source_class: SourceClass
  selected_by: string
  /** From 1, over the whole bundle. */
  rank: number
  score: number
  reason: string
  provenance: Candidate['provenance']
  excerpt: string
  truncated: boolean
  chars_total: number | null
  chars_emitted: number
  sha256: string | null
  /** Fenced already by its own kind. */
  fenced: boolean
}

export interface ControlPlaneEntry {
  path: string
  present: boolean
  required: boolean
  sha256: string | null
  summary: Readonly<Record<string, string | number | boolean | null>>
}

export interface FallbackAttempt {
  level: 'restricted' | 'relaxed' | 'unrestricted'
  limits: { max_files: number; max_chars_per_file: number; total: number }
  success: boolean
  reason: string
}

/** What goes to a model for a task, with the origin of every line. The same project and arguments give the same bytes. */
export interface ContextBundle {
  version: 1
  task: string
  intent: { key: string; matched: readonly string[]; scores: Readonly<Record<string, number>>; overridden: boolean }
  preset: string
  budget: {
    unit: 'chars' | 'tokens'
    limits: { max_files: number; max_chars_per_file: number; total: number }
    partitions: Readonly<Record<SourceClass, { max: number; used: number; dropped: number }>>
  }
  control_plane: { status: 'complete' | 'partial' | 'absent'; items: readonly ControlPlaneEntry[] }
  files: readonly BundleFile[]
  omitted: readonly { path: string; source_class: SourceClass; reason: Omission['reason']; detail: string }[]
  warnings: readonly string[]
  /** `degraded` names the sources that failed, as the field of that name does with their reasons. */
  fallback: { level: FallbackAttempt['level']; attempts: readonly FallbackAttempt[]; degraded: readonly string[] }
  degraded: readonly Degradation[]
  missing: readonly string[]
  source_anchors: readonly string[]
  /** The instant that expiry and freshness were judged by; null when nothing depended on it. */
  now: string | null
  estimate: { chars: number; tokens: number; tokenizer: string }
  digest: string
}

/** Keys in code unit order at every level: two programs that write the same value write the same bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : item,
  )
}

export function withDigest(bundle: Omit<ContextBundle, 'digest'>): ContextBundle {
  return { ...bundle, digest: sha256(canonicalJson(bundle)) }
}

/** The bundle as it is written down, in one line. */
export function bundleText(bundle: ContextBundle): string {
  return `${printableJson(canonicalJson(bundle))}\n`
}
