import { realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { resolveConfigured } from '../../machine/config-file.ts'
import { isFolder } from '../../machine/files.ts'
import { withoutPassword } from '../../machine/git-process.ts'
import { cacheFolder, type Machine } from '../../machine/machine.ts'
import { openProject, type Project, upwards } from '../../machine/open-project.ts'
import { isInside } from '../../machine/walk.ts'
import { shellWord } from '../../text/printable.ts'
import type { Finding } from '../../text/trouble.ts'
import { sha256 } from '../../text/values.ts'
import { KNOWLEDGE_FOLDERS, type Scope } from '../rules/pack.ts'
import type { OrganizationSource, PackConfig } from '../rules/pack-config.ts'
import { findPackage, type PackagePlaces } from './npm-packages.ts'

export interface DiscoveryRequest {
  /** Default: the project around the working folder. */
  project?: string | Project | undefined
  config: PackConfig
  /** The installed package of Loadout. */
  packageFolder: string
}

export interface PackRoot {
  scope: Scope
  path: string
  exists: boolean
  /** Why discovery skips it although it exists. */
  finding?: Finding
}

/** Every folder where packs may be, in order of precedence. */
export function findPackRoots(machine: Machine, request: DiscoveryRequest): { roots: PackRoot[]; findings: Finding[] } {
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
  const message = `${path} is a link out of the project and was skipped`
  const hint = 'set "followLinks": true under "packs" in the configuration to allow it'
  return { ...root, finding: { severity: 'warning', code: 'discovery.link', subject: path, message, hint } }
}

interface SourceFolders {
  folders: string[]
  finding?: Finding
}

function organizationFolders(machine: Machine, source: OrganizationSource, places: PackagePlaces): SourceFolders {
  if (source.kind === 'folder') {
    const folder = resolveConfigured(machine, source.folder)
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
  return { folders: [], finding: { severity: 'warning', code: 'discovery.source', subject, message, hint } }
}

/** The pack folders of a repository or package; if it has none, the whole folder. */
function inside(folder: string): SourceFolders {
  const usual = ['knowledge', ...KNOWLEDGE_FOLDERS].map((name) => join(folder, name)).filter(isFolder)
  return { folders: usual.length > 0 ? usual : [folder] }
}

/** The local clone of an organization's repository: one folder per URL and branch. */
export function clonePath(
  machine: Machine,
  { url, branch = '' }: { url: string; branch?: string | undefined },
): string {
  const name = basename(url.replace(/\/+$/, ''), '.git')
    .replace(/[^\w-]+/g, '-')
    .slice(0, 40)
  const id = sha256(`${url}\0${branch}`).slice(0, 12)
  return join(organizationFolder(machine), `${name || 'packs'}-${id}`)
}

export function organizationFolder(machine: Machine): string {
  return join(cacheFolder(machine), 'packs', 'organization')
}

function isWithin(folder: string | undefined, path: string): boolean {
  return folder !== undefined && isInside(realOrSame(folder), realOrSame(path))
}

function isSame(a: string, b: string): boolean {
  return a === b || realOrSame(a) === realOrSame(b)
}

export function realOrSame(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
