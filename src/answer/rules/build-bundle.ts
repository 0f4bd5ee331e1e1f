import { boundaryOf, harmlessTail, neutralise, removeInvisible } from '../../text/fence.ts'
import { sha256 } from '../../text/values.ts'
import { cutExcerpt } from './budget/excerpt.ts'
import {
  type Assembly,
  assemble,
  CEILING,
  type Configured,
  dropDuplicates,
  type FillRules,
  type Limits,
  limitsOf,
  type Measure,
  mapSlices,
  type Placed,
  tryWiderLimits,
} from './budget/fit.ts'
import {
  type BundleFile,
  type BundlePointer,
  type Candidate,
  type CandidateSection,
  type ContextBundle,
  type ControlPlaneEntry,
  type IntentReading,
  type Omission,
  type ProjectSignals,
  type Slices,
  type SourceClass,
  type Trail,
  withDigest,
  withText,
} from './bundle.ts'
import {
  frameTexts,
  type Marks,
  overheadTexts,
  pointerText,
  RENDERINGS,
  type Rendering,
  renderBundle,
  SHORTENED,
} from './render.ts'

export interface BundleInput extends Readonly<Trail> {
  task: string
  intent: IntentReading
  preset: string
  controlPlane: readonly ControlPlaneEntry[]
  /** The data behind the choice among the project's own files. */
  project?: ProjectSignals
  slices: Slices
  /** Places to name, best first; of those whose file is shown, none is named. Undefined without a search. */
  pointers?: readonly BundlePointer[] | undefined
  configured: Configured
  now: string | null
  limits: Limits
  unit: 'chars' | 'tokens'
  measure: Measure
  tokenizer: { id: string; count: Measure }
  mayBeUnrestricted: boolean
}

/**
 * Builds a bundle from everything that was found, within its limits. Renderings are made when they are read, and empty
 * when nothing fits. `needs`: the smallest total that would show something, for an empty bundle; slow to compute.
 */
export function buildBundle(given: BundleInput) {
  // Hashes the content of each class: content that contained its boundary would have to contain its own hash.
  const identities = (each: SourceClass) =>
    given.slices[each].map(({ path, sha256: digest, text }) => [path, digest ?? sha256(text)])
  const of = (each: SourceClass) => boundaryOf([given.task, each, identities(each)])
  const own = { control_plane: of('control_plane'), task: of('task'), tactical: of('tactical'), adapter: of('adapter') }
  const marks: Marks = { boundaries: { ...own, frame: boundaryOf(own) }, warnings: given.warnings }
  const { slices, duplicates } = dropDuplicates(given.slices)
  const input: BundleInput = {
    ...given,
    // Cleaned before cutting, so that a cut can neither open nor close anything. Already fenced text stays unchanged.
    slices: mapSlices(slices, (each) => {
      if (each.isWhole) return each
      return withText(each, neutralise(removeInvisible(each.text).text, own[each.sourceClass]).text)
    }),
    omitted: [...given.omitted, ...duplicates],
  }
  const head = headOf(input)
  const { level, attempts, assembly, limits } = tryWiderLimits(input, (wider) =>
    assembleWithin(input, head, wider, marks),
  )
  const { content, isShown } = assembly
  const render = (rendering: Rendering) => (isShown ? renderBundle(content, rendering, marks) : '')
  const bundle = withDigest({
    ...content,
    budget: { unit: input.unit, limits: limitsOf(limits), partitions: assembly.partitions },
    fallback: { level, attempts, degraded: [...new Set(input.degraded.map(({ source }) => source))] },
    degraded: input.degraded,
    source_anchors: input.sourceAnchors,
    now: input.now,
    estimate: {
      chars: assembly.longest.length,
      tokens: input.tokenizer.count(assembly.longest),
      tokenizer: input.tokenizer.id,
    },
  })
  const isEmpty = bundle.files.every(({ excerpt }) => excerpt === '')
  const needs = () =>
    isEmpty ? smallestTotal(input, limits, (wider) => assembleWithin(input, head, wider, marks)) : undefined
  const renderings = {
    get markdown() {
      return assembly.longest
    },
    get xml() {
      return render('xml')
    },
    get text() {
      return render('text')
    },
  }
  return { bundle, marks, renderings, needs }
}

/** The smallest total that gives a file a place, or at least shows the frame; undefined when none does. */
function smallestTotal(input: BundleInput, limits: Limits, assembleIn: (limits: Limits) => Shown): number | undefined {
  const hasCandidates = limits.maxFiles > 0 && Object.values(input.slices).some((slice) => slice.length > 0)
  const gives = (total: number) => {
    const { isShown, placed } = assembleIn({ ...limits, total })
    return isShown && (placed.some(({ excerpt }) => excerpt !== '') || !hasCandidates)
  }
  let [tooSmall, enough] = [limits.total, CEILING.total]
  if (gives(tooSmall) || !gives(enough)) return undefined
  while (enough - tooSmall > 1) {
    const middle = (tooSmall + enough) >> 1
    if (gives(middle)) enough = middle
    else tooSmall = middle
  }
  return enough
}

interface Shown extends Assembly {
  /** False when even the frame does not fit. */
  isShown: boolean
  content: ReturnType<typeof contentOf>
  /** In Markdown, the longest rendering. */
  longest: string
}

/** The renderings that may be the largest: Markdown has the most characters; in tokens it may be any. */
function measuredFor({ unit }: BundleInput): ['markdown', ...Rendering[]] {
  return unit === 'chars' ? ['markdown'] : ['markdown', ...RENDERINGS.filter((each) => each !== 'markdown')]
}

/** Tokens of joined texts do not quite add up: if the result is too long, builds it again in less space. */
function assembleWithin(input: BundleInput, head: Head, limits: Limits, marks: Marks): Shown {
  const rules = rulesFor(input, limits, marks)
  const largest = (texts: readonly string[]) => Math.max(...texts.map((text) => input.measure(text)))
  const [longest, ...others] = measuredFor(input)
  for (let space = limits.total - largest(frameTexts(head, marks, [longest, ...others])); ; ) {
    const assembly = assemble(input.slices, space, limits, input.configured, rules)
    const pointers = fitPointers(input, assembly, marks)
    const content = contentOf(input, head, assembly, pointers)
    assembly.partitions.task.used += input.measure(pointerText(pointers ?? [], marks))
    if (space < 0) return { ...assembly, content, isShown: false, longest: '' }
    const markdown = renderBundle(content, longest, marks)
    const excess = largest([markdown, ...others.map((each) => renderBundle(content, each, marks))]) - limits.total
    if (excess <= 0) return { ...assembly, content, isShown: true, longest: markdown }
    space -= excess
  }
}

/** The best places in files that are not shown, as many as the reserved room names. */
function fitPointers(
  { pointers, measure }: BundleInput,
  { placed, reserved }: Assembly,
  marks: Marks,
): readonly BundlePointer[] | undefined {
  const shown = new Set(placed.map(({ path }) => path))
  const others = pointers?.filter(({ path }) => !shown.has(path))
  if (others === undefined) return undefined
  let count = others.length
  while (count > 0 && measure(pointerText(others.slice(0, count), marks)) > reserved) count--
  return others.slice(0, count)
}

function contentOf(
  input: BundleInput,
  head: Head,
  { placed, omitted, isShortened }: Assembly,
  pointers: readonly BundlePointer[] | undefined,
) {
  const named = new Set(pointers?.map(({ path }) => path))
  const left = [...input.omitted, ...omitted].filter(({ path, reason }) => reason !== 'budget' || !named.has(path))
  const known = new Set([...named, ...[...left, ...placed].map(({ path }) => path)])
  const unnamed = (input.pointers ?? [])
    .filter(({ path }) => !known.has(path))
    .map(({ path }): Omission => ({ path, sourceClass: 'task', reason: 'budget', detail: 'no room to name it' }))
  const all = [...left, ...unnamed]
  return {
    ...head,
    pointers,
    warnings: isShortened ? [...head.warnings, SHORTENED] : head.warnings,
    files: placed.map((each, at) => fileOf(each, at + 1)),
    omitted: all.map(({ path, sourceClass, reason, detail }) => ({ path, source_class: sourceClass, reason, detail })),
  }
}

type Head = Pick<
  ContextBundle,
  'version' | 'task' | 'intent' | 'preset' | 'control_plane' | 'project' | 'warnings' | 'missing'
>

function headOf(input: BundleInput): Head {
  const { task, intent, preset, controlPlane, project, warnings, adviceWarnings, missing } = input
  const present = controlPlane.filter((item) => item.present).length
  const status = present === 0 ? 'absent' : present === controlPlane.length ? 'complete' : 'partial'
  const { key, matched, scores, isOverridden } = intent
  return {
    version: 1,
    task,
    intent: { key, matched, scores, overridden: isOverridden },
    preset,
    control_plane: { status, items: controlPlane },
    project,
    warnings: [...warnings, ...adviceWarnings],
    missing,
  }
}

function rulesFor(input: BundleInput, { maxCharsPerFile }: Limits, marks: Marks): FillRules {
  const { measure, pointers = [] } = input
  const measured = measuredFor(input)
  const known = new Map<Candidate, number>()
  return {
    measure,
    maxCharsPerFile,
    namedSize: measure(pointerText(pointers, marks)),
    cut: (text, characters) => harmlessTail(cutExcerpt(text, characters).excerpt),
    seal: (text) => neutralise(text, marks.boundaries.task).text,
    overheadOf: (candidate) => {
      const before = known.get(candidate)
      if (before !== undefined) return before
      const excerpt = candidate.isWhole ? candidate.text : candidate.text.slice(0, maxCharsPerFile)
      const texts = overheadTexts(fileOf({ ...candidate, excerpt }, 1), marks, measured)
      const overhead = Math.max(...texts.map((text) => measure(text)))
      known.set(candidate, overhead)
      return overhead
    },
  }
}

/** A part as the bundle's format writes it. */
function fileOf({ excerpt, sections, ...candidate }: Placed, rank: number): BundleFile {
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
    sections: sections ? neighboursJoined(sections) : undefined,
  }
}

/** Adjacent sections count as one. */
function neighboursJoined(sections: readonly CandidateSection[]): NonNullable<BundleFile['sections']> {
  const joined: { start: number; end: number; score: number; reason: string }[] = []
  for (const { start, end, score, reason } of sections) {
    const last = joined.at(-1)
    if (last?.end !== start - 1) joined.push({ start, end, score, reason })
    else {
      if (score > last.score) [last.score, last.reason] = [score, reason]
      last.end = end
    }
  }
  return joined
}
