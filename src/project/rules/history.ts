import type { QueryTerm } from '../../search/task.ts'
import { termsOf } from '../../search/tokens.ts'
import { hashText, keyOf } from '../../text/values.ts'

/**
 * The last changes of a project, newest first. Stores only hashes of the words of commit subjects, and those only for
 * ranking. Flat arrays, so that the cache is read without conversion.
 */
export interface History {
  /** The first ten digits of each. */
  ids: readonly string[]
  /** Where the terms of a commit start, plus the end of the last ones. Each term of a commit occurs once. */
  termStarts: Uint32Array
  terms: Uint32Array
  fileStarts: Uint32Array
  /** Places in `paths`. */
  files: Uint32Array
  /** Keys of paths: see `keyOf`. */
  paths: Float64Array
  isShallow: boolean
}

const NONE = new Uint32Array(1)
export const NO_HISTORY: History = {
  ids: [],
  termStarts: NONE,
  terms: new Uint32Array(0),
  fileStarts: NONE,
  files: new Uint32Array(0),
  paths: new Float64Array(0),
  isShallow: false,
}

export const ID_DIGITS = 10

/** At most 300 characters of a subject; the whole id, because git abbreviates as it likes. */
export const LOG_FORMAT = '--format=%x01%H%x02%<(300,trunc)%s%x03'

/** Parses the output of `git log` with LOG_FORMAT; names end with NUL. */
export function readLog(log: string, prefix: string, isShallow: boolean): History {
  const places = new Map<number, number>()
  const [ids, terms, files]: [string[], number[], number[]] = [[], [], []]
  const [termStarts, fileStarts] = [[0], [0]]
  for (let at = log.indexOf('\x01'); at >= 0; ) {
    const next = log.indexOf('\x01', at + 1)
    const [head, list] = splitAt(log.slice(at + 1, next < 0 ? undefined : next), '\x03')
    at = next
    const named = list.split('\0').flatMap((name) => name.replace(/^\n/, '') || [])
    // Changes of more than 20 files prove nothing about any of them.
    if (named.length === 0 || named.length > 20) continue
    const [id, subject] = splitAt(head, '\x02')
    // A subject can contain these marks too; its text is not an id.
    if (!/^[0-9a-f]{40,64}$/.test(id)) continue
    ids.push(id.slice(0, ID_DIGITS))
    for (const term of termsOf(subject.trimEnd())) terms.push(hashText(term))
    for (const name of named) {
      const key = keyOf(name.startsWith(prefix) ? name.slice(prefix.length) : `../${name}`)
      const place = places.get(key) ?? places.size
      places.set(key, place)
      files.push(place)
    }
    termStarts.push(terms.length)
    fileStarts.push(files.length)
  }
  return {
    ids,
    termStarts: Uint32Array.from(termStarts),
    terms: Uint32Array.from(terms),
    fileStarts: Uint32Array.from(fileStarts),
    files: Uint32Array.from(files),
    paths: Float64Array.from(places.keys()),
    isShallow,
  }
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** The history before a commit, as far as known. */
export function historyBefore(history: History, commit: string): History {
  const at = history.ids.indexOf(commit.slice(0, ID_DIGITS))
  if (at < 0) return history
  const { ids, termStarts, fileStarts } = history
  return {
    ...history,
    ids: ids.slice(at + 1),
    termStarts: termStarts.subarray(at + 1),
    fileStarts: fileStarts.subarray(at + 1),
  }
}

/** The path of an existing file, by its key. */
type PathOf = (key: number) => string | undefined

export interface Votes {
  /** Path → 0 to 1. */
  shares: ReadonlyMap<string, number>
  /** Path → the commits that support it most. */
  commits: ReadonlyMap<string, readonly string[]>
  /** Path → 0 to 1: how much the most similar subject has in common with the task. */
  nearest: ReadonlyMap<string, number>
}

/** Past changes whose subject shares rare words with the task vote for their files. */
export function voteByHistory(history: History, terms: readonly QueryTerm[], pathOf: PathOf): Votes {
  const { ids, termStarts, terms: own, fileStarts, files } = history
  const holders = new Map(terms.map(({ term }) => [hashText(term), 0]))
  // Most words of subjects are not in the task: half of the hash shows that without a map lookup.
  const isLikely = new Uint8Array(2 ** 16)
  for (const hash of holders.keys()) isLikely[hash >>> 16] = 1
  for (let at = termStarts[0]!; at < termStarts[ids.length]!; at++) {
    if (isLikely[own[at]! >>> 16] === 0) continue
    const known = holders.get(own[at]!)
    if (known !== undefined) holders.set(own[at]!, known + 1)
  }
  const rarity = new Map(
    terms.map(({ term, weight }) => {
      const hash = hashText(term)
      return [hash, weight * Math.log(1 + ids.length / ((holders.get(hash) ?? 0) + 1))]
    }),
  )
  const mass = [...rarity.values()].reduce((sum, each) => sum + each, 0) || 1
  const sums = new Map<number, number>()
  const closest = new Map<number, number>()
  const voters = new Map<number, { id: string; vote: number }[]>()
  for (let age = 0; age < ids.length; age++) {
    const [first, end] = [termStarts[age]!, termStarts[age + 1]!]
    let [shared, words] = [0, 0]
    for (let at = first; at < end; at++) {
      const worth = isLikely[own[at]! >>> 16] === 1 ? (rarity.get(own[at]!) ?? 0) : 0
      shared += worth
      if (worth > 0) words++
    }
    if (shared === 0) continue
    const [from, to] = [fileStarts[age]!, fileStarts[age + 1]!]
    // Long subjects, large changes and old ones count less.
    const vote = (shared * shared) / (4 + end - first) / Math.sqrt(to - from) / (1 + age / 700)
    const near = (shared * words) / (mass * (end - first))
    for (let at = from; at < to; at++) {
      const file = files[at]!
      sums.set(file, (sums.get(file) ?? 0) + vote)
      if (near > (closest.get(file) ?? 0)) closest.set(file, near)
      const list = voters.get(file)
      if (list === undefined) voters.set(file, [{ id: ids[age]!, vote }])
      else list.push({ id: ids[age]!, vote })
    }
  }
  const nearest = new Map<string, number>()
  const shares = new Map<string, number>()
  const commits = new Map<string, string[]>()
  let most = 0
  for (const [file, sum] of sums) {
    const path = pathOf(history.paths[file]!)
    if (path === undefined) continue
    shares.set(path, sum)
    nearest.set(path, closest.get(file) ?? 0)
    most = Math.max(most, sum)
    const best = (voters.get(file) ?? []).sort((a, b) => b.vote - a.vote || (a.id < b.id ? -1 : 1))
    const named = best.slice(0, 3).map(({ id }) => id)
    commits.set(path, named)
  }
  for (const [path, sum] of shares) shares.set(path, sum / most)
  return { shares, commits, nearest }
}

const MOST_TOGETHER = 12
const TOGETHER_AGE = 500

/** Files that changed together with the first hits: path → 0 to 1. */
export function changedTogether(
  { ids, fileStarts, files, paths }: History,
  seeds: ReadonlyMap<string, number>,
  pathOf: PathOf,
): Map<string, number> {
  const byKey = new Map([...seeds].map(([path, worth]) => [keyOf(path), worth]))
  const worths = paths.map((key) => byKey.get(key) ?? 0)
  const sums = new Map<string, number>()
  for (let age = 0; age < ids.length; age++) {
    const [from, to] = [fileStarts[age]!, fileStarts[age + 1]!]
    if (to - from < 2 || to - from > MOST_TOGETHER) continue
    let seed = 0
    for (let at = from; at < to; at++) seed += worths[files[at]!]!
    if (seed === 0) continue
    const share = seed / ((to - from) * (1 + age / TOGETHER_AGE))
    for (let at = from; at < to; at++) {
      const path = pathOf(paths[files[at]!]!)
      if (path !== undefined && !seeds.has(path)) sums.set(path, (sums.get(path) ?? 0) + share)
    }
  }
  const most = Math.max(0, ...sums.values())
  for (const [path, sum] of sums) sums.set(path, sum / most)
  return sums
}

/** How often and how lately a file changed. */
export interface Changes {
  /** The number of commits since its last change. */
  age: number
  /** Among the last 50, and all. */
  recent: number
  all: number
}

/** The changes of each file, by the key of its path. */
export function countChanges({ ids, fileStarts, files, paths }: History): Map<number, Changes> {
  const byPlace: (Changes | undefined)[] = []
  for (let age = 0; age < ids.length; age++) {
    for (let at = fileStarts[age]!; at < fileStarts[age + 1]!; at++) {
      byPlace[files[at]!] ??= { age, recent: 0, all: 0 }
      const known = byPlace[files[at]!]!
      known.all++
      if (age < 50) known.recent++
    }
  }
  const counted = new Map<number, Changes>()
  byPlace.forEach((changes, place) => void (changes && counted.set(paths[place]!, changes)))
  return counted
}

const RESTART = 0.5

/**
 * Files that are few changes away from the first hits: a random walk from file to commit to file that often starts
 * again. Path → 0 to 1. `starts` sum up to 1.
 */
export function walkChanges(
  { ids, fileStarts, files, paths }: History,
  starts: ReadonlyMap<string, number>,
  pathOf: PathOf,
): Map<string, number> {
  const places = new Map([...paths].map((key, place) => [key, place]))
  const first = new Float64Array(paths.length)
  for (const [path, share] of starts) {
    const place = places.get(keyOf(path))
    if (place !== undefined) first[place] = share
  }
  const degrees = new Float64Array(paths.length)
  const each = (visit: (from: number, to: number, weight: number) => void) => {
    for (let age = 0; age < ids.length; age++) {
      const [from, to] = [fileStarts[age]!, fileStarts[age + 1]!]
      if (to - from >= 2 && to - from <= MOST_TOGETHER) visit(from, to, 1 / (1 + age / TOGETHER_AGE))
    }
  }
  each((from, to, weight) => {
    for (let at = from; at < to; at++) degrees[files[at]!]! += weight
  })
  let now = first
  for (let step = 0; step < 3; step++) {
    const next = first.map((share) => RESTART * share)
    each((from, to, weight) => {
      let mass = 0
      for (let at = from; at < to; at++) mass += (now[files[at]!]! * weight) / degrees[files[at]!]!
      if (mass === 0) return
      for (let at = from; at < to; at++) next[files[at]!]! += ((1 - RESTART) * mass) / (to - from)
    })
    now = next
  }
  const most = now.reduce((best, share) => Math.max(best, share), 0)
  const reached = new Map<string, number>()
  now.forEach((share, place) => {
    const path = share > 0 ? pathOf(paths[place]!) : undefined
    if (path !== undefined) reached.set(path, share / most)
  })
  return reached
}
