import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hashText } from '../../domain/shared/hash.ts'
import { requireFile, writeAtomically } from '../files.ts'
import { cacheFolder, type Machine } from '../machine.ts'
import { type Listing, listFolder } from './folder-listing.ts'
import type { ScanLimits } from './folder-scan.ts'
import { type PackHead, readPackHead } from './pack-head.ts'
import { RecalledScan, ScanRecord, type Stamp, writeRecord } from './scan-record.ts'

/** Where a scan gets its listings and heads from: the disk, or what an earlier process remembered of it. */
export interface ScanCache {
  /** The entries of the folder that is visited as number `at`. Throws what the system says. */
  list(at: number, path: string): Listing
  /** Said once for every folder, after it was listed: whether the folders in it are visited later, in their order. */
  note(at: number, listing: Listing, isDescended: boolean): void
  head(at: number, path: string): PackHead
  /** Remembers this scan for the next process, where that pays. */
  save(): void
}

const NO_CACHE: ScanCache = {
  list: (_, path) => listFolder(path),
  note: () => {},
  head: (_, path) => readPackHead(path),
  save: () => {},
}

const FORMAT = 1

/** Fewer folders are listed faster than a cache is read. */
const FEWEST_FOLDERS = 24

// What is so fresh could change again without its times telling.
const SETTLING_MS = 100

const LARGEST_HEAD = 8 * 1024

/**
 * A folder whose times are as they were has the entries that it had. A scan visits folders in a fixed order, so a
 * folder is known by its number in that order; where links are followed there is no such order, and no cache.
 */
export function openScanCache(machine: Machine, root: string, limits: ScanLimits): ScanCache {
  if (limits.followLinks) return NO_CACHE
  const key = JSON.stringify([FORMAT, root, limits.maxDepth])
  const path = join(cacheFolder(machine), 'packs', `scan-${hashText(key).toString(16).padStart(8, '0')}`)
  return new FileCache(path, key, machine.now().getTime())
}

class FileCache implements ScanCache {
  private readonly known: RecalledScan | undefined
  private readonly next = new ScanRecord()
  private isChanged = false
  /** Of the folder that was listed last: its state, if that can be trusted, and whether it was remembered. */
  private stamp: Stamp | undefined
  private isKnown = false
  /** For every folder of this scan its row in the record, if it was there: a new folder moves all that come after it. */
  private readonly rows: number[] = [0]
  private readonly path: string
  private readonly key: string
  private readonly now: number

  constructor(path: string, key: string, now: number) {
    this.path = path
    this.key = key
    this.now = now
    this.known = recall(path, key)
  }

  list(at: number, path: string): Listing {
    this.stamp = undefined
    this.isKnown = false
    // Before the folder is listed: what changes after this is seen the next time.
    const stamp = stampOf(path)
    const known = this.known?.listing(this.rows[at] ?? -1, stamp)
    const listing = known ?? listFolder(path)
    this.isKnown = known !== undefined
    this.stamp = this.isSettled(stamp) ? stamp : undefined
    this.isChanged ||= !this.isKnown && this.stamp !== undefined
    return listing
  }

  note(at: number, listing: Listing, isDescended: boolean): void {
    this.next.addFolder(this.stamp, listing, isDescended)
    if (isDescended) this.expect(this.rows[at] ?? -1, listing.folders)
  }

  head(at: number, path: string): PackHead {
    let stamp: Stamp
    try {
      stamp = stampOf(path)
    } catch {
      return readPackHead(path)
    }
    const known = this.known?.head(this.rows[at] ?? -1, stamp)
    const head: PackHead = known === undefined ? readPackHead(path) : { fields: known }
    const isKept = 'fields' in head && this.isSettled(stamp) && (known !== undefined || isSmall(head.fields))
    if (isKept) this.next.addHead(stamp, head.fields)
    this.isChanged ||= isKept && known === undefined
    return head
  }

  save(): void {
    if (!this.isChanged || this.next.size < FEWEST_FOLDERS) return
    try {
      const body = writeRecord(this.next, this.key)
      writeAtomically(this.path, [digest(body), body])
    } catch {
      // A cache that cannot be written costs time, not results.
    }
  }

  /** Notes where the record has the folders that come next: in a row if nothing changed, else by their names. */
  private expect(row: number, folders: readonly string[]): void {
    if (folders.length === 0) return
    const { first, names } = this.known?.children(row) ?? NO_CHILDREN
    const byName = this.isKnown ? undefined : new Map(names.map((name, at) => [name, first + at]))
    for (const [at, name] of folders.entries()) {
      this.rows.push(byName === undefined ? first + at : (byName.get(name) ?? -1))
    }
  }

  private isSettled([, , modifiedAt, changedAt]: Stamp): boolean {
    return this.now - Math.max(modifiedAt, changedAt) > SETTLING_MS
  }
}

const NO_CHILDREN = { first: -1, names: [] }

function isSmall(fields: Record<string, unknown>): boolean {
  return JSON.stringify(fields).length <= LARGEST_HEAD
}

function stampOf(path: string): Stamp {
  const { ino, size, mtimeMs, ctimeMs } = statSync(path)
  return [ino, size, mtimeMs, ctimeMs]
}

const DIGEST_BYTES = 32

/** Whatever is wrong with it, a record that cannot be used is none. */
function recall(path: string, key: string): RecalledScan | undefined {
  try {
    requireFile(path)
    const bytes = readFileSync(path)
    const body = bytes.subarray(DIGEST_BYTES)
    return digest(body).equals(bytes.subarray(0, DIGEST_BYTES)) ? new RecalledScan(body, key) : undefined
  } catch {
    return undefined
  }
}

function digest(body: Uint8Array): Buffer {
  return createHash('sha256').update(body).digest()
}
