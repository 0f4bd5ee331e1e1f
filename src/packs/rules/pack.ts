import { oneOf, TIERS, type Tier } from '../../machine/rules/approval.ts'
import { type ParsedJson, parseForeignJson, parseForeignJsonLines } from '../../text/json.ts'
import { pathProblem } from '../../text/paths.ts'
import type { Finding, Severity } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'

/** What a pack says about its own readiness. Each has a gate of its own. */
export const PACK_STATUSES = ['ready', 'draft', 'needs-review', 'stale', 'disputed', 'archived'] as const
export type PackStatus = (typeof PACK_STATUSES)[number]

/** A pack's word about itself: it can lower trust, never raise it. */
export const TRUST_LABELS = ['unreviewed', 'user-confirmed', 'official', 'external'] as const
export type TrustLabel = (typeof TRUST_LABELS)[number]

/** How much a pack wants its statements tied to sources. */
export const GROUNDINGS = ['none', 'recommended', 'required'] as const
export type Grounding = (typeof GROUNDINGS)[number]

/** Where a pack keeps its primary facts. */
export const PROFILES = ['document-first', 'wiki-first', 'hybrid'] as const
export type Profile = (typeof PROFILES)[number]

/** How the context of a pack is used: as facts, or as a voice. */
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

/** Where a pack was found. Of two with one name the earlier scope wins. */
export const SCOPES = ['explicit', 'workspace', 'user', 'organization', 'built-in'] as const
export type Scope = (typeof SCOPES)[number]

/** How a pack came to be used: it was named, or it fits the task. */
export const ACTIVATIONS = ['explicit', 'implicit', 'resolver-driven'] as const
export type Activation = (typeof ACTIVATIONS)[number]

export const CLAIM_STATUSES = ['confirmed', 'inferred', 'disputed', 'stale', 'missing', 'source-required'] as const
export type ClaimStatus = (typeof CLAIM_STATUSES)[number]

/** Of compile runs and of the records of a resolution. */
export const RUN_STATUSES = ['passed', 'needs-review', 'stale', 'disputed', 'failed'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** The folders of a pack, each with its own rules for who may read it and when. */
export const LAYERS = ['compiled', 'documents', 'wiki', 'sources', 'indexes', 'ontology', 'answers', 'assets'] as const
export type PackLayer = (typeof LAYERS)[number]

export { oneOf, TIERS, type Tier }

/**
 * A finding about a file of a pack, `KNOWLEDGE.md` when it is about the pack as a whole. An error means that the item
 * was not used. Its message is in our words: text of the pack in it is cut short and made harmless.
 */
export interface PackWarning extends Finding {
  path: string
}

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 }

/** Worst first, then by path, code, line and message; the same warning is there once, with a count. */
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

/** A warning as a report about several packs shows it: the place is part of the message. */
export function toFinding({ severity, code, path, line, message, count = 1 }: PackWarning, pack: string): Finding {
  const place = `${pack}/${path}${line === undefined ? '' : `:${line}`}`
  return { severity, code, message: `${place}: ${message}${count === 1 ? '' : ` (${count} times)`}`, subject: pack }
}

/** The file that makes a folder a pack. Spelled so and not otherwise. */
export const PACK_FILE = 'KNOWLEDGE.md'

/** Names the source of each claim. */
export const SOURCE_MAP_PATH = 'indexes/source-map.json'

/** In bytes. Prose and records are smaller than this; Loadout does not read larger files. */
export const LARGEST_PACK_FILE = 2 * 1024 * 1024

/** Where all clients look for packs, below a workspace or a home folder. */
export const SHARED_FOLDER = '.agents/knowledge'

/** Our own folder first, then the one that all clients share. */
export const KNOWLEDGE_FOLDERS = ['.loadout/knowledge', SHARED_FOLDER]

/** The frontmatter of a KNOWLEDGE.md, as far as it is understood. */
export interface PackManifest {
  name: string
  description: string
  type: string
  /** Undefined when it is none of the six: then the pack cannot be loaded. */
  status: PackStatus | undefined
  profile: Profile
  mode: RuntimeMode
  /** What the pack says of itself; `unreviewed` when it says nothing. */
  trust: TrustLabel
  grounding: Grounding | undefined
  version: string | undefined
  language: string | undefined
  license: string | undefined
  maintainers: readonly string[]
  /** Whose knowledge it is, in the pack's own words. Not the scope it was found in. */
  ownership: string | undefined
  updated: string | undefined
  compatibility: string | undefined
  /** Paths inside the pack. One that would leave it is dropped with a warning. */
  primaryDocument: string | undefined
  primaryOntology: string | undefined
  primaryAnswers: string | undefined
  producedBy: Producer | undefined
  linked: LinkedFolder | undefined
  /** Whether a tool wrote the description and a person has not confirmed it yet. */
  isProposed: boolean
}

/** A folder or file of the project that a pack takes as its documents or pages, as its frontmatter says. */
export interface LinkedFolder {
  layer: 'documents' | 'wiki'
  /** From the project, with slashes. */
  folder: string
}

/**
 * Documents that a pack takes from its project instead of holding them: the files of one folder, or one file, appear as
 * if they lay in the layer. An approval covers them like the pack's own.
 */
export interface LinkedLayer extends LinkedFolder {
  /** The project, after links. Nothing outside of it is read. */
  root: string
  /** Of the folder, only this file. */
  only?: string
}

/** Who made the pack. Shown, never loaded or run. */
export interface Producer {
  kind: string | undefined
  name: string | undefined
  version: string | undefined
  digest: string | undefined
}

/** A pack as it was discovered: its metadata and its place, never its body. */
export interface KnowledgePack {
  manifest: PackManifest
  scope: Scope
  /** The pack's folder, after links. */
  root: string
  linked?: LinkedLayer | undefined
  /** How many folders below its discovery root. */
  depth: number
  /** What is odd about its metadata. */
  warnings: readonly PackWarning[]
}

/** A type outside the list and without a namespace: such a pack must be named to be used. */
export function isKnownType(type: string, known: readonly string[]): boolean {
  return known.includes(type) || /^custom:[a-z0-9][\w.-]*$/i.test(type)
}

/**
 * Why a path written inside a pack may not be followed. Stricter than for other paths: no `..`, even if it came back.
 */
export function packPathProblem(path: string): string | undefined {
  return pathProblem(path) ?? (path.split('/').includes('..') ? 'it contains ".."' : undefined)
}

/** One spelling of a path, so that two that name one file are equal: `./wiki//a.md` is `wiki/a.md`. */
export function normalizePackPath(path: string): string {
  return path
    .normalize('NFC')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')
}

/** The folder of the pack that a path lies in; undefined for files at its top. */
export function layerOf(path: string): PackLayer | undefined {
  const [first = '', second] = normalizePackPath(path).split('/')
  return second === undefined && !path.endsWith('/') ? undefined : oneOf(LAYERS, first)
}

/** A text file of a pack, read whole. */
export interface PackFile {
  /** Inside the pack, with slashes. */
  path: string
  /** Line ends are `\n`; a byte order mark is gone. */
  text: string
  /** Of the bytes on disk. */
  sha256: string
  bytes: number
}

/** What a resolver may ask of a pack's folder. Every answer is about something inside the pack, after links. */
export interface PackFiles {
  /** A regular text file of bounded size. Undefined, with a warning kept, when there is none that may be read. */
  read(path: string): PackFile | undefined
  /** The files below a folder of the pack, or below its root for '', in code unit order. Opens none of them. Empty when there is no such folder. */
  list(folder: string): readonly string[]
  /** The size of a regular file, without opening it; undefined when there is none. */
  sizeOf(path: string): number | undefined
  /** Of a file's bytes, to compare with a recorded one. The text goes nowhere. */
  fingerprint(path: string): string | undefined
  /** What was met on the way: escapes, links, pipes, files too large, bytes that are no text. */
  readonly warnings: readonly PackWarning[]
  /** The files opened so far, in order. */
  readonly opened: readonly string[]
}

/** The JSON of a pack's file; the lines of a `.jsonl` file as one list. Never throws. */
export function parsePackJson({ path, text }: Pick<PackFile, 'path' | 'text'>): ParsedJson {
  return path.toLowerCase().endsWith('.jsonl') ? parseForeignJsonLines(text) : parseForeignJson(text)
}

/** A piece of a pack that goes to the model: some lines of a file, or text made from its records. */
export interface ContextPart {
  path: string
  layer: PackLayer | 'guide'
  /** Counted from 1, both included. Absent when the text was put together from records. */
  lines?: { from: number; to: number }
  text: string
}

/** Whether a file is prose that a model can read. */
export function isProse(path: string): boolean {
  return /\.(?:md|mdx|markdown|txt|rst|adoc|asciidoc)$/i.test(path)
}

/** Prose that states something: the wiki's table of contents and its log do not. */
export function isContent(path: string): boolean {
  return isProse(path) && path !== 'wiki/index.md' && path !== 'wiki/log.md'
}
