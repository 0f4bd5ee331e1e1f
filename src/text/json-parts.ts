import { isRecord } from './values.ts'

// Each unclosed bracket could be followed to the end of the text.
const MOST_STEPS = 64 * 1024 * 1024

/** The JSON in a text by a model: complete values, the text around them, and broken values. */
export interface JsonParts {
  values: unknown[]
  /** The text without the values. */
  rest: string
  /** By line. */
  problems: { line: number; problem: string }[]
}

/** Finds every object and list in a text. Never throws. */
export function readJsonParts(text: string): JsonParts {
  const parts: JsonParts = { values: [], rest: '', problems: [] }
  let steps = 0
  let line = 1
  let at = 0
  const advance = (to: number) => {
    for (let each = text.indexOf('\n', at); each >= 0 && each < to; each = text.indexOf('\n', each + 1)) line++
    at = to
  }
  while (at < text.length) {
    const start = nextBracket(text, at)
    parts.rest += text.slice(at, start)
    advance(start)
    if (start === text.length) break
    const end = closingAt(text, start, MOST_STEPS - steps)
    steps += (end ?? text.length) - start
    const value = end === undefined ? undefined : parsed(text.slice(start, end))
    if (value !== undefined && end !== undefined) {
      parts.values.push(value)
      advance(end)
      continue
    }
    // A broken list may have intact items. After a broken object the next line may be intact.
    const lineEnd = endOfLine(text, start)
    const isObject = text[start] === '{'
    if (isObject && looksMeant(text.slice(start, lineEnd))) {
      parts.problems.push({ line, problem: 'it is not valid JSON' })
    }
    const next = isObject ? lineEnd : start + 1
    parts.rest += text.slice(start, next)
    advance(next)
    if (steps >= MOST_STEPS) {
      parts.problems.push({ line, problem: 'too many brackets do not close; the rest was not read' })
      break
    }
  }
  return parts
}

/** What a model that was asked about claims answered, `{"true": [true, false]}`; undefined for another form. */
export function readJudgement(answer: string, claims: number): boolean[] | undefined {
  return readJsonParts(answer)
    .values.flatMap((value) => (isRecord(value) && Array.isArray(value.true) ? [value.true] : []))
    .find((list): list is boolean[] => list.length === claims && list.every((each) => typeof each === 'boolean'))
}

function nextBracket(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '{' || text[at] === '[') return at
  return text.length
}

/** The position after the matching closing bracket; undefined without one. Ignores brackets in strings. */
function closingAt(text: string, start: number, most: number): number | undefined {
  let depth = 0
  let isString = false
  const end = Math.min(text.length, start + most)
  for (let at = start; at < end; at++) {
    const sign = text[at]
    if (isString) {
      if (sign === '\\') at++
      // A JSON string cannot contain a line end: it was never closed.
      else if (sign === '\n') return undefined
      else if (sign === '"') isString = false
    } else if (sign === '"') isString = true
    else if (sign === '{' || sign === '[') depth++
    else if ((sign === '}' || sign === ']') && --depth === 0) return at + 1
  }
  return undefined
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

function looksMeant(line: string): boolean {
  return /^\{\s*"/.test(line)
}

function parsed(text: string): unknown {
  for (const form of [text, text.replace(/,(\s*[}\]])/g, '$1')]) {
    try {
      return JSON.parse(form)
    } catch {
      // Models often leave a comma after the last item.
    }
  }
  return undefined
}
