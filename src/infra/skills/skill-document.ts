import { CST, Document, isMap, isNode, isScalar, Lexer, LineCounter, parseDocument, visit } from 'yaml'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { isRecord, setOwn } from '../../domain/shared/record.ts'
import {
  cutDocument,
  type Fields,
  type ImportedFields,
  importedFields,
  installedFields,
  joinDocument,
  lineEndOf,
  type SkillHead,
} from '../../domain/skills/skill-document.ts'

export interface SkillDocument {
  /** Undefined when the text has none; then everything is body. */
  frontmatter: Fields | undefined
  /** With the byte order mark of the text, if it had one. */
  body: string
  /** Why a block that was meant as frontmatter is read as body. */
  problem?: string
}

const LONGEST_BLOCK = 64 * 1024
const MOST_ALIASES = 50
const MOST_VALUES = 100_000
const DEEPEST = 100

// Explicit, because a %YAML directive in the text would otherwise choose: dates stay text, `<<` is an ordinary key.
// Repeated keys are looked for here: the package compares each key with all others.
const YAML = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: false,
  prettyErrors: false,
}

/** Never throws. A text that only starts with a `---` rule keeps every line as body. */
export function readDocument(text: string): SkillDocument {
  const { bom, block, body } = cutDocument(text)
  if (block === undefined) return { frontmatter: undefined, body: text }
  const { frontmatter, problem } = readBlock(block)
  if (frontmatter !== undefined) return { frontmatter, body: bom + body }
  return { frontmatter, body: text, ...(problem === undefined ? {} : { problem }) }
}

/** `readDocument(writeDocument(frontmatter, body))` gives both back; a frontmatter past the limits is refused. */
export function writeDocument(frontmatter: Fields, body: string): string {
  const text = joinDocument(writeYaml(frontmatter), body)
  const { frontmatter: read, problem = 'it is too long or too deep' } = readDocument(text)
  if (read !== undefined) return text
  throw new LoadoutError('FORMAT_LIMIT', `the frontmatter would not be readable: ${problem}`, {
    hint: 'shorten the description or the metadata',
  })
}

/** A body as a library stores it: as it is, unless its own first lines would then be read as frontmatter. */
export function libraryDocument(body: string): string {
  return readDocument(body).frontmatter === undefined ? body : writeDocument({}, body)
}

function readBlock(block: string): { frontmatter?: Fields; problem?: string } {
  if (block.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return { frontmatter: {} }
  const isMeant = /(?:^|\n)(?:name|description)[ \t]*:/.test(block)
  try {
    const { document, lines } = parseYaml(block)
    if (document.errors.length === 0 && !isMap(document.contents)) return {}
    const value = readValue(document, lines)
    return isRecord(value) ? { frontmatter: value } : {}
  } catch (error) {
    const plain = isMeant && block.length <= LONGEST_BLOCK ? readPlainLines(block) : undefined
    if (plain !== undefined) return { frontmatter: plain }
    if (!(error instanceof Trouble)) return isMeant ? { problem: 'the frontmatter cannot be read as YAML' } : {}
    // The block starts on the second line of its file.
    return isMeant || error.isMapping ? { problem: `line ${error.line + 1}: ${error.message}` } : {}
  }
}

/**
 * Many published skills write `description: Use it when: …` without quotes, which YAML forbids and agents accept. If
 * every line is a key with a text, that is what was meant.
 */
function readPlainLines(block: string): Fields | undefined {
  const fields: Fields = {}
  for (const line of block.split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [, key, text = ''] = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/.exec(line) ?? []
    if (key === undefined || Object.hasOwn(fields, key) || /^["'[{|>&*!]/.test(text)) return undefined
    fields[key] = text.trimEnd()
  }
  return fields
}

/** Why a YAML text is refused, and on which of its lines. */
class Trouble extends Error {
  readonly line: number
  /** Whether it is a mapping all the same, so that nobody meant it as prose. */
  readonly isMapping: boolean

  constructor(message: string, line: number, isMapping = false) {
    super(message)
    this.line = line
    this.isMapping = isMapping
  }
}

function parseYaml(text: string, intAsBigInt = false): { document: Document; lines: LineCounter } {
  if (text.length > LONGEST_BLOCK) throw new Trouble(`the YAML is longer than ${LONGEST_BLOCK / 1024} KB`, 1)
  refuseDeepNesting(text)
  const lines = new LineCounter()
  return { document: parseDocument(text, { ...YAML, intAsBigInt, lineCounter: lines }), lines }
}

// Before parsing: the parser descends once per level, and running out of stack there can end the process.
function refuseDeepNesting(text: string): void {
  let line = 1
  let brackets = 0
  let levels = 0
  let previous = '\n'
  for (const token of new Lexer().lex(text)) {
    const isLineStart = previous.endsWith('\n')
    if (previous === CST.SCALAR) line += token.split('\n').length - 1
    else if (token === '[' || token === '{') brackets++
    else if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1)
    else if (token === '-' || token === '?' || token === ':') levels += brackets === 0 ? 1 : 0
    else if (token === '\n' || token === '\r\n') {
      line++
      levels = 0
    } else if (isLineStart && token.trim() === '') levels = token.length
    if (brackets > DEEPEST || levels > 2 * DEEPEST) throw new Trouble('the YAML is nested too deeply', line)
    previous = token
  }
}

/** The plain value of a document. A number that would lose characters stays text: 1.0 and 0x10, but not 1 or 2.5. */
function readValue(document: Document, lines: LineCounter): unknown {
  const lineOf = (range: readonly number[] | null | undefined) => lines.linePos(range?.[0] ?? 0).line
  const error = document.errors[0]
  if (error?.code === 'MULTIPLE_DOCS') throw new Trouble('a second YAML document starts here', lineOf(error.pos))
  if (error !== undefined) throw new Trouble(error.message.slice(0, 200), lineOf(error.pos))
  let aliases = 0
  visit(document, {
    Alias: (_, { range }) => {
      if (++aliases > MOST_ALIASES) throw new Trouble('the YAML has too many aliases', lineOf(range), true)
    },
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'number' && scalar.source !== String(scalar.value)) scalar.value = scalar.source
    },
    Map: (_, { items }) => {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (keys.has(key.value)) throw new Trouble(`the key "${key.value}" is there twice`, lineOf(key.range), true)
        keys.add(key.value)
      }
    },
  })
  try {
    return copyPlain(document.toJS({ maxAliasCount: MOST_ALIASES }), { left: MOST_VALUES })
  } catch {
    throw new Trouble('an alias leads nowhere, into itself, or to too many values', 1, true)
  }
}

/** Values that aliases share become values of their own, so that a small text stays a small value. */
function copyPlain(value: unknown, budget: { left: number }, depth = 0): unknown {
  if (--budget.left < 0 || depth > 4 * DEEPEST) throw new RangeError('too many values')
  if (Array.isArray(value)) return value.map((item) => copyPlain(item, budget, depth + 1))
  if (!isRecord(value)) return value
  const copy: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) setOwn(copy, key, copyPlain(item, budget, depth + 1))
  return copy
}

// What YAML 1.1 readers take for a boolean or nothing. Their numbers and dates start with a digit, a sign or a dot.
const WORDS = new Set(['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null'])

// Fixed ranges, not Unicode properties: those differ between versions of Node, and the bytes must not.
const PLAIN_START = /^[A-Za-z/\u00c0-\u1fff\u3041-\ud7ff]/
const NOT_PLAIN =
  /[^ -~\u00a1-\u1fff\u2010-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]|: | #|:$/u

// Line separators and unprintable characters: readers of YAML 1.1 want them escaped.
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** Whether every YAML reader takes these characters, unquoted, for this very text. */
function isPlain(text: string): boolean {
  return PLAIN_START.test(text) && !NOT_PLAIN.test(text) && text.trim() === text && !WORDS.has(text.toLowerCase())
}

/** One line per value, so that no value can look like a fence to a reader that only compares lines. */
function writeYaml(value: Fields): string {
  if (Object.keys(value).length === 0) return ''
  const document = new Document(value, { schema: 'core', aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string') scalar.type = isPlain(scalar.value) ? 'PLAIN' : 'QUOTE_DOUBLE'
    },
  })
  // They all stand in double quotes by now.
  return document
    .toString({ lineWidth: 0, doubleQuotedAsJSON: true })
    .replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The SKILL.md of an installed copy: the library's body under the skill's name, description and agent metadata. */
export function installedDocument(skill: SkillHead, agentMetadata: Fields, libraryText: string): string {
  const { frontmatter = {}, body } = readDocument(libraryText)
  return writeDocument(installedFields(skill, agentMetadata, frontmatter), body)
}

export interface ImportedDocument extends ImportedFields {
  /** With the byte order mark, if there was one. Store it as `libraryDocument(body)`. */
  body: string
}

/** Takes a SKILL.md apart, as another author or tool wrote it. */
export function importedDocument(text: string): ImportedDocument {
  const { frontmatter = {}, body, problem } = readDocument(text)
  return { ...importedFields(frontmatter), body, ...(problem === undefined ? {} : { problem }) }
}

/** The text of `agents/openai.yaml` with the policy set in it. Comments and all other keys stay. */
export function openaiPolicy(existingYaml: string | undefined, policy: unknown): string {
  const text = existingYaml ?? ''
  if (!isRecord(policy) || typeof policy.allow_implicit_invocation !== 'boolean') {
    throw new LoadoutError('INVALID_SKILL', 'policy.allow_implicit_invocation must be true or false', {
      hint: 'write "policy": { "allow_implicit_invocation": false } under "codex" in skill.json',
    })
  }
  try {
    return setPolicy(text, policy)
  } catch (cause) {
    const place = cause instanceof Trouble ? `, line ${cause.line}: ${cause.message}` : ' cannot be read as YAML'
    throw new LoadoutError('INVALID_SKILL', `agents/openai.yaml${place}`, { hint: 'correct that file', cause })
  }
}

function setPolicy(text: string, policy: Fields): string {
  const { bom } = cutDocument(text)
  const { document, lines } = parseYaml(text.slice(bom.length).replaceAll('\r\n', '\n'), true)
  readValue(document.clone(), lines)
  if (document.contents !== null && !isMap(document.contents)) throw new Trouble('it must hold keys and values', 1)
  const before = document.toString({ lineWidth: 0 })
  const found = document.get('policy', true)
  if (isScalar(found) && found.value === null) {
    const empty = document.createNode({})
    empty.commentBefore = found.comment
    document.set('policy', empty)
  } else if (isNode(found) && !isMap(found)) {
    throw new Trouble('policy must hold keys and values', lines.linePos(found.range?.[0] ?? 0).line)
  }
  for (const [key, value] of Object.entries(policy)) document.setIn(['policy', key], value)
  const after = document.toString({ lineWidth: 0 })
  return before === after ? text : bom + after.replaceAll('\n', lineEndOf(text))
}
