import { Document, isMap, isNode, isScalar, visit } from 'yaml'
import { cutDocument, joinDocument, lineEndOf } from '../text/frontmatter-block.ts'
import {
  type Fields,
  type ImportedFields,
  importedFields,
  installedFields,
  type SkillHead,
} from '../text/skill-document.ts'
import { failWith } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { LONGEST_YAML, parseYaml, readValue, YamlError } from './yaml.ts'

export interface SkillDocument {
  /** Undefined without frontmatter; then everything is body. */
  frontmatter: Fields | undefined
  /** With the byte order mark of the text, if it had one. */
  body: string
  /** Why an intended frontmatter was read as body. */
  problem?: string
}

/** Never throws. A text that only starts with a `---` rule keeps every line as body. */
export function readDocument(text: string): SkillDocument {
  const { bom, block, body } = cutDocument(text)
  if (block === undefined) return { frontmatter: undefined, body: text }
  const { frontmatter, problem } = readBlock(block)
  if (frontmatter !== undefined) return { frontmatter, body: bom + body }
  return { frontmatter, body: text, problem }
}

/** `readDocument(writeDocument(frontmatter, body))` returns both; a frontmatter beyond the limits is refused. */
export function writeDocument(frontmatter: Fields, body: string): string {
  const text = joinDocument(writeYaml(frontmatter), body)
  const { frontmatter: read, problem = 'it is too long or too deep' } = readDocument(text)
  if (read !== undefined) return text
  throw failWith('INVALID_SKILL/frontmatter', { problem })
}

/** A body as a library stores it: unchanged, unless its first lines would be read as frontmatter. */
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
    const plain = isMeant && block.length <= LONGEST_YAML ? readPlainLines(block) : undefined
    if (plain !== undefined) return { frontmatter: plain }
    if (!(error instanceof YamlError)) return isMeant ? { problem: 'the frontmatter cannot be read as YAML' } : {}
    // The block starts on the second line of its file.
    return isMeant || error.isMapping ? { problem: `line ${error.line + 1}: ${error.message}` } : {}
  }
}

/**
 * Many published skills write `description: Use it when: …` without quotes, which YAML forbids and agents accept. If
 * every line is a key with a text, read it that way.
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

// Words that YAML 1.1 treats as boolean or null. Its numbers and dates start with a digit, a sign or a dot.
const WORDS = new Set(['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null'])

// Fixed ranges, not Unicode properties: those differ between versions of Node, and the bytes must not.
const PLAIN_START = /^[A-Za-z/\u00c0-\u1fff\u3041-\ud7ff]/
const NOT_PLAIN =
  /[^ -~\u00a1-\u1fff\u2010-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]|: | #|:$/u

// Line separators and unprintable characters, which must be escaped for YAML 1.1.
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** Whether every YAML reader reads these characters, unquoted, as this text. */
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
  // By now all of them are in double quotes.
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

/** Parses a SKILL.md of another author or tool. */
export function importedDocument(text: string): ImportedDocument {
  const { frontmatter = {}, body, problem } = readDocument(text)
  return { ...importedFields(frontmatter), body, problem }
}

/** The text of `agents/openai.yaml` with the policy set. Comments and all other keys stay. */
export function openaiPolicy(existingYaml: string | undefined, policy: unknown): string {
  const text = existingYaml ?? ''
  if (!isRecord(policy) || typeof policy.allow_implicit_invocation !== 'boolean') {
    throw failWith('INVALID_SKILL/policy')
  }
  try {
    return setPolicy(text, policy)
  } catch (cause) {
    const place = cause instanceof YamlError ? `, line ${cause.line}: ${cause.message}` : ' cannot be read as YAML'
    throw failWith('INVALID_SKILL/openai', { place }, { cause })
  }
}

function setPolicy(text: string, policy: Fields): string {
  const { bom } = cutDocument(text)
  const { document, lines } = parseYaml(text.slice(bom.length).replaceAll('\r\n', '\n'), { intAsBigInt: true })
  readValue(document.clone(), lines)
  if (document.contents !== null && !isMap(document.contents)) throw new YamlError('it must contain keys and values', 1)
  const before = document.toString({ lineWidth: 0 })
  const found = document.get('policy', true)
  if (isScalar(found) && found.value === null) {
    const empty = document.createNode({})
    empty.commentBefore = found.comment
    document.set('policy', empty)
  } else if (isNode(found) && !isMap(found)) {
    throw new YamlError('policy must contain keys and values', lines.linePos(found.range?.[0] ?? 0).line)
  }
  for (const [key, value] of Object.entries(policy)) document.setIn(['policy', key], value)
  const after = document.toString({ lineWidth: 0 })
  return before === after ? text : bom + after.replaceAll('\n', lineEndOf(text))
}
