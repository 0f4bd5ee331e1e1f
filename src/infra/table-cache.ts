import { closeSync, openSync, readSync } from 'node:fs'
import type { CompiledTable, DispatchTable } from '../domain/routing/dispatch-table.ts'
import { openTable, readHead, saveTable } from '../domain/routing/saved-table.ts'
import { isRecord } from '../domain/shared/record.ts'
import { cachePath } from './byte-cache.ts'
import { requireFile, writeAtomically } from './files.ts'
import type { Machine } from './machine.ts'
import type { Signature } from './signature.ts'

/** A table stored by an earlier process for these very files, with what it noted beside it. */
export function loadTable(machine: Machine, signature: Signature): { table: DispatchTable; note: unknown } | undefined {
  let file: number | undefined
  try {
    const path = cachePath(machine, 'tables', signature)
    requireFile(path)
    file = openSync(path, 'r')
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
  if (!signature.isSettled) return
  try {
    writeAtomically(cachePath(machine, 'tables', signature), saveTable(table, { key: signature.key, note }))
  } catch {}
}

function readerOf(file: number) {
  return (from: number, length: number) => {
    const buffer = Buffer.allocUnsafe(length)
    const count = readSync(file, buffer, 0, length, from)
    return buffer.subarray(0, count)
  }
}
