import { isRecord } from '../../../text/values.ts'
import { layerOf, normalizePackPath, oneOf, type PackFiles, packPathProblem } from '../pack.ts'
import {
  keysFor,
  namesOf,
  type RecordRow,
  readRecordFile,
  recordRows,
  rowsOf,
  shortName,
  textOf,
  type Warnings,
  wordOf,
} from './graph-records.ts'
import {
  type Constraint,
  type Decode,
  decodeConstraint,
  EVIDENCE_STATES,
  type EvidenceState,
} from './ontology-records.ts'

const TARGET_KINDS = ['page', 'section', 'paragraph', 'table', 'figure', 'video-transcript', 'data-point'] as const

export interface Question {
  path: string
  id: string
  question: string
  variants: readonly string[]
  intent: string | undefined
  audience: string | undefined
  risk: string | undefined
  status: string | undefined
  /** Ids of its concepts. */
  targetIds: readonly string[]
  blockIds: readonly string[]
  /** Blocks written inside the question. */
  blocks: readonly AnswerBlock[]
}

export interface AnswerBlock {
  path: string
  id: string
  answer: string
  claimIds: readonly string[]
  citationTargetIds: readonly string[]
  /** Undefined if missing; `unknown` for an invalid value. */
  evidence: EvidenceState | 'unknown' | undefined
  review: string | undefined
}

export interface CitationTarget {
  path: string
  id: string
  kind: string
  /** Its location, as the pack writes it. */
  place: string
}

function decodeQuestion({ path, fields }: RecordRow, warnings: Warnings): Question | undefined {
  const [id, question, variants] = [textOf(fields.id), textOf(fields.question), namesOf(fields.variants ?? [])]
  if (id === undefined || question === undefined || variants === undefined) return undefined
  const given = [...listOf(fields.answerBlockIds), ...listOf(fields.answerBlocks)]
  return {
    path,
    id,
    question,
    variants,
    intent: textOf(fields.intent),
    audience: textOf(fields.audience),
    risk: textOf(fields.riskLevel),
    status: wordOf(fields.status),
    targetIds: namesOf(fields.targetEntityIds ?? []) ?? [],
    blockIds: given.filter((one) => typeof one === 'string'),
    blocks: given.filter(isRecord).flatMap((block) => {
      const decoded = decodeBlock({ path, fields: block })
      if (decoded === undefined) warnings.add('answers.invalid', path, 'an answer inside a question has no text')
      return decoded ?? []
    }),
  }
}

function decodeBlock({ path, fields }: RecordRow): AnswerBlock | undefined {
  const [answer, claimIds] = [textOf(fields.answer), namesOf(fields.claimIds ?? [])]
  if (answer === undefined || claimIds === undefined) return undefined
  const evidence = fields.evidenceStatus
  return {
    path,
    id: textOf(fields.id) ?? '',
    answer,
    claimIds,
    citationTargetIds: namesOf(fields.citationTargetIds ?? []) ?? [],
    evidence: evidence === undefined ? undefined : (oneOf(EVIDENCE_STATES, wordOf(evidence)) ?? 'unknown'),
    review: wordOf(fields.reviewStatus),
  }
}

function decodeTarget({ path, fields }: RecordRow): CitationTarget | undefined {
  const [id, kind] = [textOf(fields.id), oneOf(TARGET_KINDS, wordOf(fields.kind))]
  const place = textOf(fields.sourceRef) ?? textOf(fields.path) ?? textOf(fields.url)
  return id === undefined || kind === undefined || place === undefined ? undefined : { path, id, kind, place }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
}

/** The names of each kind of record: as a file beside the questions, or as a key in their file. */
const NAMES = {
  questions: ['questions'],
  blocks: ['answer-blocks', 'answers'],
  targets: ['citation-targets'],
  constraints: ['constraints'],
} as const
type Kind = keyof typeof NAMES

/** The answer records of a pack. Opens the files beside the first one on first use. */
export class AnswerFiles {
  /** The files read so far. */
  readonly used: string[]
  private readonly path: string
  private readonly first: unknown
  private readonly files: PackFiles
  private readonly warnings: Warnings
  private readonly unread = new Set<Kind>()
  private readonly decoded = new Map<Kind, readonly unknown[]>()

  constructor(path: string, first: unknown, files: PackFiles, warnings: Warnings) {
    this.path = path
    this.first = first
    this.files = files
    this.warnings = warnings
    this.used = [path]
  }

  questions = (): readonly Question[] => this.read('questions', decodeQuestion)
  blocks = (): readonly AnswerBlock[] => this.read('blocks', decodeBlock)
  targets = (): readonly CitationTarget[] => this.read('targets', decodeTarget)
  constraints = (): readonly Constraint[] => this.read('constraints', decodeConstraint)

  /** Whether the constraints could be read. */
  knowsLimits(): boolean {
    this.constraints()
    return !this.unread.has('constraints')
  }

  /** Whether there is a list of questions, even an empty one. */
  holdsQuestions(): boolean {
    this.questions()
    const isInline = rowsOf(this.first, NAMES.questions) !== undefined
    return isInline || this.used.length > 1
  }

  private read<T>(kind: Kind, decode: Decode<T>): readonly T[] {
    const known = this.decoded.get(kind)
    if (known !== undefined) return known as readonly T[]
    const records = [...this.inline(kind, decode), ...this.beside(kind, decode)]
    this.decoded.set(kind, records)
    return records
  }

  /** Records in the first file. A plain list there contains questions. */
  private inline<T>(kind: Kind, decode: Decode<T>): T[] {
    if (Array.isArray(this.first))
      return kind === 'questions' ? this.decodeAll(kind, this.first, this.path, decode) : []
    const rows = rowsOf(this.first, NAMES[kind].flatMap(keysFor))
    return rows === undefined ? [] : this.decodeAll(kind, rows, this.path, decode)
  }

  private beside<T>(kind: Kind, decode: Decode<T>): T[] {
    const folder = this.path.slice(0, this.path.lastIndexOf('/') + 1)
    const paths = NAMES[kind].flatMap((name) => [`${folder}${name}.json`, `${folder}${name}.jsonl`])
    return paths.flatMap((path) => {
      if (path === this.path || this.files.sizeOf(path) === undefined) return []
      const value = readRecordFile(this.files, path, 'answers.invalid', this.warnings)
      const rows = value === undefined ? undefined : rowsOf(value, NAMES[kind].flatMap(keysFor))
      if (rows === undefined) {
        this.unread.add(kind)
        if (value !== undefined) this.warnings.add('answers.invalid', path, `it has no list of ${kind}`)
        return []
      }
      this.used.push(path)
      return this.decodeAll(kind, rows, path, decode)
    })
  }

  private decodeAll<T>(kind: Kind, rows: readonly unknown[], path: string, decode: Decode<T>): T[] {
    const records: T[] = []
    for (const row of recordRows(rows, path, 'answers.invalid', this.warnings)) {
      const record = decode(row, this.warnings)
      if (record !== undefined) records.push(record)
      else this.warnings.add('answers.invalid', path, `a row is not a valid record of ${kind}`)
    }
    return records
  }
}

/** Opens the answers of a pack. Undefined, with a warning, if they cannot be used. */
export function openAnswers(files: PackFiles, path: string, warnings: Warnings): AnswerFiles | undefined {
  const problem = packPathProblem(path)
  if (problem !== undefined) {
    warnings.add('source.escape', shortName(path), `this path is refused: ${problem}`, 'error')
    return undefined
  }
  if (layerOf(path) !== 'answers') {
    warnings.add('answers.invalid', shortName(path), 'it is outside answers/, so it is not opened')
    return undefined
  }
  const first = readRecordFile(files, path, 'answers.invalid', warnings)
  if (first === undefined) return undefined
  const answers = new AnswerFiles(normalizePackPath(path), first, files, warnings)
  if (answers.holdsQuestions()) return answers
  warnings.add('answers.invalid', path, 'it has no list of questions')
  return undefined
}
