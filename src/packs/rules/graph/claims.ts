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

/** `held` by a decision gate that has not passed. */
type Standing = 'fact' | 'unverified' | 'forbidden' | 'held'

export interface JudgedClaim {
  claim: Claim
  standing: Standing
  /** Why it is not a fact, in our own words. */
  reason: string
  /** The sources that verify it, as `path#anchor`. */
  anchors: readonly string[]
}

/** What can bear a fact. Everything else in a pack is derived from it, or about it. */
const EVIDENCE_LAYERS: readonly PackLayer[] = ['sources', 'documents', 'wiki']

const LONGEST_REF = 300

/** Of one claim. More sources make it no truer. */
const MOST_ANCHORS = 8

const NEVER: readonly (string | undefined)[] = ['forbidden', 'rejected']

/** Decides once for each claim of an ontology what it may be used as. */
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

  /** What may not be claimed of some concepts. */
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

  /** What speaks against a claim before its evidence is looked at. */
  private doubt({ id, review, status }: Claim): string | undefined {
    if (review === 'disputed' || status === 'disputed') return 'disputed'
    if (status === 'stale') return 'stale'
    if (review !== 'approved') return 'not approved'
    if (id === '') return 'it has no id'
    if (this.repeated.has(id)) return 'its id is used more than once'
    return this.graph.knowsLimits() ? undefined : 'its limits could not be read'
  }

  /** Why the evidence is not enough. Fills `anchors` with the sources that count. */
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
    // Rows say which sources were verified; without any the claim speaks for all of its own.
    const refs = rows.length === 0 ? claim.sourceRefs : verified.flatMap((row) => row.sourceRef ?? [])
    const path = verified[0]?.path ?? claim.path
    for (const ref of refs) {
      const anchor = this.anchorOf(ref, path)
      if (anchor !== undefined) anchors.push(anchor)
      if (anchors.length === MOST_ANCHORS) break
    }
    return anchors.length === 0 ? 'no source' : undefined
  }

  /** A normalised reference to an existing source. Undefined for anything that is not evidence. */
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
    this.graph.warnings.add('source.absent', from, `it names ${shortName(name)}, which is not there`)
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

  /** Evidence names a claim by its id. With a duplicate id it is ambiguous. */
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

/** The claims of an ontology, for records elsewhere in the pack that rest on them. */
export interface ClaimBook {
  find(id: string): JudgedClaim | undefined
  constraintsFor(concepts: ReadonlySet<string>): readonly Constraint[]
  forbiddenFor(concepts: ReadonlySet<string>): readonly Claim[]
  names(): Names
  /** Every file that was read for it. */
  files(): readonly string[]
  warnings(): readonly PackWarning[]
}

/** Opens the manifest at the first question that is asked. Without an ontology that can be read, no claim is found. */
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
