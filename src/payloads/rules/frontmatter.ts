import { count } from '../../text/count.ts'
import { cutAtFences } from '../../text/frontmatter-block.ts'
import { type Finding, report } from '../../text/trouble.ts'
import { DEFAULT_TRIGGERS, meantPriority, PHASES, PRIORITIES, type Priority, type Triggers } from './loadout-index.ts'
import { splitWords } from './match.ts'

/** The routing metadata of a payload. */
export interface Frontmatter {
  id: string
  keywords: string[]
  patterns: string[]
  priority: Priority
  triggers: Triggers
  /** The line shown in the index; without it, the first sentence of the body. */
  summary?: string
  /** Prompts that this payload should match, and prompts that it must not match: for ranked routing. */
  examples?: string[]
  negatives?: string[]
}

export interface ParsedPayload {
  frontmatter: Frontmatter | null
  body: string
}

/** Never throws. A text without a block that has an id is all body. */
export function parseFrontmatter(content: string): ParsedPayload {
  const { frontmatter, body } = readFrontmatter(content)
  return { frontmatter, body }
}

/**
 * Like `parseFrontmatter`, with a sentence for everything in the block that could not be used. `nameOfRule` is the id
 * of a rule that names its files and has no id of its own, as Claude Code and Cursor write them.
 */
export function readFrontmatter(content: string, nameOfRule?: string): ParsedPayload & { problems: string[] } {
  const { block, rest } = cutAtFences(content.replace(/^\ufeff/, ''), (line) => line.trim() === '---')
  if (block === undefined) return { frontmatter: null, body: content, problems: [] }
  const { fields, problems } = readFields(block.split(/\r?\n/).slice(0, -1))
  const isRule = !fields.has('id') && (fields.has('paths') || fields.has('globs'))
  const id = isRule ? nameOfRule : fields.get('id')
  if (typeof id !== 'string' || id === '') {
    return { frontmatter: null, body: content, problems: [...problems, 'it has no id'] }
  }
  const frontmatter: Frontmatter = {
    id,
    keywords:
      isRule && !fields.has('keywords')
        ? splitWords(id).filter((word) => word.length > 1)
        : readList(fields, 'keywords', problems),
    patterns: readList(fields, 'patterns', problems),
    priority: readPriority(fields, problems),
    triggers: readTriggers(fields, problems),
  }
  const summary = fields.get('summary') ?? (isRule ? fields.get('description') : undefined)
  if (typeof summary === 'string') frontmatter.summary = summary
  if (fields.has('examples')) frontmatter.examples = readList(fields, 'examples', problems)
  if (fields.has('negatives')) frontmatter.negatives = readList(fields, 'negatives', problems)
  return { frontmatter, body: rest, problems }
}

/** The text for a model: a payload without its block; and what in the block could not be used. */
export function readBody(content: string, path: string): { body: string; findings: Finding[] } {
  const { frontmatter, body, problems } = readFrontmatter(content, 'rule')
  return { body, findings: frontmatter === null ? [] : frontmatterFindings(path, problems) }
}

const MOST_PROBLEMS = 10

/** What in the block of a payload could not be used: the first problems, and how many more there are. */
export function frontmatterFindings(path: string, problems: readonly string[]): Finding[] {
  const more = problems.length - MOST_PROBLEMS
  const shown = more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `and ${count(more, 'more problem')}`] : problems
  return shown.map((problem) => {
    return report('BAD_FRONTMATTER/value', { path, problem }, { subject: path })
  })
}

/** `parseFrontmatter(serializeFrontmatter(x))` returns x, whatever its texts contain. */
export function serializeFrontmatter(frontmatter: Frontmatter): string {
  const { id, keywords, patterns, priority, triggers, summary, examples, negatives } = frontmatter
  const list = (texts: readonly string[]) => `[${texts.map((text) => writeText(text, 'list')).join(', ')}]`
  return [
    '---',
    `id: ${writeText(id)}`,
    `keywords: ${list(keywords)}`,
    ...(patterns.length > 0 ? [`patterns: ${list(patterns)}`] : []),
    `priority: ${priority}`,
    ...(summary === undefined ? [] : [`summary: ${writeText(summary)}`]),
    ...(examples === undefined ? [] : [`examples: ${list(examples)}`]),
    ...(negatives === undefined ? [] : [`negatives: ${list(negatives)}`]),
    'triggers:',
    ...PHASES.map((phase) => `  ${phase}: ${triggers[phase]}`),
    '---',
  ].join('\n')
}

function readList(fields: Map<string, Value>, key: string, problems: string[]): string[] {
  const value = fields.get(key)
  if (value === undefined || Array.isArray(value)) return value ?? []
  problems.push(`${key} must be a list such as [one, two]`)
  return []
}

function readPriority(fields: Map<string, Value>, problems: string[]): Priority {
  const value = fields.get('priority')
  const priority = PRIORITIES.find((known) => known === value)
  if (value !== undefined && priority === undefined) {
    problems.push(`the priority ${JSON.stringify(value)} is treated as domain: ${meantPriority(value)}`)
  }
  return priority ?? 'domain'
}

function readTriggers(fields: Map<string, Value>, problems: string[]): Triggers {
  const value = fields.get('triggers')
  const triggers = { ...DEFAULT_TRIGGERS }
  if (value === undefined) return triggers
  if (!(value instanceof Map)) {
    problems.push('triggers must be followed by indented lines such as "task: true"')
    return triggers
  }
  for (const phase of PHASES) {
    const flag = value.get(phase)
    if (typeof flag === 'boolean') triggers[phase] = flag
    else if (flag !== undefined) problems.push(`triggers.${phase} must be true or false`)
  }
  return triggers
}

/** A text in a form that can be read back: bare if nothing in it looks like syntax, else quoted. */
function writeText(text: string, place: 'line' | 'list' = 'line'): string {
  const bare =
    place === 'line'
      ? /^[\p{L}\p{N}_./(][^\p{C}\p{Z}]*(?: [^\p{C}\p{Z}]+)*$/u
      : /^[\p{L}\p{N}_./(][^\p{C}\p{Z},\]]*(?: [^\p{C}\p{Z},\]]+)*$/u
  const isBare = bare.test(text) && !text.includes(' #') && text !== 'true' && text !== 'false'
  return isBare ? text : JSON.stringify(text)
}

/** A text as an id: lower-case ASCII words with hyphens between them. */
export function kebab(text: string): string {
  const ascii = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  return ascii
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '')
}

/**
 * The small language of payload frontmatter: texts, booleans, inline and block lists, and one level of nesting.
 * Parsed by hand on purpose: no YAML library, no evaluation, keys in maps so that none is special.
 */
type Scalar = string | boolean
type Value = Scalar | string[] | Map<string, Scalar>

function readFields(lines: readonly string[]): { fields: Map<string, Value>; problems: string[] } {
  const fields = new Map<string, Value>()
  const problems: string[] = []
  let indent: number | undefined
  let at = 0
  // After a list that no line closes, none of the lines below closes another one: each is read once.
  let lastLine = lines.length
  while (at < lines.length) {
    const line = lines[at] ?? ''
    at++
    if (isBlank(line)) continue
    indent ??= indentOf(line)
    if (indentOf(line) > indent) {
      // It belongs to the line above it, so it is not a field of the payload.
      problems.push(`"${line.trim()}" is ignored: an indented line belongs to the one above it`)
      continue
    }
    const pair = readPair(line)
    if (pair === undefined) {
      problems.push(`"${line.trim()}" is not a "key: value" line`)
      continue
    }
    if (pair.text === '') {
      const block = readBlock(lines, at, indent)
      if (block.value !== undefined) fields.set(pair.key, block.value)
      at = block.next
    } else if (pair.text.startsWith('[')) {
      const list = readInlineList(pair.text, lines, at, lastLine)
      if (list === undefined) {
        problems.push(`the list of ${pair.key} is not closed with ]`)
        lastLine = 0
      }
      if (list?.rest) problems.push(`"${list.rest}" after the list of ${pair.key} is ignored`)
      fields.set(pair.key, list?.items ?? pair.text)
      at = list?.next ?? at
    } else if (/^[|>][+-]?[1-9]?[+-]?$/.test(pair.text)) {
      // The indented lines below are one text.
      const from = at
      while (at < lines.length && (lines[at]?.trim() === '' || indentOf(lines[at] ?? '') > indent)) at++
      const texts = lines.slice(from, at).map((each) => each.trim())
      fields.set(pair.key, texts.join(pair.text.startsWith('|') ? '\n' : ' ').trim())
    } else fields.set(pair.key, readScalar(pair.text))
  }
  return { fields, problems }
}

function readPair(line: string): { key: string; text: string } | undefined {
  const colon = line.indexOf(':')
  if (colon < 0 || isBlank(line)) return undefined
  const text = line.slice(colon + 1).trim()
  return { key: line.slice(0, colon).trim(), text: text.startsWith('[') ? text : dropComment(text) }
}

function isBlank(line: string): boolean {
  const text = line.trim()
  return text === '' || text.startsWith('#')
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** The block below a key without a value: list items, or indented pairs. */
function readBlock(lines: readonly string[], from: number, indent: number): { value: Value | undefined; next: number } {
  const items: string[] = []
  const pairs = new Map<string, Scalar>()
  let at = from
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (isBlank(line)) continue
    const trimmed = line.trimStart()
    const item = /^-\s/.test(trimmed) ? trimmed.slice(2) : undefined
    const pair = indentOf(line) > indent ? readPair(line) : undefined
    if (item !== undefined && pairs.size === 0) items.push(unquote(dropComment(item.trim())))
    else if (pair !== undefined && items.length === 0) pairs.set(pair.key, readScalar(pair.text))
    else break
  }
  const value = items.length > 0 ? items : pairs.size > 0 ? pairs : undefined
  return { value, next: at }
}

/** `[a, "b, c"]`, possibly over several lines. */
function readInlineList(
  text: string,
  lines: readonly string[],
  next: number,
  lastLine: number,
): { items: string[]; rest: string; next: number } | undefined {
  const items: string[] = []
  let rest = text.slice(1)
  let following = next
  for (;;) {
    rest = rest.trimStart()
    if (rest === '' || rest.startsWith('#')) {
      if (following >= lastLine) return undefined
      rest = lines[following] ?? ''
      following++
    } else if (rest.startsWith(']')) {
      return { items, rest: dropComment(rest.slice(1).trim()), next: following }
    } else if (rest.startsWith(',')) {
      rest = rest.slice(1)
    } else {
      const bare = () => {
        const end = rest.search(/[,\]]|\s#/)
        return end < 0 ? rest.length : end
      }
      const length = quotedLength(rest) ?? bare()
      items.push(unquote(rest.slice(0, length).trim()))
      rest = rest.slice(length)
    }
  }
}

/** The length of the quoted text that starts here, if there is one and it is closed. */
function quotedLength(text: string): number | undefined {
  const quote = text[0]
  if (quote !== '"' && quote !== "'") return undefined
  for (let at = 1; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++
    else if (text[at] === quote) {
      if (quote === "'" && text[at + 1] === "'") at++
      else return at + 1
    }
  }
  return undefined
}

function readScalar(text: string): Scalar {
  if (text === 'true') return true
  if (text === 'false') return false
  return unquote(text)
}

function unquote(text: string): string {
  if (quotedLength(text) !== text.length || text.length < 2) return text
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'")
  try {
    return String(JSON.parse(text))
  } catch {
    return text.slice(1, -1)
  }
}

/** Without a comment: ` #` outside quotes ends a value, as in YAML. */
function dropComment(text: string): string {
  if (text.startsWith('#')) return ''
  const from = quotedLength(text) ?? 0
  const comment = text.slice(from).search(/\s#/)
  return comment < 0 ? text : text.slice(0, from + comment).trimEnd()
}
