import { report, type Severity } from '../../text/trouble.ts'
import { getOwn, isRecord } from '../../text/values.ts'
import {
  DATE,
  GROUNDINGS,
  hasUnseen,
  isKnownType,
  lengthOf,
  normalizePackPath,
  oneOf,
  PACK_FILE,
  PACK_STATUSES,
  PACK_TYPES,
  type PackManifest,
  type PackWarning,
  PROFILES,
  packPathProblem,
  quoted,
  RUNTIME_MODES,
  settleWarnings,
  shownText,
  TRUST_LABELS,
} from './pack.ts'

export interface ReadManifest {
  /** Undefined without a description: such a pack cannot be chosen. */
  manifest: PackManifest | undefined
  warnings: PackWarning[]
}

const [LONGEST_NAME, LONGEST_PATH, MOST_MAINTAINERS] = [64, 500, 20]
const ABOUT = { path: PACK_FILE }

/** Reads the frontmatter of a KNOWLEDGE.md. Warns about every invalid value; none makes a pack more trusted. */
export function readManifest(fields: Record<string, unknown>, folderName: string): ReadManifest {
  const top = new Fields(fields)
  const { warnings } = top
  const metadata = top.part('metadata')
  const description = top.text('description', 1024, 'error')
  if (description === undefined) warnings.push(report('pack.field/no-description', {}, ABOUT))

  const written = top.written('name')
  const name = written && shownText(written, LONGEST_NAME)
  if (!written || !name) warnings.push(report('pack.name.invalid/none', { folder: quoted(folderName) }, ABOUT))
  else if (lengthOf(written) > LONGEST_NAME) {
    warnings.push(report('pack.name.invalid/long', { most: LONGEST_NAME }, ABOUT))
  } else if (!/^[a-z0-9-]+$/.test(written)) {
    warnings.push(report('pack.name.invalid/letters', { name: quoted(written) }, ABOUT))
  }
  if (written && name && written !== folderName) {
    warnings.push(report('pack.field/name', { name: quoted(written), folder: quoted(folderName) }, ABOUT))
  }

  const type = top.text('type', 100) ?? ''
  if (type === '') warnings.push(report('pack.field/type-missing', {}, ABOUT))
  else if (!isKnownType(type, PACK_TYPES)) warnings.push(report('pack.field/type', { type: quoted(type) }, ABOUT))

  const status = oneOf(PACK_STATUSES, top.written('status'))
  if (!top.has('status')) warnings.push(report('pack.status/none', {}, ABOUT))
  else if (status === undefined) {
    const facts = { is: wordOf(top.written('status')), words: PACK_STATUSES.join(', ') }
    warnings.push(report('pack.status/word', facts, ABOUT))
  }
  const profile = top.word('profile', PROFILES, 'wiki-first')
  if (!top.has('profile')) warnings.push(report('pack.field/no-profile', {}, ABOUT))

  const updated = top.text('updated', 40)
  const isDate = updated === undefined || DATE.test(updated)
  if (!isDate) warnings.push(report('pack.field/date', { date: quoted(updated) }, ABOUT))

  const people: unknown[] = [top.value('maintainers') ?? []].flat()
  const maintainers = people.slice(0, MOST_MAINTAINERS).flatMap((item) => {
    return (typeof item === 'string' && shownText(item, 200)) || []
  })
  if (people.length > MOST_MAINTAINERS) {
    warnings.push(report('pack.field/maintainers', { most: MOST_MAINTAINERS }, ABOUT))
  } else if (maintainers.length < people.length) warnings.push(report('pack.field/maintainer', {}, ABOUT))

  const producer = metadata.part('producedBy')
  // A pack can link one folder of the project as its documents or as its wiki.
  const [documents, wiki] = [metadata.path('documentsFrom'), metadata.path('wikiFrom')]
  if (documents !== undefined && wiki !== undefined) warnings.push(report('pack.field/two-links', {}, ABOUT))
  const layer = documents === undefined ? 'wiki' : 'documents'
  const folder = documents ?? wiki

  const rest: Omit<PackManifest, 'description'> = {
    name: name || shownText(folderName, LONGEST_NAME),
    type,
    status,
    profile: profile ?? 'wiki-first',
    mode: top.part('runtime').word('mode', RUNTIME_MODES, 'data') ?? 'data',
    trust: top.word('trust', TRUST_LABELS, 'unreviewed') ?? 'unreviewed',
    grounding: top.word('grounding', GROUNDINGS, 'required'),
    version: top.text('version', 64),
    language: top.text('language', 64),
    license: top.text('license', 200),
    maintainers,
    ownership: top.text('scope', 64),
    updated: isDate ? updated : undefined,
    compatibility: top.text('compatibility', 500),
    primaryDocument: metadata.path('primaryDocument'),
    primaryOntology: metadata.path('primaryOntology'),
    primaryAnswers: metadata.path('primaryAnswers'),
    producedBy: producer.isEmpty
      ? undefined
      : {
          kind: producer.text('kind', 100),
          name: producer.text('name', 200),
          version: producer.text('version', 64),
          digest: producer.text('digest', 200),
        },
    linked: folder === undefined ? undefined : { layer, folder },
    isProposed: metadata.written('proposed') === 'description',
  }
  const manifest = description === undefined ? undefined : { description, ...rest }
  return { manifest, warnings: settleWarnings(warnings) }
}

/** A value that is not one of the known words, for a message. */
function wordOf(written: string | undefined): string {
  return written === undefined ? 'is not a text' : `is ${quoted(written)}`
}

/** Reads fields of the frontmatter, cuts them to their limits and collects warnings. */
class Fields {
  readonly warnings: PackWarning[]
  private readonly fields: Record<string, unknown>
  /** For nested fields, such as `metadata.`. */
  private readonly prefix: string

  constructor(fields: Record<string, unknown>, prefix = '', warnings: PackWarning[] = []) {
    this.fields = fields
    this.prefix = prefix
    this.warnings = warnings
  }

  get isEmpty(): boolean {
    return Object.keys(this.fields).length === 0
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
  text(key: string, most: number, severity: Severity = 'warning'): string | undefined {
    const written = this.written(key)
    const about = { ...ABOUT, severity }
    if (this.has(key) && written === undefined) this.tell('pack.field/text', key)
    if (written === undefined) return undefined
    if (lengthOf(written.trim()) > most) {
      this.warnings.push(report('pack.field/long', { key: this.prefix + key, most }, about))
    }
    return shownText(written, most) || undefined
  }

  /** A path inside the pack. Drops any other path with a warning. */
  path(key: string): string | undefined {
    const written = this.written(key) ?? ''
    if (this.text(key, LONGEST_PATH) === undefined) return undefined
    const what = `${this.prefix}${key} ${quoted(written)}`
    const problem = packPathProblem(written)
    const normal = normalizePackPath(written)
    if (problem !== undefined) this.warnings.push(report('PATH_ESCAPE/pack-field', { what, problem }, ABOUT))
    else if (normal !== '' && written.length <= LONGEST_PATH && !hasUnseen(written)) return normal
    else this.warnings.push(report('pack.field/path', { what }, ABOUT))
    return undefined
  }

  /** The fields below a key. Anything but a mapping is reported and read as empty. */
  part(key: string): Fields {
    const value = this.value(key)
    if (value !== undefined && !isRecord(value)) this.tell('pack.field/mapping', key)
    return new Fields(isRecord(value) ? value : {}, `${this.prefix}${key}.`, this.warnings)
  }

  /** A word of a list; for any other value a default, with a warning. Undefined if it is missing. */
  word<T extends string>(key: string, words: readonly T[], otherwise: T): T | undefined {
    const written = this.written(key)
    const word = oneOf(words, written)
    if (word !== undefined || !this.has(key)) return word
    const facts = { key: this.prefix + key, is: wordOf(written), words: words.join(', '), otherwise }
    this.warnings.push(report('pack.field/word', facts, ABOUT))
    return otherwise
  }

  private tell(row: 'pack.field/text' | 'pack.field/mapping', key: string): void {
    this.warnings.push(report(row, { key: this.prefix + key }, ABOUT))
  }
}
