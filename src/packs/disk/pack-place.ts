import { readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { isFile, isFolder } from '../../machine/files.ts'
import { isInside, Walk } from '../../machine/walk.ts'
import type { ReadManifest } from '../rules/manifest.ts'
import {
  isProse,
  KNOWLEDGE_FOLDERS,
  type LinkedFolder,
  type LinkedLayer,
  layerOf,
  PACK_FILE,
  type PackWarning,
} from '../rules/pack.ts'
import { readPackManifest } from './pack-head.ts'

/** The folder of a pack, and the folder that it links. */
export interface PackPlaceOnDisk {
  root: string
  linked?: LinkedLayer | undefined
}

export interface ResolvedLink {
  linked?: LinkedLayer
  warnings: PackWarning[]
}

/** More documents than this are too many for one pack. */
export const MOST_LINKED = 4_000

/**
 * Resolves the folder that a pack's frontmatter links. It must be in the same project; a home folder is not a project.
 */
export function resolveLink(home: string, packRoot: string, link: LinkedFolder | undefined): ResolvedLink {
  if (link === undefined) return { warnings: [] }
  const refuse = (code: PackWarning['code'], why: string): ResolvedLink => {
    const message = `metadata.${link.layer}From is not read: ${why}`
    return { warnings: [{ severity: 'error', code, path: PACK_FILE, message }] }
  }
  const project = projectOf(packRoot)
  if (project === undefined || project === realOrNothing(home)) {
    return refuse('source.escape', 'only a pack in the knowledge folder of a project can link a folder of that project')
  }
  const full = realOrNothing(`${project}${sep}${link.folder}`)
  if (full === undefined) return refuse('source.absent', 'it names a missing folder')
  if (!isInside(project, full)) return refuse('source.escape', 'it leads out of the project')
  const isOneFile = statSync(full).isFile()
  const folder = relative(project, isOneFile ? dirname(full) : full)
    .split(sep)
    .join('/')
  const isHidden = folder.split('/').some((part) => part.startsWith('.'))
  if (isHidden && !isInside(packRoot, full)) return refuse('source.escape', 'hidden folders are not read')
  return {
    linked: { layer: link.layer, root: project, folder, ...(isOneFile ? { only: basename(full) } : {}) },
    warnings: [],
  }
}

/** The project of a pack: the folder above its knowledge folder. */
export function projectOf(packRoot: string): string | undefined {
  const path = packRoot.split(sep).join('/')
  const at = Math.max(...KNOWLEDGE_FOLDERS.map((folder) => path.lastIndexOf(`/${folder}/`)))
  return at > 0 ? packRoot.slice(0, at) : undefined
}

export function linkedRoot({ root, folder }: LinkedLayer): string {
  return folder === '' ? root : `${root}${sep}${folder.split('/').join(sep)}`
}

/** Why a file of a linked folder is not a document of the pack. */
export type LeftOut = 'link' | 'ignored' | 'kind' | 'pack'

/** Lists the documents of a linked folder, relative to it, in code unit order. Opens none of them. */
export function listLinked(
  { root, folder, only }: LinkedLayer,
  packRoot: string,
  onLeftOut: (path: string, why: LeftOut) => void = () => {},
): { paths: string[]; isCut: boolean } {
  if (only !== undefined) return { paths: [only], isCut: false }
  const paths: string[] = []
  const own = linkedRoot({ root, folder, layer: 'documents' }) === packRoot
  const walk = new Walk(root, {
    ignore: ['versions', 'dependencies'],
    ignoreHidden: true,
    useGitignore: true,
    mostFolders: 20_000,
    mostDepth: 24,
  })
  for (const { inside, entries, enter } of walk.folders(folder)) {
    const below = inside.slice(folder === '' ? 0 : folder.length + 1)
    for (const { name, kind, isIgnored, isNameable } of entries) {
      const path = below === '' ? name : `${below}/${name}`
      if (isIgnored || !isNameable) onLeftOut(path, 'ignored')
      else if (own && isOfPack(path, kind === 'folder')) onLeftOut(path, 'pack')
      else if (kind === 'folder') enter(name)
      else if (kind !== 'file') onLeftOut(path, 'link')
      else if (!isProse(name) || NOT_DOCUMENTS.test(name)) onLeftOut(path, 'kind')
      else paths.push(path)
    }
    if (paths.length > MOST_LINKED) break
  }
  const { count, tooDeep } = walk.leftOut
  const isCut = paths.length > MOST_LINKED || count > 0 || tooDeep.length > 0
  return { paths: paths.slice(0, MOST_LINKED).sort(), isCut }
}

/** Files and folders of the pack itself, beside loose documents in its folder. */
function isOfPack(path: string, isFolder: boolean): boolean {
  if (path === PACK_FILE) return true
  return isFolder && (layerOf(`${path}/`) !== undefined || /^(?:runs|evals|schemas|scripts)$/.test(path))
}

/** Files for programs, not for readers. */
const NOT_DOCUMENTS = /^(?:requirements.*|constraints.*|robots|humans|CMakeLists)\.txt$/i

function realOrNothing(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** The real path of a pack, from its folder or its KNOWLEDGE.md. Undefined if the path is not a pack. */
export function findPackRoot(path: string): string | undefined {
  const folder = basename(path) === PACK_FILE && isFile(path) ? dirname(path) : path
  try {
    if (!isFolder(folder)) return undefined
    const root = realpathSync(folder)
    // Compared with the listing: a case-insensitive disk would also find knowledge.md.
    return readdirSync(root).includes(PACK_FILE) && isFile(join(root, PACK_FILE)) ? root : undefined
  } catch {
    return undefined
  }
}

/** The metadata of the pack in a folder, with the folder that it links. */
export function readPackAt(home: string, root: string): ReadManifest & PackPlaceOnDisk {
  const { manifest, warnings } = readPackManifest(root)
  const link = resolveLink(home, root, manifest?.linked)
  return { root, manifest, ...link, warnings: [...warnings, ...link.warnings] }
}
