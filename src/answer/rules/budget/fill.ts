import { endLine } from '../../../text/fence.ts'
import { sha256 } from '../../../text/values.ts'
import type { Candidate, CandidateSection, Omission, Slices } from '../bundle.ts'
import { cutToSize, type Measure } from './fit.ts'

/** A candidate with a place in the bundle. */
export interface Placed {
  candidate: Candidate
  excerpt: string
  /** For a candidate with sections: the shown ones, in the order of its lines. */
  sections?: readonly CandidateSection[]
}

export interface Filling {
  placed: Placed[]
  left: Candidate[]
  used: number
  /** Excerpts were made shorter than the limit per file, so that no file had to be dropped. */
  isShortened: boolean
}

export interface FillRules {
  measure: Measure
  maxCharsPerFile: number
  /** The size of all places that are only named. */
  namedSize: number
  /** The size of a file besides its text in any rendering: its line in the table, its heading, its fence. */
  overheadOf(candidate: Candidate): number
  cut(text: string, characters: number): string
  /** Checks joined sections: they must not form the end of a fence. */
  seal(text: string): string
}

/** The line between sections that are not adjacent. No section is shorter, so that more sections are never shorter. */
function gapBefore(line: number): string {
  return `\u2026 line ${line}\n`
}

const LONGEST_GAP = gapBefore(9_999_999)

/** In the order of their lines, with a gap line before each that does not follow the previous one. */
function joinSections(sections: readonly CandidateSection[]): string {
  let next = 1
  return sections
    .map(({ start, end, text }) => {
      const gap = start === next ? '' : gapBefore(start)
      next = end + 1
      return gap + endLine(text)
    })
    .join('')
}

function sectionSize({ text }: CandidateSection, { measure }: FillRules): number {
  return measure(LONGEST_GAP) + measure(text)
}

/** The text of a candidate, up to the limit per file. */
function fullText({ text, isWhole }: Candidate, { maxCharsPerFile, cut }: FillRules): string {
  return isWhole ? text : cut(text, maxCharsPerFile)
}

/** The size of all candidates if there were room for them. */
export function wantedSize(candidates: readonly Candidate[], rules: FillRules): number {
  const sizeOfText = (each: Candidate) =>
    each.sections?.reduce((sum, section) => sum + sectionSize(section, rules), 0) ??
    rules.measure(fullText(each, rules))
  return candidates.reduce((sum, each) => sum + rules.overheadOf(each) + sizeOfText(each), 0)
}

/** How much of a control plane file is shown before the next one gets a place. */
const SHORTEST = 160

/**
 * Gives every file a place, with shorter excerpts if necessary: the same limit for all, as high as the space allows.
 * Drops files, the last first, only when every excerpt has shrunk to a few lines. A file with a place keeps it, with at
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
 * In order: each in full if it fits; of a file in sections, the first. The first that does not fit is cut, or left out
 * if it cannot be cut, and ends the list: a later one in its place would have to go when the space grows. The rest of
 * the space goes to further sections, turn by turn.
 */
export function fillInOrder(candidates: readonly Candidate[], space: number, rules: FillRules): Filling {
  const placed: Placed[] = []
  let rest = space
  let isFull = false
  for (const candidate of candidates) {
    const overhead = rules.overheadOf(candidate)
    const filled = fillOne(candidate, rest - overhead, rules)
    const isNothing = filled.placed.sections?.length === 0
    if (overhead > rest || isNothing || (filled.isFull && candidate.isWhole)) {
      isFull = true
      break
    }
    placed.push(filled.placed)
    rest -= overhead + filled.used
    isFull = filled.isFull
    if (isFull) break
  }
  if (!isFull) rest = showFurther(placed, rest, rules)
  return {
    placed: placed.map((each) => joined(each, rules)),
    left: candidates.slice(placed.length),
    used: space - rest,
    isShortened: false,
  }
}

interface FilledOne {
  placed: Placed
  used: number
  isFull: boolean
}

function fillOne(candidate: Candidate, space: number, rules: FillRules): FilledOne {
  if (candidate.sections === undefined) {
    const text = fullText(candidate, rules)
    const isFull = rules.measure(text) > space
    const excerpt = isFull ? cutToSize(text, space, rules.measure, rules.cut) : text
    return { placed: { candidate, excerpt }, used: rules.measure(excerpt), isFull }
  }
  const shown: CandidateSection[] = []
  let rest = space
  const first = candidate.sections
    .filter(({ turn }) => turn === 0)
    .sort((a, b) => b.score - a.score || a.start - b.start)
  for (const section of first) {
    const { isFull, used } = showSection(shown, section, rest, rules)
    rest -= used
    if (isFull) return { placed: { candidate, excerpt: '', sections: shown }, used: space - rest, isFull }
  }
  return { placed: { candidate, excerpt: '', sections: shown }, used: space - rest, isFull: false }
}

function showFurther(placed: Placed[], space: number, rules: FillRules): number {
  const further = placed.flatMap(({ candidate: { sections = [] } }, at) =>
    sections.filter(({ turn }) => turn > 0).map((section) => ({ section, at })),
  )
  further.sort((a, b) => a.section.turn - b.section.turn)
  let rest = space
  for (const { section, at } of further) {
    const { isFull, used } = showSection(placed[at]!.sections as CandidateSection[], section, rest, rules)
    rest -= used
    if (isFull) break
  }
  return rest
}

/** A section that does not fit is cut at a line end. */
function showSection(shown: CandidateSection[], section: CandidateSection, space: number, rules: FillRules) {
  const size = sectionSize(section, rules)
  if (size <= space) {
    shown.push(section)
    return { isFull: false, used: size }
  }
  const cut = cutToSize(section.text, space - rules.measure(LONGEST_GAP), rules.measure, rules.cut)
  const text = cut.slice(0, cut.lastIndexOf('\n') + 1)
  if (text.trim() === '') return { isFull: true, used: 0 }
  const part = { ...section, text, end: section.start + text.split('\n').length - 2 }
  shown.push(part)
  return { isFull: true, used: sectionSize(part, rules) }
}

/** In the order of the lines. Gap lines count: what is then above the limit per file is cut at a line end. */
function joined(placed: Placed, rules: FillRules): Placed {
  if (placed.sections === undefined) return placed
  const sections = [...placed.sections].sort((a, b) => a.start - b.start)
  while (sections.length > 0) {
    const excess = joinSections(sections).length - rules.maxCharsPerFile
    if (excess <= 0) break
    const last = sections.pop()!
    const text = last.text.slice(0, Math.max(0, last.text.length - excess))
    const lines = text.slice(0, text.lastIndexOf('\n') + 1)
    if (lines !== '') sections.push({ ...last, text: lines, end: last.start + lines.split('\n').length - 2 })
  }
  return { ...placed, sections, excerpt: rules.seal(joinSections(sections)) }
}

/** The sources of a task slice, each list best first. */
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
 * The core first; then a file, a payload and a pack in turn, so that none of the three can displace the others. Each
 * list keeps its order.
 */
export function interleave({ core, files, matched, packs }: TaskSources): Candidate[] {
  const rounds = Math.max(files.length, matched.length, packs.length)
  const turns = Array.from({ length: rounds }, (_, at) => [files[at], matched[at], packs[at]])
  return [...core, ...turns.flat().filter((candidate) => candidate !== undefined)]
}

/**
 * Shows the same path or text once, at its first place. Notes and adapters are not compared with each other: one must
 * not depend on the presence of the other.
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

/** Texts are compared only if the whole was read: long files may begin alike. */
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
