import type { Code, Severity } from '../../text/trouble.ts'
import { getOwn, isRecord } from '../../text/values.ts'
import {
  GROUNDINGS,
  isKnownType,
  type LinkedFolder,
  normalizePackPath,
  oneOf,
  PACK_FILE,
  PACK_STATUSES,
  PACK_TYPES,
  type PackManifest,
  type PackWarning,
  PROFILES,
  type Producer,
  packPathProblem,
  RUNTIME_MODES,
  settleWarnings,
  TRUST_LABELS,
} from './pack.ts'
import { hasUnseen, lengthOf, quoted, shownText } from './shown-text.ts'

/** The maximum length of each field, in characters. Longer values are cut with a warning. */
const LIMITS = { name: 64, description: 1024, compatibility: 500 } as const

const MOST_MAINTAINERS = 20
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:$|[T ])/

export interface ReadManifest {
  /** Undefined without a description: such a pack cannot be chosen. */
  manifest: PackManifest | undefined
  warnings: PackWarning[]
}

/** Reads the frontmatter of a KNOWLEDGE.md. Warns about every invalid value; none makes a pack more trusted. */
export function readManifest(fields: Record<string, unknown>, folderName: string): ReadManifest {
  const reader = new ManifestReader(fields)
  const name = readName(reader, folderName)
  const description = readDescription(reader)
  const words = readWords(reader)
  const metadata = reader.part('metadata')
  const rest = {
    version: reader.text('version', 64),
    language: reader.text('language', 64),
    license: reader.text('license', 200),
    maintainers: readMaintainers(reader),
    ownership: reader.text('scope', 64),
    updated: readDate(reader),
    compatibility: reader.text('compatibility', LIMITS.compatibility),
    primaryDocument: metadata.path('primaryDocument'),
    primaryOntology: metadata.path('primaryOntology'),
    primaryAnswers: metadata.path('primaryAnswers'),
    producedBy: readProducer(metadata),
    linked: readLinked(metadata),
    isProposed: metadata.written('proposed') === 'description',
  }
  const warnings = settleWarnings(reader.warnings)
  return { manifest: description === undefined ? undefined : { name, description, ...words, ...rest }, warnings }
}

function readName(reader: ManifestReader, folderName: string): string {
  const written = reader.written('name')
  const name = reader.text('name', LIMITS.name, 'quiet')
  if (written === undefined || name === undefined) {
    reader.warn('error', 'pack.name.invalid', `it has no name; its folder is called ${quoted(folderName)}`)
    return reader.shown(folderName, LIMITS.name)
  }
  if (lengthOf(written) > LIMITS.name) {
    reader.warn('error', 'pack.name.invalid', `the name is longer than ${LIMITS.name} characters`)
  } else if (!/^[a-z0-9-]+$/.test(written)) {
    const message = `the name ${quoted(written)} may contain only lower-case letters a to z, digits and hyphens`
    reader.warn('error', 'pack.name.invalid', message)
  }
  if (written !== folderName) {
    const message = `the name is ${quoted(written)}, but the folder is called ${quoted(folderName)}`
    reader.warn('warning', 'pack.name.mismatch', message)
  }
  return name
}

function readDescription(reader: ManifestReader): string | undefined {
  const description = reader.text('description', LIMITS.description, 'error')
  if (description === undefined) {
    reader.warn('error', 'pack.description.missing', 'it has no description, so it can never be chosen')
  }
  return description
}

/** The fields with a fixed list of values, each with a fallback for other values. */
function readWords(reader: ManifestReader) {
  const profile = oneOf(PROFILES, reader.written('profile'))
  if (reader.has('profile') && profile === undefined) {
    reader.unknown('warning', 'pack.profile.unknown', 'profile', PROFILES, 'it is read as wiki-first')
  } else if (profile === undefined) {
    reader.warn('info', 'pack.profile.missing', 'it names no profile and is read as wiki-first')
  }
  const trust = oneOf(TRUST_LABELS, reader.written('trust'))
  if (reader.has('trust') && trust === undefined) {
    reader.unknown('warning', 'pack.trust.unknown', 'trust', TRUST_LABELS, 'it counts as unreviewed')
  }
  const grounding = oneOf(GROUNDINGS, reader.written('grounding'))
  const hasOtherGrounding = reader.has('grounding') && grounding === undefined
  if (hasOtherGrounding) {
    reader.unknown('warning', 'pack.grounding.unknown', 'grounding', GROUNDINGS, 'it counts as required')
  }
  return {
    type: readType(reader),
    status: readStatus(reader),
    profile: profile ?? ('wiki-first' as const),
    mode: readMode(reader),
    trust: trust ?? ('unreviewed' as const),
    grounding: hasOtherGrounding ? ('required' as const) : grounding,
  }
}

function readType(reader: ManifestReader): string {
  const type = reader.text('type', 100) ?? ''
  if (type === '') {
    reader.warn('error', 'pack.field.invalid', 'it has no type')
  } else if (!isKnownType(type, PACK_TYPES)) {
    reader.warn('warning', 'pack.type.unknown', `the type ${quoted(type)} is not known; it is used only when named`)
  }
  return type
}

function readStatus(reader: ManifestReader): PackManifest['status'] {
  const status = oneOf(PACK_STATUSES, reader.written('status'))
  if (status === undefined && reader.has('status')) {
    reader.unknown('error', 'pack.status.unknown', 'status', PACK_STATUSES, 'it cannot be loaded')
  } else if (status === undefined) {
    reader.warn('error', 'pack.status.unknown', 'it has no status and cannot be loaded')
  }
  return status
}

function readMode(reader: ManifestReader): PackManifest['mode'] {
  const runtime = reader.part('runtime')
  const mode = oneOf(RUNTIME_MODES, runtime.written('mode'))
  if (runtime.has('mode') && mode === undefined) {
    runtime.unknown('warning', 'pack.mode.unknown', 'mode', RUNTIME_MODES, 'it is used as data')
  }
  return mode ?? 'data'
}

function readMaintainers(reader: ManifestReader): string[] {
  const value = reader.value('maintainers')
  const items: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value]
  const shown: string[] = []
  for (const item of items.slice(0, MOST_MAINTAINERS)) {
    const text = typeof item === 'string' ? reader.shown(item, 200) : ''
    if (text !== '') shown.push(text)
    else reader.warn('warning', 'pack.field.invalid', 'maintainers must be a text or a list of texts')
  }
  if (items.length > MOST_MAINTAINERS) {
    reader.warn('warning', 'pack.field.too-long', `only the first ${MOST_MAINTAINERS} maintainers are kept`)
  }
  return shown
}

function readDate(reader: ManifestReader): string | undefined {
  const date = reader.text('updated', 40)
  if (date === undefined || DATE.test(date)) return date
  reader.warn('warning', 'pack.field.invalid', `updated must be a date such as 2026-01-31, not ${quoted(date)}`)
  return undefined
}

function readProducer(metadata: ManifestReader): Producer | undefined {
  const value = metadata.value('producedBy')
  if (value === undefined) return undefined
  const part = metadata.part('producedBy')
  if (!isRecord(value)) return undefined
  const [kind, name] = [part.text('kind', 100), part.text('name', 200)]
  return { kind, name, version: part.text('version', 64), digest: part.text('digest', 200) }
}

/** A pack can link one folder of the project as its documents or as its wiki. */
function readLinked(metadata: ManifestReader): LinkedFolder | undefined {
  const documents = metadata.path('documentsFrom')
  const wiki = metadata.path('wikiFrom')
  if (documents !== undefined && wiki !== undefined) {
    metadata.warn('warning', 'pack.field.invalid', 'metadata.wikiFrom is not used beside metadata.documentsFrom')
  }
  if (documents !== undefined) return { layer: 'documents', folder: documents }
  return wiki === undefined ? undefined : { layer: 'wiki', folder: wiki }
}

const LONGEST_PATH = 500

/** Reads fields of the frontmatter, cuts them to their limits and collects warnings. */
class ManifestReader {
  readonly warnings: PackWarning[]
  private readonly fields: Record<string, unknown>
  /** For nested fields, such as `metadata.`. */
  private readonly prefix: string

  constructor(fields: Record<string, unknown>, prefix = '', warnings: PackWarning[] = []) {
    this.fields = fields
    this.prefix = prefix
    this.warnings = warnings
  }

  /** Undefined for a missing or empty value. */
  value(key: string): unknown {
    const value = getOwn(this.fields, key)
    return value === null || value === '' ? undefined : value
  }

  has(key: string): boolean {
    return this.value(key) !== undefined
  }

  /** The unchanged text: to compare, not to show. */
  written(key: string): string | undefined {
    const value = this.value(key)
    return typeof value === 'string' ? value : undefined
  }

  /** The text, safe to show. Cuts it at the limit, with a warning of this severity. */
  text(key: string, limit: number, tooLong: Severity | 'quiet' = 'warning'): string | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    if (typeof value !== 'string') {
      this.warn('warning', 'pack.field.invalid', `${this.prefix}${key} must be a text`)
      return undefined
    }
    if (tooLong !== 'quiet' && lengthOf(value.trim()) > limit) {
      this.warn(tooLong, 'pack.field.too-long', `${this.prefix}${key} is longer than ${limit} characters`)
    }
    return this.shown(value, limit) || undefined
  }

  /** A path inside the pack. Drops any other path with a warning. */
  path(key: string): string | undefined {
    const path = this.text(key, LONGEST_PATH)
    if (path === undefined) return undefined
    const written = this.written(key) ?? ''
    const what = `${this.prefix}${key} ${quoted(written)}`
    const problem = packPathProblem(written)
    if (problem !== undefined) {
      this.warn('error', 'source.escape', `${what} is refused: ${problem}`)
      return undefined
    }
    const normal = normalizePackPath(written)
    if (normal !== '' && written.length <= LONGEST_PATH && !hasUnseen(written)) return normal
    this.warn('warning', 'pack.field.invalid', `${what} is not the path of a file`)
    return undefined
  }

  /** The fields below a key. Anything but a mapping is reported and read as empty. */
  part(key: string): ManifestReader {
    const value = this.value(key)
    if (value !== undefined && !isRecord(value)) {
      this.warn('warning', 'pack.field.invalid', `${this.prefix}${key} must contain keys and values`)
    }
    return new ManifestReader(isRecord(value) ? value : {}, `${this.prefix}${key}.`, this.warnings)
  }

  shown(text: string, limit: number): string {
    return shownText(text, limit)
  }

  /** Warns about a value that is not on its list. */
  unknown(severity: Severity, code: Code, key: string, words: readonly string[], effect: string): void {
    const written = this.written(key)
    const what = written === undefined ? 'is not a text' : `is ${quoted(written)}`
    this.warn(severity, code, `${this.prefix}${key} ${what}, not one of ${words.join(', ')}; ${effect}`)
  }

  warn(severity: Severity, code: Code, message: string): void {
    this.warnings.push({ severity, code, path: PACK_FILE, message })
  }
}
