import { sha256 } from '../../../text/values.ts'
import type { Candidate, Omission } from '../bundle.ts'
import type { Slices } from './assemble.ts'
import { cutToSize, type Measure } from './limits.ts'

/** A candidate with a place in the bundle. */
export interface Placed {
  candidate: Candidate
  excerpt: string
}

export interface Filling {
  placed: Placed[]
  left: Candidate[]
  used: number
  /** Excerpts were made shorter than a file may be, so that no file had to go. */
  isShortened: boolean
}

export interface FillRules {
  measure: Measure
  maxCharsPerFile: number
  /** What a file takes besides its text, wherever it is shown: its line in the table, its heading, its fence. */
  overheadOf(candidate: Candidate): number
  cut(text: string, characters: number): string
}

/** The text of a candidate as far as one file may go. */
function fullText({ text, isWhole }: Candidate, { maxCharsPerFile, cut }: FillRules): string {
  return isWhole ? text : cut(text, maxCharsPerFile)
}

/** What candidates would take if there were room for all of them. */
export function wantedSize(candidates: readonly Candidate[], rules: FillRules): number {
  return candidates.reduce((sum, each) => sum + rules.overheadOf(each) + rules.measure(fullText(each, rules)), 0)
}

/** Of a control-plane file, so much is shown before the next one gets a place. */
const SHORTEST = 160

/**
 * Gives every file a place, with shorter excerpts if need be: the same limit for all, as high as the space allows. Files
 * are dropped, the last first, only when every excerpt is down to a few lines. Whatever has a place keeps it, with at
 * least as much text, when the space grows.
 */
export function fillEvenly(candidates: readonly Candidate[], space: number, rules: FillRules): Filling {
  const wanted = wantedSize(candidates, rules)
  const all = candidates.map((candidate): Placed => ({ candidate, excerpt: fullText(candidate, rules) }))
  if (wanted <= space) return { placed: all, left: [], used: wanted, isShortened: false }
  const cutAll = (limit: number) => all.map((each) => ({ ...each, excerpt: rules.cut(each.excerpt, limit) }))
  const sizeAt = (limit: number) => sizeOf(cutAll(limit), rules)
  if (sizeAt(SHORTEST) > space) return { ...fillInOrder(candidates, space, atMost(SHORTEST, rules)), isShortened: true }
  let [fits, tooLong] = [SHORTEST, Math.max(SHORTEST, ...all.map(({ excerpt }) => excerpt.length)) + 1]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (sizeAt(middle) <= space) fits = middle
    else tooLong = middle
  }
  return { placed: cutAll(fits), left: [], used: sizeAt(fits), isShortened: true }
}

function sizeOf(placed: readonly Placed[], { overheadOf, measure }: FillRules): number {
  return placed.reduce((sum, { candidate, excerpt }) => sum + overheadOf(candidate) + measure(excerpt), 0)
}

function atMost(characters: number, rules: FillRules): FillRules {
  return { ...rules, maxCharsPerFile: Math.min(characters, rules.maxCharsPerFile) }
}

/**
 * In order: each in full if it fits. The first that does not is cut to what is left, or left out if it cannot be cut,
 * and ends it: a later one in its place would have to go again when the space grows.
 */
export function fillInOrder(candidates: readonly Candidate[], space: number, rules: FillRules): Filling {
  const placed: Placed[] = []
  let rest = space
  for (const candidate of candidates) {
    const text = fullText(candidate, rules)
    const overhead = rules.overheadOf(candidate)
    const isFull = overhead + rules.measure(text) > rest
    if (isFull && (candidate.isWhole || overhead > rest)) break
    const excerpt = isFull ? cutToSize(text, rest - overhead, rules.measure, rules.cut) : text
    placed.push({ candidate, excerpt })
    rest -= overhead + rules.measure(excerpt)
    if (isFull) break
  }
  return { placed, left: candidates.slice(placed.length), used: space - rest, isShortened: false }
}

/** What a task slice is made from, each list best first. */
export interface TaskSources {
  /** Payloads that are loaded for every task. */
  core: readonly Candidate[]
  /** Files of the project that the intent asks for, in the order of its patterns. */
  files: readonly Candidate[]
  /** Payloads that the task matched. */
  matched: readonly Candidate[]
  /** Knowledge packs. */
  packs: readonly Candidate[]
}

/**
 * The core first; then a file, a payload and a pack in turn, so that none of the three can crowd the others out. Inside
 * each list the order stays.
 */
export function interleave({ core, files, matched, packs }: TaskSources): Candidate[] {
  const rounds = Math.max(files.length, matched.length, packs.length)
  const turns = Array.from({ length: rounds }, (_, at) => [files[at], matched[at], packs[at]])
  return [...core, ...turns.flat().filter((candidate) => candidate !== undefined)]
}

/**
 * The same path, or the same text, is shown once: where it comes first. Notes and adapters are not held against each
 * other: what one of them says must not depend on whether the other is there.
 */
export function dropDuplicates(slices: Slices): { slices: Slices; duplicates: Omission[] } {
  const grounds = new Map<string, string>()
  const advice = { tactical: new Map<string, string>(), adapter: new Map<string, string>() }
  const duplicates: Omission[] = []
  const kept = mapSlices(slices, (candidate) => {
    const { path, sourceClass } = candidate
    const keys = identitiesOf(candidate)
    const own = sourceClass === 'tactical' || sourceClass === 'adapter' ? advice[sourceClass] : grounds
    const first = keys.map((key) => grounds.get(key) ?? own.get(key)).find((known) => known !== undefined)
    if (first !== undefined) {
      duplicates.push({ path, sourceClass, reason: 'duplicate', detail: `the same as ${first}` })
      return undefined
    }
    for (const key of keys) own.set(key, path)
    return candidate
  })
  return { slices: kept, duplicates }
}

/** Texts are compared only where the whole was read: long files may begin alike. */
function identitiesOf({ path, sha256: digest, text, charsTotal }: Candidate): string[] {
  return [
    `path ${path}`,
    ...(digest === null ? [] : [`bytes ${digest}`]),
    ...(charsTotal === text.length ? [`text ${sha256(text.trim())}`] : []),
  ]
}

export function mapSlices(slices: Slices, change: (candidate: Candidate) => Candidate | undefined): Slices {
  const changed = (each: keyof Slices) => slices[each].flatMap((candidate) => change(candidate) ?? [])
  return {
    control_plane: changed('control_plane'),
    task: changed('task'),
    tactical: changed('tactical'),
    adapter: changed('adapter'),
  }
}
