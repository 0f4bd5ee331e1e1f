import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { KeptFiles } from '../../machine/cache.ts'
import { brokenTail, codeOf } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import { type FoundFile, findFiles } from '../../machine/project-files.ts'
import { isInPack } from '../../packs/rules/pack.ts'
import { normalizeText } from '../../text/lines.ts'
import { type Finding, type LoadoutError, report } from '../../text/trouble.ts'
import { cutExcerpt } from '../rules/budget/excerpt.ts'
import type { Candidate, Omission, SourceClass } from '../rules/bundle.ts'
import { orderLatest } from '../rules/control-summary.ts'
import type { ControlPlaneItem, Intent } from '../settings.ts'

/** A text, read only as far as needed. */
export interface BoundedText {
  /** Normalised. Only the beginning, if it is longer than needed. */
  text: string
  /** Characters of the whole, normalised; null when it was not read to its end. */
  charsTotal: number | null
  /** Of the bytes of the whole; null when it was not read to its end. */
  sha256: string | null
}

type Unread = Pick<Omission, 'reason' | 'detail'>

/** Files up to this size are read whole, so that their digest and length are known. */
const LARGEST_WHOLE = 1024 * 1024

/**
 * The text of a file inside a root, up to a number of characters. Never throws, never waits for a pipe, and takes the
 * same time and memory for any large file.
 */
export function readBounded(root: string, path: string, mostChars: number): BoundedText | Unread {
  if (isInPack(path)) return BEHIND_GATES
  // A UTF-16 unit takes up to three bytes.
  const head = Math.min(LARGEST_WHOLE, Math.max(64 * 1024, 3 * Math.ceil(mostChars) + 3))
  const file = `${root}/${path}`
  return texts.of(file, () => readAnew(root, path, head), `${head} ${file}`)
}

const texts = new KeptFiles<BoundedText | Unread>(4 * 1024 * 1024)

function readAnew(root: string, path: string, head: number): BoundedText | Unread {
  const { bytes, size, real, failure } = readInside(root, path, { most: LARGEST_WHOLE, head })
  if (bytes === undefined) return unread(failure)
  // Checked on the opened file: a link may have changed since.
  if (isInPack(real)) return BEHIND_GATES
  const isText = (part: Buffer) => !part.includes(0) && isUtf8(part)
  if (!isText(size <= LARGEST_WHOLE ? bytes : bytes.subarray(0, bytes.length - brokenTail(bytes)))) return BINARY
  if (size > LARGEST_WHOLE) return headText(bytes)
  const text = normalizeText(bytes.toString('utf8'))
  return {
    // Decodes the beginning of a long text again; otherwise the whole text would stay in memory.
    text: bytes.length > head ? headText(bytes.subarray(0, head)).text : text,
    charsTotal: text.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}

const BEHIND_GATES: Unread = { reason: 'gate', detail: 'knowledge packs are read through their gates only' }
const BINARY: Unread = { reason: 'binary', detail: 'it is not UTF-8 text' }

function unread({ code, cause }: LoadoutError): Unread {
  if (code === 'PATH_ESCAPE') return { reason: 'outside_root', detail: 'it leads out of the project' }
  if (code === 'NOT_A_FILE') return { reason: 'not_a_file', detail: 'it is not a regular file' }
  if (code === 'FILE_NOT_FOUND') return { reason: 'unreadable', detail: 'it does not exist' }
  if (codeOf(cause) === 'ELOOP') return { reason: 'unreadable', detail: 'it is a link to itself' }
  return { reason: 'unreadable', detail: `it cannot be read (${codeOf(cause) || 'unknown reason'})` }
}

/** Cuts off a character that the end may have split, back to a line end if one is near. */
function headText(bytes: Buffer): BoundedText {
  const text = normalizeText(bytes.toString('utf8', 0, bytes.length - brokenTail(bytes)))
  return { text: cutExcerpt(text, text.length - 1).excerpt, charsTotal: null, sha256: null }
}

interface ReadOptions {
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

/** The control plane files, in the order of the settings. Their text is kept whole, up to a megabyte. */
export function readControlPlane(
  root: string,
  items: readonly ControlPlaneItem[],
  { mostRead = 200, exclude }: ReadOptions = {},
): ControlPlane {
  const findings: Finding[] = []
  const seen = new Set<string>()
  const found = items.flatMap((item): ControlPlaneFile[] => {
    const matches = findFiles(root, [item.pattern], exclude && { exclude })
    findings.push(...matches.findings)
    if (matches.files.length === 0) {
      return [{ item, path: item.pattern, present: false, candidate: undefined, omission: undefined }]
    }
    const files = item.order === 'latest' ? latestFirst(root, matches.files, mostRead, findings) : matches.files
    const taken: ControlPlaneFile[] = []
    let left = item.take
    for (const { path, pattern } of files) {
      if (left <= 0) break
      const result = seen.has(path)
        ? ({ path, sourceClass: 'control_plane', reason: 'duplicate', detail: 'it was taken before' } as const)
        : read(root, { path, pattern }, 'control_plane', 'control_plane', 'the control plane', Infinity)
      seen.add(path)
      const isRead = 'text' in result
      // A file that cannot be read takes no place.
      if (isRead) left--
      const [candidate, omission] = isRead ? [result, undefined] : [undefined, result]
      taken.push({ item, path, present: isRead, candidate, omission })
    }
    return taken
  })
  return { items: found, findings }
}

/** The beginning is enough to find dates and versions. */
function latestFirst(root: string, files: readonly FoundFile[], most: number, findings: Finding[]): FoundFile[] {
  if (files.length > most) {
    const pattern = files[0]?.pattern ?? ''
    findings.push(report('discovery.skipped/only-last', { pattern, files: files.length, most }, { subject: pattern }))
  }
  const unread: FoundFile[] = []
  const texts: { path: string; text: string }[] = []
  for (const file of files.slice(-most)) {
    const head = readBounded(root, file.path, 0)
    if ('text' in head) texts.push({ path: file.path, text: head.text })
    else unread.push(file)
  }
  const byPath = new Map(files.map((file) => [file.path, file]))
  return [...unread, ...orderLatest(texts).flatMap((path) => byPath.get(path) ?? [])]
}

/**
 * The files that a kind of task needs, each with as many characters as can be shown. After enough files, the rest is
 * listed without reading it.
 */
export function readIntentFiles(
  root: string,
  intent: Intent,
  mostChars: number,
  { mostRead = 200, exclude }: ReadOptions = {},
): { candidates: Candidate[]; omitted: Omission[]; findings: Finding[] } {
  const { files, findings } = findFiles(root, intent.include, exclude && { exclude })
  const candidates: Candidate[] = []
  const omitted: Omission[] = []
  for (const [at, file] of files.entries()) {
    const about = { path: file.path, sourceClass: 'task' } as const
    if (at >= mostRead) {
      omitted.push({ ...about, reason: 'budget', detail: `${mostRead} files before it were read already` })
      continue
    }
    const result = read(root, file, 'task', `intent:${intent.key}`, `the intent ${intent.key}`, mostChars)
    if (!('text' in result)) omitted.push(result)
    else if (result.charsTotal === 0) omitted.push({ ...about, reason: 'empty', detail: 'it is empty' })
    else candidates.push(result)
  }
  return { candidates, omitted, findings }
}

/** `asker` begins the sentence that gives the reason. */
function read(
  root: string,
  { path, pattern }: FoundFile,
  sourceClass: SourceClass,
  selectedBy: string,
  asker: string,
  mostChars: number,
): Candidate | Omission {
  const result = readBounded(root, path, mostChars)
  if (!('text' in result)) return { path, sourceClass, ...result }
  const reason = `${asker} asks for ${pattern}`
  return { path, sourceClass, selectedBy, reason, score: 1, ...result, provenance: { pattern }, isWhole: false }
}
