import { isConflicted, type MergeChunk, mergeTexts } from '../../text/merge.ts'
import { compareText, getOwn, isRecord, isTextList, setOwn, sortedBy } from '../../text/values.ts'

/** One file of a version of a skill. */
export interface MergeFile {
  /** Digest of its content. */
  id: string
  isExecutable: boolean
  /** Undefined unless it is text. */
  text: string | undefined
}

export type MergeTree = ReadonlyMap<string, MergeFile>

export interface MergeVersions {
  /** The common base. */
  base: MergeTree
  /** The library's. */
  ours: MergeTree
  /** The version to merge. */
  theirs: MergeTree
}

/** The source of a merged file: a file of one version, or merged text. */
type MergedFile = { isExecutable: boolean } & (
  | { from: 'ours' | 'theirs'; path: string }
  | { from: 'merge'; text: string; ours: string; theirs: string }
)

/** Two changes that only the user can merge. `path` is where the file would be. */
export interface TreeConflict {
  path: string
  kind: 'text' | 'binary' | 'removed' | 'renamed' | 'place'
  message: string
  /** The file in either version; undefined if that version removed it. */
  ours?: { path: string; isExecutable: boolean }
  theirs?: { path: string; isExecutable: boolean }
  /** For a text: the merged and the conflicting parts. */
  chunks?: MergeChunk[]
}

export interface TreeMerge {
  files: ReadonlyMap<string, MergedFile>
  conflicts: TreeConflict[]
}

type Merging = { versions: MergeVersions; files: Map<string, MergedFile>; conflicts: TreeConflict[] }

/**
 * Merges two versions of a folder. Follows renamed files; takes files that only one side changed; anything else is a
 * conflict, whose files are in `conflicts` and not in `files`.
 */
export function mergeTrees(versions: MergeVersions): TreeMerge {
  const { base, ours, theirs } = versions
  const [moved, movedThere] = [findRenames(base, ours), findRenames(base, theirs)]
  const merging: Merging = { versions, files: new Map(), conflicts: [] }
  for (const path of sortedBy(base.keys(), (each) => each)) {
    mergeKnown(merging, path, placeIn(ours, path, moved), placeIn(theirs, path, movedThere))
  }
  const [targets, targetsThere] = [new Set(moved.values()), new Set(movedThere.values())]
  const isNew = (tree: MergeTree, renamed: ReadonlySet<string>) => (path: string) =>
    tree.has(path) && !base.has(path) && !renamed.has(path)
  const [isOurs, isTheirs] = [isNew(ours, targets), isNew(theirs, targetsThere)]
  for (const path of sortedBy(new Set([...ours.keys(), ...theirs.keys()]), (each) => each)) {
    if (isOurs(path) || isTheirs(path)) mergeAdded(merging, path, isOurs(path), isTheirs(path))
  }
  return { files: merging.files, conflicts: sortedBy(merging.conflicts, ({ path }) => path) }
}

function placeIn(tree: MergeTree, path: string, renames: ReadonlyMap<string, string>): string | undefined {
  return tree.has(path) ? path : renames.get(path)
}

/** Finds renamed files, by the same content or mostly the same text. */
function findRenames(base: MergeTree, side: MergeTree): Map<string, string> {
  const removed = [...base].filter(([path]) => !side.has(path))
  const added = new Map([...side].filter(([path]) => !base.has(path)))
  const renames = new Map<string, string>()
  const pairs = removed.flatMap(([from, before]) =>
    [...added].map(([to, after]) => ({ from, to, likeness: likenessOf(before, after) })),
  )
  const best = pairs
    .filter(({ likeness }) => likeness > 0.5)
    .sort((a, b) => b.likeness - a.likeness || compareText(a.from, b.from) || compareText(a.to, b.to))
  for (const { from, to } of best) {
    if (renames.has(from) || !added.delete(to)) continue
    renames.set(from, to)
  }
  return renames
}

/** From 0 to 1. Empty files never match, because there may be many. */
function likenessOf(a: MergeFile, b: MergeFile): number {
  if (a.text === '' || b.text === '') return 0
  if (a.id === b.id) return 1
  if (a.text === undefined || b.text === undefined) return 0
  const [ours, theirs] = [a.text.split('\n'), b.text.split('\n')].map((lines) => lines.filter((line) => line.trim()))
  const known = new Map<string, number>()
  for (const line of ours!) known.set(line, (known.get(line) ?? 0) + 1)
  let same = 0
  for (const line of theirs!) {
    const left = known.get(line) ?? 0
    if (left > 0) same++
    known.set(line, left - 1)
  }
  return (2 * same) / Math.max(1, ours!.length + theirs!.length) - Number.EPSILON
}

/** Merges a file of the common base. */
function mergeKnown(merging: Merging, path: string, our: string | undefined, their: string | undefined): void {
  const { base, ours, theirs } = merging.versions
  const before = base.get(path)!
  if (our === undefined && their === undefined) return
  if (our === undefined || their === undefined) {
    mergeRemoval(merging, path, our, their)
    return
  }
  const [mine, other] = [ours.get(our)!, theirs.get(their)!]
  const place = our === their || their === path ? our : our === path ? their : undefined
  const isExecutable = mine.isExecutable === before.isExecutable ? other.isExecutable : mine.isExecutable
  if (place === undefined) {
    addConflict(merging, our, 'renamed', `${path} was renamed to ${our} here and to ${their} there`, our, their)
  } else if (mine.id === other.id || other.id === before.id) {
    addFile(merging, place, { from: 'ours', path: our, isExecutable })
  } else if (mine.id === before.id) addFile(merging, place, { from: 'theirs', path: their, isExecutable })
  else mergeContent(merging, place, { path: our, before: before.text, isExecutable }, their)
}

function mergeRemoval(merging: Merging, path: string, our: string | undefined, their: string | undefined): void {
  const { base, ours, theirs } = merging.versions
  const before = base.get(path)!
  const kept = our ?? their ?? path
  const left = (our === undefined ? theirs : ours).get(kept)!
  const isUntouched = kept === path && left.id === before.id && left.isExecutable === before.isExecutable
  if (isUntouched) return
  const how = kept === path ? 'changed' : `renamed to ${kept}`
  const message =
    our === undefined ? `${path} was removed here and ${how} there` : `${path} was ${how} here and removed there`
  addConflict(merging, kept, 'removed', message, our, their)
}

/** Merges a file that is not in the base. */
function mergeAdded(merging: Merging, path: string, isOurs: boolean, isTheirs: boolean): void {
  const { ours, theirs } = merging.versions
  const [mine, other] = [ours.get(path), theirs.get(path)]
  const isExecutable = (isOurs && mine?.isExecutable) || (isTheirs && other?.isExecutable) || false
  if (!isTheirs || (isOurs && mine?.id === other?.id)) addFile(merging, path, { from: 'ours', path, isExecutable })
  else if (!isOurs) addFile(merging, path, { from: 'theirs', path, isExecutable })
  else mergeContent(merging, path, { path, before: '', isExecutable }, path)
}

function mergeContent(
  merging: Merging,
  place: string,
  our: { path: string; before: string | undefined; isExecutable: boolean },
  their: string,
): void {
  const { ours, theirs } = merging.versions
  const [mine, other] = [ours.get(our.path)?.text, theirs.get(their)?.text]
  if (our.before === undefined || mine === undefined || other === undefined) {
    addConflict(merging, place, 'binary', `${place} changed on both sides and is not text`, our.path, their)
    return
  }
  const chunks = mergeTexts(our.before, mine, other)
  if (!isConflicted(chunks)) {
    const text = chunks.map((chunk) => (chunk.kind === 'merged' ? chunk.text : '')).join('')
    const file = { from: 'merge', text, ours: our.path, theirs: their, isExecutable: our.isExecutable } as const
    addFile(merging, place, file)
    return
  }
  const count = chunks.filter(({ kind }) => kind === 'conflict').length
  const message = `${place} changed on both sides in ${count === 1 ? 'the same place' : `${count} of the same places`}`
  addConflict(merging, place, 'text', message, our.path, their, chunks)
}

/** Two files cannot have one path, and a file cannot replace a folder: then both are a conflict. */
function addFile(merging: Merging, path: string, file: MergedFile): void {
  const taken = [...merging.files.keys()].filter(
    (other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
  )
  if (taken.length === 0) {
    merging.files.set(path, file)
    return
  }
  const message = `${[path, ...taken].join(' and ')} need the same place`
  const refuse = (place: string, one: MergedFile) => {
    const [our, their] =
      one.from === 'merge'
        ? [one.ours, one.theirs]
        : one.from === 'ours'
          ? [one.path, undefined]
          : [undefined, one.path]
    addConflict(merging, place, 'place', message, our, their)
  }
  for (const other of taken) {
    refuse(other, merging.files.get(other)!)
    merging.files.delete(other)
  }
  refuse(path, file)
}

function addConflict(
  merging: Merging,
  path: string,
  kind: TreeConflict['kind'],
  message: string,
  our: string | undefined,
  their: string | undefined,
  chunks?: MergeChunk[],
): void {
  const { ours, theirs } = merging.versions
  const [mine, other] = [our && ours.get(our), their && theirs.get(their)]
  merging.conflicts.push({
    path,
    kind,
    message,
    ours: our && mine ? { path: our, isExecutable: mine.isExecutable } : undefined,
    theirs: their && other ? { path: their, isExecutable: other.isExecutable } : undefined,
    chunks,
  })
}

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
