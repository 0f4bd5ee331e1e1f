import { basename, join, relative } from 'node:path'
import type { Machine } from '../../machine/machine.ts'
import type { Code, Finding, Severity } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { readManifest } from '../rules/manifest.ts'
import { type KnowledgePack, PACK_FILE, type PackWarning, SCOPES, type Scope } from '../rules/pack.ts'
import { type Scan, type ScanLimits, scanRoot } from './folder-scan.ts'
import { headWarning, openHeadCache } from './pack-head.ts'
import { resolveLink } from './pack-place.ts'
import { type DiscoveryRequest, findPackRoots, type PackRoot, realOrSame } from './pack-roots.ts'

export type { DiscoveryRequest } from './pack-roots.ts'

/** The packs that were found, by their metadata, and what was skipped. */
export interface Discovery {
  /** From all scopes, sorted by scope, depth and path. A name may occur more than once. */
  packs: KnowledgePack[]
  quarantined: QuarantinedPack[]
  roots: { scope: Scope; path: string; exists: boolean }[]
  /** The first folders that were skipped because of their names. */
  skipped: string[]
  skippedCount: number
  findings: Finding[]
}

/** A pack whose frontmatter cannot be read. */
interface QuarantinedPack {
  scope: Scope
  /** Its KNOWLEDGE.md. */
  path: string
  reason: string
  line?: number
  warnings: PackWarning[]
}

const MOST_SKIPPED = 100

/** Finds packs in all places. Reads the frontmatter of each and nothing else. */
export function discoverPacks(machine: Machine, request: DiscoveryRequest): Discovery {
  const { roots, findings } = findPackRoots(machine, request)
  const found = new Collection(machine.home)
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

function scanOne(machine: Machine, root: string, { config, packageFolder }: DiscoveryRequest): Scan {
  // The frontmatter of the built-in pack is always cached: it contains no secrets.
  const isOurs = root === realOrSame(join(packageFolder, 'knowledge'))
  const heads = openHeadCache(machine, root, isOurs ? 1 : undefined)
  const scan = scanRoot(root, config, heads)
  heads.save()
  return scan
}

/** Collects each pack once, under its first scope, even if several paths lead to it. */
class Collection {
  readonly packs: KnowledgePack[] = []
  readonly quarantined: QuarantinedPack[] = []
  private readonly seen = new Set<string>()
  private readonly seenRoots = new Set<string>()
  private readonly home: string

  constructor(home: string) {
    this.home = home
  }

  isNewRoot({ scope, path }: PackRoot, roots: readonly PackRoot[]): boolean {
    const real = realOrSame(path)
    // A project that links the user's own packs does not change their scope.
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
      if (manifest !== undefined) {
        const link = resolveLink(this.home, folder, manifest.linked)
        const all = [...warnings, ...link.warnings]
        this.packs.push({ manifest, scope, root: folder, ...link, depth, warnings: all })
      } else this.quarantined.push({ scope, path, reason: 'it has no description', warnings })
    }
  }
}

function compareScopes(a: { scope: Scope }, b: { scope: Scope }): number {
  return SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope)
}

const MOST_NAMED = 5
const MOST_EACH = 20

/** Findings about what a scan skipped. One finding names several places of the same kind. */
function findingsOf(root: string, scan: Scan, limits: ScanLimits): Finding[] {
  const findings: Finding[] = []
  const add = (severity: Severity, code: Code, message: string, hint?: string) =>
    findings.push({ severity, code, subject: root, message, ...(hint !== undefined && { hint }) })
  const name = (paths: readonly string[]) => nameSome(root, paths)
  if (scan.left > 0) {
    const message = `${root} has more than ${limits.maxDirectories} folders; ${scan.left} or more were skipped`
    add('warning', 'discovery.limit', message, raise('maxDirectories'))
  }
  for (const { path, reason } of scan.unreadable.slice(0, MOST_EACH)) {
    findings.push({
      severity: 'warning',
      code: 'discovery.unreadable',
      subject: path,
      message: `${path} cannot be read (${reason})`,
      hint: 'check its permissions',
    })
  }
  if (scan.unreadable.length > MOST_EACH) {
    const others = scan.unreadable.length - MOST_EACH
    add('warning', 'discovery.unreadable', `${others} more folders below ${root} cannot be read`)
  }
  if (scan.notFiles.length > 0) {
    add('warning', 'discovery.not-a-file', `not a ${PACK_FILE} that can be read: ${name(scan.notFiles)}`)
  }
  if (scan.outside.length > 0) {
    const message = `links out of ${root} were not followed: ${name(scan.outside)}`
    add('warning', 'discovery.link', message, 'set "followLinks": true under "packs" in the configuration to allow it')
  }
  if (scan.dangling.length > 0) {
    add('info', 'discovery.link', `broken links in ${root}: ${name(scan.dangling)}`)
  }
  if (scan.beyond.length > 0) {
    const message = `folders more than ${limits.maxDepth} levels below ${root} were skipped, in: ${name(scan.beyond)}`
    add('info', 'discovery.depth', message, raise('maxDepth'))
  }
  if (scan.skipped.length > 0) {
    add('info', 'discovery.skipped', `skipped because of their names: ${name(scan.skipped)}`)
  }
  return findings
}

function raise(key: string): string {
  return `to include them, raise "${key}" under "packs" in the configuration`
}

function nameSome(root: string, paths: readonly string[]): string {
  const sorted = [...paths].sort()
  const named = sorted.slice(0, MOST_NAMED).map((path) => relative(root, path) || '.')
  const others = sorted.length - named.length
  return named.join(', ') + (others > 0 ? ` and ${others} more` : '')
}
