import { roundScore } from '../../../search/document.ts'
import { estimateTokens } from '../../../text/tokens.ts'
import { type Finding, report } from '../../../text/trouble.ts'
import { compareText } from '../../../text/values.ts'
import { type Wrapper, wrapContext } from '../fence.ts'
import type { Collision } from '../gates/catalog.ts'
import { packWord, type RefusedPack, type TrustedPack } from '../gates/trust.ts'
import {
  type Activation,
  type ContextPart,
  type PackWarning,
  packSections,
  type RuntimeMode,
  type Scope,
  settleWarnings,
  toFinding,
} from '../pack.ts'
import { type Choice, setsLimits } from './choose.ts'
import { allGaps } from './gaps.ts'
import type { PackResolution } from './resolve-pack.ts'

/** A pack that contributes to a task. */
export interface ActivePack {
  pack: TrustedPack
  activation: Activation
  /** How likely it is that the task needs it; absent for a named pack. */
  confidence: number | undefined
  /** The user's confirmation of its status, if one was needed. */
  confirmation: string | undefined
  /** Its status requires the list of gaps, even an empty one. */
  showsGaps: boolean
  resolution: PackResolution
  presented: PresentedPack
  /** The session already has this text. */
  isRepeated: boolean
}

/** A stale pack that a newer one replaced. */
export interface Substitution {
  name: string
  from: { scope: Scope; path: string; version: string | undefined }
  to: { scope: Scope; path: string; version: string | undefined }
}

/** The packs of this machine resolved for a task. */
export interface PackContext {
  task: string
  /** In the order of the wrappers. */
  active: readonly ActivePack[]
  refused: readonly RefusedPack[]
  substitutions: readonly Substitution[]
  collisions: readonly Collision[]
  tokens: number
  budget: number
  auditId: string | undefined
}

/** Whether the user must approve or confirm before this pack can be used. */
export function isWaiting({ reason }: RefusedPack): boolean {
  return reason === 'approval-needed' || reason === 'confirmation-needed'
}

/** The texts that go to the model now. */
export function newWrappers({ active }: PackContext): { pack: string; text: string }[] {
  return active.flatMap(({ pack, presented: { wrapper }, isRepeated }) =>
    wrapper === undefined || isRepeated ? [] : [{ pack: pack.manifest.name, text: wrapper }],
  )
}

/**
 * The JSON format of the standard's resolver, with Loadout's additions. Paths are relative to their pack; if several
 * packs answer, they start with its name.
 */
export function toResolverOutput(context: PackContext) {
  const { task, active, refused, substitutions, collisions, tokens, budget, auditId } = context
  const packs = active.map(packOutput)
  const missing = [...new Set(packs.flatMap((each) => each.missing))]
  const placed = (name: string, paths: readonly string[]) =>
    active.length > 1 ? paths.map((path) => `${name}/${path}`) : paths
  return {
    task,
    selected_files: packs.flatMap(({ name, selected_files }) => placed(name, selected_files)),
    source_anchors: packs.flatMap(({ name, source_anchors }) => placed(name, source_anchors)),
    compile_warnings: packs.flatMap(({ name, compile_warnings }) =>
      compile_warnings.map((warning) => ({ ...warning, pack: name })),
    ),
    missing,
    recommendation: missing.length > 0 ? 'ask_user_or_mark_unknown' : undefined,
    token_estimate: tokens,
    token_counter: 'chars/4',
    budget,
    packs,
    wrappers: newWrappers(context),
    refused: refused.map(({ name, ...rest }) => ({ name, needs_answer: isWaiting({ name, ...rest }), ...rest })),
    substitutions,
    collisions,
    audit: auditId,
  }
}

function packOutput({ pack, activation, confidence, resolution, presented, isRepeated }: ActivePack) {
  const { manifest, scope, root, trust } = pack
  const { choices, warnings, omitted, tokens } = presented
  const files = [...new Set(choices.filter(({ rule }) => rule !== 'guide').map(({ path }) => path))]
  return {
    name: manifest.name,
    scope,
    root,
    version: manifest.version,
    status: manifest.status,
    trust: manifest.trust,
    effective_trust: trust.state,
    profile: manifest.profile,
    runtime_mode: manifest.mode,
    grounding: manifest.grounding,
    activation,
    confidence: confidence === undefined ? undefined : roundScore(confidence),
    repeated: isRepeated,
    selected_files: files,
    selected_documents: files.filter((path) => path.startsWith('documents/')),
    selected_splits: files.filter((path) => path.startsWith('compiled/splits/')),
    source_anchors: resolution.sourceAnchors,
    compile_warnings: warnings.map(({ severity, path, message, code, line, count }) => {
      return { severity, path, message, code, line, count }
    }),
    missing: allGaps(resolution),
    citation_gaps: resolution.citationGaps,
    reasons: choices.map(({ path, layer, lines, rule, score, why }) => {
      return { path, layer, lines, rule, score, hint: why }
    }),
    omitted,
    token_estimate: tokens,
  }
}

/** A resolution that is fenced and fits its budget. */
export interface PresentedPack {
  /** Undefined if the budget is too small. */
  wrapper: string | undefined
  tokens: number
  choices: readonly Choice[]
  omitted: readonly { path: string; lines: ContextPart['lines']; reason: 'budget'; tokens: number }[]
  /** The warnings inside the wrapper, without those of the fence. */
  wrapperWarnings: readonly PackWarning[]
  /** All warnings, sorted and merged: of the pack, the fence and the omitted parts. */
  warnings: readonly PackWarning[]
}

/** Fences as many choices as fit the budget. Never drops warnings to make room. */
export function presentPack(
  pack: TrustedPack,
  { choices, warnings, missing }: Pick<PackResolution, 'choices' | 'warnings' | 'missing'>,
  budget: number,
): PresentedPack {
  /** One warning for the model, however much was left out. */
  const withOmissions = (omitted: PresentedPack['omitted']) => {
    const { size } = new Set(omitted.map(({ path }) => path))
    if (size === 0) return settleWarnings(warnings)
    const what = size === 1 ? 'one file' : `${size} files`
    return settleWarnings([...warnings, report('LEFT_OUT/parts', { what }, { path: 'KNOWLEDGE.md' })])
  }
  const wrap = (kept: readonly Choice[], omitted: PresentedPack['omitted']) =>
    wrapPack(pack, kept, withOmissions(omitted), missing)
  const { text, choices: kept, omitted } = fitBudget(choices, budget, (some, rest) => wrap(some, rest).text)
  const fence = text === undefined ? [] : wrap(kept, omitted).warnings
  const each = omitted.map(({ path, lines, tokens }) =>
    report('LEFT_OUT/tokens', { tokens }, { path, line: lines?.from }),
  )
  return {
    wrapper: text,
    tokens: text === undefined ? 0 : estimateTokens(text),
    choices: kept,
    omitted,
    wrapperWarnings: withOmissions(omitted),
    warnings: settleWarnings([...warnings, ...fence, ...each]),
  }
}

/** Fences parts of a pack. A replay calls it with the recorded input and gets the same bytes. */
export function wrapPack(
  { manifest, trust }: Pick<TrustedPack, 'manifest'> & { trust: { state: string } },
  parts: readonly ContextPart[],
  warnings: readonly PackWarning[],
  missing: readonly string[],
): Wrapper {
  const { name, status = 'unknown', grounding, profile, mode, version } = manifest
  return wrapContext({
    name,
    status,
    grounding,
    trust: trust.state,
    profile,
    mode,
    version,
    warnings,
    missing,
    // The boundary is a digest of them: without what only a record needs.
    parts: parts.map(({ path, layer, lines, places, text }) => ({ path, layer, lines, places, text })),
  })
}

/** Personas first, because they set the voice of the rest; then by activation, then by name. */
export function orderWrappers<T extends { name: string; mode: RuntimeMode; order: number }>(packs: readonly T[]): T[] {
  const rank = ({ mode }: T) => (mode === 'persona' ? 0 : 1)
  return packs.toSorted((a, b) => rank(a) - rank(b) || a.order - b.order || compareText(a.name, b.name))
}

/**
 * Keeps as many sections as the budget allows: limits first, then by rule and score. Cuts only between sections.
 * `render` returns the whole wrapper, whose size must fit. No text if not even the frame and its warnings fit.
 */
function fitBudget(
  choices: readonly Choice[],
  budget: number,
  render: (choices: readonly Choice[], omitted: PresentedPack['omitted']) => string,
): { text: string | undefined; choices: readonly Choice[]; omitted: PresentedPack['omitted'] } {
  const whole = render(choices, [])
  if (estimateTokens(whole) <= budget) return { text: whole, choices, omitted: [] }
  const pieces = choices.flatMap((choice): Choice[] => {
    const { path, lines, text, rule } = choice
    if (lines === undefined || rule === 'excerpt') return [choice]
    const sections = packSections(path, text, lines.from)
    return sections.map(({ from, to, text: own }) => ({ ...choice, lines: { from, to }, text: own }))
  })
  const omit = (some: readonly Choice[]): PresentedPack['omitted'][number][] =>
    some.map(({ path, lines, text }) => ({ path, lines, reason: 'budget', tokens: estimateTokens(text) }))
  const frame = render([], omit(pieces))
  if (estimateTokens(frame) > budget) return { text: undefined, choices: [], omitted: omit(pieces) }
  const worth = new Map(pieces.map((piece, at) => [piece, { at, rank: rankOf(piece) }]))
  const byWorth = pieces.toSorted((a, b) => {
    const [own, other] = [worth.get(a)!, worth.get(b)!]
    return own.rank - other.rank || b.score - a.score || own.at - other.at
  })
  // By an estimate, as long as there is room; then the real size decides.
  let left = budget - estimateTokens(frame)
  const taken = new Set<Choice>()
  for (const piece of byWorth) {
    const { at } = worth.get(piece)!
    // A section next to a taken one needs no delimiter.
    const isJoined = [pieces[at - 1], pieces[at + 1]].some(
      (near) => near && taken.has(near) && near.path === piece.path,
    )
    // A line between two files costs 16 tokens and its path.
    const cost = estimateTokens(piece.text) + (isJoined ? 0 : estimateTokens(piece.path) + 16)
    if (cost > left) continue
    left -= cost
    taken.add(piece)
  }
  for (;;) {
    const kept = join(
      pieces.filter((piece) => taken.has(piece)),
      (last, next) => last.rule === next.rule && { text: last.text + next.text },
    )
    const omitted = omit(pieces.filter((piece) => !taken.has(piece)))
    const text = render(kept, omitted)
    if (estimateTokens(text) <= budget) {
      return { text, choices: kept, omitted: join(omitted, (last, next) => ({ tokens: last.tokens + next.tokens })) }
    }
    taken.delete([...taken].at(-1)!)
  }
}

/** Joins parts of a file whose lines follow each other, if `merge` allows it. */
function join<Part extends Pick<ContextPart, 'path' | 'lines'>>(
  parts: readonly Part[],
  merge: (last: Part, next: Part) => Partial<Part> | false,
): Part[] {
  const joined: Part[] = []
  for (const next of parts) {
    const last = joined.at(-1)
    const isNext = last?.lines !== undefined && last.path === next.path && last.lines.to + 1 === next.lines?.from
    const merged = isNext && next.lines && merge(last, next)
    if (isNext && merged) {
      joined[joined.length - 1] = { ...last, ...merged, lines: { from: last.lines!.from, to: next.lines!.to } }
    } else joined.push(next)
  }
  return joined
}

/** Before the sections, which compete by their score; everything else comes after them. */
const FIRST: readonly Choice['rule'][] = ['contradiction', 'guide', 'answer', 'ontology']

function rankOf({ path, layer, text, rule }: Choice): number {
  if (path.startsWith('compiled/') && setsLimits(path)) return -2
  const isOwn = layer === 'compiled' || layer === 'guide'
  if (isOwn && setsLimits(packSections(path, text)[0]?.title ?? '')) return -1
  if (rule === 'excerpt') return FIRST.length + 1
  const at = FIRST.indexOf(rule)
  return at === -1 ? FIRST.length : at
}

/** Whether a wrapper lists a finding among the warnings of its pack, or `packs list` does. Loadout prints every error. */
export function isToldElsewhere(
  { severity, code, subject, message }: Finding,
  { active }: Pick<PackContext, 'active'>,
): boolean {
  if (severity === 'error') return false
  const isOfPack = active.some(({ pack }) => pack.manifest.name === subject && message.startsWith(`${subject}/`))
  return isOfPack || code === 'discovery.skipped' || code === 'catalog.collision'
}

/** The findings about a context: refused and replaced packs, warnings. */
export function contextFindings({ active, refused, substitutions }: PackContext): Finding[] {
  return [
    ...refused.map((each): Finding => {
      const { name: subject, message, command: hint, reason } = each
      if (!isWaiting(each)) return { severity: 'info', code: 'PACK_REFUSED', message, subject, hint }
      const code = reason === 'approval-needed' ? 'APPROVAL_NEEDED' : 'CONFIRMATION_NEEDED'
      return { severity: 'warning', code, message, subject, hint }
    }),
    ...substitutions.map(({ name, from, to }) => {
      const facts = { name: packWord(name), scope: from.scope, scope2: to.scope }
      return report('pack.substituted/newer', facts, { subject: name })
    }),
    ...active.flatMap(({ pack, presented }) =>
      presented.warnings.map((warning) => toFinding(warning, pack.manifest.name)),
    ),
  ]
}
