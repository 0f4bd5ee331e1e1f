import { readConfig, targetRoots } from '../agents/config.ts'
import type { Machine } from '../machine/machine.ts'
import { readPlacements } from './disk/placements.ts'
import { openTreeCache } from './disk/tree-cache.ts'

export interface InstalledVersion {
  skill: string
  agent: string
  /** The start of the digest of the library's folder at installation. */
  version: string
}

const DIGITS = 16

/** The version of each of the user's skills that Loadout installed and that is unedited, for each enabled agent. */
export function installedVersions(machine: Machine): InstalledVersion[] {
  const cache = openTreeCache(machine)
  const found = targetRoots(machine, readConfig(machine), undefined).flatMap((root) =>
    readPlacements(root, cache).flatMap(({ name, marker, contentHash }) => {
      if (marker === undefined || 'problem' in marker || marker.contentHash !== contentHash) return []
      const version = /^(?:sha256[:-])?([0-9a-f]{16,})$/.exec(marker.sourceHash ?? '')?.[1]?.slice(0, DIGITS)
      return version === undefined ? [] : root.agents.map((agent) => ({ skill: name, agent, version }))
    }),
  )
  cache.save()
  return found
}
