import type { RankDocument } from '../search/document.ts'
import { compileRanker, joinRankers, openSavedRanker, type Ranker, type RankerOptions } from '../search/ranker.ts'
import type { CheckedText } from '../text/checked-text.ts'
import type { Finding, LoadoutError } from '../text/trouble.ts'
import { quickDigest } from '../text/values.ts'
import { type CacheKey, type OpenedValue, type Stamp, signatureOf, stampAt } from './cache.ts'
import type { Machine } from './machine.ts'

/** A part of an index that is read and compiled by itself: the documents of one root. */
export interface Segment {
  /** A folder below the cache folder. */
  kind: string
  /** Files that determine which documents exist. */
  paths: readonly string[]
  /** What tells this segment from others of its kind. */
  name: readonly string[]
  /** Further differences between its states. */
  state?: string
  /** It contains words from tasks of this machine. */
  isPrivate?: boolean
  options?: RankerOptions
  /** Files and folders that the documents come from, if finding them takes as long as reading `paths`. */
  watched?: () => readonly string[]
  /** By unique ids. A text that cannot be read becomes a finding, and the rest is ranked. */
  readDocuments: (findings: Finding[]) => RankDocument[]
}

/** Everything of one kind that can be asked. Its entries have unique names. */
export interface Source<Entry = unknown, Details extends { summary: string } = { summary: string }> {
  kind: string
  /** The entries that it offers. */
  names: readonly string[]
  segments: readonly Segment[]
  findings: readonly Finding[]
  /** Finds also an entry that is not offered. */
  find(name: string): Entry | undefined
  /** What a hit shows of an entry; undefined if there is none. */
  describe(name: string): Details | undefined
  /** Why an entry may not be read now. Every reader asks this first. */
  gate(name: string): LoadoutError | undefined
  /** The text of an entry, or of one of its files. */
  read(name: string, path?: string): CheckedText
}

/** Stored with a document whose file is too much to watch: it is compared when the document is found. */
export interface KeptStamp {
  file: string
  stamp: Stamp | undefined
}

interface OpenedSegment {
  /** Where it is stored. */
  key: CacheKey
  ranker: Ranker
  findings: Finding[]
}

/** Ranks the documents of segments together. */
export interface Ranking extends Pick<Ranker, 'rank' | 'explain'> {
  /** Texts that could not be read: those documents are ranked without them. */
  readonly findings: Finding[]
}

/** Only segments whose sources changed are read and compiled again. */
export function openRanking(machine: Machine, segments: readonly Segment[], options?: RankerOptions): Ranking {
  const join = (opened: readonly OpenedSegment[]) => ({
    ranker: joinRankers(
      opened.map(({ ranker }) => ranker),
      options,
    ),
    findings: opened.flatMap(({ findings }) => findings),
  })
  let now = join(segments.map((segment) => openSegment(machine, segment)))
  return {
    get findings() {
      return now.findings
    },
    rank(task, request) {
      const hits = now.ranker.rank(task, request)
      if (!hits.some(({ kept }) => isChanged(kept))) return hits
      now = join(segments.map((segment) => openSegment(machine, segment, true)))
      return now.ranker.rank(task, request)
    },
    explain: (task, id) => now.ranker.explain(task, id),
  }
}

/** Whether the file of a document is gone or changed since it was stored. */
export function isChanged(kept: unknown): boolean {
  const { file, stamp } = (kept ?? {}) as Partial<KeptStamp>
  return file !== undefined && stamp !== undefined && String(stampAt(file)) !== String(stamp)
}

/** `isFresh`: the stored one is damaged. */
export function openSegment(machine: Machine, segment: Segment, isFresh = false): OpenedSegment {
  const key = segmentKey(machine, segment)
  const { options } = segment
  const build = () => {
    const bytes = buildSegment(machine, key, segment)
    const read = (from: number, length: number) => bytes.subarray(from, from + length)
    return opened(key, { read, size: bytes.length }, { options })!
  }
  return (isFresh ? undefined : openStored(machine, key, { options, rebuild: () => build().ranker })) ?? build()
}

/** Identifies a segment and the present state of its sources. */
export function segmentKey(machine: Machine, { kind, paths, name, state = '', isPrivate }: Segment): CacheKey {
  const seen = signatureOf(paths, machine.now())
  return {
    kind: isPrivate ? `${kind}-here` : kind,
    version: 8,
    name,
    state: quickDigest(JSON.stringify([paths, seen.state, state])),
    isSettled: seen.isSettled,
  }
}

/** The note stored with a segment. */
interface Note {
  findings: Finding[]
  watched: readonly string[]
  /** The state of the watched sources when the documents were read. */
  state: string
}

function buildSegment(machine: Machine, key: CacheKey, { watched, readDocuments, options }: Segment): Uint8Array {
  // Taken before reading: the next process sees changes made meanwhile.
  const seen = signatureOf(watched?.() ?? [], machine.now())
  const findings: Finding[] = []
  // By id: the saved form has that order, and sorting its lists takes longer than everything else.
  const documents = readDocuments(findings).sort((a, b) => (a.id < b.id ? -1 : 1))
  const note: Note = { findings, watched: seen.name, state: seen.state }
  const bytes = compileRanker(documents, Buffer.from(JSON.stringify(note)), options)
  if (key.isSettled !== false && seen.isSettled) machine.cache.write(key, bytes)
  return bytes
}

/**
 * A stored segment, if there is one for this state. The file stays open: the ranker reads from it what a task needs.
 * Without `rebuild`, damage found then is a DamagedForm.
 */
export function openStored(
  machine: Machine,
  key: CacheKey,
  { isAsStored, ...options }: StoredOptions = {},
): OpenedSegment | undefined {
  const stored = machine.cache.open(key)
  if (stored === undefined) return undefined
  const isCurrent = ({ watched, state }: Note) => isAsStored || signatureOf(watched, machine.now()).state === state
  const segment = opened(key, stored, options, isCurrent)
  if (segment === undefined) stored.close()
  return segment
}

/** The only way to a ranking: the bytes of a segment, stored or compiled now. Undefined if they are stale. */
function opened(
  key: CacheKey,
  { read, size }: Pick<OpenedValue, 'read' | 'size'>,
  { options, rebuild }: StoredOptions,
  isCurrent = (_: Note): boolean => true,
): OpenedSegment | undefined {
  const saved = openSavedRanker(read, size, rebuild, options)
  if (saved === null) return undefined
  // Loadout wrote it; its key and checksum were verified.
  const note = JSON.parse(Buffer.from(saved.note).toString()) as Note
  return isCurrent(note) ? { key, ranker: saved.ranker, findings: note.findings } : undefined
}

interface StoredOptions {
  options?: RankerOptions
  rebuild?: () => Ranker
  /** Even if a watched source changed since. */
  isAsStored?: boolean
}
