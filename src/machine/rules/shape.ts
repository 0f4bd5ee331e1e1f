import { nameOf } from '../../text/json.ts'
import { getOwn, isRecord, nearest } from '../../text/values.ts'

interface About {
  /** Shown by editors beside the key. */
  about?: string
}

/** Rules beyond types are functions that return what is wrong with a value, or undefined. */
interface TextShape extends About {
  is: 'text'
  least?: number
  most?: number
  /** A pattern, and a description of what it allows. */
  pattern?: RegExp
  allows?: string
  refuse?: (text: string) => string | undefined
}

interface ChoiceShape extends About {
  is: 'choice'
  of: readonly string[]
}

interface NumberShape extends About {
  is: 'number' | 'whole number'
  from: number
  to: number
}

interface FlagShape extends About {
  is: 'flag'
}

interface ListShape extends About {
  is: 'list'
  of: Shape
  least?: number
  refuse?: (list: readonly unknown[]) => string | undefined
}

interface ObjectShape extends About {
  is: 'object'
  keys: { readonly [key: string]: Shape }
  needs?: readonly string[]
  /** Keys of which exactly one is required. */
  oneOf?: readonly string[]
  /** Keys of which at most one is allowed. */
  notBoth?: readonly string[]
  refuse?: (object: Readonly<Record<string, unknown>>) => string | undefined
}

/** An object whose keys the user chooses. */
interface NamedShape extends About {
  is: 'named'
  names: RegExp
  allows: string
  of: Shape
  refuse?: (name: string, value: unknown) => string | undefined
}

interface EitherShape extends About {
  is: 'either'
  text: TextShape
  object: ObjectShape
  /** Describes both forms. */
  wanted: string
}

/** What a value of a JSON file may be: a table for checks, types and the JSON Schema. */
export type Shape =
  | TextShape
  | ChoiceShape
  | NumberShape
  | FlagShape
  | ListShape
  | ObjectShape
  | NamedShape
  | EitherShape

/** The type of the values of a shape. */
export type ValueOf<S> = S extends { is: 'text' }
  ? string
  : S extends { is: 'choice'; of: readonly (infer Choice)[] }
    ? Choice
    : S extends { is: 'number' | 'whole number' }
      ? number
      : S extends { is: 'flag' }
        ? boolean
        : S extends { is: 'list'; of: infer Item }
          ? readonly ValueOf<Item>[]
          : S extends { is: 'named'; of: infer Item }
            ? Readonly<Record<string, ValueOf<Item>>>
            : S extends { is: 'either'; object: infer Form }
              ? string | ValueOf<Form>
              : S extends { is: 'object'; keys: infer Keys }
                ? { readonly [K in keyof Keys as K extends Needed<S> ? K : never]: ValueOf<Keys[K]> } & {
                    readonly [K in keyof Keys as K extends Needed<S> ? never : K]?: ValueOf<Keys[K]> | undefined
                  }
                : never

type Needed<S> = S extends { needs: readonly (infer Key)[] } ? Key : never

export interface Problem {
  /** The first key on the way to the mistake; for an unknown key, the key that was probably meant. Empty: the whole. */
  part: string
  /** `controlPlane[1].glob` */
  place: string
  says: string
}

/** Whether a value has a shape. Adds every mistake and its place to the problems. */
export function fits<S extends Shape>(shape: S, value: unknown, problems: Problem[]): value is ValueOf<S> {
  const before = problems.length
  check(shape, value, { part: '', place: '', problems })
  return problems.length === before
}

interface Spot {
  part: string
  place: string
  problems: Problem[]
}

function check(shape: Shape, value: unknown, { part, place, problems }: Spot): void {
  const wrong = problemOf(shape, value, { part, place, problems })
  if (wrong === undefined) return
  // A rule about a text is a sentence about "it"; all others continue after the name of the place.
  const isSentence = wrong.startsWith('it ')
  const says = place === '' ? `it ${wrong}` : `"${place}" ${isSentence ? `is refused: ${wrong}` : wrong}`
  problems.push({ part, place, says })
}

/** The mistake in a value as a whole. Mistakes below it go directly to the problems. */
function problemOf(shape: Shape, value: unknown, spot: Spot): string | undefined {
  switch (shape.is) {
    case 'text':
      return textProblem(shape, value)
    case 'choice':
      return shape.of.some((each) => each === value) ? undefined : expected(`one of ${shape.of.join(', ')}`, value)
    case 'number':
    case 'whole number':
      return numberProblem(shape, value)
    case 'flag':
      return typeof value === 'boolean' ? undefined : expected('true or false', value)
    case 'list':
      return listProblem(shape, value, spot)
    case 'object':
      return objectProblem(shape, value, spot)
    case 'named':
      return namedProblem(shape, value, spot)
    case 'either':
      if (typeof value === 'string') return textProblem(shape.text, value)
      return isRecord(value) ? objectProblem(shape.object, value, spot) : expected(shape.wanted, value)
  }
}

function textProblem({ least = 0, most = Infinity, pattern, allows, refuse }: TextShape, value: unknown) {
  if (typeof value !== 'string') return expected('a text', value)
  if (value.length < least) return expected('not empty', value)
  if (value.length > most) return expected(`at most ${most} characters long`, value)
  if (pattern?.test(value) === false) return expected(allows ?? String(pattern), value)
  return refuse?.(value)
}

function numberProblem({ is, from, to }: NumberShape, value: unknown): string | undefined {
  if (typeof value !== 'number') return expected('a number', value)
  if (is === 'whole number' && !Number.isInteger(value)) return expected('a whole number', value)
  if (value < from) return expected(`at least ${from}`, value)
  return value > to ? expected(`at most ${to}`, value) : undefined
}

function listProblem({ of, least = 0, refuse }: ListShape, value: unknown, spot: Spot): string | undefined {
  if (!Array.isArray(value)) return expected('a list', value)
  if (value.length < least) return expected('not empty', value)
  const before = spot.problems.length
  for (const [at, item] of value.entries()) check(of, item, { ...spot, place: `${spot.place}[${at}]` })
  return spot.problems.length === before ? refuse?.(value) : undefined
}

function objectProblem(shape: ObjectShape, value: unknown, spot: Spot): string | undefined {
  if (!isRecord(value)) return expected(spot.place === '' ? 'a JSON object' : 'an object', value)
  const before = spot.problems.length
  for (const [key, inner] of Object.entries(value)) {
    const known = getOwn(shape.keys, key)
    if (known === undefined) spot.problems.push(unknownKey(key, value, Object.keys(shape.keys), spot))
    else if (inner !== undefined) check(known, inner, below(spot, key))
  }
  for (const key of shape.needs ?? []) {
    const needed = shape.keys[key]
    if (needed !== undefined && getOwn(value, key) === undefined) check(needed, undefined, below(spot, key))
  }
  return spot.problems.length === before ? (wrongKeys(shape, value) ?? shape.refuse?.(value)) : undefined
}

function wrongKeys({ oneOf = [], notBoth = [] }: ObjectShape, value: Record<string, unknown>): string | undefined {
  const given = (keys: readonly string[]) => keys.filter((key) => value[key] !== undefined).length
  const listed = (keys: readonly string[]) => keys.map((key) => `"${key}"`).join(' and ')
  if (oneOf.length > 0 && given(oneOf) === 0) return `needs one of ${listed(oneOf)}`
  const tooMany = [oneOf, notBoth].find((keys) => given(keys) > 1)
  return tooMany && `needs only one of ${listed(tooMany)}`
}

function namedProblem({ names, allows, of, refuse }: NamedShape, value: unknown, spot: Spot): string | undefined {
  if (!isRecord(value)) return expected('an object', value)
  for (const [name, inner] of Object.entries(value)) {
    // A valid value can still be wrong for its name.
    const before = spot.problems.length
    const inside = below(spot, name)
    const { part, place } = inside
    const add = (wrong: string) => spot.problems.push({ part, place, says: `"${place}" ${wrong}` })
    if (!names.test(name)) add(`is not a valid name: use ${allows}`)
    else check(of, inner, inside)
    const wrong = spot.problems.length === before ? refuse?.(name, inner) : undefined
    if (wrong !== undefined) add(wrong)
  }
  return undefined
}

const LONGEST_SHOWN = 60

function below({ part, place, problems }: Spot, key: string): Spot {
  const name = key.slice(0, LONGEST_SHOWN)
  return { part: part === '' ? key : part, place: place === '' ? name : `${place}.${name}`, problems }
}

function unknownKey(key: string, beside: object, known: readonly string[], spot: Spot): Problem {
  const close = nearest(key, known)
  const { place } = below(spot, key)
  const meant = close === undefined ? '' : `; did you mean "${below(spot, close).place}"?`
  const isInstead = close !== undefined && !Object.hasOwn(beside, close)
  const part = spot.part || (isInstead ? close : place)
  return { part, place, says: `unknown setting "${place}"${meant}` }
}

/** A short value as written; for others only the kind. */
function expected(wanted: string, value: unknown): string {
  const written = typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : ''
  const shown = written === '' || written.length > LONGEST_SHOWN ? nameOf(value) : written
  return `must be ${wanted}, but is ${shown}`
}
