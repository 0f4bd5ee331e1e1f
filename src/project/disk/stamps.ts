import { lstatSync, type Stats, statSync } from 'node:fs'
import { isSettled } from '../../machine/cache.ts'

// The stamps of many files in one array: an object for each would cost more than reading the stamp.

export const STAMP_NUMBERS = 5

/** Undefined for what does not exist or cannot be looked at. `isLink`: of a link itself. */
export function statOf(path: string, isLink = false): Stats | undefined {
  try {
    return (isLink ? lstatSync : statSync)(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

export function putStamp(stamps: Float64Array, at: number, { ino, size, mode, mtimeMs, ctimeMs }: Stats): void {
  const place = at * STAMP_NUMBERS
  stamps[place] = ino
  stamps[place + 1] = size
  stamps[place + 2] = mode
  stamps[place + 3] = mtimeMs
  stamps[place + 4] = ctimeMs
}

/** Zeros for what does not exist. */
export function stampsOf(paths: readonly string[]): Float64Array {
  const stamps = new Float64Array(paths.length * STAMP_NUMBERS)
  paths.forEach((path, at) => {
    const stat = statOf(path)
    if (stat !== undefined) putStamp(stamps, at, stat)
  })
  return stamps
}

export function isFolderAt(stamps: Float64Array, at: number): boolean {
  return (stamps[at * STAMP_NUMBERS + 2]! & 0o170000) === 0o040000
}

export function sizeAt(stamps: Float64Array, at: number): number {
  return stamps[at * STAMP_NUMBERS + 1]!
}

/** False where one is NaN. */
export function isSameStamp(stamps: Float64Array, at: number, others: Float64Array, other: number): boolean {
  const [a, b] = [at * STAMP_NUMBERS, other * STAMP_NUMBERS]
  return (
    stamps[a + 4] === others[b + 4] &&
    stamps[a + 3] === others[b + 3] &&
    stamps[a] === others[b] &&
    stamps[a + 1] === others[b + 1] &&
    stamps[a + 2] === others[b + 2]
  )
}

/** Whether all numbers are identical, bit by bit. A loop would take longer than most of what is done with them. */
export function areSame(numbers: Float64Array, others: Float64Array): boolean {
  return bytesOf(numbers).equals(bytesOf(others))
}

export function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Whether any later change of a file will be visible in its stamp. */
export function areSettled(stamps: Float64Array, now: Date): boolean {
  let newest = Number.NEGATIVE_INFINITY
  for (let at = 3; at < stamps.length; at += STAMP_NUMBERS) newest = Math.max(newest, stamps[at]!, stamps[at + 1]!)
  return isSettled([0, 0, 0, newest, newest], now)
}
