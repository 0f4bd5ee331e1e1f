import { isUtf8 } from 'node:buffer'
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { StampedValues, stampAt } from '../../machine/cache.ts'
import { codeOf, exists, isFile, isFolder } from '../../machine/files.ts'
import { readInside, realOrNothing } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import { isInside, Walk } from '../../machine/walk.ts'
import { readTextYaml, YamlError } from '../../machine/yaml.ts'
import { cutDocument } from '../../text/frontmatter-block.ts'
import { report } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { type ReadManifest, readManifest } from '../rules/manifest.ts'
import {
  isProse,
  KNOWLEDGE_FOLDERS,
  type LinkedFolder,
  type LinkedLayer,
  layerOf,
  PACK_FILE,
  type PackWarning,
  shownText,
} from '../rules/pack.ts'
import { bundleFields, bundleLayer, isBundle, isReserved } from './bundle.ts'

/** The frontmatter of a KNOWLEDGE.md with all values as text, or why it cannot be read. */
export type PackHead = { fields: Record<string, unknown> } | { problem: PackWarning }

/** Reads the frontmatter of the pack in a folder, or of a copy of its guide. */
export function readPackManifest(root: string, guide = join(root, PACK_FILE)): ReadManifest {
  if (!exists(guide) && isBundle(root)) {
    const fields = bundleFields(root)
    return readManifest(fields, String(fields.name))
  }
  const head = readPackHead(guide)
  return 'problem' in head
    ? { manifest: undefined, warnings: [head.problem] }
    : readManifest(head.fields, basename(root))
}

/** The most bytes that Loadout reads of a KNOWLEDGE.md before its pack is used. */
export const HEAD_BYTES = 64 * 1024

/** Reads the frontmatter and nothing after it. Never throws, and never waits for a pipe. */
export function readPackHead(path: string): PackHead {
  // Most frontmatter is short; the text after it must not be read yet.
  for (const most of [4 * 1024, HEAD_BYTES]) {
    const { bytes, size, failure } = readInside(dirname(path), basename(path), { most, head: most })
    if (failure?.code === 'NOT_A_FILE') return { problem: report('NOT_A_FILE/pack', {}, HERE) }
    if (failure?.code === 'PATH_ESCAPE') return { problem: report('PATH_ESCAPE/pack-link', {}, HERE) }
    if (failure !== undefined) {
      return { problem: report('FILE_UNREADABLE/pack', { reason: codeOf(failure.cause) || 'unknown reason' }, HERE) }
    }
    // Decoded as latin1, because the text after the `---` lines may not be UTF-8. The last line may be cut at the limit.
    const start = bytes.subarray(0, 3).toString('latin1') === '\u00ef\u00bb\u00bf' ? 3 : 0
    const text = bytes.toString('latin1', start)
    const { block } = cutDocument(bytes.length < most ? text : text.slice(0, text.lastIndexOf('\n') + 1))
    if (block !== undefined || size < most) return readBlock(Buffer.from(block ?? '', 'latin1'), block === undefined)
  }
  return readBlock(Buffer.alloc(0), true)
}

const HERE = { path: PACK_FILE, severity: 'error' } as const

function readBlock(block: Buffer, isAbsent: boolean): PackHead {
  const invalid = (problem: string, line?: number) => ({
    problem: report('pack.field/frontmatter', { problem }, { ...HERE, line }),
  })
  if (isAbsent) return { problem: report('pack.field/no-head', { kilobytes: HEAD_BYTES / 1024 }, HERE) }
  if (!isUtf8(block)) return invalid('is not UTF-8')
  if (block.includes(0)) return invalid('contains NUL bytes')
  try {
    const value = readTextYaml(block.toString('utf8'))
    return isRecord(value) ? { fields: value } : invalid('must contain keys and values', 2)
  } catch (error) {
    // The frontmatter starts on the second line of its file.
    if (error instanceof YamlError) return invalid(`is not YAML: ${shownText(error.message, 80)}`, error.line + 1)
    return invalid('cannot be read as YAML')
  }
}

/** Caches parsed frontmatter, because loading the YAML parser takes longer than a discovery. Only short frontmatter. */
export class HeadCache extends StampedValues<PackHead> {
  constructor(machine: Machine, root: string) {
    const isHead = (value: unknown) => isRecord(value) && isRecord(value.fields)
    super(machine.cache, machine.now(), { kind: 'pack-heads', version: 2, name: [root] }, isHead)
  }

  /** The frontmatter of a KNOWLEDGE.md, read only if the file has changed. */
  read(path: string): PackHead {
    const stamp = stampAt(path)
    const isSmall = (head: PackHead) => 'fields' in head && JSON.stringify(head.fields).length <= 8 * 1024
    return stamp === undefined ? readPackHead(path) : this.of(path, stamp, () => readPackHead(path), isSmall)
  }

  /** Not of a few packs: frontmatter may contain secrets and is not copied without need. */
  override save(fewest = 8): void {
    super.save(fewest)
  }
}

/** The folder of a pack, and the folder that it links. */
export interface PackPlaceOnDisk {
  root: string
  linked?: LinkedLayer
}

/** More documents than this are too many for one pack. */
export const MOST_LINKED = 25_000

/**
 * Resolves the folder that a pack's frontmatter links. It must be in the same project; a home folder is not a project.
 */
export function resolveLink(home: string, packRoot: string, link: LinkedFolder | undefined) {
  type Link = { linked?: LinkedLayer; warnings: PackWarning[] }
  if (link === undefined) return { warnings: [] }
  const { layer } = link
  const refuse = (why: string): Link => ({
    warnings: [report('PATH_ESCAPE/pack-linked', { layer, why }, { path: PACK_FILE })],
  })
  const project = projectOf(packRoot)
  if (project === undefined || project === realOrNothing(home)) {
    return refuse('only a pack in the knowledge folder of a project can link a folder of that project')
  }
  const full = realOrNothing(`${project}${sep}${link.folder}`)
  if (full === undefined) return { warnings: [report('source.absent/linked', { layer }, { path: PACK_FILE })] }
  if (!isInside(project, full)) return refuse('it leads out of the project')
  const isOneFile = statSync(full).isFile()
  const folder = relative(project, isOneFile ? dirname(full) : full)
    .split(sep)
    .join('/')
  const isHidden = folder.split('/').some((part) => part.startsWith('.'))
  if (isHidden && !isInside(packRoot, full)) return refuse('hidden folders are not read')
  const only = isOneFile ? basename(full) : undefined
  return { linked: { layer: link.layer, root: project, folder, only }, warnings: [] }
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

/** Lists the documents of a linked folder, relative to it, in code unit order. Opens none of them. */
export function listLinked(
  { root, folder, only, isBundle: isOkf }: LinkedLayer,
  packRoot: string,
  onLeftOut: (path: string, why: 'link' | 'ignored' | 'kind' | 'pack') => void = () => {},
): { paths: string[]; isCut: boolean } {
  if (only !== undefined) return { paths: [only], isCut: false }
  const paths: string[] = []
  const own = !isOkf && linkedRoot({ root, folder, layer: 'documents' }) === packRoot
  // Files and folders of the pack itself, beside loose documents in its folder.
  const isOfPack = (path: string, kind: string) =>
    path === PACK_FILE ||
    (kind === 'folder' && (layerOf(`${path}/`) !== undefined || /^(?:runs|evals|schemas|scripts)$/.test(path)))
  // Files for programs, not for readers.
  const isForPrograms = /^(?:requirements.*|constraints.*|robots|humans|CMakeLists)\.txt$/i
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
      else if (own && isOfPack(path, kind)) onLeftOut(path, 'pack')
      else if (kind === 'folder') enter(name)
      else if (kind !== 'file') onLeftOut(path, 'link')
      else if (isOkf ? !/\.md$/i.test(name) || isReserved(name) : !isProse(name) || isForPrograms.test(name))
        onLeftOut(path, 'kind')
      else paths.push(path)
    }
    if (paths.length > MOST_LINKED) break
  }
  const { count, tooDeep } = walk.leftOut
  const isCut = paths.length > MOST_LINKED || count > 0 || tooDeep.length > 0
  return { paths: paths.slice(0, MOST_LINKED).sort(), isCut }
}

/** The real path of a pack, from its folder, KNOWLEDGE.md or index. Undefined if the path is not a pack. */
export function findPackRoot(path: string): string | undefined {
  const isEntry = [PACK_FILE, 'index.md'].includes(basename(path)) && isFile(path)
  const folder = isEntry ? dirname(path) : path
  try {
    if (!isFolder(folder)) return undefined
    const root = realpathSync(folder)
    // Compared with the listing: a case-insensitive disk would also find knowledge.md.
    const hasGuide = readdirSync(root).includes(PACK_FILE) && isFile(join(root, PACK_FILE))
    return hasGuide || isBundle(root) ? root : undefined
  } catch {
    return undefined
  }
}

/** The metadata of the pack in a folder, with the folder that it links. */
export function readPackAt(home: string, root: string): ReadManifest & PackPlaceOnDisk {
  const { manifest, warnings } = readPackManifest(root)
  const isOkf = !exists(join(root, PACK_FILE))
  const link = isOkf ? { linked: bundleLayer(root), warnings: [] } : resolveLink(home, root, manifest?.linked)
  return { root, manifest, ...link, warnings: [...warnings, ...link.warnings] }
}
