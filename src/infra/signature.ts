import { type BigIntStats, statSync } from 'node:fs'

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
