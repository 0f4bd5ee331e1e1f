import type { CacheKey } from '../../machine/cache.ts'

/** Raise it when the same files would give other terms. */
const VERSION = 5

/** Apart from the index itself: a hook asks whether there is one, and loads the rest only then. */
export function projectIndexKey(root: string): CacheKey {
  return { kind: 'project', version: VERSION, name: [root] }
}
