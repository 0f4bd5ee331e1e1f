import type { PackFiles } from '../pack-files.ts'
import type { PackWarning } from '../warning.ts'
import { ClaimJudge, type JudgedClaim } from './claim-standing.ts'
import { Warnings } from './grounded.ts'
import { openOntology } from './ontology-graph.ts'
import type { Claim, Constraint } from './ontology-records.ts'
import type { Names } from './record-text.ts'

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
