import { termsOf } from './tokens.ts'
import { isEveryday, relatedTo } from './word-lists.ts'

/**
 * The words of a task that carry a subject, stemmed and weighted. Chinese and similar scripts become pairs of
 * characters.
 */
export type TaskWords = ReadonlyMap<string, number>

const EVERYDAY_WEIGHT = 0.3

/** A pasted log is not a longer task. */
const MOST_WORDS = 64

export function readTaskWords(task: string): TaskWords {
  const words = new Map<string, number>()
  for (const term of termsOf(task).slice(0, MOST_WORDS)) words.set(term, isEveryday(term) ? EVERYDAY_WEIGHT : 1)
  return words
}

/** Words of a task as it spells them; two of them may be one there. */
export function asTyped(task: string, words: readonly string[]): string[] {
  const typed = task.match(/[\p{L}\p{N}_$.-]+/gu) ?? []
  return [...new Set(words.map((word) => typed.find((each) => termsOf(each).includes(word)) ?? word))]
}

/** The words of a task that a text contains, directly or as a related word. */
export function wordsIn(words: TaskWords, text: string): Set<string> {
  const found = new Set<string>()
  if (words.size === 0) return found
  const held = new Set(termsOf(text))
  for (const word of words.keys()) {
    if (held.has(word) || relatedTo(word).some(({ term }) => held.has(term))) found.add(word)
  }
  return found
}

/**
 * A fast check before reading the words of a text: false only when the text can contain none of the task's words.
 * Reading the words of thousands of titles would take longer than everything else.
 */
export function createMention(words: TaskWords): (text: string) => boolean {
  const needles = [...words.keys()].flatMap(needlesOf)
  return (text) => holdsAny(foldText(text), needles)
}

/** Strings of which a folded text contains at least one if it can contain a word or a related one. */
function needlesOf(word: string): string[] {
  return [word, ...relatedTo(word).map(({ term }) => term)].map(stemStart)
}

function holdsAny(folded: string, needles: readonly string[]): boolean {
  for (const needle of needles) if (folded.includes(needle)) return true
  return false
}

/** The last letter of a stem may differ from the word: `batteri`, `battery`. */
function stemStart(stem: string): string {
  return stem.length > 3 ? stem.slice(0, -1) : stem
}

/** Folded as the tokenizer does: without case, accents and compatibility forms. */
function foldText(text: string): string {
  const isPlain = /^[\x20-\x7e\n]*$/.test(text)
  return (
    isPlain
      ? text
      : text
          .normalize('NFKD')
          .replace(/[\u0300-\u036f]/g, '')
          .normalize('NFC')
  ).toLowerCase()
}

/** 0 to 1: the share of the task that some of its words make up. Anything covers a task without words. */
export function shareOf(words: TaskWords, found: ReadonlySet<string>): number {
  let [all, some] = [0, 0]
  for (const [word, weight] of words) {
    all += weight
    if (found.has(word)) some += weight
  }
  return all === 0 ? 1 : some / all
}

/** The task without other words. */
export function withoutWords(words: TaskWords, others: ReadonlySet<string>): TaskWords {
  return new Map([...words].filter(([word]) => !others.has(word)))
}

/** Whether a text contains such a share of any of these subjects. Each subject and each text is tokenized once. */
export function matchAny(subjects: readonly TaskWords[], share: number): (text: string) => boolean {
  const byTerm = new Map<string, { subject: TaskWords; word: string }[]>()
  for (const subject of subjects) {
    for (const word of subject.keys()) {
      for (const term of new Set([word, ...relatedTo(word).map((related) => related.term)])) {
        const known = byTerm.get(term)
        if (known === undefined) byTerm.set(term, [{ subject, word }])
        else known.push({ subject, word })
      }
    }
  }
  return (text) => {
    const found = new Map<TaskWords, Set<string>>()
    for (const term of new Set(termsOf(text))) {
      for (const { subject, word } of byTerm.get(term) ?? []) {
        found.set(subject, (found.get(subject) ?? new Set()).add(word))
      }
    }
    return [...found].some(([subject, words]) => shareOf(subject, words) >= share)
  }
}
