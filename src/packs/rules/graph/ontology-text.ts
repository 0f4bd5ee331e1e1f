import type { ContextPart } from '../pack.ts'
import type { JudgedClaim } from './claims.ts'
import {
  constraintLine,
  type Line,
  listNames,
  type Names,
  oneLine,
  prohibitionLine,
  quoted,
  Room,
  shortName,
  toParts,
  type Warnings,
} from './graph-records.ts'
import type { Claim, Concept, Constraint, Relation } from './ontology-records.ts'

const LAYER = 'ontology'

/** The records chosen for a task. */
export interface Subgraph {
  state: string | undefined
  names: Names
  concepts: readonly Concept[]
  facts: JudgedClaim[]
  unverified: JudgedClaim[]
  held: readonly JudgedClaim[]
  forbidden: readonly Claim[]
  constraints: readonly Constraint[]
  related: Relation[]
}

/**
 * Writes a subgraph as text, one part per heading and file. All limits come first; if they do not fit, no claim is
 * given. Removes facts that did not fit from the subgraph.
 */
export function writeSubgraph(subgraph: Subgraph, limits: { characters: number }, warnings: Warnings): ContextPart[] {
  const room = new Room(limits.characters)
  const binding = [
    ...subgraph.constraints.map((constraint) => constraintLine(constraint, LAYER, subgraph.names)),
    ...subgraph.forbidden.map((claim) => prohibitionLine(claim, subgraph.names)),
  ]
  const kept = binding.filter((line) => room.holds(line))
  if (kept.length < binding.length) {
    subgraph.facts = []
    subgraph.unverified = []
    const { path } = binding[0]!
    const message = 'not all limits of these concepts fit; no claim is given without them'
    warnings.add('context.omitted', path, message)
    return toParts(kept)
  }
  const claimed: Line[] = []
  const takeIn = (claims: readonly JudgedClaim[], write: typeof factLine): JudgedClaim[] =>
    claims.filter((claim) => {
      const line = write(subgraph, claim)
      const isHeld = room.holds(line)
      if (isHeld) claimed.push(line)
      else warnings.add('context.omitted', claim.claim.path, 'a claim did not fit')
      return isHeld
    })
  subgraph.facts = takeIn(subgraph.facts, factLine)
  subgraph.unverified = takeIn(subgraph.unverified, unverifiedLine)
  const rest = relationLines(subgraph).filter((line) => room.holds(line))
  return toParts([...kept, ...claimed, ...rest])
}

function factLine({ state, names }: Subgraph, { claim, anchors }: JudgedClaim): Line {
  const doubt =
    state === 'reviewed' ? '' : ` (the ontology itself is ${state === undefined ? 'not reviewed' : shortName(state)})`
  const heading = `Claims with verified evidence${doubt}:`
  const text = `- ${listNames(claim.conceptIds, names)}: ${oneLine(claim.text)} [${anchors.join(', ')}]`
  return { path: claim.path, layer: LAYER, heading, text }
}

function unverifiedLine({ names }: Subgraph, { claim, reason }: JudgedClaim): Line {
  return {
    path: claim.path,
    layer: LAYER,
    heading: 'Not verified. Do not use as facts:',
    text: `- UNVERIFIED, ${reason} (${listNames(claim.conceptIds, names)}): ${quoted(claim.text)}`,
  }
}

function relationLines({ related, names }: Subgraph): Line[] {
  return related.flatMap(({ path, from, to, type }) => {
    const [left, right] = [names.get(from), names.get(to)]
    if (left === undefined || right === undefined) return []
    return {
      path,
      layer: LAYER,
      heading: 'Related concepts, which are not given here:',
      text: `- ${left}, ${oneLine(type)}, ${right}`,
    }
  })
}
