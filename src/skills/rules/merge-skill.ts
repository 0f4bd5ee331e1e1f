import { getOwn, isRecord, isTextList, setOwn } from '../../text/values.ts'

/** A merged JSON value, and the keys (joined by dots) that both sides changed in different ways. */
export interface JsonMerge {
  value: unknown
  conflicts: string[]
}

/**
 * Merges two versions of a JSON value with a common base: records key by key, lists of distinct texts entry by entry.
 * If both sides changed the same thing differently, the value keeps ours and the key is a conflict.
 */
export function mergeJson(base: unknown, ours: unknown, theirs: unknown, key = ''): JsonMerge {
  if (isSame(ours, theirs) || isSame(theirs, base)) return { value: ours, conflicts: [] }
  if (isSame(ours, base)) return { value: theirs, conflicts: [] }
  if (isRecord(ours) && isRecord(theirs)) return mergeRecords(isRecord(base) ? base : {}, ours, theirs, key)
  if (isSet(ours) && isSet(theirs) && (base === undefined || isSet(base))) {
    return { value: mergeSets(base ?? [], ours, theirs), conflicts: [] }
  }
  return { value: ours, conflicts: [key] }
}

function mergeRecords(
  base: Record<string, unknown>,
  ours: Record<string, unknown>,
  theirs: Record<string, unknown>,
  parent: string,
): JsonMerge {
  const value: Record<string, unknown> = {}
  const conflicts: string[] = []
  for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const name = parent === '' ? key : `${parent}.${key}`
    const merged = mergeJson(getOwn(base, key), getOwn(ours, key), getOwn(theirs, key), name)
    if (merged.value !== undefined) setOwn(value, key, merged.value)
    conflicts.push(...merged.conflicts)
  }
  return { value, conflicts }
}

function isSet(value: unknown): value is string[] {
  return isTextList(value) && new Set(value).size === value.length
}

/** Ours, without what they removed, plus what they added. */
function mergeSets(base: readonly string[], ours: readonly string[], theirs: readonly string[]): string[] {
  const kept = ours.filter((each) => theirs.includes(each) || !base.includes(each))
  const added = theirs.filter((each) => !base.includes(each) && !ours.includes(each))
  return [...kept, ...added]
}

/** Ignores the order of keys. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, at) => isSame(each, b[at]))
  }
  if (!isRecord(a) || !isRecord(b)) return a === b
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
}
