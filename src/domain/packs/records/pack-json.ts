import { findJsonError } from '../../shared/json-error.ts'
import type { PackFile } from '../pack-files.ts'

/** Records are flat. What is nested deeper than this was made to exhaust whoever reads it. */
export const DEEPEST_PACK_JSON = 64

/** In characters. Above what a pack's folder hands out, so that it only binds other givers of files. */
export const LONGEST_PACK_JSON = 32 * 1024 * 1024

export type ParsedPackJson = { value: unknown; problem?: undefined } | { value?: undefined; problem: string }

/** The JSON of a pack's file, of any shape; the lines of a `.jsonl` file as one list. Never throws. */
export function parsePackJson(file: PackFile): ParsedPackJson {
  const { path, text } = file
  if (text.length > LONGEST_PACK_JSON) return { problem: `it is longer than ${LONGEST_PACK_JSON} characters` }
  if (text.trim() === '') return { problem: 'it is empty' }
  return path.toLowerCase().endsWith('.jsonl') ? parseLines(text) : parseText(text, 1)
}

function parseLines(text: string): ParsedPackJson {
  const values: unknown[] = []
  let number = 0
  for (const line of text.split('\n')) {
    number++
    if (line.trim() === '') continue
    const parsed = parseText(line, number)
    if (parsed.problem !== undefined) return parsed
    values.push(parsed.value)
  }
  return { value: values }
}

function parseText(text: string, firstLine: number): ParsedPackJson {
  // Before parsing: the parser calls itself for every level.
  if (isDeeperThan(text, DEEPEST_PACK_JSON)) return { problem: `it is nested deeper than ${DEEPEST_PACK_JSON} levels` }
  try {
    return { value: JSON.parse(text) }
  } catch {
    const before = text.slice(0, findJsonError(text)).split('\n')
    const column = (before.at(-1)?.length ?? 0) + 1
    return { problem: `it is not valid JSON: see line ${firstLine + before.length - 1}, column ${column}` }
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_RECORD, CLOSE_RECORD] = [34, 92, 91, 93, 123, 125]

function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = stringEnd(text, at)
    else if (unit === OPEN_LIST || unit === OPEN_RECORD) {
      if (++depth > limit) return true
    } else if (unit === CLOSE_LIST || unit === CLOSE_RECORD) depth--
  }
  return false
}

/** Where the string that starts here is closed, or the end of the text. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return text.length
}
