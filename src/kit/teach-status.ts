import type { SourceRequest } from '../answer/sources.ts'
import { keyOf, MOST_WRITTEN, promptKey } from '../examples/rules/example.ts'
import { pathOf } from '../examples/write.ts'
import type { Machine } from '../machine/machine.ts'
import { listed } from '../text/count.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import { ENOUGH, openTeachable, type Teachable } from './teachable.ts'

export interface EntryTeaching {
  id: string
  place: 'library' | 'project' | 'machine'
  written: number
  negatives: number
  fromUse: number
  stale: number
}

export interface TeachStatus {
  /** How many prompts an entry should have. */
  wanted: number
  entries: EntryTeaching[]
}

/** How many examples each entry has; the findings list stale, orphaned and unreadable ones. */
export function teachStatus(machine: Machine, request: SourceRequest): Report<TeachStatus> {
  const teachable = openTeachable(machine, request)
  const entries = teachable.entries
    .filter(({ isChosenByTask, written, negatives, stale }) => isChosenByTask || written + negatives + stale > 0)
    .map(({ written, negatives, fromUse, stale, file, ...entry }) => {
      return { id: keyOf(entry), place: file.place, written, negatives, fromUse, stale }
    })
    .sort((a, b) => compareText(a.id, b.id))
  const findings = [
    ...teachable.findings,
    ...stale(entries),
    ...vanished(teachable),
    ...full(teachable),
    ...shared(teachable),
  ]
  return { value: { wanted: ENOUGH, entries }, findings }
}

function stale(entries: readonly EntryTeaching[]): Finding[] {
  const ids = entries.filter((entry) => entry.stale > 0).map(({ id }) => id)
  if (ids.length === 0) return []
  return [
    {
      severity: 'warning',
      code: 'EXAMPLES_STALE',
      message: `the description has changed since examples were written, so they do not count: ${listed(ids)}`,
      count: ids.length,
      hint: 'loadout teach <id> --renew keeps those of an entry; loadout teach --export asks for new ones',
    },
  ]
}

/** The file of this machine also contains entries of other projects. */
function vanished({ entries, known }: Teachable): Finding[] {
  const there = new Set(entries.map(keyOf))
  const gone = known.filter(({ example, file }) => file.place !== 'machine' && !there.has(keyOf(example)))
  const ids = [...new Set(gone.map(({ example }) => keyOf(example)))].sort(compareText)
  const [first] = gone
  if (first === undefined) return []
  const message = `examples without an entry: ${listed(ids)}`
  const hint = `remove their lines, or restore the entry; the first is in ${pathOf(first.file)}`
  return [{ severity: 'warning', code: 'EXAMPLES_WITHOUT_ENTRY', message, count: ids.length, hint }]
}

function full({ known }: Teachable): Finding[] {
  const counts = new Map<string, number>()
  for (const { example } of known) {
    if (example.origin === 'use') continue
    const key = JSON.stringify([keyOf(example), example.digest, example.not ?? false])
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const ids = [...counts].filter(([, count]) => count > MOST_WRITTEN).map(([key]) => JSON.parse(key)[0] as string)
  if (ids.length === 0) return []
  const message = `only the newest ${MOST_WRITTEN} examples of an entry count; there are more of ${listed([...new Set(ids)])}`
  return [{ severity: 'warning', code: 'EXAMPLES_FULL', message, count: ids.length, hint: 'keep the best ones' }]
}

/** One prompt for two entries helps neither. */
function shared({ known }: Teachable): Finding[] {
  const owners = new Map<string, string>()
  const pairs = new Set<string>()
  for (const { example } of known) {
    if (example.not || example.origin === 'use') continue
    const key = promptKey(example.prompt)
    const owner = owners.get(key)
    if (owner === undefined) owners.set(key, keyOf(example))
    else if (owner !== keyOf(example)) pairs.add(`${owner} and ${keyOf(example)}`)
  }
  if (pairs.size === 0) return []
  const message = `the same prompt is an example of two entries: ${listed([...pairs].sort(compareText))}`
  return [{ severity: 'warning', code: 'EXAMPLE_SHARED', message, count: pairs.size, hint: 'keep it for one of them' }]
}
