import type { CacheKey } from '../../machine/cache.ts'

/** Separate from the index itself: a hook checks whether there is one, and loads the rest only then. */
export function projectIndexKey(root: string): CacheKey {
  // Increase it when the same files would give other terms.
  return { kind: 'project', version: 9, name: [root] }
}
