import { type BigIntStats, closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CompiledTable, DispatchTable } from '../domain/routing/dispatch-table.ts'
import { openTable, readHead, saveTable } from '../domain/routing/saved-table.ts'
import { hashText } from '../domain/shared/hash.ts'
import { isRecord } from '../domain/shared/record.ts'
import { writeAtomically } from './files.ts'
import { cacheFolder, type Machine } from './machine.ts'

/** Identifies the exact state of some files without reading them. */
export interface Signature {
  paths: readonly string[]
  key: string
  bytes: number
  /** False while a file is so fresh that another change could go unnoticed by its times. */
  isSettled: boolean
}

const SETTLING_MS = 100

export function signatureOf(paths: readonly string[], now: Date): Signature {
  let bytes = 0
  let newest = 0
  const states = paths.map((path) => {
    const stat = statOrNothing(path)
    if (stat === undefined) return [path]
    bytes += Number(stat.size)
    newest = Math.max(newest, Number(stat.ctimeMs), Number(stat.mtimeMs))
    return [path, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].map(String)
  })
  return { paths, key: JSON.stringify(states), bytes, isSettled: now.getTime() - newest > SETTLING_MS }
}

function statOrNothing(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** A table stored by an earlier process for these very files, with what it noted beside it. */
export function loadTable(machine: Machine, signature: Signature): { table: DispatchTable; note: unknown } | undefined {
  let file: number | undefined
  try {
    file = openSync(cachePath(machine, signature), 'r')
    const read = readerOf(file)
    const head = readHead(read)
    if (head === undefined || !isRecord(head.meta) || head.meta.key !== signature.key) {
      closeSync(file)
      return undefined
    }
    // The file stays open: entries are read from it while the process lives.
    return { table: openTable(head, read), note: head.meta.note }
  } catch {
    if (file !== undefined) closeSync(file)
    return undefined
  }
}

/** Keeps a table for later processes. A cache that cannot be written costs time, not results. */
export function storeTable(machine: Machine, signature: Signature, table: CompiledTable, note: unknown): void {
  try {
    writeAtomically(cachePath(machine, signature), saveTable(table, { key: signature.key, note }))
  } catch {}
}

/** One file per set of paths, so that a changed index replaces its own old table. The key inside tells whose it is. */
function cachePath(machine: Machine, { paths }: Signature): string {
  return join(cacheFolder(machine), 'tables', hashText(JSON.stringify(paths)).toString(16).padStart(8, '0'))
}

function readerOf(file: number) {
  return (from: number, length: number) => {
    const buffer = Buffer.allocUnsafe(length)
    const count = readSync(file, buffer, 0, length, from)
    return buffer.subarray(0, count)
  }
}
