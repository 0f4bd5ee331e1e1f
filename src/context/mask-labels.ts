import { detectPrivate, maskText } from '../machine/mask.ts'
import { detectContent } from '../text/sensitive/detect.ts'
import { checkFields } from '../text/sensitive/sanitize.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import type { BundleInput } from './rules/build-bundle.ts'
import { labelsOf, mapLabels } from './rules/bundle-labels.ts'

/** Names and reasons are shown whatever the policy for texts is, so nothing secret stays in them. */
export async function maskLabels(input: BundleInput): Promise<BundleInput> {
  const labels = labelsOf(input)
  // Together first: they hardly ever hold anything, and looking through each takes a while.
  if ((await detectPrivate(labels.join('\n'))).length === 0) return input
  const masked = new Map<string, string>()
  for (const label of labels) masked.set(label, await maskText(label))
  return mapLabels(input, (label) => masked.get(label) ?? label)
}

/** A field of a JSON file, unless it holds what must not be shown: what a value is, its key may tell. */
export function maskField<T>(path: string, value: T): T | string {
  const [found] = checkFields({ [path.slice(path.lastIndexOf('.') + 1)]: value }, detectContent)
  return found === undefined ? value : `[masked: ${found.contentClass} ${found.kind}]`
}

/** An error may quote the settings, or the call. */
export async function maskError(error: unknown): Promise<unknown> {
  if (!(error instanceof LoadoutError)) return error
  const { code, message, hint, cause } = error
  const [masked, maskedHint] = [await maskText(message), hint && (await maskText(hint))]
  if (masked === message && maskedHint === hint) return error
  return new LoadoutError(code, masked, { ...(maskedHint && { hint: maskedHint }), cause })
}

/** Findings about settings quote them. */
export function maskFindings(findings: readonly Finding[]): Promise<Finding[]> {
  return Promise.all(findings.map(maskFinding))
}

async function maskFinding({ message, subject, hint, ...finding }: Finding): Promise<Finding> {
  const mask = async (text: string | undefined) => text && (await maskText(text))
  const [maskedSubject, maskedHint] = [await mask(subject), await mask(hint)]
  return {
    ...finding,
    message: await maskText(message),
    ...(maskedSubject && { subject: maskedSubject }),
    ...(maskedHint && { hint: maskedHint }),
  }
}
