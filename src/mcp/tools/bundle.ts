import * as z from 'zod'
import type { ContextBundle } from '../../context/rules/bundle.ts'
import type { Context, Loadout } from '../../loadout.ts'
import { estimateTokens } from '../../text/tokens.ts'
import type { Finding, Report } from '../../text/trouble.ts'
import { cap } from '../tool.ts'

const item = z.object({ path: z.string(), why: z.string() })

/** What a reply contains about a bundle besides its text. */
export const BUNDLE_FIELDS = {
  tokens: z.number(),
  files: z.array(item),
  omitted: z.array(item),
  warnings: z.array(z.string()),
}

const MOST_OMITTED = 40
export const MOST_WARNINGS = 40

/** Every part with its reason, and the reasons of the omitted ones. */
export function describeBundle({ files, omitted, warnings, estimate }: ContextBundle, findings: readonly Finding[]) {
  const left = cap(omitted, MOST_OMITTED, 'omitted are')
  const told = cap([...warnings, ...findings.map(formatFinding)], MOST_WARNINGS, 'warnings are')
  return {
    tokens: estimate.tokens,
    files: files.map(({ path, reason }) => ({ path, why: reason })),
    omitted: left.shown.map(({ path, reason, detail }) => ({ path, why: `${reason}: ${detail}` })),
    warnings: [...told.shown, ...told.cut, ...left.cut],
  }
}

export function formatFinding({ message, hint }: Finding): string {
  return hint === undefined ? message : `${message}: ${hint}`
}

/** Every client accepts this size; used when neither the call nor the project sets a sensible limit. */
const MOST_UNASKED = 20_000
const CUT = `the budget of this project is too large for a reply; it was reduced to ${MOST_UNASKED} tokens; use max_tokens for more`

/** A bundle that fits into a reply, and a sentence if it had to be reduced. Recorded once. */
export async function buildFitting(
  build: Loadout['buildContext'],
  request: Parameters<Loadout['buildContext']>[0],
): Promise<Report<Context> & { cut: string[] }> {
  if (request.maxTokens !== undefined) return { ...(await build(request)), cut: [] }
  const asked = await build({ ...request, mostTaken: MOST_UNASKED })
  if (estimateTokens(asked.value.renderings.markdown) <= MOST_UNASKED) return { ...asked, cut: [] }
  return { ...(await build({ ...request, maxTokens: MOST_UNASKED })), cut: [CUT] }
}
