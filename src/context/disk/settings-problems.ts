import * as z from 'zod/mini'
import { nameOf } from '../../text/json.ts'
import { nearest } from '../../text/nearest.ts'
import { getOwn, isRecord } from '../../text/record.ts'
import { type SettingsFile, settingsSchema } from './settings-schema.ts'

export type ParsedSettingsFile = { file: SettingsFile; problems?: undefined } | { file?: undefined; problems: string[] }

/** Nobody mends more at a time. */
const MOST_PROBLEMS = 50

type Path = readonly PropertyKey[]

/** What `loadout.json` says, or everything that is wrong with it, each with its place. Never empty, never throws. */
export function parseSettingsFile(json: unknown): ParsedSettingsFile {
  if (!isRecord(json)) return { problems: [`it must be a JSON object, but is ${nameOf(json)}`] }
  const parsed = z.safeParse(settingsSchema, json)
  const problems = parsed.error?.issues.flatMap((issue) => describe(issue, issue.path, json)) ?? []
  // zod passes this one key of a record over.
  if (isRecord(json.intents) && Object.hasOwn(json.intents, '__proto__')) problems.push(badName('intents.__proto__'))
  if (parsed.success && problems.length === 0) return { file: parsed.data }
  const more = problems.length - MOST_PROBLEMS
  return { problems: more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `there are ${more} more like these`] : problems }
}

function describe(issue: z.core.$ZodIssue, path: Path, json: unknown): string[] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(key, path))
    case 'invalid_union':
      return describeUnion(issue, path, json)
    case 'invalid_key':
      return [badName(nameOfPlace(path))]
    case 'custom':
      return [`"${nameOfPlace(path)}" ${isSentence(issue.message) ? `is refused: ${issue.message}` : issue.message}`]
    default:
      return [`"${nameOfPlace(path)}" must be ${wanted(issue)}, but is ${found(valueAt(json, path))}`]
  }
}

function badName(place: string): string {
  return `"${place}" is no name: use letters, digits, - and _, a letter first, 64 at most`
}

// Rules about a text say what "it" is; rules about an object go on after its name.
function isSentence(message: string): boolean {
  return message.startsWith('it ')
}

/** What is wrong with the form that was meant: the one whose type fits. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, path: Path, json: unknown): string[] {
  const meant = issue.errors.find(
    (issues) => !issues.some(({ code, path: at }) => code === 'invalid_type' && at.length === 0),
  )
  if (meant !== undefined) return meant.flatMap((each) => describe(each, [...path, ...each.path], json))
  return [`"${nameOfPlace(path)}" must be a path, a glob or an object, but is ${found(valueAt(json, path))}`]
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function wanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.join(', ')}`
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array' ? 'not empty' : `at least ${issue.minimum}`
    case 'too_big':
      return issue.origin === 'string' ? `at most ${issue.maximum} characters long` : `at most ${issue.maximum}`
    case 'invalid_format':
      return 'letters, digits, ".", "-" and "_", 64 at most'
    default:
      return 'something else'
  }
}

const LONGEST_SHOWN = 60

/** Short values as they are written; of others only the kind. */
function found(value: unknown): string {
  const written = typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : ''
  return written === '' || written.length > LONGEST_SHOWN ? nameOf(value) : written
}

function unknownKey(key: string, path: Path): string {
  const place = path.length === 0 ? '' : `${nameOfPlace(path)}.`
  const close = nearest(key, knownKeys(settingsSchema, path))
  return `there is no setting "${place}${key.slice(0, LONGEST_SHOWN)}"${close === undefined ? '' : `; did you mean "${place}${close}"?`}`
}

/** The keys that may stand at a place. */
function knownKeys(schema: z.core.$ZodType, path: Path): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const [key, ...rest] = path
  switch (def.type) {
    case 'optional':
      return knownKeys(def.innerType, path)
    case 'union':
      return def.options.flatMap((option) => knownKeys(option, path))
    case 'array':
      return knownKeys(def.element, rest)
    case 'record':
      return knownKeys(def.valueType, rest)
    case 'object': {
      if (key === undefined) return Object.keys(def.shape)
      const next = def.shape[String(key)]
      return next === undefined ? [] : knownKeys(next, rest)
    }
    default:
      return []
  }
}

function valueAt(json: unknown, path: Path): unknown {
  let value = json
  for (const key of path) {
    if (Array.isArray(value)) value = value[Number(key)]
    else value = isRecord(value) ? getOwn(value, String(key)) : undefined
  }
  return value
}

/** `controlPlane[1].glob` */
function nameOfPlace(path: Path): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${String(key)}`)).join('')
}
