import type { CacheKey } from '../../machine/cache.ts'

/** Increase it when the same files would give other terms. */
const VERSION = 9

/** Separate from the index itself: a hook checks whether there is one, and loads the rest only then. */
export function projectIndexKey(root: string): CacheKey {
  return { kind: 'project', version: VERSION, name: [root] }
}
