import { openSources, projectOf, type SourceRequest, withoutRepeats } from '../answer/sources.ts'
import { type ExampleFile, libraryFile, machineFile, pathOf, projectFile, readKnown } from '../examples/examples.ts'
import {
  descriptionDigest,
  type Example,
  keyOf,
  MOST_USED,
  MOST_WRITTEN,
  promptKey,
} from '../examples/rules/example.ts'
import type { Machine } from '../machine/machine.ts'
import { isDomain } from '../payloads/rules/loadout-index.ts'
import { listed } from '../text/count.ts'
import { type Finding, report } from '../text/trouble.ts'
import { compareText, groupBy, nearest } from '../text/values.ts'
import { parseEntryId } from '../usage/rules/entry-id.ts'
import type { TaughtEntry } from './rules/admit.ts'

/** This many prompts distinguish an entry from its neighbours; more gain little. */
export const ENOUGH = 10

/** An entry, where its examples are, and how many of them count. */
export interface TeachableEntry extends TaughtEntry {
  file: ExampleFile
  /** False: no task chooses it by its words, so it needs no examples. */
  isChosenByTask: boolean
  written: number
  negatives: number
  fromUse: number
  /** Written for an earlier description: they do not count. */
  stale: number
}

/** All entries that can have examples, and their examples. */
export interface Teachable {
  entries: TeachableEntry[]
  known: { example: Example; file: ExampleFile }[]
  /** Problems of entries and of example files. */
  findings: Finding[]
}

export function openTeachable(machine: Machine, request: SourceRequest): Teachable {
  const { sources, findings } = openSources(machine, request)
  const { root } = projectOf(machine, request)
  const library = sources.flatMap((source) => (source.kind === 'skill' ? (source.library ?? []) : []))[0]
  const { examples: known, findings: bad } = readKnown({ project: root, library }, machine.records)
  const byEntry = groupBy(
    known.map(({ example }) => example),
    keyOf,
  )
  // Examples of what belongs to others stay on this machine.
  const taught = machineFile(machine.records, 'taught')
  const read = (source: (typeof sources)[number], id: string) => {
    if (source.kind === 'payload') {
      const { knowledge } = source
      const project = knowledge.places.find(({ name }) => name === 'project')
      const entry = source.find(id)
      if (entry === undefined) return undefined
      const file = project !== undefined && knowledge.layerOf(entry) === 'project' ? projectFile(project.root) : taught
      return { description: entry.summary, file, isChosenByTask: isDomain(entry) }
    }
    if (source.kind === 'pack') {
      const pack = source.describe(id)
      if (pack === undefined) return undefined
      const file = pack.scope === 'workspace' ? projectFile(root) : taught
      return { description: pack.summary, file, isChosenByTask: pack.scope !== 'built-in' }
    }
    const skill = source.describe(id)
    if (skill === undefined) return undefined
    const isInLibrary = skill.source === 'library' && library !== undefined
    const file = skill.source === 'project' ? projectFile(root) : taught
    return { description: skill.summary, file: isInLibrary ? libraryFile(library, id) : file, isChosenByTask: true }
  }
  const entries = sources.flatMap((source) =>
    source.names.flatMap((id): TeachableEntry[] => {
      const found = read(source, id)
      if (found === undefined) return []
      const entry = { kind: source.kind, id, ...found }
      return [{ ...entry, ...countsOf(entry, byEntry.get(keyOf(entry)) ?? []) }]
    }),
  )
  return { entries, known, findings: withoutRepeats([...findings, ...bad]) }
}

function countsOf({ description }: TaughtEntry, examples: readonly Example[]) {
  const digest = descriptionDigest(description)
  const count = (most: number, isCounted: (each: Example) => boolean) =>
    Math.min(most, examples.filter((each) => each.digest === digest && isCounted(each)).length)
  return {
    written: count(MOST_WRITTEN, ({ origin, not }) => origin !== 'use' && !not),
    negatives: count(MOST_WRITTEN, ({ not }) => not === true),
    fromUse: count(MOST_USED, ({ origin, not }) => origin === 'use' && !not),
    stale: examples.filter((each) => each.digest !== digest && each.origin !== 'use').length,
  }
}

/** The entry of an id, or why there is none. A bare name must belong to one kind only. */
export function findTeachable(entries: readonly TeachableEntry[], id: string): TeachableEntry | Finding {
  const { kind, name } = parseEntryId(id)
  const found = entries.filter((entry) =>
    kind === undefined ? entry.id === id : entry.kind === kind && entry.id === name,
  )
  const [first, ...others] = found
  if (first !== undefined && others.length === 0) return first
  const shown = id.length > 80 ? `${id.slice(0, 79)}…` : id
  if (first !== undefined) {
    const named = found.map((entry) => `a ${entry.kind}`).join(' and ')
    const which = found.map(keyOf).sort(compareText).join(', ')
    return report('AMBIGUOUS_NAME/entry', { shown, named, which }, { subject: id })
  }
  const ids = new Map(entries.flatMap((entry) => [keyOf(entry), entry.id].map((word) => [word, entry] as const)))
  const meant = ids.get(nearest(id, [...ids.keys()]) ?? '')
  const hint = meant === undefined ? 'loadout teach --status lists what can be taught' : `did you mean ${keyOf(meant)}?`
  return report('ENTRY_NOT_FOUND/taught', { shown, hint }, { subject: id })
}

export interface TeachStatus {
  /** How many prompts an entry should have. */
  wanted: number
  entries: (Pick<TeachableEntry, 'id' | 'written' | 'negatives' | 'fromUse' | 'stale'> & {
    place: ExampleFile['place']
  })[]
}

/** How many examples each entry has; the findings list stale, orphaned and unreadable ones. */
export function teachStatus(machine: Machine, request: SourceRequest): TeachStatus {
  const { entries: all, known, findings } = openTeachable(machine, request)
  const entries = all
    .filter(({ isChosenByTask, written, negatives, stale }) => isChosenByTask || written + negatives + stale > 0)
    .map(({ written, negatives, fromUse, stale, file, ...entry }) => {
      return { id: keyOf(entry), place: file.place, written, negatives, fromUse, stale }
    })
    .sort((a, b) => compareText(a.id, b.id))
  type Row = 'EXAMPLE_REFUSED/changed' | 'EXAMPLE_REFUSED/gone' | 'EXAMPLE_REFUSED/full' | 'EXAMPLE_REFUSED/shared'
  const warn = (row: Row, names: readonly string[], first = '') => {
    const facts = { names: listed(names), most: MOST_WRITTEN, first }
    if (names.length > 0) findings.push(report(row, facts, { count: names.length }))
  }
  warn(
    'EXAMPLE_REFUSED/changed',
    entries.filter(({ stale }) => stale > 0).map(({ id }) => id),
  )

  // The file of this machine also contains entries of other projects.
  const there = new Set(all.map(keyOf))
  const gone = known.filter(({ example, file }) => file.place !== 'machine' && !there.has(keyOf(example)))
  const lost = [...new Set(gone.map(({ example }) => keyOf(example)))].sort(compareText)
  warn('EXAMPLE_REFUSED/gone', lost, gone[0] && pathOf(gone[0].file))

  const written = known.flatMap(({ example }) => (example.origin === 'use' ? [] : [example]))
  const counts = new Map<string, number>()
  const owners = new Map<string, string>()
  const full = new Set<string>()
  const shared = new Set<string>()
  for (const example of written) {
    const [id, prompt] = [keyOf(example), promptKey(example.prompt)]
    const group = JSON.stringify([id, example.digest, example.not ?? false])
    counts.set(group, (counts.get(group) ?? 0) + 1)
    if (counts.get(group) === MOST_WRITTEN + 1) full.add(id)
    if (example.not) continue
    const owner = owners.get(prompt) ?? id
    owners.set(prompt, owner)
    if (owner !== id) shared.add(`${owner} and ${id}`)
  }
  warn('EXAMPLE_REFUSED/full', [...full])
  // One prompt for two entries helps neither.
  warn('EXAMPLE_REFUSED/shared', [...shared].sort(compareText))
  machine.report(...findings)
  return { wanted: ENOUGH, entries }
}
