import { basename, dirname, join, relative, sep } from 'node:path'
import { changeFiles } from '../change/edits.ts'
import { formatOwnFiles, type OwnFilesPlan } from '../change/own-files.ts'
import { isFolder } from '../machine/files.ts'
import { readInside, refuseLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { isInside } from '../machine/walk.ts'
import { cutDocument } from '../text/frontmatter-block.ts'
import { shellWord } from '../text/printable.ts'
import { failWith, type LoadoutError, report } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { Packs } from './catalog.ts'
import { findWorkspace } from './disk/discover.ts'
import { type Material, type MaterialRequest, openMaterial } from './disk/material.ts'
import { projectOf } from './disk/pack-head.ts'
import {
  copyDocuments,
  type DocsFolder,
  IMPORT_RECORD,
  readDocsFolder,
  writeImport,
  writeNewFolder,
} from './disk/write-pack.ts'
import {
  type DocsPlan,
  docsGuide,
  exampleQuestion,
  outlineDocument,
  packTemplate,
  proposeDescription,
  proposeName,
} from './rules/author/new-pack.ts'
import type { TrustState } from './rules/gates/trust.ts'
import {
  LARGEST_PACK_FILE,
  LAYERS,
  type LinkedLayer,
  PACK_FILE,
  type Profile,
  type RuntimeMode,
  SHARED_FOLDER,
} from './rules/pack.ts'
import { approvePack } from './sections.ts'

export interface NewPackRequest {
  name: string
  description?: string
  profile?: Profile
  mode?: RuntimeMode
  /** Makes a pack for all projects of this user. */
  isUser?: boolean
  /** Default: the project around the working folder. */
  project?: string
}

export interface NewPack {
  name: string
  path: string
  files: string[]
  /** Commands to run next. */
  next: string[]
}

/** Creates a small valid pack for its author to fill in. */
export async function startPack(machine: Machine, request: NewPackRequest): Promise<NewPack> {
  const { profile = 'wiki-first', mode = 'data', isUser } = request
  const name = requirePackName(request.name)
  const home = packHome(machine, request)
  const path = join(home, SHARED_FOLDER, name)
  if (!isUser) refuseLinkOut(home, join(SHARED_FOLDER, name))
  const usual = `What is known about ${name.replace(/-+/g, ' ')}. Use for questions about it.`
  const files = packTemplate({ name, description: readDescription(request.description) || usual, profile, mode })
  // A user's own pack folder may be a link to another place.
  await writeNewFolder(isUser ? '/' : home, path, files)
  const next = [
    `loadout check ${shellWord(path)}`,
    ...(isUser ? [] : [`loadout approve ${name}`]),
    `loadout packs resolve ${shellWord('a question it should answer')} --pack ${name} --confirm ${name}`,
  ]
  return { name, path, files: [...files.keys()].sort(), next }
}

function requirePackName(name: string): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(name)) return name
  throw failWith('BAD_NAME/pack-name')
}

/** The folder above the knowledge folder that gets the pack. */
function packHome(machine: Machine, { isUser, project }: Pick<NewPackRequest, 'isUser' | 'project'>): string {
  if (isUser && project !== undefined) throw failWith('USAGE/pack-home')
  if (isUser) return machine.home
  return findWorkspace(machine, machine.openProject(project)) ?? machine.cwd
}

/** Returns an empty text for a missing description. */
function readDescription(description = ''): string {
  const text = description.trim()
  if (text.length <= 1024) return text
  throw failWith('USAGE/description', { longestDescription: 1024 })
}

export interface PackFromRequest extends Omit<NewPackRequest, 'name' | 'mode'>, MaterialRequest {
  /** Default: derived from the name of the folder. */
  name?: string
  /** A folder with documents, one document, an archive, or the address of a site. */
  from: string
  /** Copies the documents into the pack. Default: those of the project stay where they are. */
  copy?: boolean
  /** Approves the pack with all later changes. */
  follow?: boolean
}

export interface PackFromDocs extends Omit<OwnFilesPlan, 'left'> {
  name: string
  path: string
  from: string
  profile: Profile
  description: string
  isProposed: boolean
  /** Whether the pack holds the documents itself. */
  isCopied: boolean
  documents: number
  leftOut: DocsFolder['leftOut']
  trust: TrustState
  follows: boolean
  next: string[]
}

/** Makes a pack from existing documents. A second run updates its own files and keeps those that others changed. */
export async function startPackFrom(machine: Machine, request: PackFromRequest): Promise<PackFromDocs> {
  const material = await openMaterial(machine, request.from, request)
  try {
    // A source inside a knowledge folder is completed there: its texts stay where they are.
    const { path, isFile } = material
    const root = isFile ? dirname(path) : path
    const home = isFile && basename(path) !== PACK_FILE ? undefined : projectOf(root)
    if (home === undefined) return await importDocs(machine, request, material)
    return await completeFolder(machine, request, {
      root,
      home: home === machine.realFolder(machine.home) ? '' : home,
    })
  } finally {
    material.close()
  }
}

async function importDocs(machine: Machine, request: PackFromRequest, source: Material): Promise<PackFromDocs> {
  const home = packHome(machine, request)
  const [place, { path, isFile: isOne, isTemporary }] = [machine.realFolder(home), source]
  const isBelow = !isTemporary && path !== place && isInside(place, path)
  const inside = isBelow ? relative(place, path).split(sep).join('/') : undefined
  // A pack reads no folder outside its project, so it gets a copy.
  const isCopied = request.copy || inside === undefined || request.isUser === true
  const name = chooseName(request, source)
  const target = join(home, SHARED_FOLDER, name)
  if (!request.isUser) refuseLinkOut(home, join(SHARED_FOLDER, name))
  // The source as a linked layer: below the project, or by itself when it is copied.
  const root = isCopied ? (isOne ? dirname(path) : path) : place
  const below = isCopied ? (isOne ? basename(path) : '') : inside
  const folder = isOne ? dirname(below).split(sep).join('/').replace(/^\.$/, '') : below
  const linked: LinkedLayer = { layer: 'documents', root, folder, only: isOne ? basename(below) : undefined }
  const docs = readDocsFolder(machine.cache, linked, target)
  docs.leftOut.push(...source.leftOut)
  if (docs.documents.length === 0) throw nothingThere(request.from, docs)
  const profile = request.profile ?? (docs.isVault ? 'wiki-first' : 'document-first')
  const copies = isCopied ? copyDocuments(linked, docs) : []
  const plan = planOf(request, name, docs, { profile, from: isCopied ? undefined : inside })
  const files = new Map<string, string | Buffer>([[PACK_FILE, docsGuide(plan)]])
  for (const [file, bytes] of copies) files.set(`${plan.layer}/${file}`, bytes)
  const from = inside ?? (isTemporary ? request.from : basename(path))
  // A user's own pack folder may be a link to another place.
  const written = await writeImport(machine, request.isUser ? '/' : home, target, files, from)
  return await describeImport(machine, request, target, plan, docs, written, isCopied)
}

function planOf(
  request: PackFromRequest,
  name: string,
  { documents, summary }: DocsFolder,
  { profile, from }: { profile: Profile; from: string | undefined },
): DocsPlan {
  const written = readDescription(request.description)
  return {
    name,
    description: written || proposeDescription(name, documents, summary),
    isProposed: written === '',
    profile,
    layer: profile === 'wiki-first' ? 'wiki' : 'documents',
    from,
    documents,
  }
}

/** Adds what is missing in a knowledge folder: frontmatter, or the whole KNOWLEDGE.md. */
async function completeFolder(
  machine: Machine,
  request: PackFromRequest,
  { root, home }: { root: string; home: string },
): Promise<PackFromDocs> {
  const guide = readInside(root, PACK_FILE, { most: LARGEST_PACK_FILE })
  if (guide.failure !== undefined && guide.failure.code !== 'FILE_NOT_FOUND') throw guide.failure
  const written = guide.bytes?.toString('utf8')
  if (written !== undefined && cutDocument(written).block !== undefined) {
    throw failWith('FILE_EXISTS/pack-already', { root, root2: shellWord(root) })
  }
  const name = requirePackName(request.name ?? proposeName([basename(root)]))
  const layers = LAYERS.filter((layer) => isFolder(join(root, layer)))
  const own: LinkedLayer = { layer: 'documents', root: home || root, folder: home === '' ? '' : relative(home, root) }
  const none: DocsFolder = { documents: [], leftOut: [], isVault: false }
  const docs = layers.includes('documents') || home === '' ? none : readDocsFolder(machine.cache, own, root)
  if (written === undefined && docs.documents.length === 0 && layers.length === 0)
    throw nothingThere(request.from, docs)
  const isLoose = docs.documents.length > 0
  const hasDocuments = isLoose || layers.includes('documents')
  const usual = hasDocuments ? (layers.includes('wiki') ? 'hybrid' : 'document-first') : 'wiki-first'
  const profile = request.profile ?? usual
  const known = isLoose || written === undefined ? docs.documents : [outlineDocument(PACK_FILE, written)]
  const base = planOf(request, name, { ...docs, documents: known }, { profile, from: isLoose ? own.folder : undefined })
  const plan: DocsPlan = { ...base, documents: docs.documents, layer: isLoose ? 'documents' : undefined }
  const text = docsGuide(plan, written?.replace(/^\ufeff/, ''))
  const record = formatOwnFiles({ tool: 'loadout packs new', from: request.from }, { [PACK_FILE]: sha256(text) })
  await changeFiles(machine, { purpose: 'packs' }, (edits) => {
    const [path, about] = [join(root, PACK_FILE), join(root, IMPORT_RECORD)]
    edits.add({ path, project: root, before: guide.bytes, after: Buffer.from(text) })
    edits.add({ path: about, project: root, before: edits.read(about), after: record })
  })
  const done = { written: [PACK_FILE], unchanged: [], kept: [], removed: [] }
  return describeImport(machine, request, root, plan, docs, done, false)
}

function chooseName(request: PackFromRequest, { path, title, isTemporary }: Material): string {
  if (request.name !== undefined) return requirePackName(request.name)
  const isGuide = basename(path) === PACK_FILE
  const above = isTemporary ? '' : basename(dirname(path))
  const name = proposeName(isGuide ? [above, basename(dirname(dirname(path)))] : [title, above])
  if (name !== '') return requirePackName(name)
  throw failWith('BAD_NAME/no-pack-name', { path: basename(path), from: shellWord(request.from) })
}

function nothingThere(from: string, { leftOut }: DocsFolder): LoadoutError {
  const all = leftOut.reduce((sum, { count }) => sum + count, 0)
  const reasons = leftOut.slice(0, 3).map(({ what, count, example }) => `${what}: ${count}, such as ${example}`)
  const why = all === 0 ? 'it is empty' : `none of its entries (${all}) can be read; ${reasons.join('; ')}`
  return failWith('NOTHING_TO_DO/import-documents', { from, why })
}

async function describeImport(
  machine: Machine,
  { from, isUser, follow }: PackFromRequest,
  path: string,
  { name, profile, description, isProposed, documents }: DocsPlan,
  { leftOut }: DocsFolder,
  written: Omit<OwnFilesPlan, 'left'>,
  isCopied: boolean,
): Promise<PackFromDocs> {
  const find = () =>
    new Packs(machine, { packs: [path] }).catalog.all.find(({ root }) => root === machine.realFolder(path))
  const before = find()
  const asks = follow && before !== undefined && before.trust.state !== 'trusted' && !before.trust.follows
  if (asks) await approvePack(machine, before, { follow })
  const { state = 'unapproved', follows = false, isUndecided } = (asks ? find() : before)?.trust ?? {}
  const next = [
    `loadout check ${shellWord(path)}`,
    ...(isUser || (isUndecided !== true && state !== 'unapproved') ? [] : [`loadout approve ${name}`]),
    `loadout packs resolve ${shellWord(exampleQuestion(documents) ?? 'a question it should answer')} --pack ${name}`,
  ]
  const value = {
    name,
    path,
    from,
    profile,
    description,
    isProposed,
    isCopied,
    leftOut,
    trust: state,
    follows,
    next,
    ...written,
  }
  machine.report(
    ...written.kept.map((file) => report('LEFT_OUT/edited', { path: join(path, file) }, { subject: file })),
  )
  return { ...value, documents: documents.length }
}
