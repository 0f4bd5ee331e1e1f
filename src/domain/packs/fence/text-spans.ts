import { INJECTION_PATTERNS, type InjectionKind } from './injection-patterns.ts'
import { keyEnd, keyStart, SECRET_PATTERNS, type SecretKind } from './secret-patterns.ts'

/** A stretch of a text, its end excluded. */
export interface TextSpan<Kind extends string> {
  kind: Kind
  start: number
  end: number
}

/** Every secret, in no order. Stretches of different kinds may overlap. */
export function findSecretSpans(text: string): TextSpan<SecretKind>[] {
  const found = findKeyBlocks(text)
  for (const { kind, pattern, accepts } of SECRET_PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const secret = match[1] ?? match[0]
      if (accepts !== undefined && !accepts(secret)) continue
      const start = match.indices?.[1]?.[0] ?? match.index
      const quote = isQuoted(secret) ? 1 : 0
      found.push({ kind, start: start + quote, end: start + secret.length - quote })
    }
  }
  return found
}

export function findInjectionSpans(text: string): TextSpan<InjectionKind>[] {
  const lower = text.toLowerCase()
  const isChinese = /[\u4e00-\u9fff]/.test(text)
  return INJECTION_PATTERNS.filter(({ isPossible }) => isPossible(lower, isChinese)).flatMap(({ kind, pattern }) =>
    [...text.matchAll(pattern())].map((match) => ({ kind, start: match.index, end: match.index + match[0].length })),
  )
}

function isQuoted(value: string): boolean {
  return /^(["'`])[\s\S]*\1$/.test(value)
}

/** In characters; about twelve thousand are a key of 65,536 bits. */
const LONGEST_KEY = 16_000

/** A key goes to its end mark; one that has none, as far as its lines look like one. */
function findKeyBlocks(text: string): TextSpan<SecretKind>[] {
  if (!text.includes('-----BEGIN')) return []
  const ends = [...text.matchAll(keyEnd())].map((match) => match.index + match[0].length)
  const found: TextSpan<SecretKind>[] = []
  let next = 0
  let covered = 0
  for (const { index: start, 0: mark } of text.matchAll(keyStart())) {
    if (start < covered) continue
    while ((ends[next] ?? text.length) < start) next++
    const end = ends[next] ?? Number.POSITIVE_INFINITY
    covered = end - start <= LONGEST_KEY ? end : endOfKeyLines(text, start + mark.length)
    found.push({ kind: 'private-key', start, end: covered })
  }
  return found
}

function endOfKeyLines(text: string, from: number): number {
  let end = lineEnd(text, from)
  while (end < text.length) {
    const next = lineEnd(text, end + 1)
    if (!looksLikeKey(text.slice(end + 1, Math.min(next, end + 1001)))) break
    end = next
  }
  return end
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function looksLikeKey(line: string): boolean {
  return line.length < 1000 && /^(?:[\w+/=-]{16,}|[\w-]{1,40}: .{0,200})?$/.test(line.replace(/^[\s>|]+/, '').trim())
}
