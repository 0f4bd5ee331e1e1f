import type { Machine } from '../machine/machine.ts'
import { readTaskWords, shareOf } from '../search/task-words.ts'
import { compareText } from '../text/values.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { isReadable } from './choose.ts'
import { openSections } from './disk/section-cache.ts'
import type { TrustedPack } from './rules/gates/trust.ts'
import { shownText } from './rules/shown-text.ts'

/** A section of a pack that may be read. */
export interface SectionFound {
  /** The id for `loadout lookup`, with lines. */
  id: string
  pack: string
  path: string
  from: number
  to: number
  /** The headings above it, or its path. */
  title: string
  /** 0 to 1: the share of the query's words that it contains. */
  confidence: number
}

const MOST_OF_ONE = 3
/** A section with a smaller share of the query's words is about something else. */
const LEAST_SHARE = 0.6

/** Searches the sections of approved packs, best first. Skips the built-in pack about Loadout. */
export function searchSections(
  machine: Machine,
  packs: readonly TrustedPack[],
  query: string,
  limit: number,
): SectionFound[] {
  const words = readTaskWords(query)
  if (words.size === 0) return []
  const found = packs
    .filter((pack) => pack.scope !== 'built-in' && isReadable(pack))
    .flatMap((pack) => {
      const hits = openSections(machine, pack).rank(query, MOST_OF_ONE)
      return hits.flatMap(({ path, from, to, score, terms, title }) => {
        const share = shareOf(words, new Set(terms.filter((term) => words.has(term))))
        return share < LEAST_SHARE ? [] : [{ pack, path, from, to, score, share, title }]
      })
    })
    .sort((a, b) => b.share - a.share || b.score - a.score || compareText(a.path, b.path))
    .slice(0, limit)
  return found.map(({ pack, path, from, to, share, title }) => {
    const { name } = pack.manifest
    const id = `${entryId('pack', name, path)}#L${from}-L${to}`
    return { id, pack: name, path, from, to, title: shownText(title || path, 160), confidence: share }
  })
}
