import type { Context, Loadout } from '../../app/loadout.ts'
import { estimateTokens } from '../../domain/routing/tokens.ts'
import type { Report } from '../../domain/shared/finding.ts'

/** What a client surely takes, when neither the call nor a sensible project sets a limit. */
const MOST_UNASKED = 20_000
const CUT = `the budget of this project is more than a reply holds; it was cut to ${MOST_UNASKED} tokens, and max_tokens asks for more`

/** A bundle that fits into a reply, and a sentence when it had to be made smaller. It is recorded once. */
export async function buildFitting(
  build: Loadout['buildContext'],
  request: Parameters<Loadout['buildContext']>[0],
): Promise<Report<Context> & { cut: string[] }> {
  if (request.maxTokens !== undefined) return { ...(await build(request)), cut: [] }
  const asked = await build({ ...request, mostTaken: MOST_UNASKED })
  if (estimateTokens(asked.value.renderings.markdown) <= MOST_UNASKED) return { ...asked, cut: [] }
  return { ...(await build({ ...request, maxTokens: MOST_UNASKED })), cut: [CUT] }
}
