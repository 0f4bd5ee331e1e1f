import { everydayWords, STOP_WORDS } from '../../search/word-lists.ts'
import { nameOf } from '../../text/json.ts'
import { pathProblem } from '../../text/paths.ts'
import { type Code, type Finding, report } from '../../text/trouble.ts'
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
  if (!isRecord(json))
    return [issue('error', 'INVALID_INDEX', `An index must be an object, but this is ${nameOf(json)}`)]
  const issues: ValidationIssue[] = []
  if (!json.version)
    issues.push(issue('error', 'MISSING_VERSION', 'The index has no version', 'set "version": "1.0.0"'))
  else if (typeof json.version !== 'string' || !/^\d+\.\d+\.\d+$/.test(json.version)) {
    const message = `${JSON.stringify(json.version)} is not a version of an index`
    issues.push(issue('error', 'INVALID_INDEX', message, 'set "version": "1.0.0"'))
  }
  if (!json.generated)
    issues.push(issue('warning', 'MISSING_GENERATED', 'The index does not say when it was generated'))
  if (!Array.isArray(json.entries)) {
    return [...issues, issue('error', 'INVALID_ENTRIES', `"entries" must be a list, but is ${nameOf(json.entries)}`)]
  }
  const ids = new Set<string>()
  json.entries.forEach((entry: unknown, position) => {
    issues.push(...validateEntry(entry, position, ids))
  })
  return [...issues, ...validateBudget(json.budget)]
}

function validateEntry(entry: unknown, position: number, ids: Set<string>): ValidationIssue[] {
  if (!isRecord(entry)) {
    return [issue('error', 'INVALID_INDEX', `Entry ${position + 1} must be an object, but is ${nameOf(entry)}`)]
  }
  const { id } = entry
  if (typeof id !== 'string' || id === '') {
    return [issue('error', 'MISSING_ID', `Entry ${position + 1} has no id`, 'give it a unique id in kebab-case')]
  }
  const issues: ValidationIssue[] = []
  const report = (severity: IssueSeverity, code: Code, message: string, hint?: string) =>
    issues.push({ ...issue(severity, code, message, hint), entryId: id })

  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id)) report('warning', 'BAD_ID_FORMAT', `The id "${id}" is not in kebab-case`)
  if (ids.has(id)) report('error', 'DUPLICATE_ID', `The id "${id}" occurs more than once`)
  ids.add(id)
  if (typeof entry.path !== 'string' || entry.path === '') {
    report('error', 'MISSING_PATH', `Entry "${id}" has no path`, 'name its file, relative to the root of the layer')
  } else {
    const refusal = pathProblem(entry.path)
    const hint = 'name a file below the root of the layer'
    if (refusal !== undefined) report('error', 'PATH_ESCAPE', `The path of "${id}" is refused: ${refusal}`, hint)
  }
  if (!PRIORITIES.some((priority) => priority === entry.priority)) {
    const message = `Entry "${id}" has the unknown priority ${JSON.stringify(entry.priority)}`
    report('error', 'INVALID_PRIORITY', message, meantPriority(entry.priority))
  }
  if (typeof entry.summary !== 'string' || entry.summary === '') {
    report('error', 'MISSING_SUMMARY', `Entry "${id}" has no summary`)
  } else if (entry.summary.length > LONGEST_SUMMARY) {
    const length = entry.summary.length
    report('warning', 'LONG_SUMMARY', `The summary of "${id}" has ${length} characters, more than ${LONGEST_SUMMARY}`)
  }
  const isEmpty = !entry.keywords || (Array.isArray(entry.keywords) && entry.keywords.length === 0)
  const problem = entryProblem(entry)
  if (entry.priority === 'domain' && isEmpty) {
    report('error', 'EMPTY_KEYWORDS', `Domain entry "${id}" has no keywords, so no task can find it`, 'add keywords')
  } else if (problem !== undefined) {
    report('error', 'INVALID_INDEX', `Entry "${id}" cannot be used: ${problem}`)
  } else if (isTextList(entry.keywords)) {
    if (entry.keywords.some((keyword) => keyword.trim() === '')) {
      report('error', 'EMPTY_KEYWORDS', `Entry "${id}" has an empty keyword`, 'remove it')
    }
    for (const finding of lintSpelling(id, entry.keywords))
      report('warning', finding.code, finding.message, finding.hint)
  }
  if (!isCount(entry.tokens_est)) {
    report('warning', 'BAD_TOKEN_EST', `Entry "${id}" has the token estimate ${nameOfNumber(entry.tokens_est)}`)
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
  const hint = 'rebuild the index with: loadout rules build'
  if (!isRecord(budget)) {
    return [issue('error', 'BAD_BUDGET', `"budget" must be an object, but is ${nameOf(budget)}`, hint)]
  }
  return BUDGET_FIELDS.flatMap((field) => {
    const value = budget[field]
    if (isCount(value) || (field === 'avg_task_load_observed' && value == null)) return []
    return typeof value === 'number' && value < 0 && Number.isFinite(value)
      ? [issue('warning', 'NEGATIVE_BUDGET', `The budget field ${field} is negative`)]
      : [issue('error', 'BAD_BUDGET', `The budget field ${field} is ${nameOfNumber(value)}, not a number`, hint)]
  })
}

const BUDGET_FIELDS = [
  'always_loaded_est',
  'on_demand_total_est',
  'avg_task_load_est',
  'avg_task_load_observed',
] as const

function issue(severity: IssueSeverity, code: Code, message: string, hint?: string): ValidationIssue {
  return { severity, code, message, hint }
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
  const warn = (code: Code, message: string, hint: string) =>
    findings.push({ severity: 'warning', code, message, subject: entry.id, hint })
  const dead = entry.keywords.filter((keyword) => !canMatch(splitWords(keyword), 'every'))
  const patterns = entry.patterns ?? []
  const isUnroutable =
    dead.length === entry.keywords.length && !patterns.some((pattern) => canMatch(splitWords(pattern), 'some'))
  if (isUnroutable) {
    findings.push(report('WEAK_KEYWORDS/unroutable-entry', { id: entry.id }, { subject: entry.id }))
  } else if (dead.length > 0) {
    const hint = 'words of one letter or sign are ignored: spell it out'
    warn('WEAK_KEYWORDS', `keywords of ${entry.id} that can never match: ${dead.join(', ')}`, hint)
  }
  const total = distinctKeywords(entry.keywords).length
  if (total > MOST_KEYWORDS) {
    const hint = `keep at most ${MOST_KEYWORDS}, or split the entry`
    const message = `${entry.id} has ${total} keywords, so a single hit scores below ${MIN_SCORE}`
    warn('WEAK_KEYWORDS', message, hint)
  }
  const everyday = entry.keywords.filter(isEveryday)
  if (everyday.length > 0) {
    const hint = 'choose words that only tasks about this subject contain'
    warn('WEAK_KEYWORDS', `keywords of ${entry.id} that any task may contain: ${everyday.join(', ')}`, hint)
  }
  for (const pattern of patterns) {
    const common = splitWords(pattern).filter((word) => STOP_WORDS.has(word))
    if (common.length === 0) continue
    const hint = 'one word of a pattern is enough to match, so use only specific words'
    warn(
      'WEAK_KEYWORDS',
      `the pattern ${pattern} of ${entry.id} matches every task with "${common.join('" or "')}"`,
      hint,
    )
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
