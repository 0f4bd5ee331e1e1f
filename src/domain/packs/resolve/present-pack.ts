import type { ContextPart } from '../context-part.ts'
import { type WrapperInput, wrapContext } from '../fence/wrapper.ts'
import type { TrustedPack } from '../gates/catalog.ts'
import { type PackWarning, settleWarnings } from '../warning.ts'
import { fitBudget, type TokenCounter } from './fit-budget.ts'
import type { Choice, Omission, PackResolution } from './resolution.ts'

/** A resolution as it is handed out: fenced, within its budget. */
export interface PresentedPack {
  /** Undefined when the budget leaves no room for it. */
  wrapper: string | undefined
  tokens: number
  choices: readonly Choice[]
  omitted: readonly Omission[]
  /** Those that the wrapper was given; what the fence found comes on top. */
  told: readonly PackWarning[]
  /** All of them, settled: those inside the wrapper, and what was left out of it. */
  warnings: readonly PackWarning[]
}

/** Fences what was chosen, as much of it as fits. Warnings are never dropped to make room. */
export function presentPack(
  pack: TrustedPack,
  { words, choices, warnings, missing }: Pick<PackResolution, 'words' | 'choices' | 'warnings' | 'missing'>,
  budget: number,
  count: TokenCounter,
): PresentedPack {
  const tell = (omitted: readonly Omission[]) => settleWarnings([...warnings, ...summarize(omitted)])
  const wrap = (kept: readonly Choice[], omitted: readonly Omission[]) =>
    wrapContext(
      wrapperInput(
        pack,
        kept.map(({ part }) => part),
        tell(omitted),
        missing,
      ),
    )
  const {
    text,
    choices: kept,
    omitted,
  } = fitBudget(choices, words, budget, count, (some, rest) => wrap(some, rest).text)
  const fence = text === undefined ? [] : wrap(kept, omitted).warnings
  return {
    wrapper: text,
    tokens: text === undefined ? 0 : count(text),
    choices: kept,
    omitted,
    told: tell(omitted),
    warnings: settleWarnings([...warnings, ...fence, ...omitted.map(omissionWarning)]),
  }
}

/** What the wrapper is made of; rehydrating a recorded context makes it again from the same. */
export function wrapperInput(
  { manifest, trust }: Pick<TrustedPack, 'manifest'> & { trust: { state: string } },
  parts: readonly ContextPart[],
  warnings: readonly PackWarning[],
  missing: readonly string[],
): WrapperInput {
  const { name, status = 'unknown', grounding, profile, mode, version } = manifest
  return {
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
  }
}

/** One line for the model, however much was left out. */
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
