import { nameOf } from '../../text/json.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { type Finding, report } from '../../text/trouble.ts'
import { isRecord, isTextList, sortedBy } from '../../text/values.ts'
import { frontmatterFindings, kebab, readFrontmatter } from './frontmatter.ts'
import { budgetOf, INDEX_VERSION, type LoadoutEntry, type LoadoutIndex, PHASES } from './loadout-index.ts'
import { LONGEST_SUMMARY } from './validate.ts'

/** A payload file: its path relative to the layer's root, and its text. */
export interface PayloadFile {
  path: string
  text: string
}

/** Entries from payloads: the frontmatter is the source of truth, costs are counted from the file. Sorted by id. */
export function buildEntries(files: readonly PayloadFile[]): { entries: LoadoutEntry[]; findings: Finding[] } {
  const findings: Finding[] = []
  const entries: LoadoutEntry[] = []
  const pathOf = new Map<string, string>()
  for (const file of sortedBy(files, ({ path }) => path)) {
    const { frontmatter, body, problems } = readFrontmatter(file.text, ruleName(file.path, pathOf))
    if (frontmatter === null) {
      findings.push(withoutFrontmatter(file.path, problems))
      continue
    }
    findings.push(...frontmatterFindings(file.path, problems))
    const first = pathOf.get(frontmatter.id)
    if (first !== undefined) {
      const { id } = frontmatter
      findings.push(report('DUPLICATE_ID', { id, first, second: file.path }, { subject: id }))
      continue
    }
    pathOf.set(frontmatter.id, file.path)
    const { id, keywords, patterns, priority, triggers, summary } = frontmatter
    const { path, text } = file
    // The order in which people expect to read an entry.
    entries.push({
      id,
      path,
      keywords,
      patterns,
      priority,
      summary: cut(summary?.trim() || firstSentence(body) || id),
      triggers,
      tokens_est: estimateTokens(text),
      lines: text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    })
  }
  return { entries: sortedBy(entries, ({ id }) => id), findings }
}

/** The id of a rule without one: its file name, with the folder's name if another rule has that name. */
function ruleName(path: string, taken: ReadonlyMap<string, string>): string {
  const [file = '', folder = ''] = path.split('/').reverse()
  const name = kebab(file.replace(/\.mdc?$/, ''))
  return taken.has(name) && folder !== '' ? `${kebab(folder)}-${name}` : name
}

/**
 * An index that keeps its date while its content stays the same. It excludes measurements of this machine: the file is
 * committed.
 */
export function buildIndex(entries: LoadoutEntry[], previous: LoadoutIndex | undefined, now: string): LoadoutIndex {
  const index: LoadoutIndex = {
    version: INDEX_VERSION,
    generated: now,
    entries,
    budget: budgetOf(entries),
  }
  if (previous?.lazyLoad !== undefined) index.lazyLoad = previous.lazyLoad
  const isSame = previous?.generated && findDrift(previous, entries).length === 0
  return isSame ? { ...index, generated: previous.generated } : index
}

export function serializeIndex(index: LoadoutIndex): string {
  return `${JSON.stringify(index, null, 2)}\n`
}

/** The first sentence of the prose: headings, lists' bullets and Markdown marks are not part of it. */
function firstSentence(body: string): string {
  const lines = body.split('\n').map((line) => line.trim())
  const isProse = (line: string) => line !== '' && !/^(?:#|```|~~~|<!--|---|===)/.test(line)
  const start = lines.findIndex(isProse)
  if (start < 0) return lines.find((line) => line.startsWith('#'))?.replace(/^#+\s*/, '') ?? ''
  const end = lines.findIndex((line, at) => at > start && !isProse(line))
  const paragraph = lines.slice(start, end < 0 ? undefined : end).join(' ')
  const plain = paragraph.replace(/^(?:[-*+]|\d+[.)]|>)\s+/, '').replace(/[`*]+/g, '')
  return /^.*?[.!?\u3002\uff01\uff1f](?=\s|$|\P{ASCII})/u.exec(plain)?.[0] ?? plain
}

/** Cut at a word, never inside a character. */
function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  if (line.length <= LONGEST_SUMMARY) return line
  const head = line.slice(0, LONGEST_SUMMARY - 1)
  const blank = head.lastIndexOf(' ')
  const kept = blank > LONGEST_SUMMARY / 2 ? head.slice(0, blank) : head.replace(/[\ud800-\udbff]$/, '')
  return `${kept}…`
}

function withoutFrontmatter(path: string, problems: readonly string[]): Finding {
  const named = problems.length > 5 ? [...problems.slice(0, 5), `and ${problems.length - 5} more`] : problems
  const why = named.length > 0 ? `its frontmatter is invalid: ${named.join('; ')}` : 'it has no frontmatter'
  return report('NO_FRONTMATTER', { path, why }, { subject: path })
}

const DERIVED_FIELDS = [
  'path',
  'keywords',
  'patterns',
  'priority',
  'summary',
  'triggers',
  'tokens_est',
  'lines',
] as const

/** The differences between an index and its payloads. `fresh` is what a build would write now. */
export function findDrift(index: LoadoutIndex, fresh: readonly LoadoutEntry[]): Finding[] {
  const current = new Map(fresh.map((entry) => [entry.id, entry]))
  const known = new Map<string, LoadoutEntry>()
  const findings: Finding[] = []
  for (const entry of index.entries) {
    if (known.has(entry.id)) findings.push(report('DUPLICATE_ID/index', { id: entry.id }, { subject: entry.id }))
    known.set(entry.id, entry)
    const payload = current.get(entry.id)
    if (payload === undefined) {
      const { id, path } = entry
      findings.push(report('PAYLOAD_MISSING/entry', { id, path }, { subject: id }))
    } else {
      findings.push(...fieldDrift(entry, payload))
    }
  }
  for (const { id, path } of fresh) {
    if (!known.has(id)) findings.push(report('DRIFT/payload-orphan', { path, id }, { subject: id }))
  }
  return [...findings, ...budgetDrift(index)]
}

function fieldDrift(entry: LoadoutEntry, payload: LoadoutEntry): Finding[] {
  return DERIVED_FIELDS.filter((field) => show(entry[field]) !== show(payload[field])).map((field) =>
    report(
      'DRIFT/field',
      { field, id: entry.id, said: short(show(entry[field])), is: short(show(payload[field])) },
      { subject: entry.id },
    ),
  )
}

function budgetDrift({ entries, budget }: LoadoutIndex): Finding[] {
  const fresh = budgetOf(entries)
  const fields = ['always_loaded_est', 'on_demand_total_est', 'avg_task_load_est'] as const
  return fields
    .filter((field) => budget[field] !== fresh[field])
    .map((field) => report('DRIFT/budget-field', { field, said: budget[field], is: fresh[field] }, { subject: field }))
}

/** A field as text. An index is a foreign file, so a field may contain anything. */
function show(value: unknown): string {
  if (isTextList(value)) return JSON.stringify(value)
  if (isRecord(value)) return PHASES.map((phase) => `${phase} ${show(value[phase])}`).join(', ')
  return value === null || typeof value === 'object' || value === undefined ? nameOf(value) : JSON.stringify(value)
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
