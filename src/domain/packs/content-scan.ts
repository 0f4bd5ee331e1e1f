import { removeInvisible } from '../shared/fence.ts'
import { INJECTION_PATTERNS, type InjectionKind } from './injection-patterns.ts'
import { KEY_END, KEY_START, SECRET_PATTERNS, type SecretKind } from './secret-patterns.ts'

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
  const found = findKeyBlocks(text)
  for (const { kind, pattern, accepts } of SECRET_PATTERNS) {
    const lineAt = createLineCounter(text)
    for (const match of text.matchAll(pattern)) {
      if (accepts !== undefined && !accepts(match[1] ?? match[0])) continue
      const line = lineAt(match.index)
      found.push({ line, to: line, kind })
    }
  }
  return distinct(found)
}

const LONGEST_KEY = 200

/** A key goes to its end mark; one that has none, as far as its lines look like one. */
function findKeyBlocks(text: string): FoundSecret[] {
  if (!text.includes('-----BEGIN ')) return []
  const lines = text.split('\n')
  const ends = lines.flatMap((line, at) => (KEY_END.test(line) ? [at] : []))
  const found: FoundSecret[] = []
  for (let [at, next] = [0, 0]; at < lines.length; at++) {
    if (!KEY_START.test(lines[at] ?? '')) continue
    while ((ends[next] ?? at) < at) next++
    const start = at
    const end = ends[next] ?? Number.POSITIVE_INFINITY
    if (end - start < LONGEST_KEY) at = end
    else while (at + 1 < lines.length && looksLikeKey(lines[at + 1] ?? '')) at++
    found.push({ line: start + 1, to: at + 1, kind: 'private-key' })
  }
  return found
}

function looksLikeKey(line: string): boolean {
  return line.length < 1000 && /^(?:[\w+/=-]{16,}|[\w-]{1,40}: .{0,200})?$/.test(line.replace(/^[\s>|]+/, '').trim())
}

function findInjections(text: string): ContentFindings['injections'] {
  const found: ContentFindings['injections'] = []
  const lower = text.toLowerCase()
  for (const { kind, isPossible, pattern } of INJECTION_PATTERNS) {
    if (!isPossible(lower)) continue
    const lineAt = createLineCounter(text)
    for (const match of text.matchAll(pattern())) found.push({ line: lineAt(match.index), kind })
  }
  return distinct(found)
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

/** The line of a place. Places must be asked for in their order. */
function createLineCounter(text: string): (place: number) => number {
  let line = 1
  let next = text.indexOf('\n')
  return (place) => {
    while (next !== -1 && next < place) {
      line++
      next = text.indexOf('\n', next + 1)
    }
    return line
  }
}
