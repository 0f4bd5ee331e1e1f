import type { JudgedClaim } from './claim-standing.ts'
import type { ContextPart } from './context-part.ts'
import { oneLine, shortName, type Warnings } from './grounded.ts'
import type { Claim, Concept, Constraint, LogEntry, Relation } from './ontology-records.ts'

/** The records that were chosen for a task. */
export interface Subgraph {
  state: string | undefined
  /** The label of each concept, short and on one line. */
  names: ReadonlyMap<string, string>
  concepts: readonly Concept[]
  facts: JudgedClaim[]
  unverified: JudgedClaim[]
  held: readonly JudgedClaim[]
  forbidden: readonly Claim[]
  constraints: readonly Constraint[]
  related: Relation[]
  logs: readonly LogEntry[]
}

/** Of the concepts of one record. */
const MOST_NAMES = 6

interface Line {
  path: string
  heading: string
  text: string
}

/**
 * The text of a subgraph, one part for each heading and file. Limits come first and whole: when they do not fit, no
 * claim goes without them. Facts that did not fit are taken out of the subgraph.
 */
export function writeSubgraph(subgraph: Subgraph, limits: { characters: number }, warnings: Warnings): ContextPart[] {
  const room = new Room(limits.characters)
  const binding = [...constraintLines(subgraph), ...prohibitionLines(subgraph)]
  const kept = room.take(binding)
  if (kept.length < binding.length) {
    subgraph.facts = []
    subgraph.unverified = []
    const { path } = binding[kept.length]!
    const message = 'not all limits of these concepts fit; no claim is given without them'
    warnings.add('context.omitted', path, message)
    return toParts(kept)
  }
  const facts = room.take(subgraph.facts.map((fact) => factLine(subgraph, fact)))
  const unverified = room.take(subgraph.unverified.map((claim) => unverifiedLine(subgraph, claim)))
  warnOfCut(subgraph.facts, facts, warnings)
  warnOfCut(subgraph.unverified, unverified, warnings)
  subgraph.facts = subgraph.facts.slice(0, facts.length)
  const rest = room.take([...relationLines(subgraph), ...logLines(subgraph)])
  return toParts([...kept, ...facts, ...unverified, ...rest])
}

/** Lines are taken whole and in order; the first that does not fit ends it. */
class Room {
  private left: number

  constructor(characters: number) {
    this.left = characters
  }

  take(lines: readonly Line[]): Line[] {
    const taken: Line[] = []
    for (const line of lines) {
      if (line.text.length >= this.left) break
      this.left -= line.text.length + 1
      taken.push(line)
    }
    return taken
  }
}

function warnOfCut(claims: readonly JudgedClaim[], lines: readonly Line[], warnings: Warnings): void {
  const first = claims[lines.length]
  if (first === undefined) return
  warnings.add('context.omitted', first.claim.path, `${claims.length - lines.length} claims did not fit`)
}

function toParts(lines: readonly Line[]): ContextPart[] {
  const parts = new Map<string, ContextPart>()
  for (const { path, heading, text } of lines) {
    const key = JSON.stringify([heading, path])
    const part = parts.get(key)
    if (part === undefined) parts.set(key, { path, layer: 'ontology', text: `${heading}\n${text}\n` })
    else part.text += `${text}\n`
  }
  return [...parts.values()]
}

function constraintLines({ constraints, names }: Subgraph): Line[] {
  return constraints.map(({ path, conceptIds, rule }) => {
    const subject = conceptIds === undefined ? 'everything' : namesOf(conceptIds, names)
    return { path, heading: 'Limits on what may be said:', text: `- ${subject}: ${oneLine(rule)}` }
  })
}

function prohibitionLines({ forbidden, names }: Subgraph): Line[] {
  return forbidden.map(({ path, conceptIds, text }) => ({
    path,
    heading: 'Prohibitions. None of these may be said or taken as true, in these or other words:',
    text: `- DO NOT CLAIM (${namesOf(conceptIds, names)}): ${quoted(text)}`,
  }))
}

function factLine({ state, names }: Subgraph, { claim, anchors }: JudgedClaim): Line {
  const doubt =
    state === 'reviewed' ? '' : ` (the ontology itself is ${state === undefined ? 'not reviewed' : oneLine(state)})`
  const heading = `Claims with verified evidence${doubt}:`
  const text = `- ${namesOf(claim.conceptIds, names)}: ${oneLine(claim.text)} [${anchors.join(', ')}]`
  return { path: claim.path, heading, text }
}

function unverifiedLine({ names }: Subgraph, { claim, reason }: JudgedClaim): Line {
  return {
    path: claim.path,
    heading: 'Not verified. Do not use as facts:',
    text: `- UNVERIFIED, ${reason} (${namesOf(claim.conceptIds, names)}): ${quoted(claim.text)}`,
  }
}

function relationLines({ related, names }: Subgraph): Line[] {
  return related.flatMap(({ path, from, to, type }) => {
    const [left, right] = [names.get(from), names.get(to)]
    if (left === undefined || right === undefined) return []
    return {
      path,
      heading: 'Related concepts, which are not given here:',
      text: `- ${left}, ${oneLine(type)}, ${right}`,
    }
  })
}

function logLines({ logs }: Subgraph): Line[] {
  return logs.map(({ path, text }) => ({
    path,
    heading: 'Recorded actions. They prove nothing about the claims:',
    text: `- ${quoted(text)}`,
  }))
}

function namesOf(ids: readonly string[], names: ReadonlyMap<string, string>): string {
  const some = ids.slice(0, MOST_NAMES).map((id) => names.get(id) ?? shortName(id))
  return some.join(', ') + (ids.length > MOST_NAMES ? ' and more' : '')
}

/** Its own quotes are made single, so that it ends where it seems to end. */
function quoted(text: string): string {
  return `"${oneLine(text).replaceAll('"', "'")}"`
}
