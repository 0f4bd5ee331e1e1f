import { detectAll, detectPrivate, maskText } from '../machine/secret-scanner.ts'
import {
  checkFields,
  type Detection,
  detectContent,
  type FoundContent,
  type SanitizePolicy,
  sanitize,
} from '../text/sensitive/detect.ts'
import { findHostTags } from '../text/sensitive/host-tags.ts'
import { type Finding, LoadoutError, retell } from '../text/trouble.ts'
import { type Limits, mapSlices } from './rules/budget/fit.ts'
import type { BundleInput } from './rules/build-bundle.ts'
import {
  type Candidate,
  type Omission,
  type Slices,
  SOURCE_CLASSES,
  type SourceClass,
  type Trail,
  withoutPlace,
  withText,
} from './rules/bundle.ts'

/** Scans every text before it gets a place. Advice with a finding is dropped; the rest follows the policy. */
export async function guardParts(
  slices: Slices,
  policy: SanitizePolicy,
  widest: Limits,
  trail: Trail,
): Promise<Record<SourceClass, Candidate[]>> {
  const checked: Record<SourceClass, Candidate[]> = { control_plane: [], task: [], tactical: [], adapter: [] }
  for (const each of SOURCE_CLASSES) {
    const isAdvice = each === 'tactical' || each === 'adapter'
    const rule = isAdvice ? 'drop' : policy
    for (const candidate of slices[each]) {
      // More candidates than places, because some are duplicates.
      if (each === 'task' && checked.task.length >= 2 * widest.maxFiles) {
        trail.omitted.push(withoutPlace(candidate))
        continue
      }
      // A pack's wrapper was scanned when it was made, and must not be changed.
      if (candidate.isWhole) {
        checked[each].push(candidate)
        continue
      }
      // A summary of the control plane may need all of it; of the rest, only the part that can be shown is scanned.
      // Masks may be shorter than the masked text, so twice as much is kept.
      const reach = each === 'task' && candidate.sections === undefined ? 2 * widest.maxCharsPerFile + 4096 : Infinity
      const isCut = candidate.text.length > reach
      const near = isCut ? { ...candidate, text: candidate.text.slice(0, reach) } : candidate
      const { text, found } = await check(near, rule)
      if (found.length > 0) {
        const warning = `${candidate.path}: ${describeDone(found, rule, findHostTags(near.text).length > 0)}`
        ;(isAdvice ? trail.adviceWarnings : trail.warnings).push(warning)
      }
      if (text !== undefined) checked[each].push(withText(near, text))
      else {
        const detail = `it holds ${list(found)}`
        trail.omitted.push({ path: candidate.path, sourceClass: each, reason: 'unsafe', detail })
      }
    }
  }
  return checked
}

/** The findings, and what was done about them. A tag written with entities is not a tag, and stays. */
function describeDone(found: readonly FoundContent[], policy: SanitizePolicy, hasTags: boolean): string {
  const done = ({ contentClass, kind }: FoundContent) => {
    const ways: Record<SanitizePolicy, string> = { drop: 'left out', mask: 'masked', warn: 'shown as it is' }
    if (policy === 'drop' || contentClass !== 'prompt_injection') return ways[policy]
    return kind === 'injection-host-tag' && hasTags ? 'neutralised' : 'only named'
  }
  const groups = new Map<string, FoundContent[]>()
  for (const each of found) groups.set(done(each), [...(groups.get(done(each)) ?? []), each])
  return [...groups].map(([what, each], at) => `${at === 0 ? 'it holds ' : ''}${list(each)}, ${what}`).join('; ')
}

/**
 * Text that addresses a model is fenced as data and reported, not changed: documentation may quote it. Tags of hosts
 * lose their brackets when the bundle is assembled.
 */
async function check({ text }: Candidate, policy: SanitizePolicy) {
  const detections = await detectAll(text)
  if (policy === 'drop') return sanitize(text, detections, policy)
  const isOrder = ({ contentClass }: Detection) => contentClass === 'prompt_injection'
  const { text: shown, found } = sanitize(
    text,
    detections.filter((each) => !isOrder(each)),
    policy,
  )
  return { text: shown, found: [...found, ...sanitize(text, detections.filter(isOrder), 'warn').found] }
}

/** Kinds and numbers, never the text. */
function list(found: readonly FoundContent[]): string {
  return found.map(({ kind, contentClass, count }) => `${count} ${contentClass} (${kind})`).join(', ')
}

/** Names and reasons are shown under any policy, so no secret may stay in them. */
export async function maskLabels(input: BundleInput): Promise<BundleInput> {
  const labels = new Set<string>()
  mapLabels(input, (label) => {
    labels.add(label)
    return label
  })
  // All at once first: they rarely contain anything, and scanning each is slow.
  if ((await detectPrivate([...labels].join('\n'))).length === 0) return input
  const masked = new Map<string, string>()
  for (const label of labels) masked.set(label, await maskText(label))
  return mapLabels(input, (label) => masked.get(label) ?? label)
}

type Facts = Readonly<Record<string, string | number | boolean | null>>

/** The bundle input with every label changed: names, reasons, warnings; not the texts of its files. */
function mapLabels(input: BundleInput, change: (label: string) => string): BundleInput {
  const { intent, slices } = input
  const facts = (given: Facts, key: (name: string) => string = (name) => name): Facts =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [key(name), typeof value === 'string' ? change(value) : value]),
    )
  const candidate = (each: Candidate): Candidate => ({
    ...each,
    path: change(each.path),
    selectedBy: change(each.selectedBy),
    reason: change(each.reason),
    provenance: facts(each.provenance),
    ...(each.sections && {
      sections: each.sections.map((section) => ({ ...section, reason: change(section.reason) })),
    }),
  })
  return {
    ...input,
    intent: {
      ...intent,
      key: change(intent.key),
      matched: intent.matched.map(change),
      scores: Object.fromEntries(Object.entries(intent.scores).map(([key, score]) => [change(key), score])),
    },
    controlPlane: input.controlPlane.map((each) => ({
      ...each,
      path: change(each.path),
      summary: facts(each.summary, change),
    })),
    slices: mapSlices(slices, candidate),
    pointers: input.pointers?.map(({ path, symbol, why, ...rest }) => ({
      ...rest,
      path: change(path),
      symbol: symbol && change(symbol),
      why: change(why),
    })),
    omitted: input.omitted.map((each): Omission => ({ ...each, path: change(each.path), detail: change(each.detail) })),
    warnings: input.warnings.map(change),
    adviceWarnings: input.adviceWarnings.map(change),
    degraded: input.degraded.map((each) => ({ ...each, source: change(each.source), reason: change(each.reason) })),
    missing: input.missing.map(change),
    sourceAnchors: input.sourceAnchors.map(change),
  }
}

/** Masks a sensitive value of a JSON file. The key may show that it is sensitive. */
export function maskField<T>(path: string, value: T): T | string {
  const [found] = checkFields({ [path.slice(path.lastIndexOf('.') + 1)]: value }, detectContent)
  return found === undefined ? value : `[masked: ${found.contentClass} ${found.kind}]`
}

/** An error may quote the settings or the request. */
export async function maskError(error: unknown): Promise<unknown> {
  if (!(error instanceof LoadoutError)) return error
  const { message, hint } = error
  const [masked, maskedHint] = [await maskText(message), hint && (await maskText(hint))]
  if (masked === message && maskedHint === hint) return error
  // Not the error itself as the cause: it has the words.
  return retell({ ...error, message: masked, hint: maskedHint })
}

/** Findings about settings quote them. */
export function maskFindings(findings: readonly Finding[]): Promise<Finding[]> {
  const mask = async (text: string | undefined) => text && (await maskText(text))
  return Promise.all(
    findings.map(async ({ message, subject, hint, ...finding }): Promise<Finding> => {
      const [maskedSubject, maskedHint] = [await mask(subject), await mask(hint)]
      return { ...finding, message: await maskText(message), subject: maskedSubject, hint: maskedHint }
    }),
  )
}
