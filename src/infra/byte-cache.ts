import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashText } from '../domain/shared/hash.ts'
import { isFile, writeAtomically } from './files.ts'
import { cacheFolder, type Machine } from './machine.ts'
import type { Signature } from './signature.ts'

/** Bytes that an earlier process derived from exactly these files. */
export function readCached(machine: Machine, kind: string, signature: Signature): Uint8Array | undefined {
  try {
    const path = cachePath(machine, kind, signature)
    if (!isFile(path)) return undefined
    const stored = readFileSync(path)
    const key = Buffer.from(keyLine(signature))
    if (!stored.subarray(0, key.length).equals(key)) return undefined
    // A copy of its own: typed arrays over it need an aligned start.
    return Uint8Array.from(stored.subarray(key.length))
  } catch {
    return undefined
  }
}

// The source may be for nobody else.
const ONLY_THE_USER = 0o600

/** A cache that cannot be written costs time, not results. */
export function writeCached(machine: Machine, kind: string, signature: Signature, bytes: Uint8Array): void {
  if (!signature.isSettled) return
  try {
    writeAtomically(cachePath(machine, kind, signature), [Buffer.from(keyLine(signature)), bytes], ONLY_THE_USER)
  } catch {}
}

function keyLine({ key }: Signature): string {
  return `${key}\n`
}

/** One file per set of paths, so that a changed source replaces its own old result. The key inside tells whose it is. */
export function cachePath(machine: Machine, kind: string, { paths }: Signature): string {
  return join(cacheFolder(machine), kind, hashText(JSON.stringify(paths)).toString(16).padStart(8, '0'))
}
