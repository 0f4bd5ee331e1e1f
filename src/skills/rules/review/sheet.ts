import { createHash } from 'node:crypto'
import { printableLine } from '../../../text/printable.ts'
import { detectSecrets, sanitize } from '../../../text/sensitive/detect.ts'
import { compareText, isRecord, isTextList } from '../../../text/values.ts'
import { SKILL_FILE, type Skill } from '../skill.ts'
import { type Act, CAPABILITY_KINDS, type CapabilityKind } from './acts.ts'
import { type Spot, type Steps, scanText, type TextForm } from './scan.ts'

/** One line of the capability sheet: something that a skill can do, which a person must allow first. */
export interface Capability {
  kind: CapabilityKind
  /** What it does, as the end of "this file …". */
  what: string
  path: string
  /** Counted from 1; 0 for the file as a whole. */
  line: number
  /** The line itself, shortened, with secrets masked and control characters visible. */
  quote: string
  /** Known from attacks. */
  isAlarming: boolean
  /** A digest of what can act. An approval covers it: another line or another content has another digest. */
  id: string
  /** Listed, but no reason to ask. */
  isUsual?: true
  /** The frontmatter key that is left out of installed copies until the user allows it. */
  key?: string
}

export interface SheetInput {
  skill: Skill
  /** Each is read when its turn comes. */
  files: Iterable<ReviewFile>
  findTwin: FindTwin
}

/** A sheet with more lines ends in sums. */
const MOST_IN_SHEET = 400
/** The deadline, in counted steps, about two seconds: the same for every machine. The rest counts as not read. */
export const MOST_STEPS = 16_000_000

/**
 * What a skill of another author can do, worst first. Text that only informs is not in it. Everything else is, unless
 * known to be harmless; the patterns in `acts.ts` find what text can make a model do, and put the worst lines first.
 */
export function readSheet(input: SheetInput, steps?: Steps): Capability[] {
  const reading = readSheetByFile(input, steps)
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value
  }
}

/** Stops after each file, so that a signal can be answered. */
export function* readSheetByFile(
  { skill, files, findTwin }: SheetInput,
  steps: Steps = { count: 0 },
): Generator<undefined, Capability[]> {
  const sheet: Capability[] = [...readFrontmatter(skill), ...readFields(skill, steps)]
  const twin = findTwin(skill.name)
  if (twin !== undefined)
    sheet.push(
      capability('misleads', `has a name that looks like ${twin}`, SKILL_FILE, 0, skill.name, skill.name, true),
    )
  for (const file of files) {
    yield undefined
    const { path, digest, text, problem } = file
    // A model reads the names of files too.
    const name = scanText(path.replace(/[/_.-]/g, ' '), 'prose', steps)
    sheet.push(...name.filter(({ kind }) => kind === 'misleads').map((spot) => asLine('', spot)))
    const { form, what, quote, isAlarming } = judgeFile(file)
    const whole = (kind: CapabilityKind, why: string, isBad = false, isUsual = false) =>
      sheet.push({ ...capability(kind, why, path, 0, quote, digest, isBad), ...(isUsual && { isUsual }) })
    if (what !== undefined) whole('runs', what, isAlarming)
    if (problem !== undefined) whole('unread', problem)
    if (text === undefined) continue
    if (steps.count > MOST_STEPS) {
      whole('unread', 'is too much to be looked through')
      continue
    }
    const spots = scanText(text, form, steps)
    // A file with more acting lines counts as a whole.
    // Of a program, which counts as a whole anyway, only the worst lines.
    const shown = [...spots].sort((a, b) => rank(a) - rank(b) || a.line - b.line).slice(0, what === undefined ? 40 : 8)
    sheet.push(...shown.map((spot) => asLine(path, spot)))
    if (what !== undefined || shown.length === spots.length) continue
    for (const kind of new Set(spots.map((spot) => spot.kind))) {
      const same = spots.filter((spot) => spot.kind === kind)
      const isUsual = same.every((spot) => spot.isUsual)
      whole(kind, `has ${same.length} such lines`, false, isUsual)
    }
  }
  return bounded(sheet)
}

function asLine(path: string, { kind, what, line, text, isAlarming, isUsual }: Spot): Capability {
  const made = capability(kind, what, path, line, text, text.replace(/\s+/g, ' ').trim(), isAlarming)
  return isUsual ? { ...made, isUsual } : made
}

/** Alarming lines first, usual ones last, then by kind. */
function rank({ isAlarming, isUsual, kind }: Pick<Spot, 'isAlarming' | 'isUsual' | 'kind'>): number {
  return (isAlarming ? 0 : isUsual ? 2 : 1) * CAPABILITY_KINDS.length + CAPABILITY_KINDS.indexOf(kind)
}

/** In order and without repetition; the end of a very long sheet becomes one line for each kind. */
function bounded(sheet: readonly Capability[]): Capability[] {
  const sorted = [...sheet].sort(
    (a, b) => rank(a) - rank(b) || compareText(a.path, b.path) || a.line - b.line || compareText(a.id, b.id),
  )
  const ids = new Set<string>()
  const distinct = sorted.filter(({ id }) => !ids.has(id) && ids.add(id))
  // Keys are decided one by one, so none of them may become part of a sum.
  const [keys, others] = [
    distinct.filter(({ key }) => key !== undefined),
    distinct.filter(({ key }) => key === undefined),
  ]
  const rest = others.slice(MOST_IN_SHEET)
  if (rest.length === 0) return distinct
  const sums = CAPABILITY_KINDS.flatMap((kind) => {
    const same = rest.filter((each) => each.kind === kind && !each.isUsual)
    if (same.length === 0) return []
    const content = same.map(({ id }) => id).sort(compareText)
    return [capability(kind, `and ${same.length} more places`, '', 0, '', content.join(' '), false)]
  })
  return [...others.slice(0, MOST_IN_SHEET), ...sums, ...keys]
}

function capability(
  kind: CapabilityKind,
  what: string,
  path: string,
  line: number,
  quote: string,
  content: string,
  isAlarming: boolean,
  key?: string,
): Capability {
  const id = createHash('sha256')
    .update(JSON.stringify([kind, path, content]))
    .digest('hex')
  return { kind, what, path, line, quote: quoted(quote), isAlarming, id, key }
}

const LONGEST_QUOTE = 160

function quoted(text: string): string {
  const line = text
    .slice(0, 4 * LONGEST_QUOTE)
    .replace(/\s+/g, ' ')
    .trim()
  const secrets = detectSecrets(line).filter(({ contentClass }) => contentClass !== 'prompt_injection')
  const seen = (sanitize(line, secrets, 'mask').text ?? '').replace(
    /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu,
    (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  )
  return printableLine(seen.length > LONGEST_QUOTE ? `${seen.slice(0, LONGEST_QUOTE)}…` : seen)
}

/** Texts of skill.json outside of the frontmatter: its description stands in every session. */
function readFields({ description, tags, others }: Skill, steps: Steps): Capability[] {
  const texts = textsOf({ description, tags, ...others })
  return scanText(texts.join('\n'), 'prose', steps).map((spot) => ({ ...asLine(SKILL_FILE, spot), line: 0 }))
}

/** The texts in a value, up to a depth that no honest file has. */
function textsOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 20) return []
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsOf(each, depth + 1)])
}

// Without hyphens and underscores, in lower case: they describe a skill, or limit it.
const HARMLESS_KEYS = new Set(
  `license licence version author authors tags keywords category categories homepage repository url source compatibility
  metadata title displayname emoji color icon date created updated dateadded lang language languages domain type risk tier
  priority level audience maturity status vibe examples whentouse argumenthint arguments userinvocable usermayinvoke
  disablemodelinvocation disallowedtools paths globs triggers triggerphrases notfor compatibletools related policy name
  description requires depends dependson dependencies`.split(/\s+/),
)
const TOOL_KEYS = new Set(['allowedtools', 'tools', 'alloweddomains', 'autoapprove', 'permissions'])
const READING_TOOLS = new Set(
  'read grep glob ls notebookread todoread todowrite askuserquestion view search list_files read_file'.split(' '),
)

/** What the frontmatter asks for. A key that is not known to be harmless needs an answer, whatever its value is. */
export function readFrontmatter({ metadata }: Pick<Skill, 'metadata'>): Capability[] {
  return Object.values(metadata).flatMap((fields) =>
    Object.entries(fields).flatMap(([key, value]): Capability[] => {
      const name = key.toLowerCase().replace(/[-_\s]/g, '')
      const asks = (what: string, quote: string, isAlarming: boolean) =>
        capability('asks', what, SKILL_FILE, 0, `${key}: ${quote}`, `${key}: ${quote}`, isAlarming, key)
      if (TOOL_KEYS.has(name)) {
        const tools = toolsOf(value)
        if (tools === undefined) return [asks('asks for permissions that cannot be read', JSON.stringify(value), true)]
        const acting = tools.filter((tool) => !READING_TOOLS.has(tool.toLowerCase()))
        return acting.map((tool) =>
          asks('asks to use it without a question', tool, /^(?:\*|bash|shell|powershell)(?:\(\W*\))?$/i.test(tool)),
        )
      }
      if (!HARMLESS_KEYS.has(name) || !isPlain(value))
        return [
          asks(
            'asks for something that only the agent knows',
            JSON.stringify(value),
            /^(?:hooks|mcpservers|permissionmode|shell)$/.test(name),
          ),
        ]
      const spots = scanText(textsOf(value).join('\n'), 'prose').filter(({ isUsual }) => !isUsual)
      return spots.map(({ kind, what, text, isAlarming }) => {
        const quote = `${key}: ${text}`
        return capability(kind, what, SKILL_FILE, 0, quote, quote, isAlarming, key)
      })
    }),
  )
}

/** Undefined if they cannot be read, which counts as everything. */
function toolsOf(value: unknown): string[] | undefined {
  if (value === null || value === '') return []
  if (isTextList(value)) return value.map((tool) => tool.trim()).filter((tool) => tool !== '')
  if (typeof value !== 'string') return undefined
  return value.slice(0, 10_000).match(/[^\s,()]{1,200}(?:\([^()]{0,400}\))?/g) ?? []
}

/** A text or a number, a list of them, or one map of both: a map in a map may be an order to a program. */
function isPlain(value: unknown): boolean {
  const isScalar = (each: unknown) => typeof each !== 'object' || each === null
  const isFlat = (each: unknown) => isScalar(each) || (Array.isArray(each) && each.every(isScalar))
  return isFlat(value) || (isRecord(value) && Object.values(value).every(isFlat))
}

// Letters that look like others. Case does not matter in addresses and names.
const PAIRS: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/[1il|]/g, 'l'],
  [/0/g, 'o'],
  [/5/g, 's'],
]

/** A form of a name that is equal for names that look alike. */
function lookOf(text: string): string {
  return PAIRS.reduce((read, [pattern, letter]) => read.replace(pattern, letter), text.toLowerCase())
}

/** Returns the name of another skill that looks like this one. */
export type FindTwin = (name: string) => string | undefined

/** Prepares the names of a library once, for many calls. */
export function findTwinIn(names: readonly string[]): FindTwin {
  const byLook = new Map<string, Set<string>>()
  for (const name of names) {
    const look = lookOf(name)
    byLook.set(look, (byLook.get(look) ?? new Set()).add(name))
  }
  return (name) => [...(byLook.get(lookOf(name)) ?? [])].find((other) => other !== name)
}

const KNOWN = [
  'github.com',
  'githubusercontent.com',
  'gitlab.com',
  'bitbucket.org',
  'npmjs.com',
  'npmjs.org',
  'pypi.org',
  'anthropic.com',
  'claude.ai',
  'openai.com',
  'google.com',
  'googleapis.com',
  'microsoft.com',
  'amazonaws.com',
  'docker.com',
  'docker.io',
  'huggingface.co',
  'vercel.com',
  'cloudflare.com',
  'python.org',
  'rust-lang.org',
  'crates.io',
]
const LOOKS = new Map(KNOWN.map((host) => [lookOf(host), host]))

type Found = Pick<Act, 'kind' | 'what' | 'isAlarming'>
const misleads = (what: string): Found => ({ kind: 'misleads', what, isAlarming: true })

/** Finds invisible text in a line, and text that looks like something else. */
export function findAppearance(line: string): Found[] {
  const found: Found[] = []
  if (line.includes('://')) found.push(...findHosts(line))
  if (/^[\t\x20-\x7e]*$/.test(line)) return found
  // A flag is a black flag with up to six tags; all other tags only hide text.
  const bare = line.replace(/\u{1f3f4}[\u{e0020}-\u{e007f}]{1,7}/gu, '')
  if (
    /[\u{e0000}-\u{e007f}]{2}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3}|[\u200b-\u200f\u2060-\u2064\ufeff]{6}/u.test(bare)
  )
    found.push(misleads('holds text in characters that nobody sees'))
  if (/[\u202a-\u202e\u2066-\u2069]/.test(bare))
    found.push(misleads('turns the direction of text around, so that it reads other than it runs'))
  // Of the Greek letters only those that look like Latin ones: formulas have the others inside of words.
  if (/[A-Za-z][\u0400-\u04ffΑΒΕΖΗΙΚΜΝΟΡΤΥΧαινορυ][A-Za-z]|[\u0400-\u04ff][A-Za-z][\u0400-\u04ff]/.test(bare))
    found.push(misleads('mixes letters of different scripts in a word'))
  return found
}

function findHosts(line: string): Found[] {
  return line
    .split('://')
    .slice(1)
    .flatMap((rest): Found[] => {
      const authority = (/^[^\s/"'\x60<>)\]}]{0,300}/.exec(rest)?.[0] ?? '').toLowerCase()
      const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d{0,5}$/, '')
      if (/\p{Script=Latin}/u.test(host) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(host))
        return [misleads('an address mixes letters of different scripts')]
      const domain = host.split('.').slice(-2).join('.')
      const meant = LOOKS.get(lookOf(domain))
      return meant === undefined || KNOWN.includes(domain)
        ? []
        : [misleads(`an address looks like ${meant}, but is ${domain}`)]
    })
}

const TITLES: Readonly<Record<Capability['kind'], string>> = {
  misleads: 'misleads',
  sends: 'sends or downloads',
  runs: 'runs',
  writes: 'writes outside, deletes or changes settings',
  asks: 'asks for',
  unread: 'could not be read',
}

/** The lines of a sheet under their headings, in its order: worst first. */
export function sheetSections(sheet: readonly Capability[]): [title: string, lines: Capability[]][] {
  const sections = new Map<string, Capability[]>()
  for (const each of sheet) {
    const title = each.isUsual ? 'as usual in documentation' : TITLES[each.kind]
    sections.set(title, [...(sections.get(title) ?? []), each])
  }
  return [...sections]
}

const SHORT: Readonly<Record<Capability['kind'], readonly [one: string, many: string]>> = {
  misleads: ['misleads', 'misleads'],
  sends: ['sends', 'sends'],
  runs: ['runs 1 program', 'runs # programs'],
  writes: ['writes outside', 'writes outside'],
  asks: ['asks for tools', 'asks for tools'],
  unread: ['1 file unread', '# files unread'],
}

/** A few words for a list: `sends, runs 8 programs`. */
export function summarizeSheet(sheet: readonly Capability[]): string {
  const counted = new Map<Capability['kind'], Set<string>>()
  for (const { kind, path } of sheet.filter(({ isUsual }) => !isUsual)) {
    counted.set(kind, (counted.get(kind) ?? new Set()).add(path))
  }
  const words = [...counted].map(([kind, { size }]) => SHORT[kind][size === 1 ? 0 : 1].replace('#', String(size)))
  return words.join(', ')
}

/** One file of a skill, for the sheet. */
export interface ReviewFile {
  path: string
  isExecutable: boolean
  /** A hash of the whole content. */
  digest: string
  /** As far as it can be read; undefined for a picture or a font. */
  text: string | undefined
  /** The content, or its start, of a file that may be a picture or a font. */
  bytes?: Uint8Array
  /** Why it could not be read as a whole, as the end of "this file …". */
  problem?: string
}

const setOf = (text: string) => new Set(text.split(/\s+/))
const PROSE = setOf('md markdown txt text rst adoc asciidoc org bib')
const DATA = setOf(
  'json jsonl ndjson json5 geojson yaml yml toml csv tsv xml xsd ini srt vtt po lock sum gitignore gitattributes gitkeep editorconfig npmignore dockerignore',
)
const MARKUP = setOf('html htm xhtml svg')
const PLAIN_NAMES =
  /^(?:licen[cs]e|copying|notice|readme|changelog|authors|contributors|copyright|version)(?:[-_.][\w-]{1,40})?$/i

/** Files that an agent or a tool obeys, whatever their form. */
const SETTINGS =
  /(?:^|\/)(?:\.mcp\.json|mcp\.json|hooks\.json|settings(?:\.local)?\.json|plugin\.json|marketplace\.json|package\.json|docker-compose[\w.-]{0,40}|compose\.ya?ml|action\.ya?ml|\.pre-commit-config\.yaml|pyproject\.toml|requirements[\w.-]{0,40}\.txt|constraints\.txt|gemfile|pipfile|go\.mod|cargo\.toml|deno\.jsonc?|tasks\.json|launch\.json|setup\.cfg|tox\.ini)$|(?:^|\/)\.[\w-]{1,40}\//i

interface FileVerdict {
  /** How to look through its text. */
  form: TextForm
  /** Why it can act; undefined if it only informs. */
  what?: string
  quote: string
  isAlarming: boolean
}

/** What a file is. One that is not known to only inform can act. */
function judgeFile(file: ReviewFile): FileVerdict {
  const { path, isExecutable, text = '', bytes } = file
  const name = path.slice(path.lastIndexOf('/') + 1)
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const quote = firstLine(text)
  const acts = (what: string, isAlarming = false): FileVerdict => ({ form: 'code', what, quote, isAlarming })
  if (bytes !== undefined && isProgram(bytes)) return acts('is a compiled program', true)
  if (text.startsWith('#!') || text.startsWith('\ufeff#!')) return acts('is a script')
  if (isExecutable) return acts('can be run as a program')
  if (PICTURES[extension] !== undefined) {
    const isInert = bytes !== undefined && PICTURES[extension](bytes) && !holdsCode(bytes)
    return isInert
      ? { form: 'data', quote: '', isAlarming: false }
      : acts('is not the picture or font that its name says', true)
  }
  if (MARKUP.has(extension))
    return isInertMarkup(text) ? { form: 'data', quote, isAlarming: false } : acts('is a page that a browser runs')
  if (SETTINGS.test(path))
    return { form: 'data', what: 'has settings that an agent or a tool obeys', quote, isAlarming: false }
  if (PROSE.has(extension) || (!name.includes('.') && PLAIN_NAMES.test(name)))
    return { form: 'prose', quote, isAlarming: false }
  if (DATA.has(extension)) {
    const isDependent = /(?:^|\/)agents\/openai\.ya?ml$/.test(path) && text.includes('dependencies')
    return { form: 'data', what: isDependent ? 'names tools that an agent loads' : undefined, quote, isAlarming: false }
  }
  return acts(PROGRAMS.has(extension) ? 'is a program' : 'is a file of a kind that is not known to be harmless')
}

const PROGRAMS = setOf(
  'sh bash zsh fish ksh csh ps1 psm1 bat cmd vbs vbe js mjs cjs jsx ts tsx mts cts py pyw pyc rb pl pm php lua r jl go rs java kt swift c cc cpp cs scala groovy ex exs clj sql ipynb jar war class wasm exe dll so dylib msi deb rpm apk dmg pkg app scpt applescript command desktop lnk url reg hta jse wsf xlsm docm pptm zip tar gz tgz bz2 xz 7z rar whl egg mk gradle tf nix awk sed',
)

function firstLine(text: string): string {
  for (const line of text.slice(0, 2000).split('\n', 20)) if (line.trim() !== '') return line
  return ''
}

const starts = (bytes: Uint8Array, ...signs: readonly number[]) => signs.every((sign, at) => bytes[at] === sign)
const ends = (bytes: Uint8Array, ...signs: readonly number[]) =>
  signs.every((sign, at) => bytes[bytes.length - signs.length + at] === sign)
const says = (bytes: Uint8Array, at: number, text: string) =>
  [...text].every((sign, index) => bytes[at + index] === sign.charCodeAt(0))
const isFont = (bytes: Uint8Array) =>
  starts(bytes, 0, 1, 0, 0) || says(bytes, 0, 'OTTO') || says(bytes, 0, 'true') || says(bytes, 0, 'ttcf')

/** By extension: whether the bytes are what the name says, from the first to the last. */
const PICTURES: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  png: (bytes) => starts(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) && ends(bytes, 0xae, 0x42, 0x60, 0x82),
  jpg: isJpeg,
  jpeg: isJpeg,
  gif: (bytes) => says(bytes, 0, 'GIF8') && (bytes[6] ?? 0) + (bytes[7] ?? 0) * 256 < 20_000 && ends(bytes, 0x3b),
  webp: (bytes) => says(bytes, 0, 'RIFF') && says(bytes, 8, 'WEBP'),
  ico: (bytes) => starts(bytes, 0, 0, 1, 0),
  avif: (bytes) => says(bytes, 4, 'ftyp'),
  ttf: isFont,
  otf: isFont,
  woff: (bytes) => says(bytes, 0, 'wOFF'),
  woff2: (bytes) => says(bytes, 0, 'wOF2'),
}

function isJpeg(bytes: Uint8Array): boolean {
  return starts(bytes, 0xff, 0xd8, 0xff) && ends(bytes, 0xff, 0xd9)
}

/** Marks of a program, a page or an archive inside of something else. */
function holdsCode(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return ['<script', '<?php', 'PK\x03\x04', '#!/', 'eval(', 'powershell', '/bin/sh', '/bin/bash'].some((mark) =>
    text.includes(mark, 0, 'latin1'),
  )
}

/** ELF, Windows, Mach-O and Java. */
function isProgram(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 64)).toString('latin1')
  return /^(?:\x7fELF|MZ[\s\S]{20}|[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]|\xca\xfe\xba\xbe|\0asm|dex\n)/.test(
    head,
  )
}

const INERT_TAGS = setOf(
  `!doctype !-- ?xml html head body title main section article header footer nav aside div span p br hr h1 h2 h3 h4 h5 h6 ul
  ol li dl dt dd table thead tbody tfoot tr th td caption colgroup col strong em b i u s small sub sup code pre blockquote
  figure figcaption details summary kbd mark abbr time svg g path circle ellipse rect line polyline polygon text tspan defs
  lineargradient radialgradient stop clippath mask pattern symbol marker desc filter fegaussianblur feoffset femerge
  femergenode feflood fecomposite feblend fecolormatrix style`,
)

/** Whether a page has only tags that show something: no script, no handler, nothing that is loaded or sent. */
function isInertMarkup(text: string): boolean {
  const lower = text.toLowerCase()
  for (const part of lower.split('<').slice(1)) {
    const tag = /^\/?([!?\w-]{1,40})/.exec(part)?.[1] ?? ''
    if (!INERT_TAGS.has(tag.startsWith('!--') ? '!--' : tag)) return false
  }
  return !/\son[a-z]{3,40}\s{0,9}=|javascript:|data:text|@import|url\(|expression\(|href\s{0,9}=\s{0,9}["']?[a-z]|src\s{0,9}=|<!entity|<!doctype[^>]{0,200}\[/.test(
    lower,
  )
}

export const LFS_PROBLEM = 'is not the file, only a pointer of Git LFS'

/** Whether a text is the pointer that Git LFS leaves for a file that it did not fetch. */
export function isPointer(text: string): boolean {
  return text.startsWith('version https://git-lfs.github.com/spec/v1\n')
}
