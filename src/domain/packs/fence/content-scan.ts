import { removeInvisible } from '../../shared/fence.ts'
import type { InjectionKind } from './injection-patterns.ts'
import type { SecretKind } from './secret-patterns.ts'
import { findInjectionSpans, findSecretSpans } from './text-spans.ts'

/** What was found where. Never the text itself: a finding about a secret must not spread it. */
export interface ContentFindings {
  /** Lines are counted from 1. */
  secrets: { line: number; kind: SecretKind }[]
  injections: { line: number; kind: InjectionKind }[]
}

/** Looks for obvious secrets and for text that speaks to the reader's model. A hint, no proof, in either direction. */
export function scanContent(text: string): ContentFindings {
  const plain = plainText(text)
  return { secrets: findSecrets(plain).map(({ line, kind }) => ({ line, kind })), injections: findInjections(plain) }
}

/** Puts a visible mark in the place of each line that holds a secret. The number of lines stays the same. */
export function withholdSecrets(text: string): { text: string; lines: number[] } {
  const kinds = new Map<number, Set<SecretKind>>()
  for (const { line, to, kind } of findSecrets(plainText(text))) {
    for (let at = line; at <= to; at++) kinds.set(at, (kinds.get(at) ?? new Set()).add(kind))
  }
  if (kinds.size === 0) return { text, lines: [] }
  const shown = text.split('\n').map((line, index) => {
    const held = kinds.get(index + 1)
    return held === undefined ? line : `[withheld: this line looks like a secret (${[...held].join(', ')})]`
  })
  return { text: shown.join('\n'), lines: [...kinds.keys()].sort((a, b) => a - b) }
}

/** As it will be shown, without what hides a word from a search. Line for line the same. */
function plainText(text: string): string {
  return removeInvisible(text)
    .text.replace(/[\u200c\u200d]/g, '')
    .normalize('NFKC')
}

interface FoundSecret {
  line: number
  /** The last line, which differs from the first for a key of several lines. */
  to: number
  kind: SecretKind
}

function findSecrets(text: string): FoundSecret[] {
  const lineAt = createLineFinder(text)
  const found = findSecretSpans(text).map(({ kind, start, end }) => ({
    line: lineAt(start),
    to: lineAt(end - 1),
    kind,
  }))
  return distinct(found)
}

function findInjections(text: string): ContentFindings['injections'] {
  const lineAt = createLineFinder(text)
  return distinct(findInjectionSpans(text).map(({ kind, start }) => ({ line: lineAt(start), kind })))
}

/** In the order of the lines, each kind once for a line. */
function distinct<T extends { line: number; kind: string }>(found: readonly T[]): T[] {
  const first = new Map<string, T>()
  for (const item of found) {
    const key = `${item.line} ${item.kind}`
    if (!first.has(key)) first.set(key, item)
  }
  return [...first.values()].sort((a, b) => a.line - b.line)
}

/** The line of a place, counted from 1. */
function createLineFinder(text: string): (place: number) => number {
  const ends: number[] = []
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) ends.push(end)
  return (place) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < place) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
