import type { TextSpan } from './each-match.ts'
import { readHints } from './hints.ts'
import { findByPattern, findNamedSecrets, looksRandom, type SecretPattern } from './named-secrets.ts'
import { isMixed, isReal } from './placeholders.ts'
import { findProseSecrets } from './prose-secrets.ts'
import { findShapedTokens } from './token-shapes.ts'

// The words of a marker may wrap onto the next line.
const keyMark = (word: string) =>
  new RegExp(String.raw`-----${word}\s(?:[A-Z0-9]{1,20}\s{1,3}){0,4}PRIVATE\s{1,3}KEY(?:\sBLOCK)?-----`, 'g')
const keyStart = () => keyMark('BEGIN')
const keyEnd = () => keyMark('END')

// A placeholder password on a placeholder host.
const EXAMPLE_HOST = String.raw`(?!(?:[\w-]{1,60}\.){0,4}example(?:\.|[:/"'\s]))`

/** Recognised by the surrounding text rather than by a name. */
const SECRET_PATTERNS: readonly SecretPattern[] = [
  // The last part is empty in an unsigned token.
  {
    kind: 'jwt',
    pattern: /(?<![\w-])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.(?:[\w-]{10,2000}|(?![\w-]))/g,
    hints: [['eyj']],
  },
  {
    kind: 'bearer-token',
    pattern: /\bbearer[ \t]{1,4}([\w.~+/=-]{16,2000})/dgi,
    hints: [['bearer']],
    accepts: isMixed,
  },
  {
    kind: 'bearer-token',
    pattern: /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?basic[ \t]{1,4}([\w+/=-]{8,2000})/dgi,
    hints: [['authorization']],
    accepts: isReal,
  },
  {
    kind: 'bearer-token',
    pattern:
      /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:[a-z][a-z-]{2,20}[ \t]{1,4})?([\w.~+/=@-]{16,2000})/dgi,
    hints: [['authorization']],
    accepts: looksRandom,
  },
  {
    kind: 'url-password',
    pattern: new RegExp(String.raw`:\/\/[^\s/:@"'<>]{1,100}:([^\s/@"'<>]{3,200})@${EXAMPLE_HOST}`, 'dg'),
    hints: [['://'], ['@']],
    accepts: isReal,
  },
]

/** Every secret, unordered. Ranges of different kinds may overlap. */
export function findSecretSpans(text: string, isPossible = readHints(text)): TextSpan<string>[] {
  return [
    ...findKeyBlocks(text),
    ...findShapedTokens(text, isPossible),
    ...findByPattern(text, SECRET_PATTERNS, isPossible),
    ...findNamedSecrets(text, isPossible),
    ...findProseSecrets(text),
  ]
}

/** In characters; a key of 65,536 bits has about twelve thousand. */
const LONGEST_KEY = 16_000

/** A key extends to its end marker; without one, as far as its lines look like key material. */
function findKeyBlocks(text: string): TextSpan<string>[] {
  if (!text.includes('-----BEGIN')) return []
  const ends = [...text.matchAll(keyEnd())].map((match) => match.index + match[0].length)
  const found: TextSpan<string>[] = []
  let next = 0
  let covered = 0
  for (const { index: start, 0: mark } of text.matchAll(keyStart())) {
    if (start < covered) continue
    while ((ends[next] ?? text.length) < start) next++
    const end = ends[next] ?? Number.POSITIVE_INFINITY
    covered = end - start <= LONGEST_KEY ? end : endOfKeyLines(text, start + mark.length)
    if (isEmptyKey(text.slice(start + mark.length, covered))) continue
    found.push({ kind: 'private-key', start, end: covered })
  }
  return found
}

/** Markers around dots, a word or a variable are examples of the format. */
function isEmptyKey(body: string): boolean {
  return /-----END/.test(body) && !/[\w+/=]{16}/.test(body.replace(/-----END[\s\S]*$/, ''))
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
