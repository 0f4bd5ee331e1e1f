import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { codeOf, isFolder } from '../../machine/files.ts'
import { withoutPassword } from '../../machine/git-process.ts'
import type { Machine } from '../../machine/machine.ts'
import { type Project, realOrSame, upwards } from '../../machine/open-project.ts'
import { folderBehind, isInside, Walk, type WalkEntry } from '../../machine/walk.ts'
import { shellWord } from '../../text/printable.ts'
import { type Finding, report } from '../../text/trouble.ts'
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
import { HeadCache, type PackHead, resolveLink } from './pack-head.ts'

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
    const heads = new HeadCache(machine, root)
    const scan = scanRoot(root, request.config, heads)
    heads.save(isOurs ? 1 : undefined)
    for (const { folder, depth, head, isOkf } of scan.packs) {
      if (!isNew(folder)) continue
      const path = join(folder, PACK_FILE)
      if ('problem' in head) {
        const { message: reason, line } = head.problem
        quarantined.push({ scope, path, reason, line, warnings: [head.problem] })
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
    findings.push(...scan.findings)
  }
  const byScope = (a: { scope: Scope }, b: { scope: Scope }) => SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope)
  return {
    packs: packs.sort((a, b) => byScope(a, b) || a.depth - b.depth || compareText(a.root, b.root)),
    quarantined: quarantined.sort((a, b) => byScope(a, b) || compareText(a.path, b.path)),
    roots: roots.map(({ scope, path, exists }) => ({ scope, path, exists })),
    skipped: skipped.sort().slice(0, 100),
    skippedCount: skipped.length,
    findings,
  }
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
  const { config, packageFolder } = request
  const project = machine.openProject(request.project)
  const workspace = findWorkspace(machine, project)
  const isWithin = (path: string) => workspace !== undefined && isInside(realOrSame(workspace), realOrSame(path))
  const findings: Finding[] = []
  const roots: PackRoot[] = []
  const add = (scope: Scope, path: string) => roots.push({ scope, path, exists: isFolder(path) })
  // A folder of a project that links to a place outside of it is refused.
  const addOfProject = (path: string) => {
    const exists = isFolder(path)
    const isRefused = exists && !config.followLinks && !isWithin(path)
    const finding = isRefused ? report('discovery.skipped/outside', { path }, { subject: path }) : undefined
    roots.push({ scope: 'workspace', path, exists, finding })
  }
  if (workspace !== undefined && realOrSame(workspace) !== realOrSame(machine.home)) {
    for (const name of KNOWLEDGE_FOLDERS) addOfProject(join(workspace, name))
  }
  for (const name of KNOWLEDGE_FOLDERS) add('user', join(machine.home, name))
  const places = { packageFolder, place: project.place, root: workspace ?? machine.cwd }
  for (const source of config.organization) {
    const found = organizationFolders(machine, source, places)
    if (!Array.isArray(found)) {
      findings.push(found)
      continue
    }
    for (const folder of found) {
      // A package inside a project is trusted no more than the rest of that project.
      const isInProject = source.kind === 'package' && workspace !== undefined && isInside(workspace, folder)
      if (isInProject && !isWithin(folder)) addOfProject(folder)
      else add(isWithin(folder) ? 'workspace' : 'organization', folder)
    }
  }
  if (config.builtIn) add('built-in', join(packageFolder, 'knowledge'))
  return { roots, findings }
}

/**
 * The nearest folder upwards with packs, inside its repository. Never the home folder, which holds the user's packs.
 */
export function findWorkspace(machine: Machine, { place, root, repository }: Project): string | undefined {
  const folders = upwards(place, repository ?? place)
  const home = folders.findIndex((folder) => realOrSame(folder) === realOrSame(machine.home))
  const known = home < 0 ? folders : folders.slice(0, home)
  const found = known.find((folder) => KNOWLEDGE_FOLDERS.some((name) => isFolder(join(folder, name))))
  return found ?? (home < 0 ? root : undefined)
}

/** The folders with packs of a source, or a finding if it is not there. */
function organizationFolders(machine: Machine, source: OrganizationSource, places: PackagePlaces): string[] | Finding {
  const absent = (subject: string, problem: string, hint: string) =>
    report('discovery.skipped/organization', { subject, problem, hint }, { subject })
  if (source.kind === 'folder') {
    const folder = machine.config.resolve(source.folder)
    return isFolder(folder) ? [folder] : absent(folder, 'is not a folder', 'create it, or correct the path')
  }
  const folder = source.kind === 'git' ? clonePath(machine, source) : findPackage(machine, source.name, places)
  if (folder !== undefined && isFolder(folder)) {
    // The pack folders of a repository or package; if it has none, the whole folder.
    const usual = ['knowledge', ...KNOWLEDGE_FOLDERS].map((name) => join(folder, name)).filter(isFolder)
    return usual.length > 0 ? usual : [folder]
  }
  return source.kind === 'git'
    ? absent(withoutPassword(source.url), 'was not fetched yet', 'loadout packs fetch')
    : absent(source.name, 'is not installed', `npm install --global ${shellWord(source.name)}`)
}

/** The local clone of an organization's repository: one folder per URL and branch. */
export function clonePath(machine: Machine, { url, branch = '' }: { url: string; branch?: string }): string {
  const name = basename(url.replace(/\/+$/, ''), '.git')
    .replace(/[^\w-]+/g, '-')
    .slice(0, 40)
  const id = sha256(`${url}\0${branch}`).slice(0, 12)
  return join(machine.cacheFolder, 'packs', 'organization', `${name || 'packs'}-${id}`)
}

/**
 * The packs below one root, and what was skipped. Searches level by level, so that a limit keeps the packs near the
 * root. The root must be a real path.
 */
function scanRoot(root: string, { maxDirectories, maxDepth, followLinks }: PackConfig, heads: HeadCache) {
  const packs: { folder: string; depth: number; head: PackHead; isOkf?: boolean }[] = []
  const skipped: string[] = []
  const outside: string[] = []
  const dangling: string[] = []
  const notFiles: string[] = []
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

  // One finding names several places of the same kind.
  const { count, tooDeep, unreadable } = walk.leftOut
  const findings: Finding[] = []
  const about = { subject: root }
  const named = (paths: readonly string[]) => {
    const some = paths
      .toSorted()
      .slice(0, 5)
      .map((path) => relative(root, path) || '.')
    return some.join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '')
  }
  if (count > 0) {
    findings.push(report('discovery.skipped/directories', { root, most: maxDirectories, count }, about))
  }
  for (const { path, error } of unreadable.slice(0, MOST_UNREADABLE)) {
    const reason = codeOf(error) || 'unknown reason'
    findings.push(report('discovery.skipped/no-access', { path, reason }, { subject: path }))
  }
  const others = unreadable.length - MOST_UNREADABLE
  if (others > 0) findings.push(report('discovery.skipped/unreadable-folders', { count: others, root }, about))
  if (notFiles.length > 0) {
    findings.push(report('discovery.skipped/not-pack-file', { file: PACK_FILE, named: named(notFiles) }, about))
  }
  if (outside.length > 0) findings.push(report('discovery.skipped/links-out', { root, named: named(outside) }, about))
  if (dangling.length > 0) {
    findings.push(report('discovery.skipped/broken-links', { root, named: named(dangling) }, about))
  }
  if (tooDeep.length > 0) {
    findings.push(report('discovery.skipped/too-deep', { most: maxDepth, root, named: named(tooDeep) }, about))
  }
  if (skipped.length > 0) findings.push(report('discovery.skipped/names', { named: named(skipped) }, about))
  return { packs: packs.filter(({ folder }) => !isNested(folder)), skipped, findings }
}

const MOST_UNREADABLE = 20
