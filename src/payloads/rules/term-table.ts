import { forEachSlice, isRun, splitWords, type TermRule, termMatches, type Words } from './words.ts'

/**
 * The keywords or patterns of many entries as numbers: which entry has which text. Every word is indexed when the
 * table is made, so a task with new words costs as little as any other.
 */
export class TermTable {
  private readonly rule: TermRule
  /** A keyword that an entry lists twice counts once; a pattern only has to occur. */
  private readonly isOnce: boolean
  // A term is a keyword or pattern as written. The facts about the n-th one, side by side:
  private readonly texts: string[] = []
  /** Its parts; none for a single word, which matches when it is found. Split on first use. */
  private readonly parts: (string[] | undefined)[] = []
  private readonly reasons: (string | undefined)[] = []
  /** The first term that differs from it only in case and outer blanks. */
  private readonly folds: number[] = []
  private readonly idOf = new Map<string, number>()
  /** For terms that are not in lower case: their lower-case form → the first such term. */
  private readonly foldOf = new Map<string, number>()
  /** Part → the terms that are looked for under it. */
  private readonly termsOf = new Map<string, number[]>()
  private longestRun = 0
  /** For each fold, the last entry with it, counted from 1, to ignore a repeated keyword. */
  private readonly lastOwner: number[] = []
  private filed = 0
  private filedTerms = new Uint32Array(1024)
  private filedOwners = new Uint32Array(1024)
  private starts = new Uint32Array(1)
  private positions = new Uint32Array(0)

  constructor(rule: TermRule) {
    this.rule = rule
    this.isOnce = rule === 'every'
  }

  /** Adds the texts of an entry and returns how many count. Entries come in order. */
  add(texts: unknown, position: number): number {
    if (!Array.isArray(texts)) return 0
    let count = 0
    for (let at = 0; at < texts.length; at++) {
      const text: unknown = texts[at]
      if (typeof text !== 'string') continue
      const id = this.idOf.get(text) ?? this.addTerm(text)
      const fold = this.folds[id]!
      if (this.isOnce && this.lastOwner[fold] === position + 1) continue
      this.lastOwner[fold] = position + 1
      count++
      this.file(id, position)
    }
    return count
  }

  /** Call it after the last entry: sorts the texts by term. */
  seal(): void {
    const { filed, filedTerms, filedOwners } = this
    this.starts = new Uint32Array(this.texts.length + 1)
    this.positions = new Uint32Array(filed)
    const { starts, positions } = this
    for (let i = 0; i < filed; i++) starts[filedTerms[i]! + 1]!++
    for (let id = 0; id < this.texts.length; id++) starts[id + 1]! += starts[id]!
    const free = starts.slice()
    for (let i = 0; i < filed; i++) positions[free[filedTerms[i]!]!++] = filedOwners[i]!
    this.filedTerms = this.filedOwners = new Uint32Array(0)
  }

  /** Calls `meet` once for every term that the task hits. */
  find(task: Words, meet: (id: number, positions: Uint32Array, from: number, to: number) => void): void {
    const met = new Set<number>()
    const visit = (part: string) => {
      const ids = this.termsOf.get(part)
      if (ids === undefined) return
      for (let at = 0; at < ids.length; at++) {
        const id = ids[at]!
        if (met.has(id) || !this.isHit(id, part, task)) continue
        met.add(id)
        meet(id, this.positions, this.starts[id]!, this.starts[id + 1]!)
      }
    }
    for (const word of task.words) visit(word)
    for (const run of task.runs) forEachSlice(run, this.longestRun, visit)
  }

  textOf(id: number): string {
    return this.texts[id]!
  }

  /** The reason of a result that matched only by this keyword. */
  reasonOf(id: number): string {
    const known = this.reasons[id]
    if (known !== undefined) return known
    const reason = reasonOf([this.texts[id]!], [])
    this.reasons[id] = reason
    return reason
  }

  /** Whether the task hits a term, given that it contains a part of it. */
  private isHit(id: number, part: string, task: Words): boolean {
    if (this.texts[id] === part) return true
    const parts = this.parts[id] ?? splitWords(this.texts[id]!)
    this.parts[id] = parts
    return termMatches(parts, this.rule, task)
  }

  private addTerm(text: string): number {
    const id = this.texts.push(text) - 1
    this.idOf.set(text, id)
    this.reasons.push(undefined)
    this.parts.push(undefined)
    const end = text.search(/[^a-z0-9]/)
    this.folds.push(end < 0 && this.foldOf.size === 0 ? id : this.foldTerm(text, id))
    if (end < 0) this.fileUnder(text, id)
    else if (this.rule === 'every' && end > 0 && text.charCodeAt(end) < 0x41) this.fileUnder(text.slice(0, end), id)
    else {
      const parts = splitWords(text)
      for (const part of this.rule === 'every' ? parts.slice(0, 1) : parts) this.fileUnder(part, id)
    }
    return id
  }

  private foldTerm(text: string, id: number): number {
    const folded = text.trim().toLowerCase()
    const known = folded === text ? undefined : this.idOf.get(folded)
    const fold = known ?? this.foldOf.get(folded)
    if (fold !== undefined) return fold
    if (folded !== text) this.foldOf.set(folded, id)
    return id
  }

  private fileUnder(part: string, id: number): void {
    if (part.charCodeAt(0) > 0x7f && isRun(part)) this.longestRun = Math.max(this.longestRun, part.length)
    // A task has no words of one letter.
    else if (part.length < 2) return
    const ids = this.termsOf.get(part)
    if (ids === undefined) this.termsOf.set(part, [id])
    else if (ids.at(-1) !== id) ids.push(id)
  }

  private file(id: number, position: number): void {
    if (this.filed === this.filedTerms.length) {
      this.filedTerms = doubled(this.filedTerms)
      this.filedOwners = doubled(this.filedOwners)
    }
    this.filedTerms[this.filed] = id
    this.filedOwners[this.filed++] = position
  }
}

/** The reason of a result, from the keywords and patterns that matched. */
export function reasonOf(keywords: readonly string[], patterns: readonly string[]): string {
  const byKeyword = keywords.length > 0 ? `keywords [${keywords.join(', ')}]` : ''
  const byPattern = patterns.length > 0 ? `patterns [${patterns.join(', ')}]` : ''
  return byKeyword && byPattern ? `${byKeyword} + ${byPattern}` : byKeyword || byPattern
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}
