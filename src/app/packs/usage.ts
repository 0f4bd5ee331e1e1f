import { newWrappers, type PackContext } from '../../domain/packs/resolve/pack-context.ts'
import { estimateTokens } from '../../domain/routing/tokens.ts'
import type { NotedEntry } from '../usage/record.ts'

/** The packs whose text goes to the model now, for the usage log. What a session has already is not given again. */
export function deliveredPacks(context: PackContext): NotedEntry[] {
  const named = new Set(
    context.active.filter(({ activation }) => activation === 'explicit').map(({ pack }) => pack.manifest.name),
  )
  return newWrappers(context).map(({ pack: id, text }) => ({
    id,
    kind: 'pack',
    trigger: named.has(id) ? 'named' : 'ranked',
    mode: named.has(id) ? 'manual' : 'lazy',
    tokens: estimateTokens(text),
  }))
}
