import { basename, dirname, join } from 'node:path'
import { KeptFiles } from '../../../machine/kept.ts'
import { readDocument, type SkillDocument } from '../../../machine/skill-document.ts'
import { parseYaml, readValue } from '../../../machine/yaml.ts'
import { cutDocument } from '../../../text/frontmatter-block.ts'
import { DOCUMENT_FILE, type Fields } from '../../../text/skill-document.ts'
import { estimateTokens } from '../../../text/tokens.ts'
import { isRecord } from '../../../text/values.ts'
import type { HidingRule, ReadingRules } from '../../rules/reading-rules.ts'
import type { FoundSkill } from '../../rules/sight/visibility.ts'
import { type Head, readHead } from './read-head.ts'

type Described = Pick<FoundSkill, 'name' | 'description' | 'problem' | 'loss' | 'hidden'>

const BOM = '\ufeff'

/** Caches the beginnings and the frontmatter of skills: `status` and `see` read the same ones, a web page repeatedly. */
const READ = new KeptFiles<(Head & { document: SkillDocument }) | { problem: string }>(64 * 1024 * 1024)

function readSkill(path: string) {
  return READ.of(path, () => {
    const head = readHead(path)
    return 'problem' in head ? head : { ...head, document: readDocument(head.text) }
  })
}

/** The size of the text after the frontmatter, in tokens; 0 if it cannot be read. */
export function bodyTokensOf(path: string): number {
  const head = readSkill(path)
  if ('problem' in head) return 0
  const unread = head.size - Buffer.byteLength(head.text)
  return estimateTokens(head.document.body) + Math.max(0, Math.ceil(unread / 4))
}

/** How an agent reads a SKILL.md or a command. Never throws. */
export function describeSkill(
  path: string,
  relativePath: string,
  rules: ReadingRules,
  isCommand: boolean,
  problem: string | undefined,
): Described {
  const called = isCommand ? relativePath.replace(/\.md$/, '').replaceAll('/', ':') : basename(dirname(path))
  if (problem !== undefined) return { name: called, description: '', problem }
  const head = readSkill(path)
  const file = isCommand ? 'it' : DOCUMENT_FILE
  if ('problem' in head) return { name: called, description: '', problem: `${file} ${head.problem}` }
  if (rules.largestFile !== undefined && head.size > rules.largestFile) {
    const limit = `${file} has ${head.size} bytes; no more than ${rules.largestFile} are read`
    return { name: called, description: '', problem: limit }
  }
  if (rules.needsUtf8 && !head.isUtf8) return { name: called, description: '', problem: `${file} is not UTF-8 text` }
  return describeText(head, path, called, rules, isCommand)
}

/** A workflow as its `meta`, a literal, describes it. Without a name or a description it is not listed. */
export function describeWorkflow(path: string): Described {
  const called = basename(path, '.js')
  const head = readSkill(path)
  if ('problem' in head) return { name: called, description: '', problem: `it ${head.problem}` }
  const meta = head.text.split(/^export const meta\s*=\s*\{/m)[1] ?? ''
  const textOf = (key: string) => {
    const literal =
      String.raw`'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|` + String.raw`\x60((?:[^\x60\\$]|\\[\s\S])*)\x60`
    const found = new RegExp(String.raw`(?:^|[,{\s])["']?${key}["']?\s*:\s*(?:${literal})\s*[,}]`).exec(meta)
    return (found?.[1] ?? found?.[2] ?? found?.[3])?.replace(/\\([\s\S])/g, (_, letter) =>
      letter === 'n' ? '\n' : letter,
    )
  }
  const [name, description, when] = [textOf('name'), textOf('description'), textOf('whenToUse')]
  if (!name || !description)
    return { name: name || called, description: '', problem: 'its meta has no name or description' }
  return { name, description: when ? `${description} - ${when}` : description }
}

function describeText(
  { text, document: read }: { text: string; document: SkillDocument },
  path: string,
  called: string,
  rules: ReadingRules,
  isCommand: boolean,
): Described {
  const isMarked = text.startsWith(BOM) && !rules.readsBehindMark
  const document: SkillDocument = isMarked
    ? { frontmatter: undefined, body: text, problem: 'it starts with a byte order mark' }
    : read
  const fields = document.frontmatter ?? {}
  const name = isCommand || rules.namedBy === 'folder' ? called : (lineOf(fields.name, rules) ?? called)
  const own = lineOf(fields.description, rules)
  const hidden = hiddenBy(fields, dirname(path), rules.hiding)
  const rest = hidden === undefined ? {} : { hidden }
  if (rules.longestName !== undefined && [...name].length > rules.longestName) {
    return { name, description: '', problem: `its name has more than ${rules.longestName} characters` }
  }
  if (rules.needsName && document.problem === undefined && lineOf(fields.name, rules) === undefined) {
    return { name, description: '', problem: fields.description === undefined ? lossOf(document) : 'it has no name' }
  }
  if (own !== undefined && own.length > (rules.longestDescription ?? own.length)) {
    return { name, description: own, problem: `its description has more than ${rules.longestDescription} characters` }
  }
  if (own !== undefined) {
    const more = rules.describedAlsoBy === undefined ? undefined : fields[rules.describedAlsoBy]
    return { name, description: more == null || more === '' ? own : `${own} - ${String(more)}`, ...rest }
  }
  const why = lossOf(document)
  if (!rules.guessesDescription) return { name, description: '', problem: why, ...rest }
  const body = isMarked ? text : cutDocument(text).body
  const description = firstLine(body, isCommand ? 'Custom command' : 'Skill')
  // Commands need no frontmatter.
  const isMeant = !isCommand || document.problem !== undefined
  return { name, description, loss: isMeant ? `${why}: listed by its first line` : undefined, ...rest }
}

function lossOf({ frontmatter, problem }: SkillDocument): string {
  if (problem !== undefined) return `its frontmatter is not read: ${problem}`
  return frontmatter === undefined ? 'it has no frontmatter' : 'it has no description'
}

function lineOf(value: unknown, { joinsBlanks }: ReadingRules): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const text = joinsBlanks ? String(value).replace(/\s+/g, ' ').trim() : String(value).trim()
  return text === '' ? undefined : text
}

const LONGEST_GUESS = 100

function firstLine(body: string, otherwise: string): string {
  const line = body
    .split('\n')
    .find((each) => each.trim() !== '')
    ?.trim()
  if (line === undefined) return otherwise
  const text = /^#+\s+(.+)$/.exec(line)?.[1] ?? line
  return text.length > LONGEST_GUESS ? `${text.slice(0, LONGEST_GUESS - 3)}...` : text
}

function hiddenBy(frontmatter: Fields, folder: string, rules: readonly HidingRule[]): string | undefined {
  return rules.find(({ file, key, is }) => {
    const value = valueAt(file === undefined ? frontmatter : readYamlFile(join(folder, file)), key)
    if (is === 'set')
      return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ''
    return String(value) === is
  })?.why
}

function valueAt(fields: unknown, key: readonly string[]): unknown {
  return key.reduce<unknown>((value, part) => (isRecord(value) ? value[part] : undefined), fields)
}

/** Undefined if the file cannot be read; the agent ignores it too. */
function readYamlFile(path: string): unknown {
  const head = readHead(path)
  if ('problem' in head) return undefined
  try {
    const { document, lines } = parseYaml(head.text)
    return readValue(document, lines)
  } catch {
    return undefined
  }
}
