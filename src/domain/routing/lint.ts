import type { Code } from '../shared/codes.ts'
import type { Finding } from '../shared/finding.ts'
import type { LoadoutEntry } from './entry.ts'
import { tokensOf } from './loadout-index.ts'
import { MIN_SCORE } from './match.ts'
import { STOP_WORDS } from './rank/stop-words.ts'
import { isRun, splitWords } from './words.ts'

const MOST_KEYWORDS = Math.round(1 / MIN_SCORE)

/** Predicts how an index will fail to route: what can never match, matches everything, or never comes first. */
export function lintRouting(entries: readonly LoadoutEntry[]): Finding[] {
  const domain = entries.filter(({ priority }) => priority === 'domain')
  return [...domain.flatMap(lintEntry), ...findOutranked(domain)]
}

function lintEntry(entry: LoadoutEntry): Finding[] {
  const findings: Finding[] = []
  const warn = (code: Code, message: string, hint: string) =>
    findings.push({ severity: 'warning', code, message, subject: entry.id, hint })
  const dead = entry.keywords.filter((keyword) => !canMatch(splitWords(keyword), 'every'))
  const patterns = entry.patterns ?? []
  const isUnroutable =
    dead.length === entry.keywords.length && !patterns.some((pattern) => canMatch(splitWords(pattern), 'some'))
  if (isUnroutable) {
    findings.push({
      severity: 'error',
      code: 'UNROUTABLE_ENTRY',
      message: `no task can find ${entry.id}: none of its keywords and patterns can match`,
      subject: entry.id,
      hint: 'give it keywords of at least two letters or digits',
    })
  } else if (dead.length > 0) {
    const hint = 'words of one letter or sign are not looked at: spell it out'
    warn('DEAD_KEYWORD', `keywords of ${entry.id} that can never match: ${dead.join(', ')}`, hint)
  }
  if (entry.keywords.length > MOST_KEYWORDS) {
    const hint = `keep at most ${MOST_KEYWORDS}, or split the entry`
    const message = `${entry.id} has ${entry.keywords.length} keywords, so a single hit scores below ${MIN_SCORE}`
    warn('TOO_MANY_KEYWORDS', message, hint)
  }
  for (const pattern of patterns) {
    const common = splitWords(pattern).filter((word) => STOP_WORDS.has(word))
    if (common.length === 0) continue
    const hint = 'one word of a pattern is enough to match, so use only telling words'
    warn(
      'STOP_WORD_PATTERN',
      `the pattern ${pattern} of ${entry.id} matches every task with "${common.join('" or "')}"`,
      hint,
    )
  }
  return findings
}

function canMatch(parts: readonly string[], rule: 'every' | 'some'): boolean {
  return parts.length > 0 && parts[rule]((part) => part.length > 1 || isRun(part))
}

/** Entries with the same keywords as another that is cheaper or stands earlier: whatever hits them, the other is first. */
function findOutranked(entries: readonly LoadoutEntry[]): Finding[] {
  const firstOf = new Map<string, LoadoutEntry>()
  const findings: Finding[] = []
  const byCost = [...entries].sort((a, b) => tokensOf(a) - tokensOf(b))
  for (const entry of byCost) {
    const key = routingKey(entry)
    const first = firstOf.get(key)
    if (first === undefined) firstOf.set(key, entry)
    else {
      findings.push({
        severity: 'warning',
        code: 'ALWAYS_OUTRANKED',
        message: `${entry.id} always comes after ${first.id}: both have the same keywords and patterns`,
        subject: entry.id,
        hint: 'give it a keyword of its own, or merge the two',
      })
    }
  }
  return findings
}

function routingKey({ keywords, patterns }: LoadoutEntry): string {
  const normal = (texts: readonly string[]) => [...new Set(texts.map((text) => splitWords(text).join(' ')))].sort()
  return JSON.stringify([normal(keywords), normal(patterns ?? [])])
}
