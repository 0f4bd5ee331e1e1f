import {
  layerOf,
  normalizePackPath,
  type PackFiles,
  type PackLayer,
  type PackWarning,
  packPathProblem,
} from '../pack.ts'
import { type Names, oneLine, shortName, Warnings } from './graph-records.ts'
import { type OntologyGraph, openOntology } from './ontology-graph.ts'
import type { Claim, Constraint, Evidence } from './ontology-records.ts'

/** How a claim may be used. `held`: a decision gate has not passed. */
type Standing = 'fact' | 'unverified' | 'forbidden' | 'held'

export interface JudgedClaim {
  claim: Claim
  standing: Standing
  /** Why it is not a fact. */
  reason: string
  /** Its verified sources, as `path#anchor`. */
  anchors: readonly string[]
}

/** The layers that count as evidence. All other layers are derived from them. */
const EVIDENCE_LAYERS: readonly PackLayer[] = ['sources', 'documents', 'wiki']

const LONGEST_REF = 300

/** The maximum number of sources shown per claim. */
const MOST_ANCHORS = 8

const NEVER: readonly (string | undefined)[] = ['forbidden', 'rejected']

/** Decides how each claim of an ontology may be used. */
export class ClaimJudge {
  private readonly graph: OntologyGraph
  private readonly evidence = new Map<string, Evidence[]>()
  private readonly heldClaims = new Set<string>()
  private readonly heldConcepts = new Set<string>()
  private readonly repeated = new Set<string>()
  private readonly present = new Map<string, boolean>()

  constructor(graph: OntologyGraph) {
    this.graph = graph
    for (const row of graph.evidence()) {
      const rows = this.evidence.get(row.claimId)
      if (rows === undefined) this.evidence.set(row.claimId, [row])
      else rows.push(row)
    }
    for (const gate of graph.gates()) {
      if (gate.hasPassed) continue
      for (const id of gate.claimIds) this.heldClaims.add(id)
      for (const id of gate.conceptIds) this.heldConcepts.add(id)
    }
    this.findRepeated()
  }

  isForbidden(claim: Claim): boolean {
    if (NEVER.includes(claim.evidence) || NEVER.includes(claim.review) || NEVER.includes(claim.status)) return true
    return this.rowsFor(claim).some(({ state }) => state === 'forbidden')
  }

  /** The forbidden claims about some concepts. */
  forbiddenFor(concepts: ReadonlySet<string>): Claim[] {
    return this.graph
      .claims()
      .filter((claim) => claim.conceptIds.some((id) => concepts.has(id)) && this.isForbidden(claim))
  }

  judge(claim: Claim): JudgedClaim {
    const anchors: string[] = []
    const { standing, reason } = this.decide(claim, anchors)
    return { claim, standing, reason, anchors: standing === 'fact' ? [...new Set(anchors)] : [] }
  }

  private decide(claim: Claim, anchors: string[]): Pick<JudgedClaim, 'standing' | 'reason'> {
    if (this.isForbidden(claim)) return { standing: 'forbidden', reason: 'it may not be claimed' }
    if (this.heldClaims.has(claim.id) || claim.conceptIds.some((id) => this.heldConcepts.has(id))) {
      return { standing: 'held', reason: 'a decision gate has not passed' }
    }
    const reason = this.doubt(claim) ?? this.verify(claim, anchors)
    return reason === undefined ? { standing: 'fact', reason: '' } : { standing: 'unverified', reason }
  }

  /** A reason against a claim that does not depend on its evidence. */
  private doubt({ id, review, status }: Claim): string | undefined {
    if (review === 'disputed' || status === 'disputed') return 'disputed'
    if (status === 'stale') return 'stale'
    if (review !== 'approved') return 'not approved'
    if (id === '') return 'it has no id'
    if (this.repeated.has(id)) return 'its id is used more than once'
    return this.graph.knowsLimits() ? undefined : 'its limits could not be read'
  }

  /** Why the evidence is not enough. Adds the verified sources to `anchors`. */
  private verify(claim: Claim, anchors: string[]): string | undefined {
    if (claim.evidence === 'weak') return 'weak evidence'
    if (claim.evidence === 'needs-verification') return 'needs verification'
    if (claim.evidence === 'unknown') return 'no known state of evidence'
    const rows = this.rowsFor(claim)
    const verified = rows.filter(({ state }) => state === 'verified')
    if (rows.length > 0 && verified.length === 0) {
      return rows.some(({ state }) => state === 'weak') ? 'weak evidence' : 'needs verification'
    }
    if (rows.length === 0 && claim.evidence !== 'verified') return 'no evidence'
    // Evidence rows name the verified sources; without rows, all sources of the claim count.
    const refs = rows.length === 0 ? claim.sourceRefs : verified.flatMap((row) => row.sourceRef ?? [])
    const path = verified[0]?.path ?? claim.path
    for (const ref of refs) {
      const anchor = this.anchorOf(ref, path)
      if (anchor !== undefined) anchors.push(anchor)
      if (anchors.length === MOST_ANCHORS) break
    }
    return anchors.length === 0 ? 'no source' : undefined
  }

  /** A normalized reference to an existing source. Undefined if it is not evidence. */
  private anchorOf(ref: string, from: string): string | undefined {
    const cut = ref.indexOf('#')
    const [path, fragment] = cut < 0 ? [ref, ''] : [ref.slice(0, cut), oneLine(ref.slice(cut))]
    if (ref.length > LONGEST_REF || path.includes('://')) return undefined
    const problem = packPathProblem(path)
    if (problem !== undefined) {
      this.graph.warnings.add('source.escape', shortName(path), `this path is refused: ${problem}`, 'error')
      return undefined
    }
    const layer = layerOf(path)
    if (layer === undefined || !EVIDENCE_LAYERS.includes(layer)) return undefined
    const name = normalizePackPath(path)
    if (this.isPresent(name)) return name + fragment
    this.graph.warnings.add('source.absent', from, `it names the missing file ${shortName(name)}`)
    return undefined
  }

  private isPresent(path: string): boolean {
    let isPresent = this.present.get(path)
    if (isPresent === undefined) {
      isPresent = this.graph.files.sizeOf(path) !== undefined
      this.present.set(path, isPresent)
    }
    return isPresent
  }

  private rowsFor(claim: Claim): readonly Evidence[] {
    return claim.id === '' ? [] : (this.evidence.get(claim.id) ?? [])
  }

  /** Finds duplicate ids: evidence names a claim by its id, so it would be ambiguous. */
  private findRepeated(): void {
    const known = new Set<string>()
    for (const { id, path } of this.graph.claims()) {
      if (known.has(id) && id !== '') {
        this.graph.warnings.add('ontology.invalid', path, 'an id is used more than once')
        this.repeated.add(id)
      }
      known.add(id)
    }
  }
}

/** The claims of an ontology, for other records of the pack that refer to them. */
export interface ClaimBook {
  find(id: string): JudgedClaim | undefined
  constraintsFor(concepts: ReadonlySet<string>): readonly Constraint[]
  forbiddenFor(concepts: ReadonlySet<string>): readonly Claim[]
  names(): Names
  /** The files that were read. */
  files(): readonly string[]
  warnings(): readonly PackWarning[]
}

/** Opens the ontology on first use. Without a readable ontology no claim is found. */
export function openClaims(files: PackFiles, manifestPath: string): ClaimBook {
  const warnings = new Warnings()
  let opened: ReturnType<typeof open> | undefined
  const open = () => {
    const graph = openOntology(files, manifestPath, warnings)
    graph?.warnOfState()
    const judge = graph === undefined ? undefined : new ClaimJudge(graph)
    return { graph, judge, claims: new Map(graph?.claims().map((claim) => [claim.id, claim])) }
  }
  const book = () => {
    opened ??= open()
    return opened
  }
  return {
    find(id) {
      const { judge, claims } = book()
      const claim = id === '' ? undefined : claims.get(id)
      return claim === undefined ? undefined : judge?.judge(claim)
    },
    constraintsFor: (concepts) => book().graph?.constraintsFor(concepts) ?? [],
    forbiddenFor: (concepts) => book().judge?.forbiddenFor(concepts) ?? [],
    names: () => book().graph?.names() ?? new Map(),
    files: () => opened?.graph?.used ?? [],
    warnings: () => warnings.all(),
  }
}
