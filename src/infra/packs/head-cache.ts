import { statSync } from 'node:fs'
import { isRecord } from '../../domain/shared/record.ts'
import { type CacheKey, isSettled, jsonCodec, readCached, type Stamp, stampOf, writeCached } from '../cache.ts'
import type { Machine } from '../machine.ts'
import { type PackHead, readPackHead } from './pack-head.ts'

export interface HeadCache {
  /** The head of a KNOWLEDGE.md, read only when the file has changed. */
  read(path: string): PackHead
  /** Keeps the heads that were asked for. */
  save(): void
}

type Fields = Record<string, unknown>
type Row = [path: string, stamp: Stamp, fields: Fields]

const LARGEST_HEAD = 8 * 1024

// Fewer are read as fast as a cache.
const FEWEST_HEADS = 8

/** With 500 packs, reading their YAML takes more than half of a discovery; listing folders needs no cache. */
export function openHeadCache(machine: Machine, root: string): HeadCache {
  const key: CacheKey = { kind: 'pack-heads', version: 1, name: [root] }
  let stored: ReadonlyMap<string, Row> | undefined
  const known = () => (stored ??= new Map(readCached(machine, key, ROWS.decode)?.map((row) => [row[0], row])))
  const rows: Row[] = []
  let isChanged = false
  const now = machine.now()
  return {
    read(path) {
      const stamp = stampAt(path)
      const row = known().get(path)
      const isKnown = row !== undefined && stamp?.every((value, at) => value === row[1][at])
      const head: PackHead = isKnown ? { fields: row[2] } : readPackHead(path)
      const isKept = stamp !== undefined && 'fields' in head && isSettled(stamp, now) && isSmall(head.fields)
      if (isKept) rows.push([path, stamp, head.fields])
      isChanged ||= isKept && !isKnown
      return head
    },
    save() {
      if (!isChanged || rows.length < FEWEST_HEADS) return
      const bytes = ROWS.encode(rows)
      if (bytes !== undefined) writeCached(machine, key, bytes)
    },
  }
}

function isSmall(fields: Fields): boolean {
  return JSON.stringify(fields).length <= LARGEST_HEAD
}

function stampAt(path: string): Stamp | undefined {
  try {
    return stampOf(statSync(path))
  } catch {
    return undefined
  }
}

const ROWS = jsonCodec((json): json is Row[] => Array.isArray(json) && json.every(isRow))

function isRow(json: unknown): boolean {
  return Array.isArray(json) && typeof json[0] === 'string' && Array.isArray(json[1]) && isRecord(json[2])
}
