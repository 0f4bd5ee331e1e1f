import type { QueryTerm } from '../../search/query.ts'
import { termsOf } from '../../search/tokens.ts'
import { hashText, keyOf } from '../../text/values.ts'

/** A past change: of its message only hashes of the words of the subject are kept, and those only to rank by. */
interface Commit {
  /** The first ten digits. */
  id: string
  /** Each once. */
  terms: readonly number[]
  /** Places in `History.paths`. */
  files: readonly number[]
}

/** The last changes of a project, newest first. */
export interface History {
  /** Keys of paths: see `keyOf`. */
  paths: readonly number[]
  commits: readonly Commit[]
  isShallow: boolean
}

export const NO_HISTORY: History = { paths: [], commits: [], isShallow: false }

/** Changes of more files than this say nothing about any of them. */
const MOST_FILES = 20
const ID_DIGITS = 10

/** Of a subject 300 characters, however long it is; the whole id, because git shortens it as it sees fit. */
export const LOG_FORMAT = '--format=%x01%H%x02%<(300,trunc)%s%x03'

/** Reads what `git log` printed with LOG_FORMAT, names ended by NUL. */
export function readLog(log: string, prefix: string, isShallow: boolean): History {
  const places = new Map<number, number>()
  const commits = log
    .split('\x01')
    .slice(1)
    .flatMap((block): Commit[] => {
      const [head = '', list = ''] = splitAt(block, '\x03')
      const [id = '', subject = ''] = splitAt(head, '\x02')
      const files = list.split('\0').map((name) => name.replace(/^\n/, ''))
      const named = files.filter((name) => name !== '')
      if (named.length === 0 || named.length > MOST_FILES) return []
      const numbers = named.map((name) => {
        const key = keyOf(name.startsWith(prefix) ? name.slice(prefix.length) : `../${name}`)
        const known = places.get(key)
        if (known !== undefined) return known
        places.set(key, places.size)
        return places.size - 1
      })
      return [
        { id: id.slice(0, ID_DIGITS), terms: termsOf(subject.trimEnd()).map((term) => hashText(term)), files: numbers },
      ]
    })
  return { paths: [...places.keys()], commits, isShallow }
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** The path of a file that is there now, by its key. */
type PathOf = (key: number) => string | undefined

export interface Votes {
  /** Path → 0 to 1. */
  shares: ReadonlyMap<string, number>
  /** Path → the commits that voted most for it. */
  commits: ReadonlyMap<string, readonly string[]>
}

const AGE = 700
const SHORT_SUBJECT = 4
const MOST_NAMED = 3

/** Past changes whose subject shares rare words with the task vote for the files they changed. */
export function voteByHistory({ paths, commits }: History, terms: readonly QueryTerm[], pathOf: PathOf): Votes {
  const holders = new Map(terms.map(({ term }) => [hashText(term), 0]))
  for (const commit of commits) {
    for (const term of commit.terms) {
      const known = holders.get(term)
      if (known !== undefined) holders.set(term, known + 1)
    }
  }
  const rarity = new Map(
    terms.map(({ term, weight }) => {
      const hash = hashText(term)
      return [hash, weight * Math.log(1 + commits.length / ((holders.get(hash) ?? 0) + 1))]
    }),
  )
  const sums = new Map<number, number>()
  const voters = new Map<number, { id: string; vote: number }[]>()
  commits.forEach(({ id, terms: own, files }, age) => {
    let shared = 0
    for (const term of own) shared += rarity.get(term) ?? 0
    if (shared === 0) return
    const vote = (shared * shared) / (SHORT_SUBJECT + own.length) / Math.sqrt(files.length) / (1 + age / AGE)
    for (const file of files) {
      sums.set(file, (sums.get(file) ?? 0) + vote)
      const list = voters.get(file)
      if (list === undefined) voters.set(file, [{ id, vote }])
      else list.push({ id, vote })
    }
  })
  return toShares(sums, paths, pathOf, voters)
}

function toShares(
  sums: ReadonlyMap<number, number>,
  paths: readonly number[],
  pathOf: PathOf,
  voters: ReadonlyMap<number, { id: string; vote: number }[]>,
): Votes {
  const shares = new Map<string, number>()
  const commits = new Map<string, string[]>()
  let most = 0
  for (const [file, sum] of sums) {
    const path = pathOf(paths[file]!)
    if (path === undefined) continue
    shares.set(path, sum)
    most = Math.max(most, sum)
    const best = (voters.get(file) ?? []).sort((a, b) => b.vote - a.vote || (a.id < b.id ? -1 : 1))
    commits.set(
      path,
      best.slice(0, MOST_NAMED).map(({ id }) => id),
    )
  }
  for (const [path, sum] of shares) shares.set(path, sum / most)
  return { shares, commits }
}

const MOST_TOGETHER = 12
const TOGETHER_AGE = 500

/** Files that changed together with the first hits: path → 0 to 1. */
export function changedTogether(
  { paths, commits }: History,
  seeds: ReadonlyMap<string, number>,
  pathOf: PathOf,
): Map<string, number> {
  const sums = new Map<string, number>()
  commits.forEach(({ files }, age) => {
    if (files.length < 2 || files.length > MOST_TOGETHER) return
    let seed = 0
    const named = files.flatMap((file) => pathOf(paths[file]!) ?? [])
    for (const path of named) seed += seeds.get(path) ?? 0
    if (seed === 0) return
    const share = seed / (files.length * (1 + age / TOGETHER_AGE))
    for (const path of named) {
      if (!seeds.has(path)) sums.set(path, (sums.get(path) ?? 0) + share)
    }
  })
  const most = Math.max(0, ...sums.values())
  for (const [path, sum] of sums) sums.set(path, sum / most)
  return sums
}
