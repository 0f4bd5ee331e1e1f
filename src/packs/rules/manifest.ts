import { type Code, report, type Severity } from '../../text/trouble.ts'
import { getOwn, isRecord } from '../../text/values.ts'
import {
  DATE,
  GROUNDINGS,
  hasUnseen,
  isKnownType,
  type LinkedFolder,
  lengthOf,
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
  quoted,
  RUNTIME_MODES,
  settleWarnings,
  shownText,
  TRUST_LABELS,
} from './pack.ts'

/** The maximum length of each field, in characters. Longer values are cut with a warning. */
const LIMITS = { name: 64, description: 1024, compatibility: 500 } as const

const MOST_MAINTAINERS = 20

export interface ReadManifest {
  /** Undefined without a description: such a pack cannot be chosen. */
  manifest: PackManifest | undefined
  warnings: PackWarning[]
}

/** Reads the frontmatter of a KNOWLEDGE.md. Warns about every invalid value; none makes a pack more trusted. */
export function readManifest(fields: Record<string, unknown>, folderName: string): ReadManifest {
  const reader = new ManifestReader(fields)
  const metadata = reader.part('metadata')
  const runtime = reader.part('runtime')
  const name = readName(reader, folderName)
  const description = reader.text('description', LIMITS.description, 'error')
  if (description === undefined) {
    reader.warn('error', 'pack.field', 'it has no description, so it can never be chosen')
  }
  const type = reader.text('type', 100) ?? ''
  if (type === '') reader.warn('error', 'pack.field', 'it has no type')
  else if (!isKnownType(type, PACK_TYPES)) {
    reader.warn('warning', 'pack.field', `the type ${quoted(type)} is not known; it is used only when named`)
  }
  const status = reader.word('status', PACK_STATUSES, 'error', 'pack.status', 'it cannot be loaded')
  if (!reader.has('status')) reader.warn('error', 'pack.status', 'it has no status and cannot be loaded')
  const profile = reader.word('profile', PROFILES, 'warning', 'pack.field', 'it is read as wiki-first')
  if (!reader.has('profile')) {
    reader.warn('info', 'pack.field', 'it names no profile and is read as wiki-first')
  }
  const trust = reader.word('trust', TRUST_LABELS, 'warning', 'pack.field', 'it counts as unreviewed')
  const grounding = reader.word('grounding', GROUNDINGS, 'warning', 'pack.field', 'it counts as required')
  const mode = runtime.word('mode', RUNTIME_MODES, 'warning', 'pack.field', 'it is used as data')
  const updated = reader.text('updated', 40)
  const isDate = updated === undefined || DATE.test(updated)
  if (!isDate) {
    const message = `updated must be a date such as 2026-01-31, not ${quoted(updated)}`
    reader.warn('warning', 'pack.field', message)
  }
  const rest = {
    name,
    type,
    status,
    profile: profile ?? 'wiki-first',
    mode: mode ?? 'data',
    trust: trust ?? 'unreviewed',
    grounding: reader.has('grounding') ? (grounding ?? 'required') : undefined,
    version: reader.text('version', 64),
    language: reader.text('language', 64),
    license: reader.text('license', 200),
    maintainers: readMaintainers(reader),
    ownership: reader.text('scope', 64),
    updated: isDate ? updated : undefined,
    compatibility: reader.text('compatibility', LIMITS.compatibility),
    primaryDocument: metadata.path('primaryDocument'),
    primaryOntology: metadata.path('primaryOntology'),
    primaryAnswers: metadata.path('primaryAnswers'),
    producedBy: readProducer(metadata),
    linked: readLinked(metadata),
    isProposed: metadata.written('proposed') === 'description',
  }
  const warnings = settleWarnings(reader.warnings)
  return { manifest: description === undefined ? undefined : { description, ...rest }, warnings }
}

function readName(reader: ManifestReader, folderName: string): string {
  const written = reader.written('name')
  const name = reader.text('name', LIMITS.name, 'quiet')
  if (written === undefined || name === undefined) {
    reader.warn('error', 'pack.name.invalid', `it has no name; its folder is called ${quoted(folderName)}`)
    return shownText(folderName, LIMITS.name)
  }
  if (lengthOf(written) > LIMITS.name) {
    reader.warn('error', 'pack.name.invalid', `the name is longer than ${LIMITS.name} characters`)
  } else if (!/^[a-z0-9-]+$/.test(written)) {
    const message = `the name ${quoted(written)} may contain only lower-case letters a to z, digits and hyphens`
    reader.warn('error', 'pack.name.invalid', message)
  }
  if (written !== folderName) {
    const message = `the name is ${quoted(written)}, but the folder is called ${quoted(folderName)}`
    reader.warn('warning', 'pack.field', message)
  }
  return name
}

function readMaintainers(reader: ManifestReader): string[] {
  const items: unknown[] = [reader.value('maintainers') ?? []].flat()
  if (items.length > MOST_MAINTAINERS) {
    reader.warn('warning', 'pack.field', `only the first ${MOST_MAINTAINERS} maintainers are kept`)
  }
  return items.slice(0, MOST_MAINTAINERS).flatMap((item) => {
    const text = typeof item === 'string' ? shownText(item, 200) : ''
    if (text !== '') return text
    reader.warn('warning', 'pack.field', 'maintainers must be a text or a list of texts')
    return []
  })
}

function readProducer(metadata: ManifestReader): Producer | undefined {
  const part = metadata.part('producedBy')
  if (!isRecord(metadata.value('producedBy'))) return undefined
  const [kind, name] = [part.text('kind', 100), part.text('name', 200)]
  return { kind, name, version: part.text('version', 64), digest: part.text('digest', 200) }
}

/** A pack can link one folder of the project as its documents or as its wiki. */
function readLinked(metadata: ManifestReader): LinkedFolder | undefined {
  const documents = metadata.path('documentsFrom')
  const wiki = metadata.path('wikiFrom')
  if (documents !== undefined && wiki !== undefined) {
    metadata.warn('warning', 'pack.field', 'metadata.wikiFrom is not used beside metadata.documentsFrom')
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
      this.warn('warning', 'pack.field', `${this.prefix}${key} must be a text`)
      return undefined
    }
    if (tooLong !== 'quiet' && lengthOf(value.trim()) > limit) {
      this.warn(tooLong, 'pack.field', `${this.prefix}${key} is longer than ${limit} characters`)
    }
    return shownText(value, limit) || undefined
  }

  /** A path inside the pack. Drops any other path with a warning. */
  path(key: string): string | undefined {
    const path = this.text(key, LONGEST_PATH)
    if (path === undefined) return undefined
    const written = this.written(key) ?? ''
    const what = `${this.prefix}${key} ${quoted(written)}`
    const problem = packPathProblem(written)
    if (problem !== undefined) {
      this.warnings.push(report('PATH_ESCAPE/pack-field', { what, problem }, { path: PACK_FILE }))
      return undefined
    }
    const normal = normalizePackPath(written)
    if (normal !== '' && written.length <= LONGEST_PATH && !hasUnseen(written)) return normal
    this.warn('warning', 'pack.field', `${what} is not the path of a file`)
    return undefined
  }

  /** The fields below a key. Anything but a mapping is reported and read as empty. */
  part(key: string): ManifestReader {
    const value = this.value(key)
    if (value !== undefined && !isRecord(value)) {
      this.warn('warning', 'pack.field', `${this.prefix}${key} must contain keys and values`)
    }
    return new ManifestReader(isRecord(value) ? value : {}, `${this.prefix}${key}.`, this.warnings)
  }

  /** A word of a list. Undefined, with a warning, for any other value. */
  word<T extends string>(key: string, words: readonly T[], severity: Severity, code: Code, effect: string) {
    const written = this.written(key)
    const word = oneOf(words, written)
    if (word === undefined && this.has(key)) {
      const what = written === undefined ? 'is not a text' : `is ${quoted(written)}`
      this.warn(severity, code, `${this.prefix}${key} ${what}, not one of ${words.join(', ')}; ${effect}`)
    }
    return word
  }

  warn(severity: Severity, code: Code, message: string): void {
    this.warnings.push({ severity, code, path: PACK_FILE, message })
  }
}
