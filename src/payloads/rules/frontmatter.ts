import { count } from '../../text/count.ts'
import { cutAtFences } from '../../text/frontmatter-block.ts'
import type { Finding } from '../../text/trouble.ts'
import { readFields, type Value } from './frontmatter-fields.ts'
import { DEFAULT_TRIGGERS, meantPriority, PHASES, PRIORITIES, type Priority, type Triggers } from './loadout-index.ts'
import { splitWords } from './words.ts'

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
    return { severity: 'warning', code: 'BAD_FRONTMATTER', message: `${path}: ${problem}`, subject: path }
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
  const isBare = bareForm(place).test(text) && !text.includes(' #') && text !== 'true' && text !== 'false'
  return isBare ? text : JSON.stringify(text)
}

function bareForm(place: 'line' | 'list'): RegExp {
  return place === 'line'
    ? /^[\p{L}\p{N}_./(][^\p{C}\p{Z}]*(?: [^\p{C}\p{Z}]+)*$/u
    : /^[\p{L}\p{N}_./(][^\p{C}\p{Z},\]]*(?: [^\p{C}\p{Z},\]]+)*$/u
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
