import { realpathSync, statSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { PACK_FILE } from '../../domain/packs/pack.ts'
import { codeOf } from '../files.ts'
import { type Listing, listFolder } from './folder-listing.ts'
import type { HeadCache } from './head-cache.ts'
import type { PackHead } from './pack-head.ts'

export interface ScanLimits {
  maxDepth: number
  maxDirectories: number
  followLinks: boolean
}

/** What was found below one root, and what was not looked at. Every list is in the order in which folders are visited. */
export interface Scan {
  packs: { folder: string; depth: number; head: PackHead }[]
  skipped: string[]
  /** Folders with folders in them that lie deeper than the limit. */
  beyond: string[]
  /** How many folders were known and not looked into when the limit was reached. */
  left: number
  unreadable: { path: string; reason: string }[]
  /** Links to folders outside the root. */
  outside: string[]
  /** Links that lead nowhere. */
  dangling: string[]
  /** Places with something else than a file under the name of a pack's file. */
  notFiles: string[]
}

/** Looks for packs level by level, so that a limit keeps those near the root. The root must be a real path. */
export function scanRoot(root: string, limits: ScanLimits, heads: HeadCache): Scan {
  return new FolderScan(root, limits, heads).run()
}

class FolderScan {
  private readonly scan: Scan = {
    packs: [],
    skipped: [],
    beyond: [],
    left: 0,
    unreadable: [],
    outside: [],
    dangling: [],
    notFiles: [],
  }
  private readonly queue: { path: string; depth: number }[]
  /** Real paths. Only links can lead to a folder twice. */
  private readonly seen = new Set<string>()
  private readonly root: string
  private readonly limits: ScanLimits
  private readonly heads: HeadCache

  constructor(root: string, limits: ScanLimits, heads: HeadCache) {
    this.root = root
    this.limits = limits
    this.heads = heads
    this.queue = [{ path: root, depth: 0 }]
  }

  run(): Scan {
    const { queue, limits } = this
    for (let at = 0; at < queue.length; at++) {
      if (at >= limits.maxDirectories) {
        this.scan.left = queue.length - at
        break
      }
      const { path, depth } = queue[at] as { path: string; depth: number }
      this.visit(path, depth)
    }
    if (limits.followLinks) this.dropNested()
    return this.scan
  }

  /** A link can lead into a pack; what is there is a part of that pack. */
  private dropNested(): void {
    const packs = new Set(this.scan.packs.map(({ folder }) => folder))
    const isNested = (folder: string): boolean => {
      const parent = dirname(folder)
      return parent !== folder && (packs.has(parent) || isNested(parent))
    }
    this.scan.packs = this.scan.packs.filter(({ folder }) => !isNested(folder))
  }

  private visit(path: string, depth: number): void {
    const isDeepest = depth >= this.limits.maxDepth
    const listing = this.list(path)
    if (this.isPack(path, listing)) {
      this.scan.packs.push({ folder: path, depth, head: this.heads.read(join(path, PACK_FILE)) })
      return
    }
    for (const name of listing.skipped) this.scan.skipped.push(join(path, name))
    if (isDeepest) {
      if (listing.folders.length > 0) this.scan.beyond.push(path)
      return
    }
    if (!this.limits.followLinks) {
      for (const name of listing.folders) this.queue.push({ path: join(path, name), depth: depth + 1 })
      for (const name of listing.links) this.judgeLink(join(path, name))
      return
    }
    for (const name of [...listing.folders, ...listing.links].sort()) this.follow(join(path, name), depth + 1)
  }

  private list(path: string): Listing {
    try {
      return listFolder(path)
    } catch (error) {
      this.scan.unreadable.push({ path, reason: codeOf(error) || 'unknown reason' })
      return NOTHING
    }
  }

  private isPack(path: string, { packFile }: Listing): boolean {
    if (packFile === 'file' || packFile === 'none') return packFile === 'file'
    const file = join(path, PACK_FILE)
    try {
      // A link may stay inside the pack; whoever reads the pack later accepts no other.
      if (packFile === 'link' && isInside(path, realpathSync(file)) && statSync(file).isFile()) return true
    } catch {}
    this.scan.notFiles.push(file)
    return false
  }

  /** What a link inside the root leads to is found where it is. */
  private judgeLink(link: string): void {
    const target = this.folderBehind(link)
    if (target !== undefined && !isInside(this.root, target)) this.scan.outside.push(link)
  }

  private follow(path: string, depth: number): void {
    const target = this.folderBehind(path)
    if (target === undefined || target === this.root || this.seen.has(target)) return
    this.seen.add(target)
    this.queue.push({ path: target, depth })
  }

  private folderBehind(path: string): string | undefined {
    try {
      const target = realpathSync(path)
      return statSync(target).isDirectory() ? target : undefined
    } catch {
      this.scan.dangling.push(path)
      return undefined
    }
  }
}

const NOTHING: Listing = { packFile: 'none', folders: [], skipped: [], links: [] }

function join(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name
}

export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
