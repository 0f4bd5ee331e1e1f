import type { Code } from '../../shared/codes.ts'
import { isRecord } from '../../shared/record.ts'
import type { PackFiles } from '../pack-files.ts'
import { parsePackJson } from '../pack-files.ts'
import type { Warnings } from './grounded.ts'

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
