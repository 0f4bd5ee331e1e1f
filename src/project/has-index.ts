import type { CacheKey } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'

/** Whether the project has an index within this many bytes. Builds none. */
export function hasIndex(machine: Machine, root: string, most: number): boolean {
  const opened = machine.cache.open(projectIndexKey(root))
  opened?.close()
  return opened !== undefined && opened.size <= most
}

/** Separate from the index itself: a hook checks whether there is one, and loads the rest only then. */
export function projectIndexKey(root: string): CacheKey {
  // Increase it when the same files would give other terms.
  return { kind: 'project', version: 10, name: [root] }
}
