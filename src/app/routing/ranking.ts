import type { LoadoutEntry } from '../../domain/routing/entry.ts'
import type { MatchResult } from '../../domain/routing/match.ts'
import { createRanker, loadRanker, type Ranker } from '../../domain/routing/rank/ranker.ts'
import { documentOf, RANKED_LIMIT, rankedMatches } from '../../domain/routing/ranked.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { readCached, writeCached } from '../../infra/byte-cache.ts'
import { readContained } from '../../infra/contained-file.ts'
import type { Machine } from '../../infra/machine.ts'
import { signatureOf } from '../../infra/signature.ts'
import type { Knowledge } from './knowledge.ts'

/** Everything the layers know, ranked by what it says: metadata and texts. Compiled once, while the indexes stay as they are. */
export function openRanker(machine: Machine, knowledge: Knowledge): { ranker: Ranker; entries: LoadoutEntry[] } {
  const entries = entriesOf(knowledge)
  const paths = knowledge.places.map(({ path }) => path)
  const signature = signatureOf(paths, machine.now())
  const stored = readCached(machine, 'rankers', signature)
  const loaded = stored && loadRanker(stored)
  if (loaded) return { ranker: loaded, entries }
  const ranker = createRanker(entries.map((entry) => documentOf(entry, payloadOf(knowledge, entry))))
  writeCached(machine, 'rankers', signature, ranker.save())
  return { ranker, entries }
}

/** What the ranker finds for a task, as the plan takes it. */
export function rankTask(machine: Machine, knowledge: Knowledge, task: string): MatchResult[] {
  const { ranker, entries } = openRanker(machine, knowledge)
  // More than are wanted, because core and manual entries are ranked too and then passed over.
  return rankedMatches(ranker.rank(task, { limit: RANKED_LIMIT * 4 }), entries, RANKED_LIMIT)
}

function entriesOf({ table }: Knowledge): LoadoutEntry[] {
  return Array.from({ length: table.size }, (_, position) => table.entryAt(position))
}

/** The text of a payload; one that cannot be read is ranked by its metadata alone. */
function payloadOf(knowledge: Knowledge, entry: LoadoutEntry): string {
  const layer = knowledge.layerOf(entry)
  const root = knowledge.places.find(({ name }) => name === layer)?.root ?? ''
  try {
    return readContained(root, entry.path)
  } catch (error) {
    if (error instanceof LoadoutError) return ''
    throw error
  }
}
