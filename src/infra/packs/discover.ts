import { basename, join } from 'node:path'
import { readManifest } from '../../domain/packs/manifest.ts'
import { type KnowledgePack, PACK_FILE } from '../../domain/packs/pack.ts'
import { SCOPES, type Scope } from '../../domain/packs/vocabulary.ts'
import type { PackWarning } from '../../domain/packs/warning.ts'
import type { Finding } from '../../domain/shared/finding.ts'
import { compareText } from '../../domain/shared/order.ts'
import type { Machine } from '../machine.ts'
import { type Scan, scanRoot } from './folder-scan.ts'
import { openHeadCache } from './head-cache.ts'
import { headWarning } from './pack-head.ts'
import { type DiscoveryRequest, findPackRoots, type PackRoot, realOrSame } from './pack-roots.ts'
import { findingsOf } from './scan-findings.ts'

export type { DiscoveryRequest } from './pack-roots.ts'

/** Everything that was found, metadata only, and all that was not looked at. */
export interface Discovery {
  /** Of all scopes; names may occur more than once. By scope, depth and path. */
  packs: KnowledgePack[]
  quarantined: QuarantinedPack[]
  roots: { scope: Scope; path: string; exists: boolean }[]
  /** Folders that were not looked into because of their name: the first of them. */
  skipped: string[]
  skippedCount: number
  findings: Finding[]
}

/** A pack that cannot be listed, because nobody knows what it says. */
export interface QuarantinedPack {
  scope: Scope
  /** Of its KNOWLEDGE.md. */
  path: string
  reason: string
  line?: number
  warnings: PackWarning[]
}

const MOST_SKIPPED = 100

/** Looks for packs in every place where they may be. Of each it reads the frontmatter, and opens nothing else. */
export function discoverPacks(machine: Machine, request: DiscoveryRequest): Discovery {
  const { roots, findings } = findPackRoots(machine, request)
  const found = new Collection()
  const skipped: string[] = []
  for (const root of roots) {
    if (root.finding !== undefined) findings.push(root.finding)
    if (!root.exists || root.finding !== undefined || !found.isNewRoot(root, roots)) continue
    const real = realOrSame(root.path)
    const scan = scanOne(machine, real, request)
    found.add(root.scope, scan)
    for (const path of scan.skipped) skipped.push(path)
    findings.push(...findingsOf(real, scan, request.config))
  }
  return {
    packs: found.packs.sort((a, b) => compareScopes(a, b) || a.depth - b.depth || compareText(a.root, b.root)),
    quarantined: found.quarantined.sort((a, b) => compareScopes(a, b) || compareText(a.path, b.path)),
    roots: roots.map(({ scope, path, exists }) => ({ scope, path, exists })),
    skipped: skipped.sort().slice(0, MOST_SKIPPED),
    skippedCount: skipped.length,
    findings,
  }
}

function scanOne(machine: Machine, root: string, { config }: DiscoveryRequest): Scan {
  const heads = openHeadCache(machine, root)
  const scan = scanRoot(root, config, heads)
  heads.save()
  return scan
}

/** A pack is there once, under the scope that comes first, whichever ways lead to it. */
class Collection {
  readonly packs: KnowledgePack[] = []
  readonly quarantined: QuarantinedPack[] = []
  private readonly seen = new Set<string>()
  private readonly seenRoots = new Set<string>()

  isNewRoot({ scope, path }: PackRoot, roots: readonly PackRoot[]): boolean {
    const real = realOrSame(path)
    // A project that is a link to the user's own packs does not take them over.
    const isUsers = roots.some((other) => other.scope === 'user' && other.exists && realOrSame(other.path) === real)
    if ((scope === 'workspace' && isUsers) || this.seenRoots.has(real)) return false
    this.seenRoots.add(real)
    return true
  }

  add(scope: Scope, { packs }: Scan): void {
    for (const { folder, depth, head } of packs) {
      if (this.seen.has(folder)) continue
      this.seen.add(folder)
      const path = join(folder, PACK_FILE)
      if ('problem' in head) {
        const { problem, line } = head
        const place = line === undefined ? {} : { line }
        this.quarantined.push({ scope, path, reason: problem, ...place, warnings: [headWarning(head)] })
        continue
      }
      const { manifest, warnings } = readManifest(head.fields, basename(folder))
      if (manifest !== undefined) this.packs.push({ manifest, scope, root: folder, depth, warnings })
      else this.quarantined.push({ scope, path, reason: 'it has no description', warnings })
    }
  }
}

function compareScopes(a: { scope: Scope }, b: { scope: Scope }): number {
  return SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope)
}
