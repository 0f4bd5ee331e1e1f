import { sha256 } from '../shared/digest.ts'
import { boundaryOf, harmlessTail, neutralise, removeInvisible } from '../shared/fence.ts'
import { type Assembly, assemble, placesFor, type Slices } from './assemble.ts'
import {
  type BundleFile,
  type ContextBundle,
  type ControlPlaneEntry,
  type FallbackAttempt,
  withDigest,
} from './bundle.ts'
import { type Candidate, type Omission, withText } from './candidate.ts'
import { cutExcerpt } from './excerpt.ts'
import type { FillRules, Placed } from './fill.ts'
import type { IntentReading } from './intent.ts'
import type { Configured, Limits } from './limits.ts'
import type { Degradation } from './optional-slice.ts'
import { frameTexts, type Marks, overheadTexts, RENDERINGS, renderBundle, SHORTENED } from './render.ts'
import type { Measure } from './size.ts'
import type { SourceClass } from './source-class.ts'

export interface BundleInput {
  task: string
  intent: IntentReading
  preset: string
  controlPlane: readonly ControlPlaneEntry[]
  slices: Slices
  configured: Configured
  /** What fell out before the budget was looked at. */
  omitted: readonly Omission[]
  /** About control plane, task and settings. */
  warnings: readonly string[]
  /** About optional slices. */
  adviceWarnings: readonly string[]
  degraded: readonly Degradation[]
  missing: readonly string[]
  sourceAnchors: readonly string[]
  now: string | null
  limits: Limits
  unit: 'chars' | 'tokens'
  measure: Measure
  tokenizer: { id: string; count: Measure }
  mayBeUnrestricted: boolean
}

/** However much is asked for. */
const CEILING = { maxFiles: 200, maxCharsPerFile: 20_000, total: 400_000 }

/** Puts everything that was found into a bundle within its limits. */
export function buildBundle(given: BundleInput): { bundle: ContextBundle; marks: Marks } {
  const marks = { boundaries: boundariesOf(given), warnings: given.warnings }
  const { slices, duplicates } = dropDuplicates(given.slices)
  const input = { ...given, slices: mapSlices(slices, (candidate) => cleanCandidate(candidate, marks)) }
  const head = headOf(input)
  const frame = Math.max(...frameTexts(head, marks).map((text) => input.measure(text)))
  const space = (limits: Limits) => limits.total - frame
  const attempts: FallbackAttempt[] = []
  const attempt = (level: FallbackAttempt['level'], limits: Limits): Assembly => {
    const assembly = assemble(input.slices, space(limits), limits, input.configured, rulesFor(input, limits, marks))
    attempts.push(describeAttempt(level, limits, input.slices, assembly))
    return assembly
  }
  const { level, assembly, limits } = descend(input, attempt)
  const isShown = space(limits) >= 0
  const files = isShown ? assembly.placed.map((placed, at) => fileOf(placed, at + 1)) : []
  const unfinished: Omit<ContextBundle, 'digest'> = {
    ...head,
    warnings: assembly.isShortened ? [...head.warnings, SHORTENED] : head.warnings,
    budget: { unit: input.unit, limits: limitsOf(limits), partitions: assembly.partitions },
    files,
    omitted: [
      ...input.omitted,
      ...duplicates,
      ...assembly.omitted,
      ...(isShown ? [] : assembly.placed.map(unshown)),
    ].map(({ path, sourceClass, reason, detail }) => ({ path, source_class: sourceClass, reason, detail })),
    fallback: { level, attempts },
    degraded: input.degraded,
    source_anchors: input.sourceAnchors,
    now: input.now,
    estimate: { chars: 0, tokens: 0, tokenizer: input.tokenizer.id },
  }
  return { bundle: withDigest({ ...unfinished, estimate: estimate(input, unfinished, marks, isShown) }), marks }
}

type Head = Pick<ContextBundle, 'version' | 'task' | 'intent' | 'preset' | 'control_plane' | 'warnings' | 'missing'>

function headOf(input: BundleInput): Head {
  const { task, intent, preset, controlPlane, warnings, adviceWarnings, missing } = input
  const present = controlPlane.filter((item) => item.present).length
  const status = present === 0 ? 'absent' : present === controlPlane.length ? 'complete' : 'partial'
  const { key, matched, scores, isOverridden } = intent
  return {
    version: 1,
    task,
    intent: { key, matched, scores, overridden: isOverridden },
    preset,
    control_plane: { status, items: controlPlane },
    warnings: [...warnings, ...adviceWarnings],
    missing,
  }
}

/**
 * The asked limits; twice as many files of twice the length when a slice came out empty; more only if it was allowed.
 * The wider limits are taken if they give that slice a place, at any total: were it a matter of room, a slightly larger
 * total could give a smaller bundle.
 */
function descend(
  { limits, slices, configured, mayBeUnrestricted }: BundleInput,
  attempt: (level: FallbackAttempt['level'], limits: Limits) => Assembly,
): { level: FallbackAttempt['level']; assembly: Assembly; limits: Limits } {
  let found = { level: 'restricted' as FallbackAttempt['level'], assembly: attempt('restricted', limits), limits }
  if (emptySlice(slices, found.assembly) !== undefined) {
    const wider = atLeast(limits, {
      maxFiles: Math.min(2 * limits.maxFiles, CEILING.maxFiles),
      maxCharsPerFile: Math.min(2 * limits.maxCharsPerFile, CEILING.maxCharsPerFile),
      total: limits.total,
    })
    const assembly = attempt('relaxed', wider)
    const [before, after] = [placesFor(slices, limits, configured), placesFor(slices, wider, configured)]
    if (GROUNDS.some((each) => before[each] === 0 && after[each] > 0))
      found = { level: 'relaxed', assembly, limits: wider }
  }
  if (mayBeUnrestricted && found.assembly.omitted.length > 0) {
    const widest = atLeast(limits, CEILING)
    found = { level: 'unrestricted', assembly: attempt('unrestricted', widest), limits: widest }
  }
  return found
}

/** Nobody gets less than was asked for. */
function atLeast(limits: Limits, { maxFiles, maxCharsPerFile, total }: typeof CEILING): Limits {
  return {
    ...limits,
    maxFiles: Math.max(limits.maxFiles, maxFiles),
    maxCharsPerFile: Math.max(limits.maxCharsPerFile, maxCharsPerFile),
    total: Math.max(limits.total, total),
  }
}

const GROUNDS = ['control_plane', 'task'] as const

/** Which of the slices that matter most has candidates and got no place. */
function emptySlice(slices: Slices, { placed }: Assembly): 'control_plane' | 'task' | undefined {
  return GROUNDS.find(
    (each) => slices[each].length > 0 && !placed.some(({ candidate }) => candidate.sourceClass === each),
  )
}

function describeAttempt(
  level: FallbackAttempt['level'],
  limits: Limits,
  slices: Slices,
  assembly: Assembly,
): FallbackAttempt {
  const empty = emptySlice(slices, assembly)
  const reason = empty === undefined ? 'every slice with candidates has a file' : `the ${empty} slice came out empty`
  return { level, limits: limitsOf(limits), success: empty === undefined, reason }
}

function limitsOf({ maxFiles, maxCharsPerFile, total }: Limits) {
  return { max_files: maxFiles, max_chars_per_file: maxCharsPerFile, total }
}

function rulesFor({ measure }: BundleInput, { maxCharsPerFile }: Limits, marks: Marks): FillRules {
  const known = new Map<Candidate, number>()
  return {
    measure,
    maxCharsPerFile,
    cut: (text, characters) => harmlessTail(cutExcerpt(text, characters).excerpt),
    overheadOf: (candidate) => {
      const before = known.get(candidate)
      if (before !== undefined) return before
      const excerpt = candidate.isWhole ? candidate.text : candidate.text.slice(0, maxCharsPerFile)
      const overhead = Math.max(...overheadTexts(fileOf({ candidate, excerpt }, 1), marks).map((text) => measure(text)))
      known.set(candidate, overhead)
      return overhead
    },
  }
}

function fileOf({ candidate, excerpt }: Placed, rank: number): BundleFile {
  const { path, sourceClass, selectedBy, score, reason, provenance, charsTotal, sha256: digest, isWhole } = candidate
  return {
    path,
    source_class: sourceClass,
    selected_by: selectedBy,
    rank,
    score,
    reason,
    provenance,
    excerpt,
    truncated: charsTotal === null || excerpt.length < charsTotal,
    chars_total: charsTotal,
    chars_emitted: excerpt.length,
    sha256: digest,
    fenced: isWhole,
  }
}

function unshown({ candidate: { path, sourceClass } }: Placed): Omission {
  return { path, sourceClass, reason: 'budget', detail: 'not even the heading of the bundle fits' }
}

/** Cleaned before it is cut, so that a cut can neither open nor close anything. What is fenced already stays as it is. */
function cleanCandidate(candidate: Candidate, { boundaries }: Marks): Candidate {
  if (candidate.isWhole) return candidate
  const { text } = neutralise(removeInvisible(candidate.text).text, boundaries[candidate.sourceClass])
  return withText(candidate, text)
}

/**
 * The same path, or the same text, is shown once: where it comes first. Notes and adapters are not held against each
 * other: what one of them says must not depend on whether the other is there.
 */
function dropDuplicates(slices: Slices): { slices: Slices; duplicates: Omission[] } {
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

function mapSlices(slices: Slices, change: (candidate: Candidate) => Candidate | undefined): Slices {
  const changed = (each: keyof Slices) => slices[each].flatMap((candidate) => change(candidate) ?? [])
  return {
    control_plane: changed('control_plane'),
    task: changed('task'),
    tactical: changed('tactical'),
    adapter: changed('adapter'),
  }
}

/** Of what each class holds: content that held the boundary around it would have to hold its own hash. */
function boundariesOf({ task, slices }: BundleInput): Marks['boundaries'] {
  const of = (each: SourceClass) => boundaryOf([task, each, slices[each].map(identityOf)])
  const own = { control_plane: of('control_plane'), task: of('task'), tactical: of('tactical'), adapter: of('adapter') }
  return { ...own, frame: boundaryOf(own) }
}

function identityOf({ path, sha256: digest, text }: Candidate): [string, string] {
  return [path, digest ?? sha256(text)]
}

/** Of the longest rendering. */
function estimate(
  { tokenizer }: BundleInput,
  bundle: Omit<ContextBundle, 'digest'>,
  marks: Marks,
  isShown: boolean,
): ContextBundle['estimate'] {
  const texts = isShown ? RENDERINGS.map((rendering) => renderBundle(bundle, rendering, marks)) : ['']
  const longest = texts.reduce((a, b) => (b.length > a.length ? b : a))
  return { chars: longest.length, tokens: tokenizer.count(longest), tokenizer: tokenizer.id }
}
