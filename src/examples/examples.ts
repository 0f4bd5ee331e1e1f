import { join } from 'node:path'
import { exists } from '../machine/files.ts'
import type { Records } from '../machine/records.ts'
import type { RankDocument } from '../search/document.ts'
import { type Finding, report } from '../text/trouble.ts'
import { groupBy } from '../text/values.ts'
import type { EntryKind } from '../usage/rules/usage-event.ts'
import {
  changedText,
  changeExamples,
  type ExampleFile,
  type ExampleLine,
  type ExampleReading,
  libraryFiles,
  machineFile,
  projectFile,
  readExamples,
} from './disk/example-files.ts'
import { descriptionDigest, type Example, formatExample, keyOf, pickCurrent, promptKey } from './rules/example.ts'

export { type ExampleFile, libraryFile, machineFile, projectFile } from './disk/example-files.ts'

/** Where to look for examples. */
export interface ExamplePlaces {
  /** The project's folder. */
  project?: string
  /** The library of skills; only skills have examples there. */
  library?: string
}

export interface Examples {
  /** The files that determine what `into` adds. */
  paths: readonly string[]
  /** Whether some of them are from tasks of this machine. */
  isPrivate: boolean
  /**
   * Adds the current examples to a document. Reads the files on the first call. Examples of a project apply to its
   * payloads and, with `isProjects`, to its own packs and skills, never to those of the user.
   */
  into(kind: EntryKind, document: RankDocument, isProjects?: boolean): RankDocument
}

/**
 * The examples in the library and in the project, the same on every machine. With `records` also those of this machine
 * only, for answers that never go into a bundle.
 */
export function openExamples(places: ExamplePlaces, records?: Records): Examples {
  const files = exampleFiles(places, records).filter((file) => exists(pathOf(file)))
  let known: Map<string, ReturnType<typeof examplesIn>> | undefined
  return {
    paths: files.map(pathOf),
    isPrivate: files.some(({ place }) => place === 'machine'),
    into(kind, document, isProjects = kind === 'payload') {
      known ??= groupBy(examplesIn(files.map(readExamples)), ({ example }) => keyOf(example))
      const all = known.get(keyOf({ kind, id: document.id }))
      if (all === undefined) return document
      const allowed = all.flatMap(({ example, file }) => (isProjects || file.place !== 'project' ? [example] : []))
      const { examples, negatives } = pickCurrent(allowed, descriptionDigest(document.description ?? ''))
      return {
        ...document,
        examples: [...(document.examples ?? []), ...examples],
        negatives: [...(document.negatives ?? []), ...negatives],
      }
    },
  }
}

/** Every file of examples that applies here, in a fixed order. */
function exampleFiles(places: ExamplePlaces, records?: Records): ExampleFile[] {
  return [
    ...(places.library === undefined ? [] : libraryFiles(places.library)),
    ...(places.project === undefined ? [] : [projectFile(places.project)]),
    ...(records === undefined ? [] : [machineFile(records, 'taught'), machineFile(records, 'from-use')]),
  ]
}

/** Every example in these files that is in the right one: a file of the library is about one skill. */
function examplesIn(readings: readonly ExampleReading[]): { example: Example; file: ExampleFile }[] {
  return readings.flatMap(({ file, lines }) =>
    lines.flatMap(({ example }) => (example !== undefined && isInPlace(file, example) ? [{ example, file }] : [])),
  )
}

function isInPlace({ place, path }: ExampleFile, { kind, id }: Example): boolean {
  return place !== 'library' || (kind === 'skill' && path === `examples/${id}.jsonl`)
}

/** All known examples, and problems of their files: invalid lines, and files that cannot be read. */
export function readKnown(places: ExamplePlaces, records: Records) {
  const readings = exampleFiles(places, records).map(readExamples)
  const findings = readings.flatMap(({ file, lines, failure }): Finding[] => {
    const path = pathOf(file)
    if (failure !== undefined) {
      return [report('FILE_UNREADABLE/examples-file', { problem: failure.message }, { subject: path })]
    }
    const bad = lines.flatMap(({ line, problem, example }) => {
      if (example !== undefined) return isInPlace(file, example) ? [] : [{ line, why: 'it is about another entry' }]
      return [{ line, why: problem }]
    })
    const [first] = bad
    if (first === undefined) return []
    const more = bad.length === 1 ? '' : `, and ${bad.length - 1} more`
    return [
      report(
        'FILE_UNREADABLE/examples-line',
        { path, line: first.line, why: first.why ?? '', more },
        { subject: path, line: first.line },
      ),
    ]
  })
  return { examples: examplesIn(readings), findings }
}

/** Appends examples to a file of the project or of this machine, as `textWith` does. */
export async function writeExamples(records: Records, file: ExampleFile, fresh: readonly Example[]): Promise<void> {
  await changeExamples(records, file, (lines) => linesWith(lines, fresh))
}

/** The text of a file with more examples. Replaces a line with the same prompt for an older description; all others stay. */
export function textWith(file: ExampleFile, fresh: readonly Example[]): string {
  return changedText(file, (lines) => linesWith(lines, fresh)) ?? ''
}

function linesWith(lines: readonly ExampleLine[], fresh: readonly Example[]): string[] {
  const renewed = new Set(fresh.map(sameness))
  const kept = lines.filter(({ example }) => example === undefined || !renewed.has(sameness(example)))
  return [...kept.map(({ text }) => text), ...fresh.map(formatExample)]
}

function sameness(example: Example): string {
  return JSON.stringify([keyOf(example), promptKey(example.prompt), example.not ?? false])
}

export function pathOf({ root, path }: ExampleFile): string {
  return join(root, path)
}
