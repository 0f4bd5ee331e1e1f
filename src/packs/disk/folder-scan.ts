import { realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../../machine/files.ts'
import { folderBehind, isInside, Walk, type WalkEntry, type WalkFolder } from '../../machine/walk.ts'
import { PACK_FILE } from '../rules/pack.ts'
import type { HeadCache, PackHead } from './pack-head.ts'

export interface ScanLimits {
  maxDepth: number
  maxDirectories: number
  followLinks: boolean
}

/** The packs below one root, and what was skipped. Every list is in the order of the walk. */
export interface Scan {
  packs: { folder: string; depth: number; head: PackHead }[]
  skipped: string[]
  /** Folders whose subfolders are below the depth limit. */
  beyond: string[]
  /** How many known folders were skipped when the limit was reached. */
  left: number
  unreadable: { path: string; reason: string }[]
  /** Links to folders outside the root. */
  outside: string[]
  /** Broken links. */
  dangling: string[]
  /** Paths named KNOWLEDGE.md that are not readable files. */
  notFiles: string[]
}

/** Searches level by level, so that a limit keeps the packs near the root. The root must be a real path. */
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
  /** Real paths. Needed only when following links: otherwise no folder is reached twice. */
  private readonly seen = new Set<string>()
  private readonly root: string
  private readonly limits: ScanLimits
  private readonly heads: HeadCache

  constructor(root: string, limits: ScanLimits, heads: HeadCache) {
    this.root = root
    this.limits = limits
    this.heads = heads
  }

  run(): Scan {
    const { maxDirectories, maxDepth, followLinks } = this.limits
    const walk = new Walk(this.root, {
      ignore: ['versions', 'dependencies', 'built', 'pack indexes'],
      // Hidden folders belong to version control and caches. The root itself may be hidden.
      ignoreHidden: true,
      mostFolders: maxDirectories,
      mostDepth: maxDepth,
    })
    for (const folder of walk.folders()) this.visit(folder)
    if (followLinks) this.dropNested()
    const { count, tooDeep, unreadable } = walk.leftOut
    const refused = unreadable.map(({ path, error }) => ({ path, reason: codeOf(error) || 'unknown reason' }))
    return { ...this.scan, left: count, beyond: tooDeep, unreadable: refused }
  }

  /** A link can lead into a pack; then the nested pack is a part of it. */
  private dropNested(): void {
    const packs = new Set(this.scan.packs.map(({ folder }) => folder))
    const isNested = (folder: string): boolean => {
      const parent = dirname(folder)
      return parent !== folder && (packs.has(parent) || isNested(parent))
    }
    this.scan.packs = this.scan.packs.filter(({ folder }) => !isNested(folder))
  }

  private visit(folder: WalkFolder): void {
    const { path, depth, entries } = folder
    // Compared with the listing: a case-insensitive disk would also find knowledge.md.
    const packFile = entries.find(({ name }) => name === PACK_FILE)
    if (packFile !== undefined && this.isPack(path, packFile)) {
      this.scan.packs.push({ folder: path, depth, head: this.heads.read(join(path, PACK_FILE)) })
      return
    }
    const isDeepest = depth >= this.limits.maxDepth
    for (const entry of entries) {
      if (entry === packFile) continue
      if (entry.kind === 'folder' && entry.isIgnored) this.scan.skipped.push(join(path, entry.name))
      else if (entry.kind === 'folder') this.enter(folder, entry)
      else if (entry.kind === 'link' && !entry.isIgnored && !isDeepest) this.takeLink(folder, join(path, entry.name))
    }
  }

  private enter({ path, enter }: WalkFolder, { name }: WalkEntry): void {
    if (this.limits.followLinks) {
      if (this.seen.has(join(path, name))) return
      this.seen.add(join(path, name))
    }
    enter(name)
  }

  private isPack(path: string, { kind }: WalkEntry): boolean {
    if (kind === 'file') return true
    const file = join(path, PACK_FILE)
    try {
      // Only a link inside the pack: later readers accept no other.
      if (kind === 'link' && isInside(path, realpathSync(file)) && statSync(file).isFile()) return true
    } catch {}
    this.scan.notFiles.push(file)
    return false
  }

  /** Without `followLinks` only checks the link: a target inside the root is found by itself. */
  private takeLink({ enterPath }: WalkFolder, link: string): void {
    let target: string | undefined
    try {
      target = folderBehind(link)
    } catch {
      this.scan.dangling.push(link)
    }
    if (target === undefined || target === this.root) return
    if (!this.limits.followLinks) {
      if (!isInside(this.root, target)) this.scan.outside.push(link)
    } else if (!this.seen.has(target)) {
      this.seen.add(target)
      enterPath(target)
    }
  }
}
