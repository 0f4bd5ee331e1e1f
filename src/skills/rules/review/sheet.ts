import { createHash } from 'node:crypto'
import { printableLine } from '../../../text/printable.ts'
import { detectSecrets, sanitize } from '../../../text/sensitive/detect.ts'
import { compareText, isRecord, isTextList } from '../../../text/values.ts'
import { SKILL_FILE, type Skill } from '../skill.ts'
import { CAPABILITY_KINDS, type CapabilityKind } from './acts.ts'
import { lookOf, type Spot, type Steps, scanText, type TextForm } from './scan.ts'

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
  // Texts of skill.json outside of the frontmatter: its description stands in every session.
  const { description, tags, others } = skill
  const fields = scanText(textsOf({ description, tags, ...others }).join('\n'), 'prose', steps)
  const sheet = [...readFrontmatter(skill), ...fields.map((spot) => ({ ...asLine(SKILL_FILE, spot), line: 0 }))]
  const twin = findTwin(skill.name)
  if (twin !== undefined) {
    const what = `has a name that looks like ${twin}`
    sheet.push(capability('misleads', what, SKILL_FILE, 0, skill.name, skill.name, true))
  }
  for (const file of files) {
    yield undefined
    const { path, digest, text, problem } = file
    // A model reads the names of files too.
    const name = scanText(path.replace(/[/_.-]/g, ' '), 'prose', steps)
    sheet.push(...name.filter(({ kind }) => kind === 'misleads').map((spot) => asLine('', spot)))
    const { form, what, quote, isAlarming } = judgeFile(file)
    const whole = (kind: CapabilityKind, why: string, isBad = false, isUsual = false) =>
      sheet.push({ ...capability(kind, why, path, 0, quote, digest, isBad), isUsual: isUsual ? true : undefined })
    if (what !== undefined) whole('runs', what, isAlarming)
    if (problem !== undefined) whole('unread', problem)
    if (text === undefined) continue
    if (steps.count > MOST_STEPS) {
      whole('unread', 'is too much to be looked through')
      continue
    }
    const spots = scanText(text, form, steps)
    // A file with more acting lines counts as a whole. Of a program, which does so anyway, only the worst lines.
    const most = what === undefined ? 40 : 8
    const shown = [...spots].sort((a, b) => rank(a) - rank(b) || a.line - b.line).slice(0, most)
    sheet.push(...shown.map((spot) => asLine(path, spot)))
    if (what !== undefined || shown.length === spots.length) continue
    for (const kind of new Set(spots.map((spot) => spot.kind))) {
      const same = spots.filter((spot) => spot.kind === kind)
      const isUsual = same.every((spot) => spot.isUsual)
      whole(kind, `has ${same.length} such lines`, false, isUsual)
    }
  }
  // In order and without repetition; the end of a very long sheet becomes one line for each kind.
  sheet.sort((a, b) => rank(a) - rank(b) || compareText(a.path, b.path) || a.line - b.line || compareText(a.id, b.id))
  const ids = new Set<string>()
  const distinct = sheet.filter(({ id }) => !ids.has(id) && ids.add(id))
  // Keys are decided one by one, so none of them may become part of a sum.
  const keys = distinct.filter(({ key }) => key !== undefined)
  const lines = distinct.filter(({ key }) => key === undefined)
  const rest = lines.slice(400)
  if (rest.length === 0) return distinct
  const sums = CAPABILITY_KINDS.flatMap((kind) => {
    const same = rest.filter((each) => each.kind === kind && !each.isUsual)
    if (same.length === 0) return []
    const content = same.map(({ id }) => id).sort(compareText)
    return [capability(kind, `and ${same.length} more places`, '', 0, '', content.join(' '), false)]
  })
  return [...lines.slice(0, 400), ...sums, ...keys]
}

function asLine(path: string, { kind, what, line, text, isAlarming, isUsual }: Spot): Capability {
  const made = capability(kind, what, path, line, text, text.replace(/\s+/g, ' ').trim(), isAlarming)
  return isUsual ? { ...made, isUsual } : made
}

/** Alarming lines first, usual ones last, then by kind. */
function rank({ isAlarming, isUsual, kind }: Pick<Spot, 'isAlarming' | 'isUsual' | 'kind'>): number {
  return (isAlarming ? 0 : isUsual ? 2 : 1) * CAPABILITY_KINDS.length + CAPABILITY_KINDS.indexOf(kind)
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
  const longest = 160
  const text = quote
    .slice(0, 4 * longest)
    .replace(/\s+/g, ' ')
    .trim()
  const secrets = detectSecrets(text).filter(({ contentClass }) => contentClass !== 'prompt_injection')
  const seen = (sanitize(text, secrets, 'mask').text ?? '').replace(
    /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu,
    (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  )
  const shown = printableLine(seen.length > longest ? `${seen.slice(0, longest)}…` : seen)
  return { kind, what, path, line, quote: shown, isAlarming, id, key }
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
  const isScalar = (each: unknown) => typeof each !== 'object' || each === null
  const isFlat = (each: unknown) => isScalar(each) || (Array.isArray(each) && each.every(isScalar))
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
      // A text or a number, a list of them, or one map of both: a map in a map may be an order to a program.
      const isPlain = isFlat(value) || (isRecord(value) && Object.values(value).every(isFlat))
      if (!HARMLESS_KEYS.has(name) || !isPlain) {
        const isAlarming = /^(?:hooks|mcpservers|permissionmode|shell)$/.test(name)
        return [asks('asks for something that only the agent knows', JSON.stringify(value), isAlarming)]
      }
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

/** How each kind is named as a heading of a sheet, and in a list for one and for several files. */
const WORDS: Readonly<Record<CapabilityKind, readonly [title: string, one: string, many: string]>> = {
  misleads: ['misleads', 'misleads', 'misleads'],
  sends: ['sends or downloads', 'sends', 'sends'],
  runs: ['runs', 'runs 1 program', 'runs # programs'],
  writes: ['writes outside, deletes or changes settings', 'writes outside', 'writes outside'],
  asks: ['asks for', 'asks for tools', 'asks for tools'],
  unread: ['could not be read', '1 file unread', '# files unread'],
}

/** The lines of a sheet under their headings, in its order: worst first. */
export function sheetSections(sheet: readonly Capability[]): [title: string, lines: Capability[]][] {
  const sections = new Map<string, Capability[]>()
  for (const each of sheet) {
    const title = each.isUsual ? 'as usual in documentation' : WORDS[each.kind][0]
    sections.set(title, [...(sections.get(title) ?? []), each])
  }
  return [...sections]
}

/** A few words for a list: `sends, runs 8 programs`. */
export function summarizeSheet(sheet: readonly Capability[]): string {
  const counted = new Map<CapabilityKind, Set<string>>()
  for (const { kind, path } of sheet.filter(({ isUsual }) => !isUsual)) {
    counted.set(kind, (counted.get(kind) ?? new Set()).add(path))
  }
  return [...counted].map(([kind, { size }]) => WORDS[kind][size === 1 ? 1 : 2].replace('#', String(size))).join(', ')
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

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** Files by the ends of their names, and the tags of pages that only show something. */
const KNOWN = {
  prose: setOf('md markdown txt text rst adoc asciidoc org bib'),
  data: setOf(
    'json jsonl ndjson json5 geojson yaml yml toml csv tsv xml xsd ini srt vtt po lock sum gitignore gitattributes gitkeep editorconfig npmignore dockerignore',
  ),
  markup: setOf('html htm xhtml svg'),
  programs: setOf(
    'sh bash zsh fish ksh csh ps1 psm1 bat cmd vbs vbe js mjs cjs jsx ts tsx mts cts py pyw pyc rb pl pm php lua r jl go rs java kt swift c cc cpp cs scala groovy ex exs clj sql ipynb jar war class wasm exe dll so dylib msi deb rpm apk dmg pkg app scpt applescript command desktop lnk url reg hta jse wsf xlsm docm pptm zip tar gz tgz bz2 xz 7z rar whl egg mk gradle tf nix awk sed',
  ),
  tags: setOf(`!doctype !-- ?xml html head body title main section article header footer nav aside div span p br hr h1 h2 h3 h4 h5 h6 ul
  ol li dl dt dd table thead tbody tfoot tr th td caption colgroup col strong em b i u s small sub sup code pre blockquote
  figure figcaption details summary kbd mark abbr time svg g path circle ellipse rect line polyline polygon text tspan defs
  lineargradient radialgradient stop clippath mask pattern symbol marker desc filter fegaussianblur feoffset femerge
  femergenode feflood fecomposite feblend fecolormatrix style`),
}

/** Files that an agent or a tool obeys, whatever their form. */
const SETTINGS =
  /(?:^|\/)(?:\.mcp\.json|mcp\.json|hooks\.json|settings(?:\.local)?\.json|plugin\.json|marketplace\.json|package\.json|docker-compose[\w.-]{0,40}|compose\.ya?ml|action\.ya?ml|\.pre-commit-config\.yaml|pyproject\.toml|requirements[\w.-]{0,40}\.txt|constraints\.txt|gemfile|pipfile|go\.mod|cargo\.toml|deno\.jsonc?|tasks\.json|launch\.json|setup\.cfg|tox\.ini)$|(?:^|\/)\.[\w-]{1,40}\//i

/** Pictures and fonts by extension: how their bytes start, and how they end. */
const PICTURES: Readonly<Record<string, readonly [start: RegExp, end?: RegExp]>> = {
  png: [/^89504e470d0a1a0a/, /ae426082$/],
  jpg: [/^ffd8ff/, /ffd9$/],
  jpeg: [/^ffd8ff/, /ffd9$/],
  // Less than 20,000 pixels wide.
  gif: [/^47494638.{4}(?:..[0-3].|..4[0-9a-d]|[01].4e)/, /3b$/],
  webp: [/^52494646.{8}57454250/],
  ico: [/^00000100/],
  avif: [/^.{8}66747970/],
  ttf: [/^(?:00010000|4f54544f|74727565|74746366)/],
  otf: [/^(?:00010000|4f54544f|74727565|74746366)/],
  woff: [/^774f4646/],
  woff2: [/^774f4632/],
}

/** What a file is. One that is not known to only inform can act. `what`: why it can act. */
function judgeFile({ path, isExecutable, text = '', bytes }: ReviewFile): {
  form: TextForm
  what?: string
  quote: string
  isAlarming: boolean
} {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const lines = text.slice(0, 2000).split('\n', 20)
  const quote = lines.find((line) => line.trim() !== '') ?? ''
  const acts = (what: string, isAlarming = false) => ({ form: 'code' as const, what, quote, isAlarming })
  const informs = (form: TextForm, what?: string) => ({ form, what, quote, isAlarming: false })
  const content = bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // ELF, Windows, Mach-O and Java.
  const program = /^(?:\x7fELF|MZ[\s\S]{20}|[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]|\xca\xfe\xba\xbe|\0asm|dex\n)/
  if (content !== undefined && program.test(content.toString('latin1', 0, 64)))
    return acts('is a compiled program', true)
  if (text.startsWith('#!') || text.startsWith('\ufeff#!')) return acts('is a script')
  if (isExecutable) return acts('can be run as a program')
  const picture = PICTURES[extension]
  if (picture !== undefined) {
    // Marks of a program, a page or an archive inside of something else; long enough that no font has them by chance.
    const code = ['<script', '<?php', 'PK\x03\x04', '#!/usr/', 'eval(', 'powershell', '/bin/sh', '/bin/bash']
    const [start, end] = picture
    const isInert =
      content !== undefined &&
      start.test(content.toString('hex', 0, 16)) &&
      (end?.test(content.subarray(-4).toString('hex')) ?? true) &&
      !code.some((mark) => content.includes(mark, 0, 'latin1'))
    return isInert ? { ...informs('data'), quote: '' } : acts('is not the picture or font that its name says', true)
  }
  if (KNOWN.markup.has(extension)) return isInertMarkup(text) ? informs('data') : acts('is a page that a browser runs')
  if (SETTINGS.test(path)) return informs('data', 'has settings that an agent or a tool obeys')
  const plain =
    /^(?:licen[cs]e|copying|notice|readme|changelog|authors|contributors|copyright|version)(?:[-_.][\w-]{1,40})?$/i
  if (KNOWN.prose.has(extension) || (!name.includes('.') && plain.test(name))) return informs('prose')
  if (KNOWN.data.has(extension)) {
    const isDependent = /(?:^|\/)agents\/openai\.ya?ml$/.test(path) && text.includes('dependencies')
    return informs('data', isDependent ? 'names tools that an agent loads' : undefined)
  }
  return acts(KNOWN.programs.has(extension) ? 'is a program' : 'is a file of a kind that is not known to be harmless')
}

/** Whether a page has only tags that show something: no script, no handler, nothing that is loaded or sent. */
function isInertMarkup(text: string): boolean {
  const lower = text.toLowerCase()
  for (const part of lower.split('<').slice(1)) {
    const tag = /^\/?([!?\w-]{1,40})/.exec(part)?.[1] ?? ''
    if (!KNOWN.tags.has(tag.startsWith('!--') ? '!--' : tag)) return false
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
