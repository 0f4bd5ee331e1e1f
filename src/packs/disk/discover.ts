import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { codeOf, isFolder } from '../../machine/files.ts'
import { withoutPassword } from '../../machine/git-process.ts'
import type { Machine } from '../../machine/machine.ts'
import { openProject, type Project, upwards } from '../../machine/open-project.ts'
import { folderBehind, isInside, Walk, type WalkEntry } from '../../machine/walk.ts'
import { shellWord } from '../../text/printable.ts'
import { type Code, type Finding, report, type Severity } from '../../text/trouble.ts'
import { compareText, sha256 } from '../../text/values.ts'
import { readManifest } from '../rules/manifest.ts'
import {
  KNOWLEDGE_FOLDERS,
  type KnowledgePack,
  PACK_FILE,
  type PackWarning,
  SCOPES,
  type Scope,
} from '../rules/pack.ts'
import type { OrganizationSource, PackConfig } from '../rules/pack-config.ts'
import { bundleFields, bundleLayer, isBundle } from './bundle.ts'
import { findPackage, type PackagePlaces } from './organization.ts'
import { type HeadCache, headWarning, openHeadCache, type PackHead, resolveLink } from './pack-head.ts'

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
  const packs: KnowledgePack[] = []
  const quarantined: QuarantinedPack[] = []
  const skipped: string[] = []
  // Each root and pack counts once, under its first scope, even if several paths lead to it.
  const seen = new Set<string>()
  const isNew = (path: string) => !seen.has(path) && seen.add(path) !== undefined
  // A project that links the user's own packs does not change their scope.
  const users = new Set(
    roots.filter(({ scope, exists }) => scope === 'user' && exists).map(({ path }) => realOrSame(path)),
  )
  for (const { scope, path: rootPath, exists, finding } of roots) {
    if (finding !== undefined) findings.push(finding)
    const root = realOrSame(rootPath)
    if (!exists || finding !== undefined || (scope === 'workspace' && users.has(root)) || !isNew(`root ${root}`))
      continue
    // The frontmatter of the built-in pack is always cached: it contains no secrets.
    const isOurs = root === realOrSame(join(request.packageFolder, 'knowledge'))
    const heads = openHeadCache(machine, root, isOurs ? 1 : undefined)
    const scan = scanRoot(root, request.config, heads)
    heads.save()
    for (const { folder, depth, head, isOkf } of scan.packs) {
      if (!isNew(folder)) continue
      const path = join(folder, PACK_FILE)
      if ('problem' in head) {
        quarantined.push({ scope, path, reason: head.problem, line: head.line, warnings: [headWarning(head)] })
        continue
      }
      const { manifest, warnings } = readManifest(head.fields, isOkf ? String(head.fields.name) : basename(folder))
      if (manifest === undefined) quarantined.push({ scope, path, reason: 'it has no description', warnings })
      else {
        const link = isOkf
          ? { linked: bundleLayer(folder), warnings: [] }
          : resolveLink(machine.home, folder, manifest.linked)
        packs.push({ manifest, scope, root: folder, ...link, depth, warnings: [...warnings, ...link.warnings] })
      }
    }
    for (const path of scan.skipped) skipped.push(path)
    findings.push(...findingsOf(root, scan, request.config))
  }
  return {
    packs: packs.sort((a, b) => compareScopes(a, b) || a.depth - b.depth || compareText(a.root, b.root)),
    quarantined: quarantined.sort((a, b) => compareScopes(a, b) || compareText(a.path, b.path)),
    roots: roots.map(({ scope, path, exists }) => ({ scope, path, exists })),
    skipped: skipped.sort().slice(0, MOST_SKIPPED),
    skippedCount: skipped.length,
    findings,
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
    findings.push({ severity, code, subject: root, message, hint })
  const name = (paths: readonly string[]) => nameSome(root, paths)
  if (scan.left > 0) {
    const message = `${root} has more than ${limits.maxDirectories} folders; ${scan.left} or more were skipped`
    add('warning', 'discovery.skipped', message, raise('maxDirectories'))
  }
  for (const { path, reason } of scan.unreadable.slice(0, MOST_EACH)) {
    findings.push(report('discovery.skipped/no-access', { path, reason }, { subject: path }))
  }
  if (scan.unreadable.length > MOST_EACH) {
    const others = scan.unreadable.length - MOST_EACH
    add('warning', 'discovery.skipped', `${others} more folders below ${root} cannot be read`)
  }
  if (scan.notFiles.length > 0) {
    add('warning', 'discovery.skipped', `not a ${PACK_FILE} that can be read: ${name(scan.notFiles)}`)
  }
  if (scan.outside.length > 0) {
    const message = `links out of ${root} were not followed: ${name(scan.outside)}`
    add(
      'warning',
      'discovery.skipped',
      message,
      'set "followLinks": true under "packs" in the configuration to allow it',
    )
  }
  if (scan.dangling.length > 0) {
    add('info', 'discovery.skipped', `broken links in ${root}: ${name(scan.dangling)}`)
  }
  if (scan.beyond.length > 0) {
    const message = `folders more than ${limits.maxDepth} levels below ${root} were skipped, in: ${name(scan.beyond)}`
    add('info', 'discovery.skipped', message, raise('maxDepth'))
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

export interface DiscoveryRequest {
  /** Default: the project around the working folder. */
  project?: string | Project
  config: PackConfig
  /** The installed package of Loadout. */
  packageFolder: string
}

interface PackRoot {
  scope: Scope
  path: string
  exists: boolean
  /** Why discovery skips it although it exists. */
  finding?: Finding
}

/** Every folder where packs may be, in order of precedence. */
function findPackRoots(machine: Machine, request: DiscoveryRequest): { roots: PackRoot[]; findings: Finding[] } {
  const project = openProject(machine, request.project)
  const workspace = findWorkspace(machine, project)
  const findings: Finding[] = []
  const roots: PackRoot[] = []
  const add = (scope: Scope, path: string) => roots.push({ scope, path, exists: isFolder(path) })
  if (workspace !== undefined && !isSame(workspace, machine.home)) {
    for (const name of KNOWLEDGE_FOLDERS) roots.push(workspaceRoot(workspace, join(workspace, name), request.config))
  }
  for (const name of KNOWLEDGE_FOLDERS) add('user', join(machine.home, name))
  for (const source of request.config.organization) {
    const { folders, finding } = organizationFolders(machine, source, {
      packageFolder: request.packageFolder,
      place: project.place,
      root: workspace ?? machine.cwd,
    })
    if (finding !== undefined) findings.push(finding)
    for (const folder of folders) {
      // A package inside a project is trusted no more than the rest of that project.
      const isOfProject = isWithin(workspace, folder)
      const isInProject = source.kind === 'package' && workspace !== undefined && isInside(workspace, folder)
      if (isOfProject || !isInProject) add(isOfProject ? 'workspace' : 'organization', folder)
      else roots.push(workspaceRoot(workspace, folder, request.config))
    }
  }
  if (request.config.builtIn) add('built-in', join(request.packageFolder, 'knowledge'))
  return { roots, findings }
}

/**
 * The nearest folder upwards with packs, inside its repository. Never the home folder, which holds the user's packs.
 */
export function findWorkspace(machine: Machine, { place, root, repository }: Project): string | undefined {
  const folders = upwards(place, repository ?? place)
  const home = folders.findIndex((folder) => isSame(folder, machine.home))
  const known = home < 0 ? folders : folders.slice(0, home)
  const found = known.find((folder) => KNOWLEDGE_FOLDERS.some((name) => isFolder(join(folder, name))))
  return found ?? (home < 0 ? root : undefined)
}

/** Refuses a folder of a project that links to a place outside of it. */
function workspaceRoot(workspace: string, path: string, { followLinks }: PackConfig): PackRoot {
  const root: PackRoot = { scope: 'workspace', path, exists: isFolder(path) }
  if (!root.exists || followLinks || isWithin(workspace, path)) return root
  return { ...root, finding: report('discovery.skipped/outside', { path }, { subject: path }) }
}

interface SourceFolders {
  folders: string[]
  finding?: Finding
}

function organizationFolders(machine: Machine, source: OrganizationSource, places: PackagePlaces): SourceFolders {
  if (source.kind === 'folder') {
    const folder = machine.config.resolve(source.folder)
    return isFolder(folder)
      ? { folders: [folder] }
      : absent(folder, 'is not a folder', 'create it, or correct the path')
  }
  if (source.kind === 'git') {
    const folder = clonePath(machine, source)
    const url = withoutPassword(source.url)
    return isFolder(folder) ? inside(folder) : absent(url, 'was not fetched yet', 'loadout packs fetch')
  }
  const folder = findPackage(machine, source.name, places)
  const hint = `npm install --global ${shellWord(source.name)}`
  return folder === undefined ? absent(source.name, 'is not installed', hint) : inside(folder)
}

function absent(subject: string, problem: string, hint: string): SourceFolders {
  const message = `packs of the organization: ${subject} ${problem}`
  return { folders: [], finding: { severity: 'warning', code: 'discovery.skipped', subject, message, hint } }
}

/** The pack folders of a repository or package; if it has none, the whole folder. */
function inside(folder: string): SourceFolders {
  const usual = ['knowledge', ...KNOWLEDGE_FOLDERS].map((name) => join(folder, name)).filter(isFolder)
  return { folders: usual.length > 0 ? usual : [folder] }
}

/** The local clone of an organization's repository: one folder per URL and branch. */
export function clonePath(machine: Machine, { url, branch = '' }: { url: string; branch?: string }): string {
  const name = basename(url.replace(/\/+$/, ''), '.git')
    .replace(/[^\w-]+/g, '-')
    .slice(0, 40)
  const id = sha256(`${url}\0${branch}`).slice(0, 12)
  return join(organizationFolder(machine), `${name || 'packs'}-${id}`)
}

export function organizationFolder(machine: Machine): string {
  return join(machine.cacheFolder, 'packs', 'organization')
}

function isWithin(folder: string | undefined, path: string): boolean {
  return folder !== undefined && isInside(realOrSame(folder), realOrSame(path))
}

function isSame(a: string, b: string): boolean {
  return a === b || realOrSame(a) === realOrSame(b)
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

interface ScanLimits {
  maxDepth: number
  maxDirectories: number
  followLinks: boolean
}

/** The packs below one root, and what was skipped. Every list is in the order of the walk. */
interface Scan {
  packs: { folder: string; depth: number; head: PackHead; isOkf?: boolean }[]
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
function scanRoot(root: string, { maxDirectories, maxDepth, followLinks }: ScanLimits, heads: HeadCache): Scan {
  const [skipped, outside, dangling, notFiles] = [[], [], [], []] as [string[], string[], string[], string[]]
  const packs: Scan['packs'] = []
  // Real paths. Needed only when following links: otherwise no folder is reached twice.
  const seen = new Set<string>()
  const isPack = (folder: string, { kind }: WalkEntry): boolean => {
    if (kind === 'file') return true
    const file = join(folder, PACK_FILE)
    try {
      // Only a link inside the pack: later readers accept no other.
      if (kind === 'link' && isInside(folder, realpathSync(file)) && statSync(file).isFile()) return true
    } catch {}
    notFiles.push(file)
    return false
  }
  const walk = new Walk(root, {
    ignore: ['versions', 'dependencies', 'built', 'pack indexes'],
    // Hidden folders belong to version control and caches. The root itself may be hidden.
    ignoreHidden: true,
    mostFolders: maxDirectories,
    mostDepth: maxDepth,
  })
  for (const { path, depth, entries, enter, enterPath } of walk.folders()) {
    // Compared with the listing: a case-insensitive disk would also find knowledge.md.
    const packFile = entries.find(({ name }) => name === PACK_FILE)
    if (packFile !== undefined && isPack(path, packFile)) {
      packs.push({ folder: path, depth, head: heads.read(join(path, PACK_FILE)) })
      continue
    }
    const hasPages = entries.some(({ name, kind }) => kind === 'file' && /\.md$/i.test(name))
    if (depth > 0 && packFile === undefined && hasPages && isBundle(path)) {
      packs.push({ folder: path, depth, head: { fields: bundleFields(path) }, isOkf: true })
      continue
    }
    for (const entry of entries) {
      const inside = join(path, entry.name)
      if (entry === packFile) continue
      if (entry.kind === 'folder' && entry.isIgnored) skipped.push(inside)
      else if (entry.kind === 'folder') {
        if (followLinks && seen.has(inside)) continue
        seen.add(inside)
        enter(entry.name)
      } else if (entry.kind === 'link' && !entry.isIgnored && depth < maxDepth) {
        let target: string | undefined
        try {
          target = folderBehind(inside)
        } catch {
          dangling.push(inside)
        }
        // Without following links only checks them: a target inside the root is found by itself.
        if (target === undefined || target === root) continue
        if (!followLinks && !isInside(root, target)) outside.push(inside)
        if (!followLinks || seen.has(target)) continue
        seen.add(target)
        enterPath(target)
      }
    }
  }
  // A link can lead into a pack; then the nested pack is a part of it.
  const folders = new Set(followLinks ? packs.map(({ folder }) => folder) : [])
  const isNested = (folder: string): boolean => {
    const parent = dirname(folder)
    return parent !== folder && (folders.has(parent) || isNested(parent))
  }
  const { count, tooDeep, unreadable } = walk.leftOut
  return {
    packs: packs.filter(({ folder }) => !isNested(folder)),
    skipped,
    outside,
    dangling,
    notFiles,
    left: count,
    beyond: tooDeep,
    unreadable: unreadable.map(({ path, error }) => ({ path, reason: codeOf(error) || 'unknown reason' })),
  }
}
