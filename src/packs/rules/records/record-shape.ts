import { isRecord } from '../../../text/values.ts'
import { normalizePackPath, oneOf, packPathProblem } from '../pack.ts'

/**
 * Reads one JSON value of a fixed format. Undefined, with a problem for its place, if it has another format. A problem
 * never quotes the record, not even names of its fields.
 */
export type Reader<T> = (value: unknown, at: string, problems: string[]) => T | undefined

type Fields = Record<string, Reader<unknown>>
type ReadingOf<R> = R extends Reader<infer T> ? T : never
type Reading<R extends Fields, O extends Fields> = { [K in keyof R]: ReadingOf<R[K]> } & {
  [K in keyof O]?: ReadingOf<O[K]> | undefined
}

/** The maximum number of reported problems per record. */
const MOST_PROBLEMS = 20

export function note(problems: string[], at: string, problem: string): undefined {
  if (problems.length < MOST_PROBLEMS) problems.push(`${at === '' ? 'the record' : at} ${problem}`)
  return undefined
}

export const anyText: Reader<string> = (value, at, problems) =>
  typeof value === 'string' ? value : note(problems, at, 'must be a text')

export const someText: Reader<string> = (value, at, problems) =>
  typeof value === 'string' && value.trim() !== '' ? value : note(problems, at, 'must be a text that is not empty')

export const flag: Reader<boolean> = (value, at, problems) =>
  typeof value === 'boolean' ? value : note(problems, at, 'must be true or false')

export const wholeNumber: Reader<number> = (value, at, problems) =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : note(problems, at, 'must be a whole number')

export function word<T extends string>(words: readonly T[]): Reader<T> {
  return (value, at, problems) => oneOf(words, value) ?? note(problems, at, `must be one of ${words.join(', ')}`)
}

/** A list of valid items. */
export function listOf<T>(item: Reader<T>, least = 0): Reader<T[]> {
  return (value, at, problems) => {
    if (!Array.isArray(value)) return note(problems, at, 'must be a list')
    if (value.length < least) return note(problems, at, `must have at least ${least === 1 ? 'one item' : least}`)
    const items: T[] = []
    for (const [index, each] of value.entries()) {
      const read = item(each, `${at}[${index}]`, problems)
      if (read !== undefined) items.push(read)
    }
    return items.length === value.length ? items : undefined
  }
}

/** An object with these fields and no others. */
export function closed<R extends Fields, O extends Fields = Record<never, never>>(
  required: R,
  optional?: O,
): Reader<Reading<R, O>> {
  const fields = new Map<string, Reader<unknown>>(Object.entries({ ...required, ...optional }))
  return (value, at, problems) => {
    if (!isRecord(value)) return note(problems, at, 'must be an object')
    let isWhole = true
    const reading: Record<string, unknown> = {}
    for (const [name, read] of fields) {
      const place = at === '' ? name : `${at}.${name}`
      if (Object.hasOwn(value, name)) {
        reading[name] = read(value[name], place, problems)
        if (reading[name] === undefined) isWhole = false
      } else if (Object.hasOwn(required, name)) {
        note(problems, place, 'is missing')
        isWhole = false
      }
    }
    if (!hasOnly(value, fields, at, problems)) isWhole = false
    // Each reader returned the type of its field.
    return isWhole ? (reading as Reading<R, O>) : undefined
  }
}

function hasOnly(value: object, fields: ReadonlyMap<string, unknown>, at: string, problems: string[]): boolean {
  const strange = Object.keys(value).findIndex((name) => !fields.has(name))
  if (strange === -1) return true
  const known = [...fields.keys()].join(', ')
  note(problems, at, `has a field that the format does not know, number ${strange + 1}; it knows ${known}`)
  return false
}

/** Reads a whole record: its value, or its problems in one sentence. */
export function readRecord<T>(read: Reader<T>, value: unknown): { value: T } | { problem: string } {
  const problems: string[] = []
  const reading = read(value, '', problems)
  return reading === undefined || problems.length > 0 ? { problem: problems.join('; ') } : { value: reading }
}

/** A file of the pack, or a place in it. */
export interface PackPlace {
  path: string
  /** The text after `#`: a line, a heading, a page. */
  fragment?: string
}

/** Splits `path#fragment` and normalizes the path. */
function readPlace(text: string): PackPlace {
  const [path = '', ...rest] = text.split('#')
  const fragment = rest.join('#').trim()
  return { path: normalizePackPath(path.trim()), ...(fragment === '' ? {} : { fragment }) }
}

/** Whether a path is inside the pack. If not, adds its place in the record to `escapes`. */
export function isInside(path: string, at: string, escapes: string[]): boolean {
  if (packPathProblem(path.split('#')[0] ?? '') === undefined) return true
  escapes.push(at)
  return false
}

/** The places of a list in a record, without those outside the pack. */
export function readPlaces(texts: readonly string[], at: string, escapes: string[]): PackPlace[] {
  return texts.filter((text, index) => isInside(text.trim(), `${at}[${index}]`, escapes)).map(readPlace)
}
