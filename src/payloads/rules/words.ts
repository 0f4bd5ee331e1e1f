/**
 * What the matcher compares: words, and runs of scripts that are written without blanks. Tasks, keywords and patterns
 * all pass through here, so texts that look the same match.
 */
export interface Words {
  words: Set<string>
  /** Runs of Chinese, Japanese, Korean, Thai …: a keyword may occur anywhere inside one. */
  runs: string[]
}

const ASCII = /^[\x20-\x7e\s]*$/

// Functions, not constants: building the Unicode classes takes milliseconds that most tasks never need.
const notAlphanumeric = () => /[^\p{L}\p{N}\p{M}]+/u
const unspaced = () =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\u3005]+/gu

export function readWords(text: string): Words {
  const words = new Set<string>()
  const runs: string[] = []
  for (const part of splitWords(text)) {
    if (isRun(part)) runs.push(part)
    else if (part.length > 1) words.add(part)
  }
  return { words, runs }
}

/** The normalised parts of a text, in order. Keeps one-character words: a keyword that has one cannot match. */
export function splitWords(text: string): string[] {
  if (ASCII.test(text)) return withoutEmptyEnds(text.toLowerCase().split(/[^a-z0-9]+/))
  const parts: string[] = []
  for (const part of text.normalize('NFKC').toLowerCase().split(notAlphanumeric())) {
    let from = 0
    for (const run of part.matchAll(unspaced())) {
      if (run.index > from) parts.push(part.slice(from, run.index))
      parts.push(run[0])
      from = run.index + run[0].length
    }
    if (from < part.length) parts.push(part.slice(from))
  }
  return parts
}

/** The form of a keyword that the matcher compares, to recognise equal spellings. */
export function normalKeyword(keyword: string): string {
  return splitWords(keyword).join(' ') || keyword
}

function withoutEmptyEnds(parts: string[]): string[] {
  if (parts.at(-1) === '') parts.pop()
  if (parts[0] === '') parts.shift()
  return parts
}

export function isRun(part: string): boolean {
  return part.charCodeAt(0) > 0x7f && part.search(unspaced()) === 0
}

/** Whether a part of a keyword occurs in a task. */
function hasPart(task: Words, part: string): boolean {
  return isRun(part) ? task.runs.some((run) => run.includes(part)) : task.words.has(part)
}

/** A keyword needs all of its parts in the task, a pattern only one. */
export type TermRule = 'every' | 'some'

export function termMatches(parts: readonly string[], rule: TermRule, task: Words): boolean {
  return parts.length > 0 && parts[rule]((part) => hasPart(task, part))
}

/** Every slice of a run up to a length: where a keyword of that length could be. */
export function forEachSlice(run: string, longest: number, visit: (slice: string) => void): void {
  for (let from = 0; from < run.length; from++) {
    for (let to = from + 1; to <= Math.min(run.length, from + longest); to++) visit(run.slice(from, to))
  }
}
