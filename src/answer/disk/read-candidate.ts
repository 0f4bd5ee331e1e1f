import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { brokenTail, codeOf } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import { KeptFiles } from '../../machine/kept.ts'
import { type FoundFile, findFiles } from '../../machine/project-files.ts'
import { KNOWLEDGE_FOLDERS } from '../../packs/rules/pack.ts'
import { normalizeText } from '../../text/lines.ts'
import { type Finding, type LoadoutError, report } from '../../text/trouble.ts'
import { cutExcerpt } from '../rules/budget/excerpt.ts'
import type { Candidate, Omission, SourceClass } from '../rules/bundle.ts'
import type { ControlPlaneItem, Intent } from '../rules/context-settings.ts'
import { orderLatest } from '../rules/control-summary.ts'

/** A text, read only as far as needed. */
export interface BoundedText {
  /** Normalised. Only the beginning, if it is longer than needed. */
  text: string
  /** Characters of the whole, normalised; null when it was not read to its end. */
  charsTotal: number | null
  /** Of the bytes of the whole; null when it was not read to its end. */
  sha256: string | null
}

export type Unread = Pick<Omission, 'reason' | 'detail'>

/** Files up to this size are read whole, so that their digest and length are known. */
const LARGEST_WHOLE = 1024 * 1024
/** How much of a larger file is read, or more if the requested text needs it. */
const SMALLEST_HEAD = 64 * 1024
/** The maximum size of a UTF-16 unit in UTF-8. */
const BYTES_PER_CHAR = 3

/**
 * The text of a file inside a root, up to a number of characters. Never throws, never waits for a pipe, and takes the
 * same time and memory for any large file.
 */
export function readBounded(root: string, path: string, mostChars: number): BoundedText | Unread {
  if (isInPack(path)) return BEHIND_GATES
  const needed = Math.max(SMALLEST_HEAD, Math.ceil(mostChars) * BYTES_PER_CHAR + BYTES_PER_CHAR)
  const head = Math.min(LARGEST_WHOLE, needed)
  const file = `${root}/${path}`
  return texts.of(file, () => readAnew(root, path, head), `${head} ${file}`)
}

const KEPT_BYTES = 4 * 1024 * 1024
const texts = new KeptFiles<BoundedText | Unread>(KEPT_BYTES)

function readAnew(root: string, path: string, head: number): BoundedText | Unread {
  const { bytes, size, real, failure } = readInside(root, path, { most: LARGEST_WHOLE, head })
  if (bytes === undefined) return unread(failure)
  // Checked on the opened file: a link may have changed since.
  if (isInPack(real)) return BEHIND_GATES
  if (size <= LARGEST_WHOLE) return wholeText(bytes, head)
  return isText(bytes.subarray(0, bytes.length - brokenTail(bytes))) ? headText(bytes) : BINARY
}

function isUnread(result: BoundedText | Unread): result is Unread {
  return 'reason' in result
}

/** A pattern must not read the files of a pack: the user may not have approved it. */
export function isInPack(path: string): boolean {
  const whole = `/${path}/`
  return PACK_FOLDERS.some((folder) => whole.includes(folder))
}

// Called for every file of a project.
const PACK_FOLDERS = KNOWLEDGE_FOLDERS.map((folder) => `/${folder}/`)

const BEHIND_GATES: Unread = { reason: 'gate', detail: 'knowledge packs are read through their gates only' }
const BINARY: Unread = { reason: 'binary', detail: 'it is not UTF-8 text' }

function unread({ code, cause }: LoadoutError): Unread {
  if (code === 'PATH_ESCAPE') return { reason: 'outside_root', detail: 'it leads out of the project' }
  if (code === 'NOT_A_FILE') return { reason: 'not_a_file', detail: 'it is not a regular file' }
  if (code === 'FILE_NOT_FOUND') return { reason: 'unreadable', detail: 'it does not exist' }
  if (codeOf(cause) === 'ELOOP') return { reason: 'unreadable', detail: 'it is a link to itself' }
  return { reason: 'unreadable', detail: `it cannot be read (${codeOf(cause) || 'unknown reason'})` }
}

/** Decodes the beginning of a long text again; otherwise the whole text would stay in memory. */
function wholeText(bytes: Buffer, head: number): BoundedText | Unread {
  if (!isText(bytes)) return BINARY
  const text = normalizeText(bytes.toString('utf8'))
  return {
    text: bytes.length > head ? headText(bytes.subarray(0, head)).text : text,
    charsTotal: text.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}

/** Cuts off a character that the end may have split, back to a line end if one is near. */
function headText(bytes: Buffer): BoundedText {
  const text = normalizeText(bytes.toString('utf8', 0, bytes.length - brokenTail(bytes)))
  return { text: cutExcerpt(text, text.length - 1).excerpt, charsTotal: null, sha256: null }
}

function isText(bytes: Buffer): boolean {
  return !bytes.includes(0) && isUtf8(bytes)
}

export interface ReadOptions {
  /** Maximum number of files to open for an intent, or to find the latest. */
  mostRead?: number
  /** Paths to skip silently, such as the file that is about to be written. */
  exclude?: ReadonlySet<string>
}

/** An item of the control plane: a file, or a pattern without matches. */
export interface ControlPlaneFile {
  item: ControlPlaneItem
  /** The pattern, if nothing matches. */
  path: string
  /** Whether it could be read. An empty file counts. */
  present: boolean
  candidate: Candidate | undefined
  /** Why an existing file could not be used. */
  omission: Omission | undefined
}

export interface ControlPlane {
  items: ControlPlaneFile[]
  findings: Finding[]
}

export interface IntentFiles {
  candidates: Candidate[]
  omitted: Omission[]
  findings: Finding[]
}

const MOST_READ = 200

/** The control plane files, in the order of the settings. Their text is kept whole, up to a megabyte. */
export function readControlPlane(
  root: string,
  items: readonly ControlPlaneItem[],
  { mostRead = MOST_READ, exclude }: ReadOptions = {},
): ControlPlane {
  const findings: Finding[] = []
  const seen = new Set<string>()
  const found = items.flatMap((item): ControlPlaneFile[] => {
    const matches = findFiles(root, [item.pattern], exclude && { exclude })
    findings.push(...matches.findings)
    if (matches.files.length === 0) return [absent(item)]
    const files = item.order === 'latest' ? latestFirst(root, matches.files, mostRead, findings) : matches.files
    return takeFiles(root, item, files, seen)
  })
  return { items: found, findings }
}

function absent(item: ControlPlaneItem): ControlPlaneFile {
  return { item, path: item.pattern, present: false, candidate: undefined, omission: undefined }
}

/** A file that cannot be read takes no place. */
function takeFiles(
  root: string,
  item: ControlPlaneItem,
  files: readonly FoundFile[],
  seen: Set<string>,
): ControlPlaneFile[] {
  const taken: ControlPlaneFile[] = []
  let left = item.take
  for (const { path, pattern } of files) {
    if (left <= 0) break
    const result = seen.has(path) ? again(path) : read(root, { path, pattern }, CONTROL_PLANE, Number.POSITIVE_INFINITY)
    seen.add(path)
    if (isOmission(result)) taken.push({ item, path, present: false, candidate: undefined, omission: result })
    else {
      taken.push({ item, path, present: true, candidate: result, omission: undefined })
      left--
    }
  }
  return taken
}

/** The beginning is enough to find dates and versions. */
function latestFirst(root: string, files: readonly FoundFile[], most: number, findings: Finding[]): FoundFile[] {
  const read = files.slice(-most).map((file) => ({ file, head: readBounded(root, file.path, 0) }))
  if (files.length > most) {
    const pattern = files[0]?.pattern ?? ''
    findings.push(report('discovery.skipped/only-last', { pattern, files: files.length, most }, { subject: pattern }))
  }
  const byPath = new Map(files.map((file) => [file.path, file]))
  const texts = read.flatMap(({ file, head }) => (isUnread(head) ? [] : [{ path: file.path, text: head.text }]))
  const unread = read.flatMap(({ file, head }) => (isUnread(head) ? [file] : []))
  const ordered = orderLatest(texts).flatMap((path) => byPath.get(path) ?? [])
  return [...unread, ...ordered]
}

/**
 * The files that a kind of task needs, each with as many characters as can be shown. After enough files, the rest is
 * listed without reading it.
 */
export function readIntentFiles(
  root: string,
  intent: Intent,
  mostChars: number,
  { mostRead = MOST_READ, exclude }: ReadOptions = {},
): IntentFiles {
  const { files, findings } = findFiles(root, intent.include, exclude && { exclude })
  const candidates: Candidate[] = []
  const omitted: Omission[] = []
  const origin: Origin = { sourceClass: 'task', selectedBy: `intent:${intent.key}`, asker: `the intent ${intent.key}` }
  for (const [at, file] of files.entries()) {
    const result = at < mostRead ? read(root, file, origin, mostChars) : beyond(file.path, mostRead)
    if (isOmission(result)) omitted.push(result)
    else if (result.text === '' && result.charsTotal === 0)
      omitted.push(omit(file.path, 'task', 'empty', 'it is empty'))
    else candidates.push(result)
  }
  return { candidates, omitted, findings }
}

interface Origin {
  sourceClass: SourceClass
  selectedBy: string
  /** Part of the sentence that gives the reason. */
  asker: string
}

const CONTROL_PLANE: Origin = {
  sourceClass: 'control_plane',
  selectedBy: 'control_plane',
  asker: 'the control plane',
}

function read(root: string, { path, pattern }: FoundFile, origin: Origin, mostChars: number): Candidate | Omission {
  const { sourceClass, selectedBy, asker } = origin
  const result = readBounded(root, path, mostChars)
  if (isUnread(result)) return { path, sourceClass, ...result }
  return {
    path,
    sourceClass,
    selectedBy,
    reason: `${asker} asks for ${pattern}`,
    score: 1,
    ...result,
    provenance: { pattern },
    isWhole: false,
  }
}

function isOmission(result: Candidate | Omission): result is Omission {
  return 'detail' in result
}

function omit(path: string, sourceClass: SourceClass, reason: Omission['reason'], detail: string): Omission {
  return { path, sourceClass, reason, detail }
}

function again(path: string): Omission {
  return omit(path, 'control_plane', 'duplicate', 'it was taken before')
}

function beyond(path: string, most: number): Omission {
  return omit(path, 'task', 'budget', `${most} files before it were read already`)
}
