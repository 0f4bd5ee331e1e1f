import { type Document, isScalar, Lexer, LineCounter, parseDocument, visit } from 'yaml'
import { isRecord, setOwn } from '../text/values.ts'

/** The maximum length of one YAML document. */
export const LONGEST_YAML = 64 * 1024
/** The lexer's mark before a scalar. */
const SCALAR = '\u001f'
const MOST_ALIASES = 50
const DEEPEST = 100

// Explicit, because a %YAML directive in the text could otherwise override them: dates stay text, `<<` is an ordinary
// key. Repeated keys are detected here: the package compares each key with all others.
const YAML = {
  schema: 'core' as const,
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: false,
  prettyErrors: false,
}

interface ParseOptions {
  /** `failsafe` keeps every value as text: 1.10, dates, yes. */
  schema?: 'core' | 'failsafe'
  intAsBigInt?: boolean
  /** The maximum length of the text. */
  longest?: number
}

/** Why a YAML text is refused, and on which of its lines. */
export class YamlError extends Error {
  readonly line: number
  /** Whether the text is a mapping nevertheless, so it was not meant as prose. */
  readonly isMapping: boolean

  constructor(message: string, line: number, isMapping = false) {
    super(message)
    this.line = line
    this.isMapping = isMapping
  }
}

/** A document that may still have errors; `readValue` reports them. */
export function parseYaml(
  text: string,
  { longest = LONGEST_YAML, ...options }: ParseOptions = {},
): { document: Document; lines: LineCounter } {
  if (text.length > longest) throw new YamlError(`the YAML is longer than ${longest / 1024} KB`, 1)
  if (canNestDeeply(text)) refuseDeepNesting(text)
  const lines = new LineCounter()
  return { document: parseDocument(text, { ...YAML, ...options, lineCounter: lines }), lines }
}

/** Most texts have too few brackets and too little indentation to be nested deeply in any reading. */
function canNestDeeply(text: string): boolean {
  let brackets = 0
  let levels = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\n') levels = 0
    else if (character === '[' || character === '{') brackets++
    else if (character === '-' || character === '?' || character === ':' || character === ' ' || character === '\t')
      levels++
    if (brackets > DEEPEST || levels > 2 * DEEPEST) return true
  }
  return false
}

// Before parsing: the parser recurses once per level, and a stack overflow can end the process.
function refuseDeepNesting(text: string): void {
  let line = 1
  let brackets = 0
  let levels = 0
  let previous = '\n'
  for (const token of new Lexer().lex(text)) {
    const isLineStart = previous.endsWith('\n')
    if (previous === SCALAR) line += token.split('\n').length - 1
    else if (token === '[' || token === '{') brackets++
    else if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1)
    else if (token === '-' || token === '?' || token === ':') levels += brackets === 0 ? 1 : 0
    else if (token === '\n' || token === '\r\n') {
      line++
      levels = 0
    } else if (isLineStart && token.trim() === '') levels = token.length
    if (brackets > DEEPEST || levels > 2 * DEEPEST) throw new YamlError('the YAML is nested too deeply', line)
    previous = token
  }
}

/** The plain value of a document. A number that would lose characters stays text: 1.0 and 0x10, but not 1 or 2.5. */
export function readValue(document: Document, lines: LineCounter): unknown {
  const lineOf = (range: readonly number[] | null | undefined) => lines.linePos(range?.[0] ?? 0).line
  const error = document.errors[0]
  if (error?.code === 'MULTIPLE_DOCS') throw new YamlError('a second YAML document starts here', lineOf(error.pos))
  if (error !== undefined) throw new YamlError(error.message.slice(0, 200), lineOf(error.pos))
  let aliases = 0
  visit(document, {
    Alias: (_, { range }) => {
      if (++aliases > MOST_ALIASES) throw new YamlError('the YAML has too many aliases', lineOf(range), true)
    },
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'number' && scalar.source !== String(scalar.value)) scalar.value = scalar.source
    },
    Map: (_, { items }) => {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (keys.has(key.value)) throw new YamlError(`the key "${key.value}" appears twice`, lineOf(key.range), true)
        keys.add(key.value)
      }
    },
  })
  try {
    return copyPlain(document.toJS({ maxAliasCount: MOST_ALIASES }), { left: 100_000 })
  } catch {
    throw new YamlError('an alias is undefined, circular, or expands to too many values', 1, true)
  }
}

/** Copies values that aliases share; the number of values is limited, so that a small text stays a small value. */
function copyPlain(value: unknown, budget: { left: number }, depth = 0): unknown {
  if (--budget.left < 0 || depth > 4 * DEEPEST) throw new RangeError('too many values')
  if (Array.isArray(value)) return value.map((item) => copyPlain(item, budget, depth + 1))
  if (!isRecord(value)) return value
  const copy: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) setOwn(copy, key, copyPlain(item, budget, depth + 1))
  return copy
}

/** The plain value of a YAML text in which every value is text. Throws `YamlError`, for tags too. */
export function readTextYaml(text: string): unknown {
  return readPlainFields(text) ?? readAnyText(text)
}

// Letters that mean themselves anywhere in a plain value; a colon or a number sign depends on its neighbours.
const PLAIN_FIELD = /^([a-z][a-z_-]*): ([A-Za-z0-9][A-Za-z0-9 ,.;'"()/_+-]*)$/

/** Keys with plain values, line by line: most frontmatter is nothing else, and the full parser is slow. */
function readPlainFields(text: string): Record<string, string> | undefined {
  const fields: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    if (line === '') continue
    const [, key, value = ''] = PLAIN_FIELD.exec(line) ?? []
    if (key === undefined || Object.hasOwn(fields, key) || text.length > LONGEST_YAML) return undefined
    fields[key] = value.trimEnd()
  }
  return Object.keys(fields).length === 0 ? undefined : fields
}

function readAnyText(text: string): unknown {
  const { document, lines } = parseYaml(text, { schema: 'failsafe' })
  const value = readValue(document, lines)
  const [warning] = document.warnings
  if (warning !== undefined) throw new YamlError('tags and directives are not read', lines.linePos(warning.pos[0]).line)
  return value
}
