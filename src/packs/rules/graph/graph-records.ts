import { printableLine } from '../../../text/printable.ts'
import type { Code } from '../../../text/trouble.ts'
import { isRecord } from '../../../text/values.ts'
import { type ContextPart, type PackFiles, type PackWarning, parsePackJson } from '../pack.ts'

/** What records of a pack give a task: text made from them, and what its reader must know. */
export interface Grounded {
  /** Limits and prohibitions before what they are about. A later part must not be used without the earlier ones. */
  parts: ContextPart[]
  /** Where the facts come from, as `path#anchor`. */
  anchors: string[]
  warnings: PackWarning[]
  /** What the task asks for and the records do not give. */
  missing: string[]
  /** What they state with verified evidence. */
  facts?: string[]
  /** A question of the task has its answer among them. */
  isAnswered?: boolean
  /** Every file that decided what the text says, in the order they were read. */
  files: string[]
}

/** A text of the pack on one line, so that it cannot look like a line of ours. */
export function oneLine(text: string): string {
  return printableLine(text.replace(/\s+/g, ' ').trim())
}

const LONGEST_NAME = 60

/** A name from the pack for a message: short and harmless. */
export function shortName(name: string): string {
  const line = oneLine(name.slice(0, 4 * LONGEST_NAME))
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME)}...` : line
}

/** Different warnings with one code about one file; what comes after is counted together. */
const MOST_ALIKE = 20
const MORE = 'there is more of this kind'

/** The same trouble met many times is one warning with a count. */
export class Warnings {
  private readonly kinds = new Map<string, Map<string, PackWarning>>()

  add(code: Code, path: string, message: string, severity: PackWarning['severity'] = 'warning'): void {
    const kind = JSON.stringify([code, path, severity])
    const alike = this.kinds.get(kind) ?? new Map<string, PackWarning>()
    this.kinds.set(kind, alike)
    const text = alike.has(message) || alike.size < MOST_ALIKE ? message : MORE
    const known = alike.get(text)
    if (known === undefined) alike.set(text, { severity, code, path: path.slice(0, 200), message: text })
    else known.count = (known.count ?? 1) + 1
  }

  all(): PackWarning[] {
    return [...this.kinds.values()].flatMap((alike) => [...alike.values()])
  }
}

/** One row of a record file. Its fields can be anything. */
export interface RecordRow {
  path: string
  fields: Record<string, unknown>
}

/** The JSON of a file. Undefined, with a warning, when there is none. */
export function readRecordFile(files: PackFiles, path: string, code: Code, warnings: Warnings): unknown {
  const file = files.read(path)
  if (file === undefined) {
    warnings.add(code, path, 'it cannot be read')
    return undefined
  }
  const { value, problem } = parsePackJson(file)
  if (problem !== undefined) warnings.add(code, path, problem)
  return value
}

/** The rows of a file: a list, or a record that holds one under the name of what they are. Undefined when it is neither. */
export function rowsOf(value: unknown, names: readonly string[]): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (!isRecord(value)) return undefined
  for (const name of names) {
    const rows = Object.hasOwn(value, name) ? value[name] : undefined
    if (Array.isArray(rows)) return rows
  }
  return undefined
}

/** The rows that are records. The others are counted in a warning. */
export function recordRows(rows: readonly unknown[], path: string, code: Code, warnings: Warnings): RecordRow[] {
  const records: RecordRow[] = []
  for (const fields of rows) {
    if (isRecord(fields)) records.push({ path, fields })
    else warnings.add(code, path, 'a row is not a record')
  }
  return records
}

/** `action-logs` is written `actionLogs` where it is a key. */
export function keysFor(kind: string): string[] {
  return [kind, kind.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A word of a vocabulary, whatever its case. */
export function wordOf(value: unknown): string | undefined {
  return textOf(value)?.trim().toLowerCase()
}

/** Names in a list or alone. Undefined when it is something else. */
export function namesOf(value: unknown): string[] | undefined {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (!Array.isArray(value)) return undefined
  const names: string[] = []
  for (const name of value) {
    if (typeof name !== 'string') return undefined
    if (name !== '') names.push(name)
  }
  return names
}

/** A line of text made from a record, under a heading of ours. */
export interface Line {
  path: string
  layer: ContextPart['layer']
  heading: string
  text: string
}

/** How much text there may be. Lines go in whole or not at all. */
export class Room {
  private left: number

  constructor(characters: number) {
    this.left = characters
  }

  /** Takes the room a line needs, if there is as much. */
  holds({ text }: Line): boolean {
    const isEnough = text.length < this.left
    if (isEnough) this.left -= text.length + 1
    return isEnough
  }
}

/** One part for each heading and file, in the order in which they come. */
export function toParts(lines: readonly Line[]): ContextPart[] {
  const parts = new Map<string, ContextPart>()
  for (const { path, layer, heading, text } of lines) {
    const key = JSON.stringify([heading, path])
    const part = parts.get(key)
    if (part === undefined) parts.set(key, { path, layer, text: `${heading}\n${text}\n` })
    else part.text += `${text}\n`
  }
  return [...parts.values()]
}

/** The labels of concepts by their id, short and on one line. */
export type Names = ReadonlyMap<string, string>

export function constraintLine(
  { path, conceptIds, rule }: { path: string; conceptIds: readonly string[] | undefined; rule: string },
  layer: Line['layer'],
  names: Names,
): Line {
  const subject = conceptIds === undefined ? 'everything' : listNames(conceptIds, names)
  return { path, layer, heading: 'Limits on what may be said:', text: `- ${subject}: ${oneLine(rule)}` }
}

export function prohibitionLine(
  { path, conceptIds, text }: { path: string; conceptIds: readonly string[]; text: string },
  names: Names,
): Line {
  return {
    path,
    layer: 'ontology',
    heading: 'Prohibitions. None of these may be said or taken as true, in these or other words:',
    text: `- DO NOT CLAIM (${listNames(conceptIds, names)}): ${quoted(text)}`,
  }
}

/** Of the concepts of one record. */
const MOST_NAMES = 6

export function listNames(ids: readonly string[], names: Names): string {
  const some = ids.slice(0, MOST_NAMES).map((id) => names.get(id) ?? shortName(id))
  return some.join(', ') + (ids.length > MOST_NAMES ? ' and more' : '')
}

/** Its own quotes are made single, so that it ends where it seems to end. */
export function quoted(text: string): string {
  return `"${oneLine(text).replaceAll('"', "'")}"`
}
