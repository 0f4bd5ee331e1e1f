import { type CacheKey, openCached } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { readTaskWords } from '../search/task-words.ts'
import { openSectionIndex } from './rules/resolve/section-index.ts'
import { matchSections, type SectionMatch } from './rules/resolve/section-match.ts'

/** A user waits for the answer, so Loadout skips a larger index. */
const LARGEST_INDEX = 16 * 1024 * 1024

/** What a pack says about a task, from its cached index only. Undefined if there is no usable index; builds none. */
export function askCachedSections(
  machine: Machine,
  { description, name, sections }: { name: string; description: string; sections: CacheKey },
  task: string,
): SectionMatch | undefined {
  const opened = openCached(machine, sections)
  if (opened === undefined) return undefined
  try {
    const index = opened.size > LARGEST_INDEX ? undefined : openSectionIndex(opened.read, opened.size)
    return index && matchSections(index, task, readTaskWords(task), `${name} ${description}`)
  } catch {
    return undefined
  } finally {
    opened.close()
  }
}
