import { openCached } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { isReadable } from './choose.ts'
import { openSections, type SectionsKey, sectionsKey } from './disk/section-cache.ts'
import type { TrustedPack } from './rules/gates/trust.ts'

/** Ranks the sections of a pack that may be read, so that the first question and the hooks find them. */
export function keepSections(machine: Machine, pack: TrustedPack): void {
  if (isReadable(pack)) openSections(machine, pack)
}

/** A pack that may be read, and where its sections are found while it stays as it is. */
export interface ReadableSections {
  pack: TrustedPack
  place: SectionsKey
}

/** Undefined for a pack that may not be read. Nothing is ranked. */
export function readableSections(machine: Machine, pack: TrustedPack): ReadableSections | undefined {
  return isReadable(pack) ? { pack, place: sectionsKey(machine, pack) } : undefined
}

/** The user waits for the start of a session: about half a second. Larger packs wait for their first question. */
const MOST_BYTES = 1024 * 1024

/** Ranks sections that are not cached: of packs that need no approval, and of packs that changed. */
export function keepMissingSections(machine: Machine, packs: readonly ReadableSections[]): void {
  let left = MOST_BYTES
  for (const { pack, place } of packs) {
    const kept = openCached(machine, place)
    kept?.close()
    if (kept !== undefined || place.bytes > left) continue
    left -= place.bytes
    openSections(machine, pack)
  }
}
