import { isRecord } from '../../../text/values.ts'
import { layerOf, normalizePackPath, type PackFiles, packPathProblem } from '../pack.ts'
import {
  keysFor,
  type Names,
  readRecordFile,
  recordRows,
  rowsOf,
  shortName,
  type Warnings,
  wordOf,
} from './graph-records.ts'
import {
  type Claim,
  type Concept,
  type Constraint,
  type Coverage,
  type Decode,
  decodeClaim,
  decodeConcept,
  decodeConstraint,
  decodeCoverage,
  decodeEvidence,
  decodeGate,
  decodeRelation,
  type Evidence,
  type Gate,
  type Relation,
} from './ontology-records.ts'

/** The kinds of record files that Loadout reads. */
const KINDS = ['concepts', 'relations', 'claims', 'evidence', 'constraints', 'coverage', 'decision-gates'] as const
type Kind = (typeof KINDS)[number]

/** Known kinds that Loadout ignores: they contain no evidence. */
const UNREAD = ['signals', 'objectives', 'resources', 'action-types', 'action-logs', 'feedback'] as const

const UNREVIEWED = ['draft', 'stale', 'disputed']

/** The maximum number of files in a manifest. */
const MOST_FILES = 64

/** The records of an ontology. Opens each file on first use. */
export class OntologyGraph {
  readonly path: string
  readonly state: string | undefined
  readonly files: PackFiles
  readonly warnings: Warnings
  /** The files read so far. */
  readonly used: string[]
  private readonly listed: ReadonlyMap<Kind, readonly string[]>
  private readonly unread = new Set<string>()
  private readonly decoded = new Map<Kind, readonly unknown[]>()

  constructor(manifest: Manifest, files: PackFiles, warnings: Warnings) {
    this.path = manifest.path
    this.state = manifest.state
    this.listed = manifest.listed
    this.used = [manifest.path]
    for (const kind of manifest.refused) this.unread.add(kind)
    this.files = files
    this.warnings = warnings
  }

  concepts = (): readonly Concept[] => this.read('concepts', decodeConcept)
  relations = (): readonly Relation[] => this.read('relations', decodeRelation)
  claims = (): readonly Claim[] => this.read('claims', decodeClaim)
  evidence = (): readonly Evidence[] => this.read('evidence', decodeEvidence)
  constraints = (): readonly Constraint[] => this.read('constraints', decodeConstraint)
  coverage = (): readonly Coverage[] => this.read('coverage', decodeCoverage)
  gates = (): readonly Gate[] => this.read('decision-gates', decodeGate)

  warnOfState(): void {
    if (this.state === 'reviewed') return
    const [code, state] = UNREVIEWED.includes(this.state ?? '')
      ? (['ontology.unverified', `${this.state}, not reviewed`] as const)
      : (['ontology.invalid', 'in an unknown state'] as const)
    this.warnings.add(code, this.path, `the ontology is ${state}`)
  }

  names(): Names {
    return new Map(this.concepts().map(({ id, label }) => [id, shortName(label)]))
  }

  /** The constraints on some concepts, and those that apply to everything. */
  constraintsFor(concepts: ReadonlySet<string>): Constraint[] {
    return this.constraints().filter(({ conceptIds }) => conceptIds?.some((id) => concepts.has(id)) ?? true)
  }

  /** Whether all files that limit claims could be read. If not, no claim counts as a fact. */
  knowsLimits(): boolean {
    this.evidence()
    this.constraints()
    this.gates()
    return !['evidence', 'constraints', 'decision-gates'].some((kind) => this.unread.has(kind))
  }

  private read<T>(kind: Kind, decode: Decode<T>): readonly T[] {
    const known = this.decoded.get(kind)
    if (known !== undefined) return known as readonly T[]
    const records = (this.listed.get(kind) ?? []).flatMap((path) => this.readFile(kind, path, decode))
    this.decoded.set(kind, records)
    return records
  }

  private readFile<T>(kind: Kind, path: string, decode: Decode<T>): T[] {
    const value = readRecordFile(this.files, path, 'ontology.invalid', this.warnings)
    const rows = value === undefined ? undefined : rowsOf(value, keysFor(kind))
    if (rows === undefined) {
      this.unread.add(kind)
      if (value !== undefined) this.warnings.add('ontology.invalid', path, `it has no list of ${kind}`)
      return []
    }
    this.used.push(path)
    const records: T[] = []
    for (const row of recordRows(rows, path, 'ontology.invalid', this.warnings)) {
      const record = decode(row, this.warnings)
      if (record !== undefined) records.push(record)
      else this.warnings.add('ontology.invalid', path, `a row is not a valid record of ${kind}`)
    }
    return records
  }
}

interface Manifest {
  path: string
  state: string | undefined
  listed: ReadonlyMap<Kind, readonly string[]>
  /** Kinds with a file whose path was refused. */
  refused: readonly Kind[]
}

/** Reads only the manifest. Undefined, with a warning, if it cannot be used. */
export function openOntology(files: PackFiles, path: string, warnings: Warnings): OntologyGraph | undefined {
  if (!isInside(path, warnings)) return undefined
  if (layerOf(path) !== 'ontology' || isExport(path)) {
    warnings.add('ontology.invalid', shortName(path), 'it is not a manifest inside ontology/, so it is not opened')
    return undefined
  }
  const value = readRecordFile(files, path, 'ontology.invalid', warnings)
  if (value === undefined) return undefined
  if (!isRecord(value) || !Array.isArray(value.files)) {
    warnings.add('ontology.invalid', path, 'it is not a manifest with a list of files')
    return undefined
  }
  const name = normalizePackPath(path)
  const manifest = { path: name, state: wordOf(value.status), ...listFiles(value.files, name, warnings) }
  return new OntologyGraph(manifest, files, warnings)
}

function listFiles(
  names: readonly unknown[],
  manifest: string,
  warnings: Warnings,
): Pick<Manifest, 'listed' | 'refused'> {
  const folder = manifest.slice(0, manifest.lastIndexOf('/') + 1)
  const listed = new Map<Kind, string[]>()
  const refused: Kind[] = []
  if (names.length > MOST_FILES) {
    warnings.add('ontology.invalid', manifest, `it lists more than ${MOST_FILES} files`)
    return { listed, refused }
  }
  for (const name of names) {
    if (typeof name !== 'string') {
      warnings.add('ontology.invalid', manifest, 'a listed file is not a text')
      continue
    }
    const isSafe = isInside(name, warnings)
    if (isExport(name) || isKind(name, UNREAD)) continue
    const kind = isKind(name, KINDS)
    if (kind === undefined) {
      warnings.add('ontology.invalid', manifest, `it lists ${shortName(name)}, whose kind is unknown`, 'info')
      continue
    }
    const path = normalizePackPath(folder + name)
    if (!isSafe) refused.push(kind)
    else if (!listed.get(kind)?.includes(path)) listed.set(kind, [...(listed.get(kind) ?? []), path])
  }
  return { listed, refused }
}

function isKind<T extends string>(name: string, kinds: readonly T[]): T | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  return kinds.find((kind) => base === `${kind}.json` || base === `${kind}.jsonl`)
}

/** Exports are copies for other programs. Loadout never opens them. */
function isExport(path: string): boolean {
  return path.toLowerCase().split('/').slice(0, -1).includes('exports')
}

function isInside(path: string, warnings: Warnings): boolean {
  const problem = packPathProblem(path)
  if (problem !== undefined) {
    warnings.add('source.escape', shortName(path), `this path is refused: ${problem}`, 'error')
  }
  return problem === undefined
}
