import { everydayWords, STOP_WORDS } from '../../search/word-lists.ts'
import { nameOf } from '../../text/json.ts'
import { pathProblem } from '../../text/paths.ts'
import { type Code, type FactsOf, type Finding, type IssueName, report } from '../../text/trouble.ts'
import { isRecord, isTextList } from '../../text/values.ts'
import {
  distinctKeywords,
  entryProblem,
  type LoadoutEntry,
  type LoadoutIndex,
  meantPriority,
  PRIORITIES,
  tokensOf,
} from './loadout-index.ts'
import { isRun, MIN_SCORE, normalKeyword, splitWords } from './match.ts'

export type IssueSeverity = 'error' | 'warning'

export interface ValidationIssue {
  severity: IssueSeverity
  code: Code
  message: string
  hint?: string
  entryId?: string
}

export const LONGEST_SUMMARY = 120

/** Checks the form of an index. Never throws, whatever the value; does not read files. */
export function validateIndex(index: LoadoutIndex): ValidationIssue[] {
  const json: unknown = index
  if (!isRecord(json)) return [issue('INVALID_INDEX/object', { kind: nameOf(json) })]
  const issues: ValidationIssue[] = []
  if (!json.version) issues.push(issue('MISSING_VERSION', {}))
  else if (typeof json.version !== 'string' || !/^\d+\.\d+\.\d+$/.test(json.version)) {
    issues.push(issue('INVALID_INDEX/version', { version: JSON.stringify(json.version) }))
  }
  if (!json.generated) issues.push(issue('MISSING_GENERATED', {}))
  if (!Array.isArray(json.entries)) {
    return [...issues, issue('INVALID_ENTRIES', { kind: nameOf(json.entries) })]
  }
  const ids = new Set<string>()
  json.entries.forEach((entry: unknown, position) => {
    issues.push(...validateEntry(entry, position, ids))
  })
  return [...issues, ...validateBudget(json.budget)]
}

function validateEntry(entry: unknown, position: number, ids: Set<string>): ValidationIssue[] {
  if (!isRecord(entry)) {
    return [issue('INVALID_INDEX/entry-object', { position: position + 1, kind: nameOf(entry) })]
  }
  const { id } = entry
  if (typeof id !== 'string' || id === '') {
    return [issue('MISSING_ID', { position: position + 1 })]
  }
  const issues: ValidationIssue[] = []
  const add = <Name extends IssueName>(name: Name, facts: FactsOf<Name>) => issues.push(issue(name, facts, id))

  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id)) add('BAD_ID_FORMAT', { id })
  if (ids.has(id)) add('DUPLICATE_ID/twice', { id })
  ids.add(id)
  if (typeof entry.path !== 'string' || entry.path === '') {
    add('MISSING_PATH', { id })
  } else {
    const refusal = pathProblem(entry.path)
    if (refusal !== undefined) add('PATH_ESCAPE/of-entry', { id, refusal })
  }
  if (!PRIORITIES.some((priority) => priority === entry.priority)) {
    const { priority } = entry
    add('INVALID_PRIORITY/unknown', { id, priority: JSON.stringify(priority), hint: meantPriority(priority) })
  }
  if (typeof entry.summary !== 'string' || entry.summary === '') {
    add('MISSING_SUMMARY', { id })
  } else if (entry.summary.length > LONGEST_SUMMARY) {
    add('LONG_SUMMARY', { id, length: entry.summary.length, most: LONGEST_SUMMARY })
  }
  const isEmpty = !entry.keywords || (Array.isArray(entry.keywords) && entry.keywords.length === 0)
  const problem = entryProblem(entry)
  if (entry.priority === 'domain' && isEmpty) {
    add('EMPTY_KEYWORDS', { id })
  } else if (problem !== undefined) {
    add('INVALID_INDEX/unusable', { id, problem })
  } else if (isTextList(entry.keywords)) {
    if (entry.keywords.some((keyword) => keyword.trim() === '')) {
      add('EMPTY_KEYWORDS/one', { id })
    }
    issues.push(...lintSpelling(id, entry.keywords).map(asIssue))
  }
  if (!isCount(entry.tokens_est)) {
    add('BAD_TOKEN_EST', { id, tokens: nameOfNumber(entry.tokens_est) })
  }
  return issues
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** JSON cannot express Infinity, but `1e999` parses as it. */
function nameOfNumber(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'none')
}

function validateBudget(budget: unknown): ValidationIssue[] {
  if (!isRecord(budget)) return [issue('BAD_BUDGET', { kind: nameOf(budget) })]
  return BUDGET_FIELDS.flatMap((field) => {
    const value = budget[field]
    if (isCount(value) || (field === 'avg_task_load_observed' && value == null)) return []
    return typeof value === 'number' && value < 0 && Number.isFinite(value)
      ? [issue('NEGATIVE_BUDGET', { field })]
      : [issue('BAD_BUDGET/field', { field, value: nameOfNumber(value) })]
  })
}

const BUDGET_FIELDS = [
  'always_loaded_est',
  'on_demand_total_est',
  'avg_task_load_est',
  'avg_task_load_observed',
] as const

function issue<Name extends IssueName>(name: Name, facts: FactsOf<Name>, subject?: string): ValidationIssue {
  return asIssue(report(name, facts, { subject }))
}

/** An issue has an error or a warning, and names its subject as an entry. */
export function asIssue({ severity, subject, path: _, line: __, count: ___, ...told }: Finding): ValidationIssue {
  return { ...told, severity: severity === 'error' ? 'error' : 'warning', entryId: subject }
}

const MOST_KEYWORDS = Math.round(1 / MIN_SCORE)

/** Predicts how routing will fail: what can never match, matches everything, or never ranks first. */
export function lintRouting(entries: readonly LoadoutEntry[]): Finding[] {
  const domain = entries.filter(({ priority }) => priority === 'domain')
  return [...domain.flatMap(lintEntry), ...findOutranked(domain), ...findIndistinct(domain)]
}

/** Keywords that load half of all entries, and entries that have no other. */
function findIndistinct(entries: readonly LoadoutEntry[]): Finding[] {
  // Of fewer entries, two with the same keyword are already most of them.
  if (entries.length < 6) return []
  const owners = new Map<string, number>()
  const ownKeywords = entries.map(({ keywords }) => new Set(keywords.map(normalKeyword)))
  for (const own of ownKeywords) for (const keyword of own) owners.set(keyword, (owners.get(keyword) ?? 0) + 1)
  const fitsMost = (keyword: string) => (owners.get(keyword) ?? 0) * 2 >= entries.length
  const shared = [...owners.keys()]
    .filter(fitsMost)
    .map((keyword) =>
      report(
        'WEAK_KEYWORDS/fits-everything',
        { keyword, loaded: owners.get(keyword) ?? 0, total: entries.length },
        { subject: keyword },
      ),
    )
  const indistinct = entries.filter((_, at) => ownKeywords[at]!.size > 0 && [...ownKeywords[at]!].every(fitsMost))
  return [...shared, ...indistinct.map(({ id }) => report('WEAK_KEYWORDS/entry', { id }, { subject: id }))]
}

function lintEntry(entry: LoadoutEntry): Finding[] {
  const findings: Finding[] = lintSpelling(entry.id, entry.keywords)
  const { id } = entry
  const warn = <Name extends IssueName>(name: Name, facts: FactsOf<Name>) =>
    findings.push(report(name, facts, { subject: id }))
  const dead = entry.keywords.filter((keyword) => !canMatch(splitWords(keyword), 'every'))
  const patterns = entry.patterns ?? []
  const isUnroutable =
    dead.length === entry.keywords.length && !patterns.some((pattern) => canMatch(splitWords(pattern), 'some'))
  if (isUnroutable) {
    warn('WEAK_KEYWORDS/unroutable-entry', { id })
  } else if (dead.length > 0) {
    warn('WEAK_KEYWORDS/dead-keyword', { id, keywords: dead.join(', ') })
  }
  const total = distinctKeywords(entry.keywords).length
  if (total > MOST_KEYWORDS)
    warn('WEAK_KEYWORDS/too-many-keywords', { id, total, least: MIN_SCORE, most: MOST_KEYWORDS })
  const everyday = entry.keywords.filter(isEveryday)
  if (everyday.length > 0) warn('WEAK_KEYWORDS/everyday', { id, keywords: everyday.join(', ') })
  for (const pattern of patterns) {
    const common = splitWords(pattern).filter((word) => STOP_WORDS.has(word))
    if (common.length > 0) warn('WEAK_KEYWORDS/stop-word-pattern', { id, pattern, words: common.join('" or "') })
  }
  return findings
}

/** Keywords of one entry that the matcher treats as equal. */
function lintSpelling(id: string, keywords: readonly string[]): Finding[] {
  const spellings = new Map<string, string[]>()
  for (const keyword of keywords) {
    if (keyword.trim() === '') continue
    const normal = normalKeyword(keyword)
    const known = spellings.get(normal)
    if (known === undefined) spellings.set(normal, [keyword])
    else known.push(keyword)
  }
  return [...spellings.values()]
    .filter((same) => same.length > 1)
    .map((same) =>
      report(
        'WEAK_KEYWORDS/duplicate-keyword',
        { id, keywords: same.map((keyword) => JSON.stringify(keyword)).join(', ') },
        { subject: id },
      ),
    )
}

function isEveryday(keyword: string): boolean {
  const words = splitWords(keyword)
  return words.length > 0 && words.every((word) => STOP_WORDS.has(word) || EVERYDAY.has(word))
}

const EVERYDAY: ReadonlySet<string> = new Set(everydayWords())

function canMatch(parts: readonly string[], rule: 'every' | 'some'): boolean {
  return parts.length > 0 && parts[rule]((part) => part.length > 1 || isRun(part))
}

/** Entries with the same keywords as another that is cheaper or earlier: the other always ranks first. */
function findOutranked(entries: readonly LoadoutEntry[]): Finding[] {
  const firstOf = new Map<string, LoadoutEntry>()
  const findings: Finding[] = []
  const byCost = [...entries].sort((a, b) => tokensOf(a) - tokensOf(b))
  for (const entry of byCost) {
    const key = routingKey(entry)
    const first = firstOf.get(key)
    if (first === undefined) firstOf.set(key, entry)
    else {
      findings.push(report('WEAK_KEYWORDS/always-outranked', { id: entry.id, other: first.id }, { subject: entry.id }))
    }
  }
  return findings
}

function routingKey({ keywords, patterns }: LoadoutEntry): string {
  const normal = (texts: readonly string[]) => [...new Set(texts.map(normalKeyword))].sort()
  return JSON.stringify([normal(keywords), normal(patterns ?? [])])
}
