import { type FoundFile, findFiles } from '../../machine/project-files.ts'
import type { Finding } from '../../text/trouble.ts'
import type { Candidate, Omission, SourceClass } from '../rules/candidate.ts'
import type { ControlPlaneItem, Intent } from '../rules/context-settings.ts'
import { orderLatest } from '../rules/latest.ts'
import { isUnread, readBounded } from './read-bounded.ts'

export interface ReadOptions {
  /** Files that are opened for an intent, or to find out which are the latest. */
  mostRead?: number
  /** Paths that are passed over in silence, such as the file that is about to be written. */
  exclude?: ReadonlySet<string>
}

/** A place of the control plane: a file, or a pattern that matches none. */
export interface ControlPlaneFile {
  item: ControlPlaneItem
  /** The pattern, when nothing is there. */
  path: string
  /** Whether it could be read. An empty file counts. */
  present: boolean
  candidate: Candidate | undefined
  /** Why something that is there could not be taken. */
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

/** The files that ground an agent, in the order of the settings. Their text is kept whole, up to a megabyte. */
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

/** What cannot be read takes nobody's place. */
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

/** A head is enough to tell dates and versions. */
function latestFirst(root: string, files: readonly FoundFile[], most: number, findings: Finding[]): FoundFile[] {
  const read = files.slice(-most).map((file) => ({ file, head: readBounded(root, file.path, 0) }))
  if (files.length > most) {
    const pattern = files[0]?.pattern ?? ''
    const message = `${pattern}: of ${files.length} files only the last ${most} by name were compared`
    findings.push({ severity: 'warning', code: 'discovery.limit', subject: pattern, message, hint: 'name fewer files' })
  }
  const byPath = new Map(files.map((file) => [file.path, file]))
  const texts = read.flatMap(({ file, head }) => (isUnread(head) ? [] : [{ path: file.path, text: head.text }]))
  const unread = read.flatMap(({ file, head }) => (isUnread(head) ? [file] : []))
  const ordered = orderLatest(texts).flatMap((path) => byPath.get(path) ?? [])
  return [...unread, ...ordered]
}

/** The files that a kind of task needs, of each as many characters as can find a place. Once enough were opened, the rest is named without being looked at. */
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
  /** In the sentence that says why it was chosen. */
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
