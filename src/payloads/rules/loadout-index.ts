import { nameOf } from '../../text/json.ts'
import { pathProblem } from '../../text/paths.ts'
import { type Finding, report } from '../../text/trouble.ts'
import { isRecord, isTextList, nearest } from '../../text/values.ts'

export type Priority = 'core' | 'domain' | 'manual'

export const PRIORITIES: readonly Priority[] = ['core', 'domain', 'manual']

/** The phases of an agent's loop in which a payload is loaded. */
export interface Triggers {
  task: boolean
  plan: boolean
  edit: boolean
}

export type Phase = keyof Triggers

export const PHASES: readonly Phase[] = ['task', 'plan', 'edit']

export const DEFAULT_TRIGGERS: Triggers = Object.freeze({ task: true, plan: true, edit: false })

/** One row of a dispatch index: what a payload is about and what it costs, without its text. */
export interface LoadoutEntry {
  id: string
  /** Relative to the root of the layer with the index. */
  path: string
  keywords: string[]
  /** Named intents such as `ci_pipeline`; one word of the name is enough to match. */
  patterns: string[]
  priority: Priority
  summary: string
  triggers: Triggers
  tokens_est: number
  lines: number
}

/** Found by the words of a task. Everything except core and manual counts as such. */
export function isDomain({ priority }: Pick<LoadoutEntry, 'priority'>): boolean {
  return priority !== 'core' && priority !== 'manual'
}

/** Token estimates that show what routing saves. */
export interface Budget {
  always_loaded_est: number
  on_demand_total_est: number
  avg_task_load_est: number
  /** Measured on this machine, from its usage log; null in files, and without measurements. */
  avg_task_load_observed: number | null
}

/** The dispatch table: small, always loaded, derived from the payloads. */
export interface LoadoutIndex {
  version: string
  /** ISO 8601 instant at which the content last changed. */
  generated: string
  entries: LoadoutEntry[]
  budget: Budget
  /** True: nothing is preloaded; core entries are loaded on request. */
  lazyLoad?: boolean
}

export const INDEX_VERSION = '1.0.0'

/** Validates index files: returns an index with usable entries, or the reason why it is unusable. */
export function readIndex(json: unknown): { index: LoadoutIndex; findings: Finding[] } | { problem: string } {
  if (!isRecord(json)) return { problem: `it must be a JSON object, but is ${nameOf(json)}` }
  if (!Array.isArray(json.entries)) return { problem: `"entries" must be a list, but is ${nameOf(json.entries)}` }
  const findings: Finding[] = []
  const entries: LoadoutEntry[] = []
  json.entries.forEach((entry: unknown, position) => {
    if (!isUsable(entry)) {
      findings.push(malformed(entry, position))
      return
    }
    const refusal = typeof entry.path === 'string' && entry.path !== '' ? pathProblem(entry.path) : undefined
    if (refusal !== undefined) {
      const { id, path } = entry
      const shown = JSON.stringify(path.slice(0, 200))
      findings.push(report('PATH_ESCAPE/entry', { id, path: shown, refusal }, { subject: id }))
      return
    }
    const wrong = wrongFields(entry)
    entries.push(wrong.length === 0 ? entry : repaired(entry))
    if (typeof entry.priority === 'string' && !isPriority(entry.priority)) findings.push(unknownPriority(entry))
    const reported = wrong.filter((field) => !OPTIONAL_FIELDS.has(field) || Reflect.get(entry, field) !== undefined)
    if (reported.length > 0) {
      const { id } = entry
      findings.push(report('INVALID_INDEX/bad-field', { id, fields: reported.join(', ') }, { subject: id }))
    }
  })
  const index: LoadoutIndex = {
    version: typeof json.version === 'string' ? json.version : '',
    generated: typeof json.generated === 'string' ? json.generated : '',
    entries,
    budget: readBudget(json.budget),
  }
  if (typeof json.lazyLoad === 'boolean') index.lazyLoad = json.lazyLoad
  return { index, findings }
}

/** Why an entry cannot take part in routing, or undefined when it can. */
export function entryProblem(entry: unknown): string | undefined {
  if (!isRecord(entry)) return `it is ${nameOf(entry)}`
  if (typeof entry.id !== 'string' || entry.id === '') return 'it has no id'
  if (entry.patterns !== undefined && !isTextList(entry.patterns)) return 'its patterns are not a list of texts'
  if (entry.priority === 'core' || entry.priority === 'manual') {
    return entry.keywords === undefined || isTextList(entry.keywords)
      ? undefined
      : 'its keywords are not a list of texts'
  }
  return isTextList(entry.keywords) ? undefined : 'its keywords are not a list of texts'
}

export function isUsable(entry: unknown): entry is LoadoutEntry {
  return entryProblem(entry) === undefined
}

/** The entries of an index from a caller: empty when it has no list of them. */
export function entriesOf(index: LoadoutIndex | null | undefined): LoadoutEntry[] {
  return Array.isArray(index?.entries) ? index.entries : []
}

function isPriority(value: unknown): value is Priority {
  return PRIORITIES.some((known) => known === value)
}

/** The priority that was probably meant, as the end of a message. */
export function meantPriority(value: unknown): string {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : ''
  const close = nearest(text, PRIORITIES)
  return close === undefined ? `use one of ${PRIORITIES.join(', ')}` : `did you mean "${close}"?`
}

/** The keywords of an entry, each once, in the first spelling. */
export function distinctKeywords(keywords: readonly string[]): readonly string[] {
  const seen = new Set(keywords.map(foldKeyword))
  if (seen.size === keywords.length) return keywords
  return keywords.filter((keyword) => seen.delete(foldKeyword(keyword)))
}

function foldKeyword(keyword: string): string {
  return keyword.trim().toLowerCase()
}

export function tokensOf(entry: LoadoutEntry): number {
  return Number.isFinite(entry.tokens_est) && entry.tokens_est > 0 ? entry.tokens_est : 0
}

const FIELD_CHECKS: Record<string, (value: unknown) => boolean> = {
  path: (value) => typeof value === 'string',
  keywords: isTextList,
  patterns: isTextList,
  priority: (value) => typeof value === 'string',
  summary: (value) => typeof value === 'string',
  triggers: isRecord,
  tokens_est: Number.isFinite,
  lines: Number.isFinite,
}

// Hand-written indexes leave these out; the defaults are obvious.
const OPTIONAL_FIELDS = new Set(['keywords', 'patterns', 'triggers', 'lines'])

/** Known fields of the wrong type, and others that are not plain values: later code need not expect them. */
function wrongFields(entry: LoadoutEntry): string[] {
  const wrong = Object.entries(FIELD_CHECKS).filter(([field, isRight]) => !isRight(Reflect.get(entry, field)))
  const strange = Object.keys(entry).filter(
    (key) => !(key in FIELD_CHECKS) && key !== 'id' && !isPlain(Reflect.get(entry, key)),
  )
  return [...wrong.map(([field]) => field), ...strange]
}

function repaired(entry: LoadoutEntry): LoadoutEntry {
  const plain = Object.entries(entry).filter(([key, value]) => key in FIELD_CHECKS || isPlain(value))
  const { path, keywords, patterns, priority, summary, triggers, tokens_est, lines } = entry
  return {
    ...Object.fromEntries(plain),
    id: entry.id,
    path: typeof path === 'string' ? path : '',
    keywords: keywords ?? [],
    patterns: patterns ?? [],
    priority: isPriority(priority) ? priority : 'domain',
    summary: typeof summary === 'string' ? summary : '',
    triggers: isRecord(triggers) ? triggers : { ...DEFAULT_TRIGGERS },
    tokens_est: Number.isFinite(tokens_est) ? tokens_est : 0,
    lines: Number.isFinite(lines) ? lines : 0,
  }
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== 'object' || isTextList(value)
}

function unknownPriority({ id, priority }: LoadoutEntry): Finding {
  return report(
    'INVALID_PRIORITY/entry',
    { id, priority: JSON.stringify(priority), hint: meantPriority(priority) },
    { subject: id },
  )
}

function malformed(entry: unknown, position: number): Finding {
  const id = isRecord(entry) && typeof entry.id === 'string' && entry.id !== '' ? entry.id : undefined
  return report(
    'INVALID_INDEX/entry',
    { position: position + 1, id, problem: String(entryProblem(entry)) },
    { subject: id },
  )
}

function readBudget(json: unknown): Budget {
  const number = (key: string) => (isRecord(json) && typeof json[key] === 'number' ? json[key] : 0)
  return {
    always_loaded_est: number('always_loaded_est'),
    on_demand_total_est: number('on_demand_total_est'),
    avg_task_load_est: number('avg_task_load_est'),
    avg_task_load_observed:
      isRecord(json) && typeof json.avg_task_load_observed === 'number' ? json.avg_task_load_observed : null,
  }
}

/** What a set of entries costs: always, at most, and on average per domain entry. */
export function budgetOf(entries: readonly LoadoutEntry[]): Budget {
  let always = 0
  let onDemand = 0
  let domainEntries = 0
  for (const entry of entries) {
    if (entry.priority === 'core') always += tokensOf(entry)
    else onDemand += tokensOf(entry)
    if (isDomain(entry)) domainEntries++
  }
  return {
    always_loaded_est: always,
    on_demand_total_est: onDemand,
    avg_task_load_est: domainEntries > 0 ? Math.round(onDemand / domainEntries) : 0,
    avg_task_load_observed: null,
  }
}
