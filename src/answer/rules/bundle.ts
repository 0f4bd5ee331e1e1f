import type { FilePointer } from '../../project/rules/file-pointer.ts'
import { stemWord } from '../../search/word-lists.ts'
import { printableJson } from '../../text/printable.ts'
import type { Code, Finding } from '../../text/trouble.ts'
import { sha256 } from '../../text/values.ts'

/** The source of a part of a bundle. An earlier class takes precedence over a later one. */
export const SOURCE_CLASSES = ['control_plane', 'task', 'tactical', 'adapter'] as const
export type SourceClass = (typeof SOURCE_CLASSES)[number]

/** A candidate for the bundle. Its text was read only as far as needed. */
export interface Candidate {
  /** Unique in a bundle: a path inside the project, `payload:<id>`, `pack:<name>`, `note:<id>` or `<adapter>:<id>`. */
  path: string
  sourceClass: SourceClass
  /** What chose it: `control_plane`, `intent:spec`, `core`, `keywords`, `ranked`, `pack`, `tactical`, `adapter`. */
  selectedBy: string
  /** For people, in one sentence. */
  reason: string
  /** 0 to 1; 1 if nothing was weighed. */
  score: number
  /** Line ends are `\n`, no byte order mark. Only the beginning, if the whole is longer than needed. */
  text: string
  /** Characters of the whole as displayed; null if it was too large to read completely. */
  charsTotal: number | null
  /** Digest of the whole; null if it was too large to read completely. */
  sha256: string | null
  /** Verifiable facts about its origin: the pattern, the layer, the scope, the freshness. */
  provenance: Readonly<Record<string, string | number | boolean | null>>
  /** Already fenced by its own kind: kept whole or left out, never cut. */
  isWhole: boolean
  /** For a file shown in sections: the candidates, in the order of its lines. `text` joins them. */
  sections?: readonly CandidateSection[]
}

/** Under which heading a place is named. */
export const POINTER_GROUPS = ['file', 'test', 'companion'] as const

/** A place in the project that a bundle names without showing its text. */
export interface BundlePointer extends FilePointer {
  group: (typeof POINTER_GROUPS)[number]
}

/** Lines of a file that are shown together or not at all. */
export interface CandidateSection {
  /** The first and the last line, from 1. */
  start: number
  end: number
  /** Ends with a line end. */
  text: string
  score: number
  reason: string
  /** 0: shown before any file shows more. Above: when its turn comes. */
  turn: number
}

/** The candidate with another text, partly masked or neutralised. The total changes by the same amount. */
export function withText(candidate: Candidate, text: string): Candidate {
  const { charsTotal, text: before, sections } = candidate
  if (text === before) return candidate
  return {
    ...candidate,
    text,
    charsTotal: charsTotal === null ? null : charsTotal + text.length - before.length,
    ...(sections && { sections: divide(text, sections) }),
  }
}

/** Splits a changed text into its sections by their lines; into one if lines were added or removed. */
function divide(text: string, sections: readonly CandidateSection[]): CandidateSection[] {
  const lines = text.split(/(?<=\n)/)
  const counts = sections.map((section) => section.text.split(/(?<=\n)/).length)
  const first = sections[0]
  const last = sections.at(-1)
  if (first === undefined || last === undefined) return []
  if (counts.reduce((sum, count) => sum + count, 0) !== lines.length) {
    const score = Math.max(...sections.map((section) => section.score))
    return [{ ...first, end: last.end, text, score, turn: 0 }]
  }
  let from = 0
  return sections.map((section, at) => {
    const to = from + (counts[at] ?? 0)
    const own = lines.slice(from, to).join('')
    from = to
    return { ...section, text: own }
  })
}

/** An omitted candidate, and why. */
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

/** The candidate came after the last place, or there is no room for it. */
export function withoutPlace(
  { path, sourceClass }: Candidate,
  detail = 'the bundle has no place for more files',
): Omission {
  return { path, sourceClass, reason: 'budget', detail }
}

/** Listing more omissions than this would itself need a budget. */
const MOST_NAMED = 20

/** The first omissions by name, and the number of the others. */
export function nameFew(omitted: readonly Omission[], rest: (count: number) => Omission): Omission[] {
  if (omitted.length <= MOST_NAMED) return [...omitted]
  return [...omitted.slice(0, MOST_NAMED), rest(omitted.length - MOST_NAMED)]
}

/** A source that failed. The bundle is built without it. */
interface Degradation {
  /** `tactical`, or `adapter:<id>`. */
  source: string
  code: Code
  reason: string
}

/** What is said about a bundle besides its parts. Every step adds to it, in the order of the slices. */
export interface Trail {
  omitted: Omission[]
  /** About control plane, task and settings. */
  warnings: string[]
  /** About notes and adapters. */
  adviceWarnings: string[]
  degraded: Degradation[]
  missing: string[]
  sourceAnchors: string[]
}

export type Slices = Readonly<Record<SourceClass, readonly Candidate[]>>

/** A finding as one line of the bundle's warnings. */
export function toWarning({ message, hint }: Pick<Finding, 'message' | 'hint'>): string {
  return hint === undefined ? message : `${message}: ${hint}`
}

/** One part of a bundle, traceable to its source. */
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
  /** The lines that are shown, of a file that is shown in sections. */
  sections?: readonly { start: number; end: number; score: number; reason: string }[]
}

/** The kind of a task, and how it was detected. */
export interface IntentReading {
  key: string
  /** The keywords of this kind in the task, as configured. */
  matched: string[]
  /** How many different keywords of each kind the task contains. */
  scores: Record<string, number>
  /** The user asked for this kind, whatever the task says. */
  isOverridden: boolean
}

/** The data behind the choice among the project's own files. */
export interface ProjectSignals {
  files: number
  listed_by: 'git' | 'walk'
  /** The number of past commits that were considered. */
  commits: number
  shallow: boolean
  /** Why files are not candidates, and how many. */
  left_out: Readonly<Record<string, number>>
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

/**
 * The context of a task for a model, with the origin of every line. The same project and arguments give the same bytes.
 */
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
  /** Undefined if the project's own files are not searched. */
  project?: ProjectSignals
  files: readonly BundleFile[]
  /** Further places, best first, one line each. Undefined if the project's own files are not searched. */
  pointers?: readonly BundlePointer[]
  omitted: readonly { path: string; source_class: SourceClass; reason: Omission['reason']; detail: string }[]
  warnings: readonly string[]
  /** `degraded` lists the failed sources; the field of that name has their reasons. */
  fallback: { level: FallbackAttempt['level']; attempts: readonly FallbackAttempt[]; degraded: readonly string[] }
  degraded: readonly Degradation[]
  missing: readonly string[]
  source_anchors: readonly string[]
  /** The time at which expiry and freshness were evaluated; null when nothing depended on it. */
  now: string | null
  estimate: { chars: number; tokens: number; tokenizer: string }
  digest: string
}

/** Keys in code unit order at every level: two programs that write the same value write the same bytes. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value))
    return `[${value.map((item) => (item === undefined ? 'null' : canonicalJson(item))).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = value as Readonly<Record<string, unknown>>
  const names = Object.keys(fields).filter((name) => fields[name] !== undefined)
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(fields[name])}`)
    .join()}}`
}

type Undigested = Omit<ContextBundle, 'digest'>

export function withDigest(bundle: Undigested): ContextBundle {
  const identity = bundle.project === undefined ? bundle : withoutWeights(bundle)
  return { ...bundle, digest: sha256(canonicalJson(identity)) }
}

/**
 * The weight of a project's own files changes a little with every commit; the shown text often does not. The digest
 * covers what is shown and why, so that a bundle can be reproduced after unrelated commits.
 */
function withoutWeights({ project: _, files, pointers, omitted, ...rest }: Undigested): unknown {
  return {
    ...rest,
    pointers: pointers?.map(({ score: __, ...pointer }) => pointer),
    files: files.map(({ score: __, provenance: { commits: ___, ...provenance }, sections, ...file }) => ({
      ...file,
      provenance,
      sections: sections?.map(({ score: ____, ...section }) => section),
    })),
    omitted: [omitted.length, omitted.filter(({ reason }) => reason !== 'budget')],
  }
}

/** The stored form of the bundle, in one line. */
export function bundleText(bundle: ContextBundle): string {
  return `${printableJson(canonicalJson(bundle))}\n`
}

/** From where to where in a text, in code units. */
export type Span = readonly [start: number, end: number]

/** The positions of the words that chose a part in its shown text, in any of their forms. */
export function matchedSpans({ excerpt, reason, sections = [] }: BundleFile): Span[] {
  const wanted = new Set([reason, ...sections.map((section) => section.reason)].flatMap(wordsOf).map(stemWord))
  if (wanted.size === 0) return []
  const spans: Span[] = []
  // `ordersOf` is two words, as the search reads it.
  for (const { 0: word, index } of excerpt.matchAll(/\p{Lu}?\p{Ll}+|\p{Lu}+|\p{Lo}+|\p{N}+/gu)) {
    if (word.length > 1 && wanted.has(stemWord(word.toLowerCase()))) spans.push([index, index + word.length])
    if (spans.length === 500) break
  }
  return spans
}

/** `keywords [refund, order], name [refunds as refund]`, or of a section `parseUrl: origin, allow`. */
function wordsOf(reason: string): string[] {
  const lists = [...reason.matchAll(/\[([^\]]*)\]/g)].map(([, list = '']) => list)
  const said = lists.length > 0 ? lists : [reason.slice(reason.lastIndexOf(': ') + 1)]
  return said.flatMap((list) => list.split(/,| as /)).map((word) => word.trim().toLowerCase())
}
