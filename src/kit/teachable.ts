import { projectOf, SOURCES, type SourceRequest, withoutRepeats } from '../answer/sources.ts'
import { type KnownExamples, readKnown } from '../examples/examples.ts'
import type { TaughtEntry } from '../examples/rules/admit.ts'
import { descriptionDigest, type Example, keyOf, MOST_USED, MOST_WRITTEN } from '../examples/rules/example.ts'
import { type ExampleFile, libraryFile, machineFile, projectFile } from '../examples/write.ts'
import type { Machine } from '../machine/machine.ts'
import { isDomain } from '../payloads/rules/loadout-index.ts'
import { asFinding, type Finding } from '../text/trouble.ts'
import { compareText, nearest } from '../text/values.ts'
import { parseEntryId } from '../usage/rules/entry-id.ts'
import { ENTRY_KINDS, type EntryKind } from '../usage/rules/usage-event.ts'

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
  known: KnownExamples['examples']
  /** Problems of entries and of example files. */
  findings: Finding[]
}

export function openTeachable(machine: Machine, request: SourceRequest): Teachable {
  const findings: Finding[] = []
  const opened = ENTRY_KINDS.map((kind) => {
    try {
      return READERS[kind](machine, request)
    } catch (error) {
      findings.push(asFinding(error))
      return NOTHING
    }
  })
  findings.push(...opened.flatMap((each) => each.findings))
  const project = projectOf(machine, request).root
  const library = opened.find((each) => each.library !== undefined)?.library
  const { examples, findings: bad } = readKnown(machine, { project, library })
  const byEntry = new Map<string, Example[]>()
  for (const { example } of examples) {
    const list = byEntry.get(keyOf(example))
    if (list === undefined) byEntry.set(keyOf(example), [example])
    else list.push(example)
  }
  const entries = opened
    .flatMap((each) => each.entries)
    .map((entry) => ({ ...entry, ...countsOf(entry, byEntry.get(keyOf(entry)) ?? []) }))
  return { entries, known: examples, findings: withoutRepeats([...findings, ...bad]) }
}

type Opened = {
  entries: (TaughtEntry & { file: ExampleFile; isChosenByTask: boolean })[]
  findings: readonly Finding[]
  library?: string | undefined
}

const NOTHING: Opened = { entries: [], findings: [] }

const READERS: Record<EntryKind, (machine: Machine, request: SourceRequest) => Opened> = {
  payload: (machine, request) => {
    const { names, find, knowledge, findings } = SOURCES.payload(machine, request)
    const project = knowledge.places.find(({ name }) => name === 'project')
    const entries = names.flatMap((id) => {
      const entry = find(id)
      if (entry === undefined) return []
      const isOwn = project !== undefined && knowledge.layerOf(entry) === 'project'
      const file = isOwn ? projectFile(project.root) : machineFile(machine, 'taught')
      return [{ kind: 'payload' as const, id, description: entry.summary, file, isChosenByTask: isDomain(entry) }]
    })
    return { entries, findings }
  },
  pack: (machine, request) => {
    const { names, describe, findings } = SOURCES.pack(machine, request)
    const { root } = projectOf(machine, request)
    const entries = names.flatMap((id) => {
      const details = describe(id)
      if (details === undefined) return []
      const file = details.scope === 'workspace' ? projectFile(root) : machineFile(machine, 'taught')
      const isChosenByTask = details.scope !== 'built-in'
      return [{ kind: 'pack' as const, id, description: details.summary, file, isChosenByTask }]
    })
    return { entries, findings }
  },
  skill: (machine, request) => {
    const { names, describe, findings, library } = SOURCES.skill(machine, request)
    const { root } = projectOf(machine, request)
    const fileOf = (id: string, source: 'library' | 'user' | 'project') => {
      if (source === 'library' && library !== undefined) return libraryFile(library, id)
      return source === 'project' ? projectFile(root) : machineFile(machine, 'taught')
    }
    const entries = names.flatMap((id) => {
      const details = describe(id)
      if (details === undefined) return []
      const file = fileOf(id, details.source)
      return [{ kind: 'skill' as const, id, description: details.summary, file, isChosenByTask: true }]
    })
    return { entries, findings, library }
  },
}

function countsOf({ description }: TaughtEntry, examples: readonly Example[]) {
  const digest = descriptionDigest(description)
  const current = examples.filter((each) => each.digest === digest)
  const count = (isCounted: (each: Example) => boolean) => current.filter(isCounted).length
  return {
    written: Math.min(
      MOST_WRITTEN,
      count(({ origin, not }) => origin !== 'use' && !not),
    ),
    negatives: Math.min(
      MOST_WRITTEN,
      count(({ not }) => not === true),
    ),
    fromUse: Math.min(
      MOST_USED,
      count(({ origin, not }) => origin === 'use' && !not),
    ),
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
    const ids = found.map((entry) => keyOf(entry)).sort(compareText)
    const message = `"${shown}" is the name of ${found.map((entry) => `a ${entry.kind}`).join(' and ')}`
    return { severity: 'error', code: 'AMBIGUOUS_NAME', message, subject: id, hint: `say which: ${ids.join(', ')}` }
  }
  const ids = new Map(entries.flatMap((entry) => [keyOf(entry), entry.id].map((word) => [word, entry] as const)))
  const close = nearest(id, [...ids.keys()])
  const meant = close === undefined ? undefined : ids.get(close)
  return {
    severity: 'error',
    code: 'ENTRY_NOT_FOUND',
    message: `there is no entry "${shown}"`,
    subject: id,
    hint: meant === undefined ? 'loadout teach --status lists what can be taught' : `did you mean ${keyOf(meant)}?`,
  }
}
