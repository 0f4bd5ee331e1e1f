import { roundScore } from '../../../search/document.ts'
import { compareText } from '../../../text/values.ts'
import { type Wrapper, wrapContext } from '../fence/wrapper.ts'
import type { RefusedPack } from '../gates/admission.ts'
import type { Collision } from '../gates/catalog.ts'
import type { TrustedPack } from '../gates/trust.ts'
import {
  type Activation,
  type ContextPart,
  type PackWarning,
  type RuntimeMode,
  type Scope,
  settleWarnings,
} from '../pack.ts'
import type { Choice } from './choice.ts'
import { fitBudget, type TokenCounter } from './fit-budget.ts'
import { allGaps, RECOMMENDATION } from './gaps.ts'
import type { Omission, PackResolution } from './resolution.ts'

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

/** The files a pack contributes, without its guide. */
function selectedFiles({ presented }: Pick<ActivePack, 'presented'>): string[] {
  return [...new Set(presented.choices.filter(({ rule }) => rule !== 'guide').map(({ part }) => part.path))]
}

/** The gaps of all packs, each once. */
function missingFacts({ active }: PackContext): string[] {
  return [...new Set(active.flatMap(({ resolution }) => allGaps(resolution)))]
}

/** The JSON format of the standard's resolver, with Loadout's additions. Paths are relative to each pack. */
export function toResolverOutput(context: PackContext) {
  const { task, active, refused, substitutions, collisions, tokens, budget, auditId } = context
  const missing = missingFacts(context)
  return {
    task,
    selected_files: active.flatMap(selectedFiles),
    source_anchors: active.flatMap(({ resolution }) => resolution.sourceAnchors),
    compile_warnings: active.flatMap(({ pack, presented }) =>
      presented.warnings.map((warning) => ({ ...warningOutput(warning), pack: pack.manifest.name })),
    ),
    missing,
    ...(missing.length > 0 && { recommendation: RECOMMENDATION }),
    token_estimate: tokens,
    token_counter: 'chars/4',
    budget,
    packs: active.map(packOutput),
    wrappers: newWrappers(context),
    refused: refused.map(({ name, ...rest }) => ({ name, needs_answer: isWaiting({ name, ...rest }), ...rest })),
    substitutions,
    collisions,
    audit: auditId,
  }
}

function warningOutput({ severity, path, message, code, line, count }: PackWarning) {
  return { severity, path, message, code, line, count }
}

function packOutput({ pack, activation, confidence, resolution, presented, isRepeated }: ActivePack) {
  const { manifest, scope, root, trust } = pack
  const files = selectedFiles({ presented })
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
    compile_warnings: presented.warnings.map(warningOutput),
    missing: allGaps(resolution),
    citation_gaps: resolution.citationGaps,
    reasons: presented.choices.map(({ part, rule, score, why }) => ({
      path: part.path,
      layer: part.layer,
      lines: part.lines,
      rule,
      score,
      hint: why,
    })),
    omitted: presented.omitted,
    token_estimate: presented.tokens,
  }
}

/** A resolution that is fenced and fits its budget. */
export interface PresentedPack {
  /** Undefined if the budget is too small. */
  wrapper: string | undefined
  tokens: number
  choices: readonly Choice[]
  omitted: readonly Omission[]
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
  count: TokenCounter,
): PresentedPack {
  const withOmissions = (omitted: readonly Omission[]) => settleWarnings([...warnings, ...summarize(omitted)])
  const wrap = (kept: readonly Choice[], omitted: readonly Omission[]) =>
    wrapPack(
      pack,
      kept.map(({ part }) => part),
      withOmissions(omitted),
      missing,
    )
  const { text, choices: kept, omitted } = fitBudget(choices, budget, count, (some, rest) => wrap(some, rest).text)
  const fence = text === undefined ? [] : wrap(kept, omitted).warnings
  return {
    wrapper: text,
    tokens: text === undefined ? 0 : count(text),
    choices: kept,
    omitted,
    wrapperWarnings: withOmissions(omitted),
    warnings: settleWarnings([...warnings, ...fence, ...omitted.map(omissionWarning)]),
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
    ...(grounding !== undefined && { grounding }),
    trust: trust.state,
    profile,
    mode,
    ...(version !== undefined && { version }),
    warnings,
    missing,
    parts,
  })
}

/** One warning for the model, however much was left out. */
function summarize(omitted: readonly Omission[]): PackWarning[] {
  if (omitted.length === 0) return []
  const files = new Set(omitted.map(({ path }) => path)).size
  const message = `parts of ${files === 1 ? 'one file' : `${files} files`} were left out to stay within the budget`
  return [{ severity: 'warning', code: 'context.omitted', path: 'KNOWLEDGE.md', message }]
}

function omissionWarning({ path, lines, tokens }: Omission): PackWarning {
  const message = `left out to stay within the budget: about ${tokens} tokens`
  return {
    severity: 'warning',
    code: 'context.omitted',
    path,
    ...(lines !== undefined && { line: lines.from }),
    message,
  }
}

/** Personas first, because they set the voice of the rest; then by activation, then by name. */
export function orderWrappers<T extends { name: string; mode: RuntimeMode; order: number }>(packs: readonly T[]): T[] {
  const rank = ({ mode }: T) => (mode === 'persona' ? 0 : 1)
  return [...packs].sort((a, b) => rank(a) - rank(b) || a.order - b.order || compareText(a.name, b.name))
}
