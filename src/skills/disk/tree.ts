import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { type Stamp, stampOf } from '../../machine/cache.ts'
import { asLoadoutError, codeOf, isFolder, makeFolders, readText } from '../../machine/files.ts'
import { readInside, withFileInside } from '../../machine/inside.ts'
import { flushFlags } from '../../machine/platform.ts'
import { installedDocument, openaiPolicy } from '../../machine/skill-document.ts'
import { Walk } from '../../machine/walk.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { failWith, type LoadoutError, retell } from '../../text/trouble.ts'
import { compareText, isRecord } from '../../text/values.ts'
import { MARKER_FILE } from '../rules/reconcile.ts'
import { metadataFor, type Skill } from '../rules/skill.ts'

export type FileKind = 'file' | 'link' | 'special'

/** One file of a skill's folder. */
export interface TreeFile {
  /** Relative to the folder, with slashes. */
  path: string
  kind: FileKind
  isExecutable: boolean
  size: number
  stamp: Stamp
}

/** Files of systems and tools that are not part of a skill. */
const NOT_COPIED = new Set(['.git', '.DS_Store', 'Thumbs.db'])

/** The files of a folder, sorted by path, without those that are never copied. Our marker is separate. */
export interface Tree {
  files: TreeFile[]
  marker: TreeFile | undefined
  /** The folder itself, with an empty path, and all folders in it, stamped before they were read. */
  folders: { path: string; stamp: Stamp }[]
}

/** Throws for unreadable files, and for names that are not UTF-8. */
export function listTree(folder: string): Tree {
  const tree: Tree = { files: [], marker: undefined, folders: [{ path: '', stamp: stampOf(statIn(folder, '')) }] }
  const walk = new Walk(folder)
  for (const { inside, entries, enter } of walk.folders()) {
    for (const { name, kind } of entries) {
      const path = inside === '' ? name : `${inside}/${name}`
      if (NOT_COPIED.has(name)) continue
      if (name.includes('\ufffd')) {
        throw failWith('BAD_NAME/not-utf8', { root: folder, path })
      }
      if (path === MARKER_FILE) tree.marker = describe(folder, path)
      else if (kind !== 'folder') tree.files.push(describe(folder, path))
      else {
        tree.folders.push({ path, stamp: stampOf(statIn(folder, path)) })
        enter(name)
      }
    }
  }
  const [unreadable] = walk.leftOut.unreadable
  if (unreadable !== undefined) throw asLoadoutError(unreadable.error, unreadable.path, 'read')
  tree.files.sort((a, b) => compareText(a.path, b.path))
  // Loadout's markers are never executable: if one is, the disk reports every file so, as a Windows drive under WSL does.
  if (tree.marker?.isExecutable) for (const file of tree.files) file.isExecutable = false
  return tree
}

function readFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  }
}

/** A link to a file of the same folder counts as that file; any other link stays a link. */
function describe(folder: string, path: string): TreeFile {
  const own = statIn(folder, path)
  const { mode, size } = (kindOf(own.mode) === 'link' && statLinked(folder, path)) || own
  return { path, kind: kindOf(mode), isExecutable: (mode & 0o111) !== 0, size, stamp: stampOf(own) }
}

/** The file of the folder that a link leads to, unless it is one that is never copied. */
function statLinked(folder: string, path: string): Stats | undefined {
  try {
    const target = relative(realpathSync(folder), realpathSync(`${folder}/${path}`)).split(sep)
    if (
      target[0] === '..' ||
      isAbsolute(target.join(sep)) ||
      target[0] === MARKER_FILE ||
      target.some((name) => NOT_COPIED.has(name))
    )
      return undefined
    const stat = statSync(`${folder}/${path}`)
    return stat.isFile() ? stat : undefined
  } catch {
    // It leads nowhere, or in a circle.
    return undefined
  }
}

export function kindOf(mode: number): FileKind {
  const type = mode & constants.S_IFMT
  return type === constants.S_IFREG ? 'file' : type === constants.S_IFLNK ? 'link' : 'special'
}

/** Follows a link to the folder itself, but no link in it. */
function statIn(folder: string, path: string): Stats {
  try {
    return path === '' ? statSync(folder) : lstatSync(`${folder}/${path}`)
  } catch (error) {
    throw asLoadoutError(error, join(folder, path), 'read')
  }
}

/** Why a folder cannot be copied: Loadout copies only files, and links to them inside the folder as files. */
export function treeProblem(files: readonly Pick<TreeFile, 'path' | 'kind'>[]): LoadoutError | undefined {
  for (const { path, kind } of files) {
    if (kind === 'link') return failWith('NOT_A_FILE/skill-link', { path })
    if (kind === 'special') return failWith('NOT_A_FILE/skill-special', { path })
  }
  return undefined
}

/** The hash of a folder's content: only names, executable bits and bytes. */
export function hashTree(folder: string, files: readonly TreeFile[]): string {
  return hashRows(files.map((file) => [file.path, file.isExecutable, hashFile(folder, file)]))
}

/** The hash of a folder, or of a file. */
export function hashPath(path: string): string {
  if (isFolder(path)) return hashTree(path, listTree(path).files)
  return hashFile(dirname(path), { path: basename(path), kind: 'file' })
}

export type HashRow = readonly [path: string, isExecutable: boolean, hash: string]

export function hashRows(rows: readonly HashRow[]): string {
  const hash = createHash('sha256')
  for (const [path, isExecutable, content] of [...rows].sort(([a], [b]) => compareText(a, b))) {
    hash.update(`${path}\0${isExecutable ? 'x' : '-'}\0${content}\n`)
  }
  return hash.digest('hex')
}

/** The hash of one file of a folder. */
export function hashFile(folder: string, { path, kind }: Pick<TreeFile, 'path' | 'kind'>): string {
  if (kind === 'special') return 'special'
  try {
    if (kind === 'link') return `link ${readlinkSync(join(folder, path))}`
    return hashAndCopy(folder, path, undefined)
  } catch (error) {
    throw asLoadoutError(error, join(folder, path), 'read')
  }
}

/** Copies one file of a folder and returns its hash. */
export function copyFile(folder: string, path: string, to: string, isExecutable: boolean): string {
  const target = createFile(to, isExecutable)
  try {
    return hashAndCopy(folder, path, target)
  } finally {
    closeSync(target)
  }
}

/** Writes one file and returns its hash. */
export function writeTreeFile(to: string, content: string | Uint8Array, isExecutable: boolean): string {
  const target = createFile(to, isExecutable)
  try {
    writeFileSync(target, content)
  } finally {
    closeSync(target)
  }
  return hashContent(content)
}

/** Creates the folder only after a failure, because for most files it exists. */
function createFile(path: string, isExecutable: boolean): number {
  const mode = isExecutable ? 0o777 : 0o666
  try {
    return openSync(path, 'wx', mode)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    makeFolders(dirname(path))
    return openSync(path, 'wx', mode)
  }
}

export function hashContent(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Reads a file, hashes it, and copies it to `to`, if defined. Does not follow a link that has replaced the file. */
function hashAndCopy(folder: string, path: string, to: number | undefined): string {
  let unwritten: unknown
  try {
    return withFileInside(folder, path, (source, { size }) => {
      const hash = createHash('sha256')
      // Reads in pieces, so that a large file does not fill the memory.
      const piece = Buffer.allocUnsafe(Math.min(1024 * 1024, Math.max(1, size)))
      for (let length = readSync(source, piece); length > 0; length = readSync(source, piece)) {
        const part = piece.subarray(0, length)
        hash.update(part)
        try {
          for (let written = 0; to !== undefined && written < length; ) written += writeSync(to, part, written)
        } catch (error) {
          unwritten = error
          throw error
        }
      }
      return hash.digest('hex')
    })
  } catch (error) {
    // A write error, such as a full disk, must not be reported for the file that is read.
    throw unwritten ?? error
  }
}

/** Copies a whole folder, with its marker, into a new one. For backups: leaves nothing out. */
export function copyFolder(from: string, to: string): void {
  makeFolders(to)
  for (const entry of readFolder(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyFolder(source, target)
    else if (entry.isFile()) {
      copyFile(from, entry.name, target, false)
      chmodSync(target, lstatSync(source).mode & 0o777)
      const file = openSync(target, flushFlags())
      try {
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
    } else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
  }
}

/** Copies the files of a skill, without the marker and `leftOut`, into a new folder. */
export function copyTree(from: string, to: string, leftOut: readonly string[] = []): void {
  makeFolders(to)
  for (const { path, kind, isExecutable } of listTree(from).files) {
    if (kind === 'file' && !leftOut.includes(path)) copyFile(from, path, join(to, path), isExecutable)
  }
}

/** Copies a folder or a file to a new path. */
export function copyPath(from: string, to: string): void {
  if (isFolder(from)) copyTree(from, to)
  else copyFile(dirname(from), basename(from), to, false)
}

/** A skill as one agent gets it: the files of the library, and files generated for the agent. */
export interface Build {
  folder: string
  files: readonly TreeFile[]
  /** The texts of generated files, by path: they replace files of the library, or are added. */
  made: ReadonlyMap<string, string>
}

const CODEX_FILE = 'agents/openai.yaml'

/** Builds a skill from its folder in the library. Throws for a file that cannot be copied. */
export function buildFor(folder: string, skill: Skill, agent: string): Build {
  return buildFrom(readSource(folder, skill), skill, agent)
}

/** A `buildFor` for many calls: for several agents in a row, it reads the folder of a skill only once. */
export function createBuilder(): typeof buildFor {
  let source: Source | undefined
  return (folder, skill, agent) => {
    if (source?.folder !== folder) source = readSource(folder, skill)
    return buildFrom(source, skill, agent)
  }
}

interface Source {
  folder: string
  files: readonly TreeFile[]
  text: string
  /** The installed SKILL.md, by the metadata in it. */
  documents: Map<string, string>
}

function readSource(folder: string, skill: Skill): Source {
  const { files } = listTree(folder)
  const problem = treeProblem(files)
  if (problem !== undefined) {
    throw retell(problem, { message: `${skill.name} cannot be installed: ${problem.message}` })
  }
  return { folder, files, text: readText(join(folder, DOCUMENT_FILE), 16 * 1024 * 1024), documents: new Map() }
}

function buildFrom({ folder, files, text, documents }: Source, skill: Skill, agent: string): Build {
  const made = new Map<string, string>()
  const metadata = metadataFor(skill, agent)
  const { policy } = metadata
  if (agent === 'codex' && isRecord(policy) && 'allow_implicit_invocation' in policy) {
    const existing = files.some(({ path }) => path === CODEX_FILE) ? readText(join(folder, CODEX_FILE)) : undefined
    made.set(CODEX_FILE, openaiPolicy(existing, policy))
    delete metadata.policy
  }
  for (const held of skill.heldKeys ?? []) delete metadata[held]
  const key = JSON.stringify(metadata)
  const document = documents.get(key) ?? installedDocument(skill, metadata, text)
  documents.set(key, document)
  made.set(DOCUMENT_FILE, document)
  return { folder, files, made }
}

/** Writes a build into a new folder. Returns the hash and the paths of its content. */
export function writeBuild({ folder, files, made }: Build, target: string): { hash: string; paths: string[] } {
  makeFolders(target)
  const rows: HashRow[] = []
  for (const { path, isExecutable } of files) {
    if (made.has(path)) continue
    rows.push([path, isExecutable, copyFile(folder, path, `${target}/${path}`, isExecutable)])
  }
  for (const [path, text] of made) rows.push([path, false, writeTreeFile(`${target}/${path}`, text, false)])
  return { hash: hashRows(rows), paths: rows.map(([path]) => path) }
}

/** The hash of the content that `writeBuild` would write. */
export function hashBuild({ folder, files, made }: Build): string {
  const copied = files.filter(({ path }) => !made.has(path))
  return hashRows([
    ...copied.map((file): HashRow => [file.path, file.isExecutable, hashFile(folder, file)]),
    ...[...made].map(([path, text]): HashRow => [path, false, hashContent(text)]),
  ])
}

/** The maximum that a client may read of one skill. */
const MOST_FILES = 512
const MOST_BYTES = 16 * 1024 * 1024

/** One file of a build; undefined if it has no such file. */
export function readBuildFile({ folder, files, made }: Build, path: string): Uint8Array | undefined {
  const text = made.get(path)
  if (text !== undefined) return Buffer.from(text)
  if (!files.some((file) => file.path === path)) return undefined
  const { bytes, failure } = readInside(folder, path, { most: MOST_BYTES })
  if (bytes === undefined) throw failure
  return bytes
}

/** All files of a build, by path. Throws if they exceed the limits for a client. */
export function readBuild(build: Build): Record<string, Uint8Array> {
  const paths = new Set([...build.files.map(({ path }) => path), ...build.made.keys()])
  const bytes = build.files.reduce((sum, { size }) => sum + size, 0)
  if (paths.size > MOST_FILES || bytes > MOST_BYTES) {
    throw failWith('FILE_TOO_LARGE/client', { folder: build.folder, mostFiles: MOST_FILES })
  }
  return Object.fromEntries(
    [...paths].flatMap((path) => {
      const content = readBuildFile(build, path)
      return content === undefined ? [] : [[path, content]]
    }),
  )
}
