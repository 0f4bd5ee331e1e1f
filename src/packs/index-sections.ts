import { openCached } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { isReadable } from './choose.ts'
import { openSections, type SectionsKey, sectionsKey } from './disk/section-cache.ts'
import type { TrustedPack } from './rules/gates/trust.ts'

/** Builds the section index of a readable pack in advance, for the first question and for hooks. */
export function indexSections(machine: Machine, pack: TrustedPack): void {
  if (isReadable(pack)) openSections(machine, pack)
}

/** A readable pack, and the cache key of its sections as long as it does not change. */
export interface ReadableSections {
  pack: TrustedPack
  place: SectionsKey
}

/** Undefined for a pack that may not be read. Builds no index. */
export function readableSections(machine: Machine, pack: TrustedPack): ReadableSections | undefined {
  return isReadable(pack) ? { pack, place: sectionsKey(machine, pack) } : undefined
}

/**
 * Indexing this much takes about half a second at the start of a session. Larger packs wait for their first question.
 */
const MOST_BYTES = 1024 * 1024

/** Builds missing indexes: of packs that need no approval, and of packs that changed. */
export function indexMissingSections(machine: Machine, packs: readonly ReadableSections[]): void {
  let left = MOST_BYTES
  for (const { pack, place } of packs) {
    const kept = openCached(machine, place)
    kept?.close()
    if (kept !== undefined || place.bytes > left) continue
    left -= place.bytes
    openSections(machine, pack)
  }
}
