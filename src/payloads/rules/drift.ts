import { nameOf } from '../../text/json.ts'
import type { Finding } from '../../text/trouble.ts'
import { isRecord, isTextList } from '../../text/values.ts'
import { budgetOf, type LoadoutEntry, type LoadoutIndex, PHASES } from './loadout-index.ts'

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
    if (known.has(entry.id)) findings.push(drift('DUPLICATE_ID', entry.id, `the index contains "${entry.id}" twice`))
    known.set(entry.id, entry)
    const payload = current.get(entry.id)
    if (payload === undefined) {
      findings.push(
        drift('PAYLOAD_MISSING', entry.id, `${entry.id} is in the index, but no payload has that id (${entry.path})`),
      )
    } else {
      findings.push(...fieldDrift(entry, payload))
    }
  }
  for (const { id, path } of fresh) {
    if (!known.has(id)) findings.push(drift('PAYLOAD_ORPHAN', id, `${path} (${id}) is not in the index`))
  }
  return [...findings, ...budgetDrift(index)]
}

function fieldDrift(entry: LoadoutEntry, payload: LoadoutEntry): Finding[] {
  return DERIVED_FIELDS.filter((field) => show(entry[field]) !== show(payload[field])).map((field) =>
    drift(
      'DRIFT',
      entry.id,
      `${field} of ${entry.id}: the index says ${short(show(entry[field]))}, the payload ${short(show(payload[field]))}`,
    ),
  )
}

function budgetDrift({ entries, budget }: LoadoutIndex): Finding[] {
  const fresh = budgetOf(entries)
  const fields = ['always_loaded_est', 'on_demand_total_est', 'avg_task_load_est'] as const
  return fields
    .filter((field) => budget[field] !== fresh[field])
    .map((field) =>
      drift(
        'BUDGET_DRIFT',
        field,
        `budget.${field}: the index says ${budget[field]}, its entries give ${fresh[field]}`,
      ),
    )
}

function drift(code: Finding['code'], subject: string, message: string): Finding {
  return { severity: 'error', code, message, subject, hint: 'run: loadout index build' }
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
