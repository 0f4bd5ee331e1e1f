/** A value, or the problem and its position. Never the text itself, which may contain a secret. */
export type ParsedJson = { value: unknown; problem?: undefined } | { value?: undefined; problem: string }

/** The JSON of a text, of any shape. Never throws. */
export function parseJson(text: string, firstLine = 1): ParsedJson {
  if (text.trim() === '') return { problem: 'it is empty' }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: `it is not valid JSON: see ${jsonErrorPlace(text, firstLine)}` }
  }
}

/** Records are flat; deeper nesting is an attack on the reader. */
export const DEEPEST_JSON = 64
/** In characters. */
export const LONGEST_JSON = 32 * 1024 * 1024

/** `parseJson` for untrusted text: limits length and depth. */
export function parseForeignJson(text: string, firstLine = 1): ParsedJson {
  if (text.length > LONGEST_JSON) return { problem: `it is longer than ${LONGEST_JSON} characters` }
  // Before parsing, because code that walks the value recurses once per level.
  if (isDeeperThan(text, DEEPEST_JSON)) return { problem: `it is nested deeper than ${DEEPEST_JSON} levels` }
  return parseJson(text, firstLine)
}

/** One value per line, as one list. Skips blank lines; the first bad line is the problem of the whole text. */
export function parseForeignJsonLines(text: string): ParsedJson {
  if (text.length > LONGEST_JSON) return { problem: `it is longer than ${LONGEST_JSON} characters` }
  if (text.trim() === '') return { problem: 'it is empty' }
  const values: unknown[] = []
  let number = 0
  for (const line of text.split('\n')) {
    number++
    if (line.trim() === '') continue
    const parsed = parseForeignJson(line, number)
    if (parsed.problem !== undefined) return parsed
    values.push(parsed.value)
  }
  return { value: values }
}

/** Line and column where the JSON becomes invalid. */
export function jsonErrorPlace(text: string, firstLine = 1): string {
  const before = text.slice(0, findJsonError(text)).split('\n')
  return `line ${firstLine + before.length - 1}, column ${(before.at(-1)?.length ?? 0) + 1}`
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

/** The position where the string that starts here ends, or the end of the text. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return text.length
}

// One token each, from the end of the last one.
const JSON_TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they may not stand in a JSON string
  /[ \t\r\n]*(?:([{}[\],:])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'

/**
 * The position where the JSON becomes invalid. JSON.parse does not always report it, and its message quotes the text.
 */
function findJsonError(text: string): number {
  const open: string[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    JSON_TOKEN.lastIndex = at
    const token = JSON_TOKEN.exec(text)
    const next: Expected | undefined = token === null ? undefined : accept(token, expected, open)
    if (next === undefined) return at + (/^[ \t\r\n]*/.exec(text.slice(at, at + 10_000))?.[0].length ?? 0)
    expected = next
    at = JSON_TOKEN.lastIndex
  }
}

/** What may follow, or undefined when the token is not allowed here. `open` holds the unclosed brackets. */
function accept([, sign, string, other]: RegExpExecArray, expected: Expected, open: string[]): Expected | undefined {
  const isEnd = (sign === '}' && open.at(-1) === '{') || (sign === ']' && open.at(-1) === '[')
  if (isEnd && (expected === 'comma or end' || expected === (sign === '}' ? 'key or end' : 'value or end'))) {
    open.pop()
    return afterValue(open)
  }
  if (expected === 'key' || expected === 'key or end') return string === undefined ? undefined : 'colon'
  if (expected === 'colon') return sign === ':' ? 'value' : undefined
  if (expected === 'comma or end') return sign !== ',' ? undefined : open.at(-1) === '{' ? 'key' : 'value'
  if (expected === 'nothing') return undefined
  if (sign === '{' || sign === '[') {
    open.push(sign)
    return sign === '{' ? 'key or end' : 'value or end'
  }
  return string === undefined && other === undefined ? undefined : afterValue(open)
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? 'nothing' : 'comma or end'
}

/** Names the kind of an unexpected value. */
export function nameOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
