import { endLine } from '../../../text/fence.ts'
import { sha256 } from '../../../text/values.ts'
import type { BudgetSettings, ContextRequest } from '../../settings.ts'
import {
  type Candidate,
  type CandidateSection,
  type FallbackAttempt,
  type Omission,
  type Slices,
  SOURCE_CLASSES,
  type SourceClass,
  withoutPlace,
} from '../bundle.ts'

export interface Assembly {
  placed: readonly Placed[]
  omitted: readonly Omission[]
  /** The room of each class, and how much of it was used. */
  partitions: Record<SourceClass, { max: number; used: number; dropped: number }>
  /** The room for places that are only named, out of the room of the task. */
  reserved: number
  /** The control plane did not fit, and was shortened. */
  isShortened: boolean
}

/**
 * Fits candidates into the space beside the frame. Laws, which the tests check: nothing exceeds a limit; a smaller
 * space never gives more; a later class takes nothing from an earlier one.
 */
export function assemble(
  slices: Slices,
  space: number,
  limits: Limits,
  configured: Configured,
  rules: FillRules,
): Assembly {
  const places = placesFor(slices, limits, configured)
  const taken = (each: SourceClass) => slices[each].slice(0, places[each])
  // Shares, and what is passed on to later classes: only what an earlier one can never use, so that a shortened excerpt
  // never makes room for another class. What is reserved does not depend on what is shown, so that more room never takes
  // text away to name more.
  const shares = sharesOf(Math.max(0, space), limits.partitions, configured)
  const unused = (each: SourceClass, room: number) => Math.max(0, room - wantedSize(taken(each), rules))
  const both = shares.task + unused('control_plane', shares.control_plane)
  // A fifth of the task's room is for places that are only named.
  const reserved = Math.min(rules.namedSize, Math.floor(both * 0.2))
  const task = both - reserved
  const parts = partsOf(unused('task', task), limits.partitions, configured)
  const [tactical, adapter] = [shares.tactical + parts.tactical, shares.adapter + parts.adapter]
  const room: Record<SourceClass, number> = { control_plane: shares.control_plane, task, tactical, adapter }
  const placed: Placed[] = []
  const omitted: Omission[] = []
  const partitions = Object.fromEntries(SOURCE_CLASSES.map((each) => [each, {}])) as Assembly['partitions']
  let isShortened = false
  for (const each of SOURCE_CLASSES) {
    const fill = each === 'control_plane' ? fillEvenly : fillInOrder
    const filling: Filling = fill(taken(each), room[each], rules)
    placed.push(...filling.placed)
    const crowded = slices[each].slice(places[each])
    omitted.push(
      ...filling.left.map((one) => withoutPlace(one, 'no room was left in its part of the budget')),
      ...crowded.map((one) => withoutPlace(one)),
    )
    const max = room[each] + (each === 'task' ? reserved : 0)
    partitions[each] = { max, used: filling.used, dropped: filling.left.length + crowded.length }
    isShortened ||= filling.isShortened
  }
  return { placed, omitted, partitions, reserved, isShortened }
}

/** Places do not depend on the space: a candidate keeps its place when the space grows. */
function placesFor(slices: Slices, { maxFiles }: Limits, configured: Configured): Record<SourceClass, number> {
  const counts = { control_plane: 0, task: 0, tactical: 0, adapter: 0 }
  for (const each of SOURCE_CLASSES) counts[each] = slices[each].length
  return placesOf(counts, maxFiles, configured)
}

/** The absolute maximum. */
export const CEILING = { maxFiles: 200, maxCharsPerFile: 20_000, total: 400_000 }

/** Tokens if the caller asks for them; characters otherwise. */
export function requestedLimits(
  budget: BudgetSettings,
  request: ContextRequest,
): { limits: Limits; unit: 'chars' | 'tokens' } {
  const tokens = request.maxTokens ?? (request.maxChars === undefined ? budget.maxTokens : undefined)
  const { maxFiles = budget.maxFiles, maxCharsPerFile = budget.maxCharsPerFile } = request
  const asked = {
    maxFiles: Math.min(maxFiles, CEILING.maxFiles),
    maxCharsPerFile,
    partitions: budget.partitions,
    isSet: {
      maxFiles: request.maxFiles !== undefined || budget.isSet.maxFiles,
      maxCharsPerFile: request.maxCharsPerFile !== undefined || budget.isSet.maxCharsPerFile,
    },
  }
  if (tokens !== undefined) return { limits: { ...asked, total: tokens }, unit: 'tokens' }
  return { limits: { ...asked, total: request.maxChars ?? budget.maxChars }, unit: 'chars' }
}

/**
 * The requested limits; twice Loadout's own limits if a slice stayed empty; more only if allowed. Uses the wider limits
 * if they give that slice a place, at any total: if it depended on room, a slightly larger total could give a smaller
 * bundle.
 */
export function tryWiderLimits<Tried extends Assembly>(
  given: { limits: Limits; slices: Slices; configured: Configured; mayBeUnrestricted: boolean },
  assembleWithin: (limits: Limits) => Tried,
): { level: FallbackAttempt['level']; attempts: FallbackAttempt[]; assembly: Tried; limits: Limits } {
  const { limits, slices, configured, mayBeUnrestricted } = given
  const attempts: FallbackAttempt[] = []
  const attempt = (level: FallbackAttempt['level'], wider: Limits) => {
    const assembly = assembleWithin(wider)
    const empty = emptySlice(slices, assembly)
    const reason = empty === undefined ? 'every slice with candidates has a file' : `the ${empty} slice came out empty`
    attempts.push({ level, limits: limitsOf(wider), success: empty === undefined, reason })
    return { level, assembly, limits: wider }
  }
  let found = attempt('restricted', limits)
  if (emptySlice(slices, found.assembly) !== undefined && !limits.isSet?.maxFiles) {
    const relaxed = attempt('relaxed', widestLimits(limits, false))
    const [before, after] = [placesFor(slices, limits, configured), placesFor(slices, relaxed.limits, configured)]
    if (GROUNDS.some((each) => before[each] === 0 && after[each] > 0)) found = relaxed
  }
  if (mayBeUnrestricted && found.assembly.omitted.length > 0) {
    found = attempt('unrestricted', widestLimits(limits, true))
  }
  return { ...found, attempts }
}

/**
 * The maximum of all attempts, never less than requested: without restriction the ceiling, else twice the limits within
 * a total of the same size. Explicit limits stay.
 */
export function widestLimits(limits: Limits, mayBeUnrestricted: boolean): Limits {
  const { maxFiles, maxCharsPerFile, total, isSet } = limits
  const twice = (is: boolean | undefined, limit: number, most: number) => (is ? 0 : Math.min(2 * limit, most))
  const wider = mayBeUnrestricted
    ? CEILING
    : {
        maxFiles: twice(isSet?.maxFiles, maxFiles, CEILING.maxFiles),
        maxCharsPerFile: twice(isSet?.maxCharsPerFile, maxCharsPerFile, CEILING.maxCharsPerFile),
        total,
      }
  return {
    ...limits,
    maxFiles: Math.max(maxFiles, wider.maxFiles),
    maxCharsPerFile: Math.max(maxCharsPerFile, wider.maxCharsPerFile),
    total: Math.max(total, wider.total),
  }
}

const GROUNDS = ['control_plane', 'task'] as const

/** The most important slice that has candidates but got no place. */
function emptySlice(slices: Slices, { placed }: Assembly): 'control_plane' | 'task' | undefined {
  return GROUNDS.find((each) => slices[each].length > 0 && !placed.some(({ sourceClass }) => sourceClass === each))
}

export function limitsOf({ maxFiles, maxCharsPerFile, total }: Limits) {
  return { max_files: maxFiles, max_chars_per_file: maxCharsPerFile, total }
}

/** The maximum size of a bundle. */
export interface Limits {
  maxFiles: number
  maxCharsPerFile: number
  /** Of the rendering, in the unit of the measure. */
  total: number
  partitions: BudgetSettings['partitions']
  /** Limits that a user or a project set. They are never widened. */
  isSet?: { maxFiles: boolean; maxCharsPerFile: boolean }
}

/** Optional slices. */
export interface Configured {
  tactical: boolean
  adapter: boolean
}

/**
 * The shares of each class. The share of a slice that the project does not have goes to control plane and task; the
 * share of one that is only switched off, or fails, stays empty, so that nothing else changes. Each share is rounded by
 * itself: the remainder is unused, so that no share shrinks when the space grows.
 */
export function sharesOf(
  space: number,
  partitions: BudgetSettings['partitions'],
  configured: Configured,
): Record<SourceClass, number> {
  const tactical = configured.tactical ? partitions.tactical : 0
  const adapter = configured.adapter ? partitions.adapter : 0
  const grounds = partitions.controlPlane + partitions.task
  const left = 100 - tactical - adapter
  const share = (percent: number) => Math.floor((space * percent) / 100)
  return {
    control_plane: grounds === 0 ? 0 : share((left * partitions.controlPlane) / grounds),
    task: grounds === 0 ? share(left) : share((left * partitions.task) / grounds),
    tactical: share(tactical),
    adapter: share(adapter),
  }
}

/**
 * What earlier classes leave goes to the optional slices in fixed parts: none gets more because another is empty.
 */
export function partsOf(flowing: number, partitions: BudgetSettings['partitions'], configured: Configured) {
  const tactical = configured.tactical ? Math.max(1, partitions.tactical) : 0
  const adapter = configured.adapter ? Math.max(1, partitions.adapter) : 0
  const part = (weight: number) => (weight === 0 ? 0 : Math.floor((flowing * weight) / (tactical + adapter)))
  return { tactical: part(tactical), adapter: part(adapter) }
}

/** The number of places of the control plane, by its share, rounded: one of two, and none of one. */
export function planePlaces({ maxFiles, partitions: { controlPlane, task } }: Limits): number {
  const grounds = controlPlane + task
  return grounds === 0 ? 0 : Math.round((maxFiles * controlPlane) / grounds)
}

/** The class of each place after the control plane, if its slice is configured; all others belong to the task. */
const TURNS: readonly SourceClass[] = [
  'task',
  'task',
  'tactical',
  'task',
  'adapter',
  'task',
  'tactical',
  'task',
  'adapter',
]

/**
 * How many files of each class may be in the bundle, before sizes count. Optional slices keep a few places however many
 * files a task has, even if empty. Places that the task does not need go to them.
 */
export function placesOf(
  wanted: Readonly<Record<SourceClass, number>>,
  maxFiles: number,
  configured: Configured,
): Record<SourceClass, number> {
  const all = Math.max(0, Math.floor(maxFiles))
  const controlPlane = Math.min(wanted.control_plane, all)
  const left = all - controlPlane
  const turns = TURNS.filter((each) => each === 'task' || configured[each as keyof Configured]).slice(0, left)
  const turnsOf = (each: SourceClass) => turns.filter((turn) => turn === each).length
  const tasks = turnsOf('task') + left - turns.length
  const task = Math.min(wanted.task, tasks)
  const spare = tasks - task
  const isShared = configured.tactical && configured.adapter
  const tactical = turnsOf('tactical') + (isShared ? Math.ceil(spare / 2) : spare)
  const adapter = turnsOf('adapter') + (isShared ? Math.floor(spare / 2) : spare)
  return {
    control_plane: controlPlane,
    task,
    tactical: configured.tactical ? Math.min(wanted.tactical, tactical) : 0,
    adapter: configured.adapter ? Math.min(wanted.adapter, adapter) : 0,
  }
}

/** How long a text is, in characters or in tokens. Of two joined texts it is at most the sum. */
export type Measure = (text: string) => number

export const countCharacters: Measure = (text) => text.length

/** The longest beginning of a text, as `cut` makes it, within a size. */
function cutToSize(
  text: string,
  size: number,
  measure: Measure,
  cut: (text: string, characters: number) => string,
): string {
  if (size <= 0) return ''
  if (measure === countCharacters) return cut(text, Math.floor(size))
  if (measure(text) <= size) return cut(text, text.length)
  let [fits, tooLong] = [0, text.length]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (measure(cut(text, middle)) <= size) fits = middle
    else tooLong = middle
  }
  return cut(text, fits)
}

/** A candidate with a place in the bundle. Of its sections, the shown ones, in the order of its lines. */
export interface Placed extends Candidate {
  excerpt: string
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
  const texts = candidates.map((candidate) => fullText(candidate, rules))
  const place = (excerpts: readonly string[]) =>
    candidates.map((each, at): Placed => ({ ...each, sections: undefined, excerpt: excerpts[at] ?? '' }))
  if (wanted <= space) return { placed: place(texts), left: [], used: wanted, isShortened: false }
  const cutAll = (limit: number) => texts.map((text) => rules.cut(text, limit))
  const sizeAt = (limit: number) =>
    cutAll(limit).reduce((sum, text, at) => sum + rules.overheadOf(candidates[at]!) + rules.measure(text), 0)
  if (sizeAt(SHORTEST) > space) {
    const shorter = { ...rules, maxCharsPerFile: Math.min(SHORTEST, rules.maxCharsPerFile) }
    return { ...fillInOrder(candidates, space, shorter), isShortened: true }
  }
  let [fits, tooLong] = [SHORTEST, Math.max(SHORTEST, ...texts.map(({ length }) => length)) + 1]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (sizeAt(middle) <= space) fits = middle
    else tooLong = middle
  }
  return { placed: place(cutAll(fits)), left: [], used: sizeAt(fits), isShortened: true }
}

/**
 * In order: each in full if it fits; of a file in sections, the first. The first that does not fit is cut, or left out
 * if it cannot be cut, and ends the list: a later one in its place would have to go when the space grows. The rest of
 * the space goes to further sections, turn by turn.
 */
export function fillInOrder(candidates: readonly Candidate[], space: number, rules: FillRules): Filling {
  const placed: (Placed & { sections?: CandidateSection[] })[] = []
  let rest = space
  let isFull = false
  for (const candidate of candidates) {
    const overhead = rules.overheadOf(candidate)
    let room = rest - overhead
    let excerpt = ''
    let sections: CandidateSection[] | undefined
    let isCut = false
    if (candidate.sections === undefined) {
      const text = fullText(candidate, rules)
      isCut = rules.measure(text) > room
      excerpt = isCut ? cutToSize(text, room, rules.measure, rules.cut) : text
      room -= rules.measure(excerpt)
    } else {
      sections = []
      const first = candidate.sections.filter(({ turn }) => turn === 0)
      first.sort((a, b) => b.score - a.score || a.start - b.start)
      for (const section of first) {
        const shown = showSection(sections, section, room, rules)
        room -= shown.used
        isCut = shown.isFull
        if (isCut) break
      }
    }
    isFull = overhead > rest || sections?.length === 0 || isCut
    if (overhead > rest || sections?.length === 0 || (isCut && candidate.isWhole)) break
    placed.push({ ...candidate, excerpt, sections })
    rest = room
    if (isCut) break
  }
  if (!isFull) {
    const further = candidates
      .slice(0, placed.length)
      .flatMap(({ sections = [] }, at) => sections.filter(({ turn }) => turn > 0).map((section) => ({ section, at })))
    further.sort((a, b) => a.section.turn - b.section.turn)
    for (const { section, at } of further) {
      const shown = showSection(placed[at]!.sections!, section, rest, rules)
      rest -= shown.used
      if (shown.isFull) break
    }
  }
  return {
    placed: placed.map((each) => joined(each, rules)),
    left: candidates.slice(placed.length),
    used: space - rest,
    isShortened: false,
  }
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

/**
 * The core, which is loaded for every task; then a file, a matched payload and a pack in turn, so that none of the three
 * can displace the others. Each list keeps its order.
 */
export function interleave({
  core,
  files,
  matched,
  packs,
}: Readonly<Record<'core' | 'files' | 'matched' | 'packs', readonly Candidate[]>>): Candidate[] {
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
    const { path, sourceClass, sha256: digest, text, charsTotal } = candidate
    // Texts are compared only if the whole was read: long files may begin alike.
    const keys = [
      `path ${path}`,
      ...(digest === null ? [] : [`bytes ${digest}`]),
      ...(charsTotal === text.length ? [`text ${sha256(text.trim())}`] : []),
    ]
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

export function mapSlices(slices: Slices, change: (candidate: Candidate) => Candidate | undefined): Slices {
  const changed = SOURCE_CLASSES.map((each) => [each, slices[each].flatMap((candidate) => change(candidate) ?? [])])
  return Object.fromEntries(changed)
}
