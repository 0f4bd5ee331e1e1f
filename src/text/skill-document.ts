import { compareText, isRecord, setOwn } from './values.ts'

/** The text of a skill, for every agent. */
export const DOCUMENT_FILE = 'SKILL.md'

const BOM = '\ufeff'

/** The text of the first heading, without Markdown marks. */
export function firstHeading(body: string): string | undefined {
  return firstBlock(body, 'heading')
}

/** The first paragraph of a body as one line: not a heading, list, table, code or comment. */
export function firstParagraph(body: string): string | undefined {
  return firstBlock(body, 'paragraph')
}

function firstBlock(body: string, kind: Block['kind']): string | undefined {
  for (const block of readBlocks(body)) {
    if (block.kind !== kind) continue
    const text = stripMarks(block.text)
    if (text !== '') return text
  }
  return undefined
}

interface Block {
  kind: 'heading' | 'paragraph'
  text: string
}

const HEADING = /^ {0,3}#{1,6}(?:[ \t]+(.*))?$/
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)|^ {0,3}\|/
const INDENTED = /^(?: {4}|\t)/

/** Headings and paragraphs, without list items, table rows, indented code and their continuation lines. */
function* readBlocks(body: string): Generator<Block> {
  let prose: string[] = []
  let inItem = false
  let afterBlank = true
  for (const line of visibleLines(body)) {
    const isBlank = line.trim() === ''
    const heading = HEADING.exec(line)
    const isUnderline = prose.length > 0 && UNDERLINE.test(line)
    const isMark = heading !== null || isUnderline || RULE.test(line)
    const startsItem = ITEM.test(line) || (prose.length === 0 && INDENTED.test(line))
    if (!isBlank) inItem = !isMark && (startsItem || (inItem && (!afterBlank || /^[ \t]/.test(line))))
    afterBlank = isBlank
    if (!isBlank && !isMark && !inItem) {
      prose.push(line.replace(/^ {0,3}>[ \t]?/, '').trim())
      continue
    }
    if (prose.length > 0) yield { kind: isUnderline ? 'heading' : 'paragraph', text: prose.join(' ') }
    prose = []
    if (heading !== null) yield { kind: 'heading', text: (heading[1] ?? '').replace(/(?:^|[ \t])#+[ \t]*$/, '') }
  }
  if (prose.length > 0) yield { kind: 'paragraph', text: prose.join(' ') }
}

/** The lines of a body outside fenced code and HTML comments, each of which becomes an empty line. */
function* visibleLines(body: string): Generator<string> {
  let fence: string | undefined
  for (const line of withoutComments(body.replace(BOM, '')).split(/\r\n?|\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)
    const [, ticks = '', rest = ''] = mark ?? []
    if (fence === undefined && mark !== null) fence = ticks
    else if (fence === undefined) yield line
    else if (ticks.startsWith(fence) && rest.trim() === '') fence = undefined
    if (mark !== null) yield ''
  }
}

/** An unclosed comment is text. Comments inside fenced code go too: the code is skipped anyway. */
function withoutComments(text: string): string {
  let kept = ''
  let from = 0
  for (;;) {
    const start = text.indexOf('<!--', from)
    const end = start < 0 ? -1 : text.indexOf('-->', start + 4)
    if (end < 0) return kept + text.slice(from)
    kept += text.slice(from, start)
    from = end + 3
  }
}

// Every class excludes its own opening mark, so that any text needs only one pass.
const MARKS: [mark: RegExp, instead: string][] = [
  [/!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])/g, ''],
  [/\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1'],
  [/<((?:https?|mailto):[^<>\s]*)>/g, '$1'],
  [/<\/?[a-zA-Z][^<>]*>/g, ''],
  [/`+([^`]*)`+/g, '$1'],
  [/\*{1,3}([^*\s](?:[^*]*[^*\s])?)\*{1,3}/g, '$1'],
  [/~~([^~]*)~~/g, '$1'],
  [/(?<![\w\\])_{1,3}([^_\s](?:[^_]*[^_\s])?)_{1,3}(?!\w)/g, '$1'],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
  [/\s+/g, ' '],
]

function stripMarks(text: string): string {
  return MARKS.reduce((stripped, [mark, instead]) => stripped.replace(mark, instead), text).trim()
}

// Letters that Unicode does not decompose into a base letter and an accent.
const LETTERS: [letter: RegExp, instead: string][] = [
  [/\u00df|\u1e9e/g, 'ss'],
  [/[\u00e6\u00c6]/g, 'ae'],
  [/[\u0153\u0152]/g, 'oe'],
  [/[\u00f8\u00d8]/g, 'o'],
  [/[\u0142\u0141]/g, 'l'],
  [/[\u0111\u0110\u00f0\u00d0]/g, 'd'],
  [/[\u00fe\u00de]/g, 'th'],
  [/\u0131/g, 'i'],
]

/** A skill name derived from a title; empty when the title has no letter or digit. */
export function slug(text: string): string {
  const folded = LETTERS.reduce((latin, [letter, instead]) => latin.replace(letter, instead), text)
    .normalize('NFKD')
    .replace(/\p{M}+|['\u2019]/gu, '')
    .toLowerCase()
  const words = folded.split(/[^a-z0-9]+/).filter((word) => word !== '')
  return words.join('-').slice(0, 64).replace(/-$/, '')
}

/** The keys and values of a frontmatter. */
export type Fields = Record<string, unknown>

export interface SkillHead {
  name: string
  description: string
}

export const STANDARD_KEYS = ['license', 'compatibility', 'metadata', 'allowed-tools']

/**
 * The frontmatter of an installed copy: name, description, then everything else by key. `own` is the frontmatter of the
 * library's SKILL.md; the agent's metadata overrides it, and adds to its `metadata`.
 */
export function installedFields(skill: SkillHead, agentMetadata: Fields, own: Fields): Fields {
  const standard = standardFields(own)
  const fields = { ...standard, ...agentMetadata }
  if (isRecord(standard.metadata) && isRecord(agentMetadata.metadata)) {
    fields.metadata = { ...standard.metadata, ...agentMetadata.metadata }
  }
  const others = Object.entries(fields).filter(([key]) => key !== 'name' && key !== 'description')
  others.sort(([a], [b]) => compareText(a, b))
  const { name, description } = skill
  return { name, description, ...Object.fromEntries(others) }
}

/** The format has few keys; moves all others into its `metadata`, as text. Existing `metadata` stays. */
function standardFields(own: Fields): Fields {
  const standard: Fields = {}
  const moved: Record<string, string> = {}
  for (const [key, value] of Object.entries(own)) {
    if (STANDARD_KEYS.includes(key)) standard[key] = value
    else if (key !== 'name' && key !== 'description') setOwn(moved, key, asText(value))
  }
  if (Object.keys(moved).length === 0) return standard
  const metadata = standard.metadata ?? {}
  return { ...standard, metadata: { ...moved, ...(isRecord(metadata) ? metadata : { metadata: asText(metadata) }) } }
}

function asText(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export interface ImportedFields {
  name?: string
  description?: string
  /** All other keys. */
  metadata: Fields
  /** What is wrong with the name or description. */
  problem?: string
}

/** Separates the name and description, if usable, from the rest. A list of words is also accepted as a description. */
export function importedFields({ name, description, ...metadata }: Fields): ImportedFields {
  const fields: ImportedFields = { metadata }
  const problems: string[] = []
  if (typeof name === 'string' && name.trim() !== '') fields.name = name.trim()
  else if (name !== null && name !== undefined && name !== '')
    problems.push('the name in the frontmatter is not a text')
  const parts: unknown[] = Array.isArray(description) ? description : [description ?? '']
  const text = parts.join(' ').trim()
  if (parts.some((part) => typeof part === 'object')) problems.push('the description in the frontmatter is not a text')
  else if (text !== '') fields.description = text
  if (problems.length > 0) fields.problem = problems.join('; ')
  return fields
}
