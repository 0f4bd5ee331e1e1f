import type { CacheKey } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { isReadable } from './choose.ts'
import { openSections, sectionsKey } from './disk/section-cache.ts'
import type { TrustedPack } from './rules/gates/catalog.ts'

/** Ranks the sections of a pack that may be read, so that the first question and the hooks find them. */
export function keepSections(machine: Machine, pack: TrustedPack): void {
  if (isReadable(pack)) openSections(machine, pack)
}

/** Where they are found while the pack stays as it is. Undefined for one that may not be read. Nothing is ranked. */
export function sectionsPlace(machine: Machine, pack: TrustedPack): CacheKey | undefined {
  return isReadable(pack) ? sectionsKey(machine, pack) : undefined
}
