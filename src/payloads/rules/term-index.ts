import { forEachSlice, isRun, splitWords, type TermRule, termMatches, type Words } from './words.ts'

/** One keyword or pattern as written, with its entries. */
interface Term {
  text: string
  parts: string[]
  positions: number[]
}

/**
 * The keywords or patterns of many entries, found by their words. Adding only hashes words; they are sorted into
 * buckets once, and a bucket is parsed when a task first needs it. So the first call costs little.
 */
export class TermIndex {
  private readonly rule: TermRule
  private readonly textsOf: (position: number) => readonly string[]
  private readonly filed = new Filed()
  private sorted: Buckets | undefined
  private readonly terms = new Map<number, Term[]>()
  private longestRun = 0

  /** `textsOf` returns the texts of an entry when a bucket is parsed. */
  constructor(rule: TermRule, textsOf: (position: number) => readonly string[]) {
    this.rule = rule
    this.textsOf = textsOf
  }

  /** An index whose buckets were sorted, and stored, earlier. */
  static restore(rule: TermRule, textsOf: (position: number) => readonly string[], buckets: Buckets): TermIndex {
    const index = new TermIndex(rule, textsOf)
    index.sorted = buckets
    return index
  }

  get buckets(): Buckets {
    this.sorted ??= sortIntoBuckets(this.filed, this.longestRun)
    return this.sorted
  }

  add(text: string, position: number): void {
    this.forEachHash(text, (hash) => this.filed.add(hash, position))
  }

  /** Calls `meet` for every entry with a text that the task hits, once per text. */
  find(task: Words, meet: (text: string, position: number) => void): void {
    const met = new Set<string>()
    const visit = (part: string) => {
      for (const term of this.termsFor(part)) {
        // A bucket also contains other words with the same hash; the full rule would search the whole task for them.
        const isMeant = this.rule === 'every' ? term.parts[0] === part : term.parts.includes(part)
        if (!isMeant || met.has(term.text) || !termMatches(term.parts, this.rule, task)) continue
        met.add(term.text)
        for (const position of term.positions) meet(term.text, position)
      }
    }
    for (const word of task.words) visit(word)
    for (const run of task.runs) forEachSlice(run, this.buckets.longestRun, visit)
  }

  private termsFor(part: string): Term[] {
    const bucket = hashRange(part, 0, part.length) & this.buckets.mask
    let terms = this.terms.get(bucket)
    if (terms === undefined) {
      terms = this.readBucket(bucket, this.buckets)
      this.terms.set(bucket, terms)
    }
    return terms
  }

  private readBucket(bucket: number, { mask, starts, positions }: Buckets): Term[] {
    const terms = new Map<string, Term>()
    for (const position of new Set(positions.subarray(starts[bucket], starts[bucket + 1]))) {
      for (const text of this.textsOf(position)) {
        let isHere = false
        this.forEachHash(text, (hash) => {
          isHere ||= (hash & mask) === bucket
        })
        if (!isHere) continue
        const term = terms.get(text)
        if (term === undefined) terms.set(text, { text, parts: splitWords(text), positions: [position] })
        else term.positions.push(position)
      }
    }
    return [...terms.values()]
  }

  /** The hashes of a text: of its first part if all are needed, else of every part. */
  private forEachHash(text: string, visit: (hash: number) => void): void {
    let from = -1
    for (let at = 0; at <= text.length; at++) {
      const code = text.charCodeAt(at)
      if (code > 0x7f) {
        this.forEachPartHash(text, visit)
        return
      }
      if (isAlphanumeric(code)) {
        if (from < 0) from = at
      } else if (from >= 0) {
        visit(hashRange(text, from, at))
        if (this.rule === 'every') return
        from = -1
      }
    }
  }

  private forEachPartHash(text: string, visit: (hash: number) => void): void {
    const parts = splitWords(text)
    for (const part of this.rule === 'every' ? parts.slice(0, 1) : parts) {
      if (isRun(part)) this.longestRun = Math.max(this.longestRun, part.length)
      visit(hashRange(part, 0, part.length))
    }
  }
}

/** Bucket b holds positions[starts[b]] up to, not including, positions[starts[b + 1]]. */
export interface Buckets {
  mask: number
  starts: Uint32Array
  positions: Uint32Array
  /** The length of the longest part that may occur inside a run of unspaced script. */
  longestRun: number
}

/** A counting sort: count, sum up, place. */
function sortIntoBuckets({ size, hashes, owners }: Filed, longestRun: number): Buckets {
  const mask = 2 ** Math.ceil(Math.log2(size + 1)) - 1
  const starts = new Uint32Array(mask + 2)
  const positions = new Uint32Array(size)
  for (let i = 0; i < size; i++) starts[(hashes[i]! & mask) + 1]!++
  for (let bucket = 0; bucket <= mask; bucket++) starts[bucket + 1]! += starts[bucket]!
  const free = starts.slice()
  for (let i = 0; i < size; i++) positions[free[hashes[i]! & mask]!++] = owners[i]!
  return { mask, starts, positions, longestRun }
}

/** Hash and owner of every part, in typed arrays that double: a plain list would cost more than the hashing. */
class Filed {
  size = 0
  hashes = new Uint32Array(1024)
  owners = new Uint32Array(1024)

  add(hash: number, owner: number): void {
    if (this.size === this.hashes.length) {
      this.hashes = doubled(this.hashes)
      this.owners = doubled(this.owners)
    }
    this.hashes[this.size] = hash
    this.owners[this.size++] = owner
  }
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}

/** ASCII only; NaN, past the end, is not. */
function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

/** FNV-1a over code units, blind to the case of ASCII letters. */
function hashRange(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    hash = Math.imul(hash ^ (code >= 65 && code <= 90 ? code + 32 : code), 0x01000193)
  }
  return (hash ^ (hash >>> 15)) >>> 0
}
