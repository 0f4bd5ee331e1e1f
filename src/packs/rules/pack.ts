import { oneOf } from '../../machine/rules/approval.ts'
import { cut, type Section } from '../../text/cut.ts'
import { documentKind } from '../../text/document-kind.ts'
import { type ParsedJson, parseForeignJson, parseForeignJsonLines } from '../../text/json.ts'
import { pathProblem } from '../../text/paths.ts'
import type { Finding, Severity } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import type { DocumentPlace } from './anchors.ts'

/** How ready a pack is, by its own statement. `admission.ts` decides what each status allows. */
export const PACK_STATUSES = ['ready', 'draft', 'needs-review', 'stale', 'disputed', 'archived'] as const
export type PackStatus = (typeof PACK_STATUSES)[number]

/** The trust that a pack declares for itself. It can lower trust, never raise it. */
export const TRUST_LABELS = ['unreviewed', 'user-confirmed', 'official', 'external'] as const
export type TrustLabel = (typeof TRUST_LABELS)[number]

/** Whether a pack wants a source for each statement. */
export const GROUNDINGS = ['none', 'recommended', 'required'] as const
type Grounding = (typeof GROUNDINGS)[number]

/** Where a pack keeps its primary facts. */
export const PROFILES = ['document-first', 'wiki-first', 'hybrid'] as const
export type Profile = (typeof PROFILES)[number]

/** How a model uses the context of a pack: as facts, or as a voice. */
export const RUNTIME_MODES = ['data', 'persona'] as const
export type RuntimeMode = (typeof RUNTIME_MODES)[number]

export const PACK_TYPES = [
  'personal-profile',
  'brand-product',
  'brand-persona',
  'organization-knowhow',
  'domain-reference',
  'research-wiki',
  'content-operations',
  'private-domain-operations',
  'live-commerce-operations',
  'campaign-operations',
  'growth-strategy',
  'content-ontology',
] as const

/** Where a pack was found. If two packs have the same name, the earlier scope wins. */
export const SCOPES = ['explicit', 'workspace', 'user', 'organization', 'built-in'] as const
export type Scope = (typeof SCOPES)[number]

/** Why a pack is used: the user named it, or it fits the task. */
export type Activation = 'explicit' | 'implicit'

export const CLAIM_STATUSES = ['confirmed', 'inferred', 'disputed', 'stale', 'missing', 'source-required'] as const
export type ClaimStatus = (typeof CLAIM_STATUSES)[number]

/** The status of a compile run or of a recorded resolution. */
export const RUN_STATUSES = ['passed', 'needs-review', 'stale', 'disputed', 'failed'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** The folders of a pack. Each has its own rules for when it may be read. */
export const LAYERS = ['compiled', 'documents', 'wiki', 'sources', 'indexes', 'ontology', 'answers', 'assets'] as const
export type PackLayer = (typeof LAYERS)[number]

export { oneOf }

/**
 * A finding about a file of a pack; `KNOWLEDGE.md` stands for the whole pack. An error means that the file was not
 * used. The message may quote text of the pack only shortened and made harmless.
 */
export interface PackWarning extends Finding {
  path: string
}

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 }

/** Sorts warnings by severity, path, code, line and message, and counts duplicates. */
export function settleWarnings(warnings: readonly PackWarning[]): PackWarning[] {
  const distinct = new Map<string, PackWarning>()
  for (const warning of warnings) {
    const { severity, code, path, line, message, count = 1 } = warning
    const key = JSON.stringify([severity, code, path, line, message])
    const known = distinct.get(key)
    distinct.set(key, known === undefined ? warning : { ...known, count: (known.count ?? 1) + count })
  }
  return [...distinct.values()].sort(
    (a, b) =>
      RANK[a.severity] - RANK[b.severity] ||
      compareText(a.path, b.path) ||
      compareText(a.code, b.code) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      compareText(a.message, b.message),
  )
}

/** A warning for a report about several packs: the message names pack, file and line. */
export function toFinding({ path, line, message, count = 1, ...told }: PackWarning, pack: string): Finding {
  const place = `${pack}/${path}${line === undefined ? '' : `:${line}`}`
  return { ...told, message: `${place}: ${message}${count === 1 ? '' : ` (${count} times)`}`, subject: pack }
}

/** An ISO date, with or without a time. */
export const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:$|[T ])/

/** The file that makes a folder a pack. The spelling is case-sensitive. */
export const PACK_FILE = 'KNOWLEDGE.md'

/** Names the source of each claim. */
export const SOURCE_MAP_PATH = 'indexes/source-map.json'

/** In bytes. Loadout reads no larger guide or record. */
export const LARGEST_PACK_FILE = 2 * 1024 * 1024

/** The most bytes that Loadout reads of a file of a pack. A book in one file is a few megabytes, a PDF with pictures many. */
export function largestFile(path: string): number {
  if (path === PACK_FILE || !isProse(path)) return LARGEST_PACK_FILE
  return documentKind(path) === undefined ? 16 * 1024 * 1024 : 128 * 1024 * 1024
}

/** The folder that all clients share, below a project or home folder. */
export const SHARED_FOLDER = '.agents/knowledge'

/** Loadout's own folder first, then the shared one. */
export const KNOWLEDGE_FOLDERS = ['.loadout/knowledge', SHARED_FOLDER]

// Called for every file of a project.
const IN_PROJECT = KNOWLEDGE_FOLDERS.map((folder) => `/${folder}/`)

/** Whether a path lies in a folder of packs: their files are read through their gate only. */
export function isInPack(path: string): boolean {
  const whole = `/${path}/`
  return IN_PROJECT.some((folder) => whole.includes(folder))
}

/** The known fields of the frontmatter of a KNOWLEDGE.md. */
export interface PackManifest {
  name: string
  description: string
  type: string
  /** Undefined if unknown: then the pack cannot be loaded. */
  status: PackStatus | undefined
  profile: Profile
  mode: RuntimeMode
  /** As the pack declares it; default `unreviewed`. */
  trust: TrustLabel
  grounding: Grounding | undefined
  version: string | undefined
  language: string | undefined
  license: string | undefined
  maintainers: readonly string[]
  /** The owner of the knowledge, as the pack writes it. Not the scope that it was found in. */
  ownership: string | undefined
  updated: string | undefined
  compatibility: string | undefined
  /** Paths inside the pack. Other paths are dropped with a warning. */
  primaryDocument: string | undefined
  primaryOntology: string | undefined
  primaryAnswers: string | undefined
  producedBy: Producer | undefined
  linked: LinkedFolder | undefined
  /** Whether a tool wrote the description and no person has confirmed it. */
  isProposed: boolean
}

/** A folder or file of the project that the frontmatter links as documents or wiki. */
export interface LinkedFolder {
  layer: 'documents' | 'wiki'
  /** Relative to the project, with slashes. */
  folder: string
}

/**
 * A linked folder, or one linked file, that replaces a layer of the pack. An approval covers its files like the pack's
 * own.
 */
export interface LinkedLayer extends LinkedFolder {
  /** The real path of the project. Loadout reads nothing outside of it. */
  root: string
  /** Only this file of the folder. */
  only?: string
  /** The pack is a bundle of the Open Knowledge Format: its index is the guide, its other pages are the layer. */
  isBundle?: true
}

/** The tool that made the pack. Loadout shows it and never runs it. */
interface Producer {
  kind: string | undefined
  name: string | undefined
  version: string | undefined
  digest: string | undefined
}

/** A discovered pack: its metadata and its place, never its body. */
export interface KnowledgePack {
  manifest: PackManifest
  scope: Scope
  /** The real path of its folder. */
  root: string
  linked?: LinkedLayer
  /** How many folders below its discovery root. */
  depth: number
  /** Problems in its metadata. */
  warnings: readonly PackWarning[]
}

/** Whether a type is on the list or has the form `custom:…`. A pack of another type must be named. */
export function isKnownType(type: string, known: readonly string[]): boolean {
  return known.includes(type) || /^custom:[a-z0-9][\w.-]*$/i.test(type)
}

/** Why a path that a pack names is refused. Stricter than for other paths: never `..`, even inside the pack. */
export function packPathProblem(path: string): string | undefined {
  return pathProblem(path) ?? (path.split('/').includes('..') ? 'it contains ".."' : undefined)
}

/** Normalizes a path, so that paths of the same file are equal: `./wiki//a.md` becomes `wiki/a.md`. */
export function normalizePackPath(path: string): string {
  return path
    .normalize('NFC')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')
}

/** The layer that contains a path; undefined for files at the top of the pack. */
export function layerOf(path: string): PackLayer | undefined {
  const [first = '', second] = normalizePackPath(path).split('/')
  return second === undefined && !path.endsWith('/') ? undefined : oneOf(LAYERS, first)
}

/** A text file of a pack, read whole. */
export interface PackFile {
  /** Relative to the pack, with slashes. */
  path: string
  /** With `\n` as line end and without a byte order mark. */
  text: string
  /** Of the bytes on disk. */
  sha256: string
  bytes: number
}

/** The files of a pack. Paths that lead out of the pack, also through links, are refused. */
export interface PackFiles {
  /** Reads a regular text file of limited size. Otherwise undefined, with a warning unless the file is missing. */
  read(path: string): PackFile | undefined
  /** The files below a folder ('' for the whole pack), in code unit order. Opens none. Empty for a missing folder. */
  list(folder: string): readonly string[]
  /** The size of a regular file, without opening it. Undefined if there is none. */
  sizeOf(path: string): number | undefined
  /** The SHA-256 of a file's bytes, to compare with a recorded one. */
  fingerprint(path: string): string | undefined
  /** Problems so far: paths out of the pack, pipes, files that are too large or not text. */
  readonly warnings: readonly PackWarning[]
  /** The files opened so far, in order. */
  readonly opened: readonly string[]
}

/** Parses a JSON file of a pack; the lines of a `.jsonl` file become a list. Never throws. */
export function parsePackJson({ path, text }: Pick<PackFile, 'path' | 'text'>): ParsedJson {
  return path.toLowerCase().endsWith('.jsonl') ? parseForeignJsonLines(text) : parseForeignJson(text)
}

/** A part of a pack that goes to the model: lines of a file, or text made from its records. */
export interface ContextPart {
  path: string
  layer: PackLayer | 'guide'
  /** Counted from 1, both included. Absent for text made from records. */
  lines?: { from: number; to: number }
  /** The places of its document that a program can open, instead of lines. */
  places?: readonly DocumentPlace[]
  text: string
}

/** Whether a file is prose that a model can read, as it is or as Markdown that a reader makes of it. */
export function isProse(path: string): boolean {
  return /\.(?:md|mdx|markdown|txt|rst|adoc|asciidoc)$/i.test(path) || documentKind(path) !== undefined
}

/** The sections of a text of a pack that say something. What is not prose by itself is read as Markdown. */
export function packSections(path: string, text: string, firstLine?: number): Section[] {
  const form = isProse(path) && documentKind(path) === undefined ? path : PACK_FILE
  return cut(form, text, firstLine).filter((section) => section.text.trim() !== '')
}

/** Prose that states something: the wiki's table of contents and its log do not. */
export function isContent(path: string): boolean {
  return isProse(path) && path !== 'wiki/index.md' && path !== 'wiki/log.md'
}

const PLAIN = /^[\x20-\x7e]*$/
const ESCAPE = '\u001b'
const BEL = '\u0007'

// Functions, because building these expressions takes time that plain text does not need. Keeps joiners, which some
// scripts need.
const terminalSequence = () =>
  new RegExp(
    `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${BEL}${ESCAPE}]*(?:${BEL}|${ESCAPE}\\\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]`,
    'g',
  )
const unseen = () => /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** Text of a pack on one line, safe to show: without terminal sequences and direction marks. */
export function shownText(text: string, limit = 200): string {
  return cutText(harmless(text), limit)
}

/** The text in quotes for a message, cut to 80 characters. */
export function quoted(text: string): string {
  // Cut first: cleaning a megabyte for a few characters would waste time.
  const shown = harmless(text.slice(0, 1000))
  return lengthOf(shown) > LONGEST_QUOTE ? `"${cutText(shown, LONGEST_QUOTE - 3)}..."` : `"${shown}"`
}

const LONGEST_QUOTE = 80

/** Counts characters, not code units. */
export function lengthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let length = 0
  for (const _ of text) length++
  return length
}

/** Whether the text has invisible or control characters. */
export function hasUnseen(text: string): boolean {
  return !PLAIN.test(text) && unseen().test(text)
}

function harmless(text: string): string {
  if (PLAIN.test(text)) return text.trim()
  return text
    .replace(/[\t\r\n\u0085\u2028\u2029]+/g, ' ')
    .replace(terminalSequence(), '')
    .replace(unseen(), '')
    .trim()
}

function cutText(text: string, limit: number): string {
  return text.length <= limit ? text : Array.from(text).slice(0, limit).join('')
}

/** A longer line of prose was written without line breaks. In characters. */
const LONG_LINE = 2_000
/** The approximate length of the paragraphs made from it. */
const PARAGRAPH = 400

/** Breaks long lines into paragraphs of whole sentences, so that search can find a part of them. */
export function breakLongLines(text: string): string {
  if (text.length <= LONG_LINE) return text
  return text
    .split('\n')
    .map((line) => (line.length > LONG_LINE && !/^\s*\|/.test(line) ? toParagraphs(line) : line))
    .join('\n')
}

function toParagraphs(line: string): string {
  const paragraphs: string[] = []
  let open = ''
  for (const sentence of line.split(/(?<=[.!?] )|(?<=[\u3002\uff01\uff1f])/)) {
    if (open !== '' && open.length + sentence.length > PARAGRAPH) {
      paragraphs.push(open.trimEnd())
      open = ''
    }
    open += sentence
  }
  return [...paragraphs, open].join('\n\n')
}
