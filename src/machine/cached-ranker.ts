import type { RankDocument } from '../search/document.ts'
import { createRanker, openSavedRanker, type Ranker } from '../search/ranker.ts'
import type { Finding } from '../text/trouble.ts'
import { hashText } from '../text/values.ts'
import { type CacheKey, type OpenedValue, openCached, signatureOf, writeCached } from './cache.ts'
import type { Machine } from './machine.ts'

export interface OpenedRanker {
  ranker: Ranker
  /** Texts that could not be read: those documents are ranked without them. */
  findings: Finding[]
}

export interface RankerSources {
  /** A folder below the cache folder. */
  kind: string
  /** Files that determine which documents exist. */
  paths: readonly string[]
  /** Further differences between rankers. */
  names?: readonly string[]
  /** Files and folders that the documents come from, if finding them takes as long as reading `paths`. */
  watched?: () => readonly string[]
  readDocuments: (findings: Finding[]) => RankDocument[]
}

/** A ranker that reads and compiles its documents again only when a source changed. */
export function cachedRanker(machine: Machine, sources: RankerSources): OpenedRanker {
  const key = keyOf(machine, sources)
  const rebuild = () => buildRanker(machine, key, sources)
  return openStored(machine, key, () => rebuild().ranker) ?? rebuild()
}

/** Rebuilds the ranker, even if one is stored. */
export function renewRanker(machine: Machine, sources: RankerSources): OpenedRanker {
  return buildRanker(machine, keyOf(machine, sources), sources)
}

function keyOf(machine: Machine, { kind, paths, names = [] }: RankerSources): CacheKey {
  return { kind, version: 4, ...signatureOf(paths, machine.now()), name: [...paths, ...names] }
}

/** The note stored in front of a ranker. */
interface Note {
  findings: Finding[]
  watched: readonly string[]
  /** The state of the watched sources when the documents were read. */
  state: string
}

function buildRanker(machine: Machine, key: CacheKey, { watched, readDocuments }: RankerSources): OpenedRanker {
  // Taken before reading: the next process sees changes made meanwhile.
  const seen = signatureOf(watched?.() ?? [], machine.now())
  const findings: Finding[] = []
  // By id: the saved form has that order, and sorting its lists takes longer than everything else.
  const ranker = createRanker(readDocuments(findings).sort((a, b) => (a.id < b.id ? -1 : 1)))
  const note: Note = { findings, watched: seen.name, state: seen.state }
  const isSettled = key.isSettled !== false && seen.isSettled
  if (isSettled) writeCached(machine, key, encode(note, ranker.save()))
  return { ranker, findings }
}

// Length and checksum of the note, the note as JSON padded to four bytes, the ranker.
const PREFIX = 8

function encode(note: Note, saved: Uint8Array): Uint8Array {
  const text = JSON.stringify(note)
  const told = Buffer.from(text)
  const room = Buffer.alloc(4 * Math.ceil(told.length / 4), ' ')
  told.copy(room)
  const prefix = Buffer.alloc(PREFIX)
  prefix.writeUInt32LE(room.length)
  prefix.writeUInt32LE(hashText(room.toString('latin1')), 4)
  return Buffer.concat([prefix, room, saved])
}

/** The file stays open: the ranker reads from it what a task needs. */
function openStored(machine: Machine, key: CacheKey, rebuild: () => Ranker): OpenedRanker | undefined {
  const opened = openCached(machine, key)
  if (opened === undefined) return undefined
  try {
    const stored = decode(opened)
    if (stored !== undefined && signatureOf(stored.note.watched, machine.now()).state === stored.note.state) {
      const { start } = stored
      const ranker = openSavedRanker((from, length) => opened.read(start + from, length), opened.size - start, rebuild)
      if (ranker !== null) return { ranker, findings: stored.note.findings }
    }
  } catch {
    // Damaged: rebuild it.
  }
  opened.close()
  return undefined
}

function decode(opened: OpenedValue): { note: Note; start: number } | undefined {
  const prefix = Buffer.from(opened.read(0, PREFIX))
  if (prefix.length < PREFIX) return undefined
  const length = prefix.readUInt32LE()
  const room = Buffer.from(opened.read(PREFIX, Math.min(length, opened.size)))
  if (hashText(room.toString('latin1')) !== prefix.readUInt32LE(4)) return undefined
  // Loadout wrote this file; its key and checksum were verified.
  return { note: JSON.parse(room.toString()) as Note, start: PREFIX + length }
}
