import { createHash } from 'node:crypto'

/** Sets a key as an own property, whatever its name: `__proto__` is an ordinary id. */
export function setOwn<T>(record: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    record[key] = value
  }
}

export function getOwn<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isTextList(value: unknown): value is string[] {
  if (!Array.isArray(value)) return false
  for (const item of value) if (typeof item !== 'string') return false
  return true
}

/** The value below several keys; undefined where one of them is missing. */
export function getDeep(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((found, key) => (isRecord(found) ? getOwn(found, key) : undefined), value)
}

/** Code units, not localeCompare: the same order on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function sortedBy<T>(items: Iterable<T>, key: (item: T) => string): T[] {
  return [...items].sort((a, b) => compareText(key(a), key(b)))
}

/** In the order of the first item of each group. */
export function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group === undefined) groups.set(key(item), [item])
    else group.push(item)
  }
  return groups
}

// Longer words are not typing mistakes, and comparing them with everything would take long.
const LONGEST_TYPED = 100

/** The candidate closest to a typed word, if it is close enough. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  if (typed.length > LONGEST_TYPED) return undefined
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - typed.length) >= bestDistance) continue
    const distance = editDistance(typed, candidate)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Edits between two words; two neighbouring letters swapped count as one. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(beforeLast, j - 2) + 1)
      }
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex')
}

const SECOND_SEED = 0x9747b28c

/** Identifies a text without containing it: a whole number of 53 bits. */
export function keyOf(text: string): number {
  return hashText(text) * 2 ** 21 + (hashText(text, SECOND_SEED) >>> 11)
}

/** A fast 32-bit hash for tables and file names, where a collision only costs time. Not for security. */
export function hashText(text: string, seed = 0x811c9dc5): number {
  let value = seed
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return (value ^ (value >>> 13)) >>> 0
}

/** Detects damaged bytes. */
export function checksum(bytes: Uint8Array, seed = 0): number {
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  const words = new Uint32Array(buffer, byteOffset, bytes.length >> 2)
  let sum = 0x811c9dc5 ^ seed
  for (let at = 0; at < words.length; at++) sum = Math.imul(sum ^ words[at]!, 0x01000193)
  for (let at = words.length * 4; at < bytes.length; at++) sum = Math.imul(sum ^ bytes[at]!, 0x01000193)
  return sum >>> 0
}

const OTHER_SEED = 0x01234567

/** 16 digits: distinguishes texts where loading SHA-256 would cost more than everything else. Not for security. */
export function quickDigest(text: string): string {
  return [hashText(text), hashText(text, OTHER_SEED)].map((hash) => hash.toString(16).padStart(8, '0')).join('')
}

/** The result of a function; another value if it throws, whatever the reason. */
export function attempt<T, Other>(act: () => T, otherwise: Other): T | Other {
  try {
    return act()
  } catch {
    return otherwise
  }
}

/** Where the first item that is not before `wanted` stands in a sorted list. */
export function lowerBound<T extends string | number>(sorted: ArrayLike<T>, wanted: T): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (sorted[middle]! < wanted) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * The items that fit, in their order, and those that do not, each with its size and the room that was left. `stops`: the
 * first that does not fit ends the list; otherwise a smaller one behind it may still fit.
 */
export function fitInto<T>(items: readonly T[], most: number, sizeOf: (item: T) => number, stops = false) {
  const fitting: T[] = []
  const left: { item: T; size: number; room: number }[] = []
  let used = 0
  for (const item of items) {
    const size = sizeOf(item)
    const room = most - used
    if (size > room || (stops && left.length > 0)) left.push({ item, size, room })
    else {
      fitting.push(item)
      used += size
    }
  }
  return { fitting, left, used }
}
