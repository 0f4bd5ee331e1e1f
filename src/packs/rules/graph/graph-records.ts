import { printableLine } from '../../../text/printable.ts'
import type { Code } from '../../../text/trouble.ts'
import { isRecord } from '../../../text/values.ts'
import { type ContextPart, type PackFiles, type PackWarning, parsePackJson } from '../pack.ts'

/** Text made from a pack's records for a task, with its sources, warnings and gaps. */
export interface Grounded {
  /** Limits come before the text that they limit. A later part must not be used without the earlier ones. */
  parts: ContextPart[]
  /** Sources of the facts, as `path#anchor`. */
  anchors: string[]
  warnings: PackWarning[]
  /** What the task asks for and the records lack. */
  missing: string[]
  /** Statements with verified evidence. */
  facts?: string[]
  /** Whether the records answer a question of the task. */
  isAnswered?: boolean
  /** The files that the text depends on, in the order of reading. */
  files: string[]
}

/** Text of the pack on one line, so that it cannot look like one of our lines. */
export function oneLine(text: string): string {
  return printableLine(text.replace(/\s+/g, ' ').trim())
}

const LONGEST_NAME = 60

/** A name from the pack, short and harmless, for a message. */
export function shortName(name: string): string {
  const line = oneLine(name.slice(0, 4 * LONGEST_NAME))
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME)}...` : line
}

/** The maximum number of different warnings per code and file. More are counted together. */
const MOST_ALIKE = 20
const MORE = 'there are more warnings of this kind'

/** Collects warnings and counts repeated ones. */
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

/** One unchecked row of a record file. */
export interface RecordRow {
  path: string
  fields: Record<string, unknown>
}

/** Reads a JSON file. Undefined, with a warning, if it cannot be read. */
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

/** The rows of a file: a list, or a list under one of the names in an object. Otherwise undefined. */
export function rowsOf(value: unknown, names: readonly string[]): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (!isRecord(value)) return undefined
  for (const name of names) {
    const rows = Object.hasOwn(value, name) ? value[name] : undefined
    if (Array.isArray(rows)) return rows
  }
  return undefined
}

/** The rows that are objects. Warns about others. */
export function recordRows(rows: readonly unknown[], path: string, code: Code, warnings: Warnings): RecordRow[] {
  const records: RecordRow[] = []
  for (const fields of rows) {
    if (isRecord(fields)) records.push({ path, fields })
    else warnings.add(code, path, 'a row is not a record')
  }
  return records
}

/** The key of a kind in JSON: `action-logs` or `actionLogs`. */
export function keysFor(kind: string): string[] {
  return [kind, kind.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A keyword in lower case. */
export function wordOf(value: unknown): string | undefined {
  return textOf(value)?.trim().toLowerCase()
}

/** A list of names, or one name as a list. Otherwise undefined. */
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

/** A line of text made from a record, below one of our headings. */
export interface Line {
  path: string
  layer: ContextPart['layer']
  heading: string
  text: string
}

/** A limit on the length of the text. A line fits whole or not at all. */
export class Room {
  private left: number

  constructor(characters: number) {
    this.left = characters
  }

  /** Whether a line fits. If so, reduces the room. */
  holds({ text }: Line): boolean {
    const isEnough = text.length < this.left
    if (isEnough) this.left -= text.length + 1
    return isEnough
  }
}

/** Groups lines into one part per heading and file, in order. */
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

/** Short labels of concepts by id, on one line. */
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

/** The maximum number of concepts named for one record. */
const MOST_NAMES = 6

export function listNames(ids: readonly string[], names: Names): string {
  const some = ids.slice(0, MOST_NAMES).map((id) => names.get(id) ?? shortName(id))
  return some.join(', ') + (ids.length > MOST_NAMES ? ' and more' : '')
}

/** Replaces double quotes inside the text, so that its end is clear. */
export function quoted(text: string): string {
  return `"${oneLine(text).replaceAll('"', "'")}"`
}
