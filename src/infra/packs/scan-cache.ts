import type { Machine } from '../machine.ts'
import { type Listing, listFolder } from './folder-listing.ts'
import type { ScanLimits } from './folder-scan.ts'
import { type PackHead, readPackHead } from './pack-head.ts'

/** Where a scan gets its listings and heads from: the disk, or what an earlier process remembered of it. */
export interface ScanCache {
  /** The entries of the folder that is visited as number `at`. Throws what the system says. */
  list(at: number, path: string, isDeepest: boolean): Listing
  head(at: number, path: string): PackHead
  /** Remembers this scan for the next process, where that pays. */
  save(): void
}

export function openScanCache(_machine: Machine, _root: string, _limits: ScanLimits): ScanCache {
  return NO_CACHE
}

export const NO_CACHE: ScanCache = {
  list: (_, path) => listFolder(path),
  head: (_, path) => readPackHead(path),
  save: () => {},
}
