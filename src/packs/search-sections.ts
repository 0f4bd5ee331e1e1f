import type { Machine } from '../machine/machine.ts'
import { shareOf, type Task } from '../search/task.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import type { TrustedPack } from './rules/gates/trust.ts'
import { shownText } from './rules/shown-text.ts'
import { isReadable, openSections } from './sections.ts'

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
  task: Task,
  limit: number,
): SectionFound[] {
  const { words } = task
  if (words.size === 0) return []
  const readable = packs.filter((pack) => pack.scope !== 'built-in' && isReadable(pack))
  const names = new Map(readable.map(({ root, manifest }) => [root, manifest.name]))
  const hits = openSections(machine, readable).rank(task)
  const counts = new Map<string, number>()
  return hits
    .flatMap(({ root, path, from, to, terms, title }): SectionFound[] => {
      const confidence = shareOf(words, new Set(terms.filter((term) => words.has(term))))
      const count = counts.get(root) ?? 0
      if (from === 0 || confidence < LEAST_SHARE || count === MOST_OF_ONE) return []
      counts.set(root, count + 1)
      const pack = names.get(root) ?? ''
      const id = `${entryId('pack', pack, path)}#L${from}-L${to}`
      return [{ id, pack, path, from, to, title: shownText(title || path, 160), confidence }]
    })
    .slice(0, limit)
}
