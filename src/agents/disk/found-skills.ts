import { type Dirent, lstatSync, opendirSync, realpathSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  type CacheKey,
  type Codec,
  isSettled,
  RecentValues,
  type Stamp,
  stampAt,
  stampOf,
} from '../../machine/cache.ts'
import { isFolder, isLink } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { realOrSame } from '../../machine/open-project.ts'
import { readDocument } from '../../machine/skill-document.ts'
import { parseYaml, readValue } from '../../machine/yaml.ts'
import { cutDocument } from '../../text/frontmatter-block.ts'
import { DOCUMENT_FILE, type Fields } from '../../text/skill-document.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { attempt, compareText, isRecord } from '../../text/values.ts'
import type { HidingRule, ReadingRules } from '../rules/reading-rules.ts'
import type { FoundSkill } from '../rules/visibility.ts'
import { type FoundPlace, readHead } from './agent-files.ts'

/** All skills in some places, in the order of the places and then of names. Never throws or hangs: huge folders have limits. */
export function findSkills(
  machine: Machine,
  places: readonly FoundPlace[],
  rules: ReadingRules,
  scan = openScan(machine),
): FoundSkill[] {
  const { heads } = scan
  const found = places.flatMap((place, at) => {
    if (place.state !== 'read') return []
    const { isCommands, isWorkflows } = place
    const key = JSON.stringify([place.path, place.plugin, isWorkflows, isCommands, rules])
    const files = scan.places.get(key) ?? describeAll(heads, place, rules)
    scan.places.set(key, files)
    return files.map((file): FoundSkill => ({ ...file, place: at, scope: place.scope }))
  })
  heads.save()
  return found
}

type DescribedFile = Omit<FoundSkill, 'place' | 'scope'>

/** The files of one place, as an agent with these rules describes them. */
function describeAll(heads: SkillHeads, place: FoundPlace, rules: ReadingRules): DescribedFile[] {
  const { isCommands: isCommand, isWorkflows: isWorkflow = false } = place
  const files: FoundFile[] = isWorkflow
    ? listFolder(place.path).flatMap(({ name }) => (name.endsWith('.js') ? [{ relativePath: name }] : []))
    : isCommand
      ? findCommands(place.path)
      : findDocuments(place.path, rules)
  return files.map(({ relativePath, realPath, stamp, problem }) => {
    const path = join(place.path, relativePath)
    const described = isWorkflow
      ? describeWorkflow(heads, place.path, path)
      : describeSkill({ heads, place: place.path, path, relativePath, stamp, isCommand, problem }, rules)
    const name = place.plugin === undefined ? described.name : `${place.plugin}:${described.name}`
    return { path, relativePath, isCommand, isWorkflow, realPath: realPath ?? realOrSame(path), ...described, name }
  })
}

/** Two questions of one call need not look at the same folders twice. */
export interface SkillScan {
  heads: SkillHeads
  places: Map<string, DescribedFile[]>
}

export function openScan(machine: Machine): SkillScan {
  return { heads: new SkillHeads(machine), places: new Map() }
}

interface FoundFile {
  relativePath: string
  /** Set if it is known without following links again. */
  realPath?: string
  /** Of a regular file. */
  stamp?: Stamp
  /** Why the agent does not open it. */
  problem?: string
}

/** Finds folders with a SKILL.md, breadth first. Enters no real folder twice, so that links cannot form a loop. */
function findDocuments(root: string, rules: ReadingRules): FoundFile[] {
  const files: FoundFile[] = []
  const realRoot = realOrSame(root)
  const visited = new Set([realRoot])
  let level = [{ parent: '', realParent: realRoot }]
  for (let depth = 1; depth <= rules.depth && level.length > 0; depth++) {
    const next: typeof level = []
    for (const { parent, realParent } of level) {
      for (const entry of listFolder(join(root, parent))) {
        if (entry.isFile() || (rules.skipsDotFolders && entry.name.startsWith('.'))) continue
        const folder = join(parent, entry.name)
        // For a folder that is not a link, join the paths: realpath costs a system call for each part of the path.
        const real = entry.isDirectory() ? join(realParent, entry.name) : realOrSame(join(root, folder))
        const found =
          entry.isDirectory() || isFolder(join(root, folder))
            ? findDocument(root, folder, real, rules)
            : brokenFolder(root, folder)
        if (found !== undefined) files.push(found)
        if (depth === rules.depth || visited.has(real) || visited.size >= 2_000 || !isFolder(real)) continue
        visited.add(real)
        next.push({ parent: folder, realParent: real })
      }
    }
    level = next
  }
  return files
}

/** A deeper broken link may be anything, so it is not reported. */
function brokenFolder(root: string, folder: string): FoundFile | undefined {
  const isMeant = isLink(join(root, folder)) && dirname(folder) === '.'
  return isMeant ? { relativePath: join(folder, DOCUMENT_FILE), problem: 'its folder is a broken link' } : undefined
}

function findDocument(root: string, folder: string, real: string, rules: ReadingRules): FoundFile | undefined {
  const relativePath = join(folder, DOCUMENT_FILE)
  let stat: Stats | undefined
  try {
    stat = lstatSync(join(root, relativePath), { throwIfNoEntry: false })
  } catch {
    // The folder is not accessible: reading the file will report it.
    return { relativePath, realPath: join(real, DOCUMENT_FILE) }
  }
  if (stat === undefined) {
    const near = listFolder(join(root, folder)).find(({ name }) => name.toLowerCase() === DOCUMENT_FILE.toLowerCase())
    return near && { relativePath, problem: `its file is called ${near.name}; only ${DOCUMENT_FILE} is read` }
  }
  if (!stat.isSymbolicLink()) return { relativePath, realPath: join(real, DOCUMENT_FILE), stamp: stampOf(stat) }
  if (rules.followsLinkedFiles) return { relativePath }
  return { relativePath, problem: `${DOCUMENT_FILE} is a link; only linked folders are followed` }
}

function findCommands(root: string, folder = '', depth = 0): FoundFile[] {
  return listFolder(join(root, folder)).flatMap((entry) => {
    const relativePath = join(folder, entry.name)
    if (isFolder(join(root, relativePath))) {
      return depth < 8 && !isBelowItself(root, relativePath) ? findCommands(root, relativePath, depth + 1) : []
    }
    return entry.name.endsWith('.md') ? [{ relativePath }] : []
  })
}

/** Whether a folder is a link to one of its parents. */
function isBelowItself(root: string, folder: string): boolean {
  const path = join(root, folder)
  return isLink(path) && realpathSync(join(path, '..')).startsWith(realOrSame(path))
}

/** At most `MOST_ENTRIES`, sorted by name. */
export function listFolder(path: string): Dirent[] {
  const entries: Dirent[] = []
  try {
    const folder = opendirSync(path)
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        if (entries.push(entry) >= 20_000) break
      }
    } finally {
      folder.closeSync()
    }
  } catch {
    // Report what was read so far; a folder that cannot be opened has nothing to report.
  }
  return entries.sort((a, b) => compareText(a.name, b.name))
}

type Described = Pick<FoundSkill, 'name' | 'description' | 'problem' | 'loss' | 'hidden'>

/** What describes a skill, a command or a workflow, without its text. */
interface SkillHead {
  /** Of the whole file, in bytes. */
  size: number
  isUtf8: boolean
  /** It starts with a byte order mark. */
  isMarked: boolean
  frontmatter?: Fields
  /** Why an intended frontmatter was read as text. */
  unread?: string
  /** Of the text after the frontmatter. */
  tokens: number
  /** The first line with text: of the whole, and after the frontmatter. */
  lines: readonly [all: string, body: string]
  /** Of a workflow. */
  meta?: Partial<Record<'name' | 'description' | 'whenToUse', string>>
}

/**
 * The heads of the skills below some folders, in the cache: 200 skills took 170 ms of a session's start to read. Each is
 * read again when its file changes.
 */
class SkillHeads {
  private readonly machine: Machine
  private readonly folders = new Map<string, { known: Map<string, StampedHead>; isChanged: boolean }>()

  constructor(machine: Machine) {
    this.machine = machine
  }

  /** `folder`: the place that contains the file. */
  read(folder: string, path: string, stamp = stampAt(path)): SkillHead | { problem: string } {
    const place = this.folders.get(folder) ?? this.open(folder)
    const known = place.known.get(path)
    if (known !== undefined && String(known.stamp) === String(stamp)) return known.head
    // The real time, whatever time a question is about: it is compared with file times.
    const now = new Date()
    const head = readSkill(path)
    if (place.known.delete(path)) place.isChanged = true
    if (stamp === undefined || 'problem' in head || !isSettled(stamp, now)) return head
    place.known.set(path, { stamp, head })
    place.isChanged = true
    return head
  }

  private open(folder: string) {
    const known = KEPT.get(folder) ?? this.machine.cache.read(keyOf(folder), CODEC.decode) ?? new Map()
    const place = { known, isChanged: false }
    KEPT.set(folder, known)
    this.folders.set(folder, place)
    return place
  }

  /** Stores what was read anew, for later processes. */
  save(): void {
    for (const [folder, { known, isChanged }] of this.folders) {
      if (isChanged) this.machine.cache.write(keyOf(folder), CODEC.encode(known)!)
    }
  }
}

interface StampedHead {
  stamp: Stamp
  head: SkillHead
}

/** For a process that asks again, such as a web page. */
const KEPT = new RecentValues<Map<string, StampedHead>>(256)

function keyOf(folder: string): CacheKey {
  return { kind: 'skill-heads', version: 1, name: [folder] }
}

const CODEC: Codec<Map<string, StampedHead>> = {
  encode: (known) => new TextEncoder().encode(JSON.stringify([...known])),
  // Loadout wrote it, and its checksum is right.
  decode: (bytes) => new Map(JSON.parse(new TextDecoder().decode(bytes)) as [string, StampedHead][]),
}

function readSkill(path: string): SkillHead | { problem: string } {
  const head = readHead(path)
  if ('problem' in head) return head
  const { text, size, isUtf8 } = head
  const { frontmatter, body, problem } = readDocument(text)
  const unread = Math.max(0, Math.ceil((size - Buffer.byteLength(text)) / 4))
  return {
    size,
    isUtf8,
    isMarked: text.startsWith('\ufeff'),
    frontmatter,
    unread: problem,
    tokens: estimateTokens(body) + unread,
    lines: [firstLine(text), firstLine(cutDocument(text).body)],
    meta: path.endsWith('.js') ? readMeta(text) : undefined,
  }
}

function firstLine(text: string): string {
  return /^.*\S.*$/m.exec(text)?.[0].trim().slice(0, 1000) ?? ''
}

/** The texts of a workflow's `meta`, a literal. */
function readMeta(text: string): SkillHead['meta'] {
  const meta = text.split(/^export const meta\s*=\s*\{/m)[1] ?? ''
  const textOf = (key: string) => {
    const literal =
      String.raw`'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|` + String.raw`\x60((?:[^\x60\\$]|\\[\s\S])*)\x60`
    const found = new RegExp(String.raw`(?:^|[,{\s])["']?${key}["']?\s*:\s*(?:${literal})\s*[,}]`).exec(meta)
    return (found?.[1] ?? found?.[2] ?? found?.[3])?.replace(/\\([\s\S])/g, (_, letter) =>
      letter === 'n' ? '\n' : letter,
    )
  }
  return { name: textOf('name'), description: textOf('description'), whenToUse: textOf('whenToUse') }
}

/** The size of the text after the frontmatter, in tokens; 0 if it cannot be read. */
export function bodyTokensOf(path: string): number {
  const head = readSkill(path)
  return 'problem' in head ? 0 : head.tokens
}

interface SkillFile {
  heads: SkillHeads
  /** The folder in which the agent found it. */
  place: string
  path: string
  relativePath: string
  stamp: Stamp | undefined
  isCommand: boolean
  /** Why the agent does not open it. */
  problem: string | undefined
}

/** How an agent reads a SKILL.md or a command. Never throws. */
function describeSkill(
  { heads, place, path, relativePath, stamp, isCommand, problem }: SkillFile,
  rules: ReadingRules,
): Described {
  const called = isCommand ? relativePath.replace(/\.md$/, '').replaceAll('/', ':') : basename(dirname(path))
  if (problem !== undefined) return { name: called, description: '', problem }
  const head = heads.read(place, path, stamp)
  const file = isCommand ? 'it' : DOCUMENT_FILE
  if ('problem' in head) return { name: called, description: '', problem: `${file} ${head.problem}` }
  if (rules.largestFile !== undefined && head.size > rules.largestFile) {
    const limit = `${file} has ${head.size} bytes; no more than ${rules.largestFile} are read`
    return { name: called, description: '', problem: limit }
  }
  if (rules.needsUtf8 && !head.isUtf8) return { name: called, description: '', problem: `${file} is not UTF-8 text` }
  const isMarked = head.isMarked && !rules.readsBehindMark
  const unread = isMarked ? 'it starts with a byte order mark' : head.unread
  const frontmatter = isMarked ? undefined : head.frontmatter
  const fields = frontmatter ?? {}
  const name = isCommand || rules.namedBy === 'folder' ? called : (lineOf(fields.name, rules) ?? called)
  const own = lineOf(fields.description, rules)
  const hidden = hiddenBy(fields, dirname(path), rules.hiding)
  const rest = hidden === undefined ? {} : { hidden }
  if (rules.longestName !== undefined && [...name].length > rules.longestName) {
    return { name, description: '', problem: `its name has more than ${rules.longestName} characters` }
  }
  const loss =
    unread !== undefined
      ? `its frontmatter is not read: ${unread}`
      : frontmatter === undefined
        ? 'it has no frontmatter'
        : 'it has no description'
  if (rules.needsName && unread === undefined && lineOf(fields.name, rules) === undefined) {
    return { name, description: '', problem: fields.description === undefined ? loss : 'it has no name' }
  }
  if (own !== undefined && own.length > (rules.longestDescription ?? own.length)) {
    return { name, description: own, problem: `its description has more than ${rules.longestDescription} characters` }
  }
  if (own !== undefined) {
    const more = rules.describedAlsoBy === undefined ? undefined : fields[rules.describedAlsoBy]
    return { name, description: more == null || more === '' ? own : `${own} - ${String(more)}`, ...rest }
  }
  if (!rules.guessesDescription) return { name, description: '', problem: loss, ...rest }
  const line = head.lines[isMarked ? 0 : 1].replace(/^#+\s+(?=\S)/, '') || (isCommand ? 'Custom command' : 'Skill')
  const description = line.length > LONGEST_GUESS ? `${line.slice(0, LONGEST_GUESS - 3)}...` : line
  // Commands need no frontmatter.
  const isMeant = !isCommand || unread !== undefined
  return { name, description, loss: isMeant ? `${loss}: listed by its first line` : undefined, ...rest }
}

/** A workflow as its `meta` describes it. Without a name or a description it is not listed. */
function describeWorkflow(heads: SkillHeads, place: string, path: string): Described {
  const called = basename(path, '.js')
  const head = heads.read(place, path)
  if ('problem' in head) return { name: called, description: '', problem: `it ${head.problem}` }
  const { name, description, whenToUse } = head.meta ?? {}
  if (!name || !description)
    return { name: name || called, description: '', problem: 'its meta has no name or description' }
  return { name, description: whenToUse ? `${description} - ${whenToUse}` : description }
}

function lineOf(value: unknown, { joinsBlanks }: ReadingRules): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const text = joinsBlanks ? String(value).replace(/\s+/g, ' ').trim() : String(value).trim()
  return text === '' ? undefined : text
}

const LONGEST_GUESS = 100

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
  return attempt(() => {
    const { document, lines } = parseYaml(head.text)
    return readValue(document, lines)
  }, undefined)
}
