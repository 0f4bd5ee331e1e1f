import { type TaskWords, wordsIn } from '../../../search/task-words.ts'
import { termsOf } from '../../../search/tokens.ts'
import type { PackFiles } from '../pack.ts'
import { ClaimJudge, type JudgedClaim } from './claims.ts'
import { type Grounded, listNames, shortName, Warnings } from './graph-records.ts'
import { type OntologyGraph, openOntology } from './ontology-graph.ts'
import type { Claim, Concept } from './ontology-records.ts'
import { type Subgraph, writeSubgraph } from './ontology-text.ts'

/** How much of an ontology one task may use. */
export interface OntologyLimits {
  concepts: number
  /** Facts. */
  claims: number
  /** Claims that are marked as unverified. */
  unverified: number
  /** Related concepts, of which only the names are shown. */
  related: number
  /** Rows of gaps. */
  gaps: number
  characters: number
}

export const ONTOLOGY_LIMITS: Readonly<OntologyLimits> = {
  concepts: 6,
  claims: 24,
  unverified: 8,
  related: 8,
  gaps: 20,
  characters: 12_000,
}

/** The maximum number of claims compared with the task. More are left out with a warning. */
const MOST_RANKED = 5000

/** The part of an ontology about a task. Undefined if there is none and nothing to warn about. */
export function groundOntology(
  files: PackFiles,
  manifestPath: string,
  words: TaskWords,
  chosen: Partial<OntologyLimits> = {},
): Grounded | undefined {
  const warnings = new Warnings()
  const limits = { ...ONTOLOGY_LIMITS, ...chosen }
  const graph = openOntology(files, manifestPath, warnings)
  const concepts = graph === undefined ? [] : matchConcepts(distinctConcepts(graph), words, limits.concepts)
  if (graph === undefined || concepts.length === 0) {
    const found = warnings.all()
    return found.length === 0 ? undefined : nothing(found, graph?.used ?? [])
  }
  warnOfState(graph, concepts)
  const subgraph = chooseSubgraph(graph, concepts, words, limits)
  const parts = writeSubgraph(subgraph, limits, warnings)
  const missing = [...findGaps(graph, subgraph, limits), ...withoutFacts(subgraph)]
  const anchors = [...new Set(subgraph.facts.flatMap((fact) => fact.anchors))]
  const facts = subgraph.facts.map(({ claim }) => `${listNames(claim.conceptIds, subgraph.names)}: ${claim.text}`)
  return { parts, anchors, warnings: warnings.all(), missing, facts, files: [...graph.used] }
}

function nothing(warnings: Grounded['warnings'], files: readonly string[]): Grounded {
  return { parts: [], anchors: [], warnings, missing: [], files: [...files] }
}

/** Keeps the first of several concepts with the same id. */
function distinctConcepts(graph: OntologyGraph): Concept[] {
  const known = new Set<string>()
  return graph.concepts().filter(({ id, path }) => {
    const isNew = !known.has(id)
    if (!isNew) graph.warnings.add('ontology.invalid', path, 'two concepts have the same id; the first counts')
    known.add(id)
    return isNew
  })
}

const REVIEWED: readonly (string | undefined)[] = [undefined, 'reviewed', 'approved', 'ready']

function warnOfState(graph: OntologyGraph, concepts: readonly Concept[]): void {
  graph.warnOfState()
  for (const { path, label, status } of concepts) {
    if (REVIEWED.includes(status)) continue
    graph.warnings.add('ontology.unverified', path, `the concept "${shortName(label)}" is not reviewed`)
  }
}

function chooseSubgraph(
  graph: OntologyGraph,
  concepts: readonly Concept[],
  words: TaskWords,
  limits: OntologyLimits,
): Subgraph {
  const { warnings } = graph
  const chosen = new Set(concepts.map(({ id }) => id))
  const judge = new ClaimJudge(graph)
  const own = graph.claims().filter((claim) => isAbout(claim, chosen) && !judge.isForbidden(claim))
  const judged = rankClaims(own, words, warnings).map((claim) => judge.judge(claim))
  const facts = keep(judged, 'fact', limits.claims, warnings)
  const unverified = keep(judged, 'unverified', limits.unverified, warnings)
  for (const { claim, reason } of unverified) {
    warnings.add('ontology.unverified', claim.path, `the claim "${shortName(claim.id)}" is not a fact: ${reason}`)
  }
  const held = keep(judged, 'held', limits.gaps, warnings)
  for (const { claim, reason } of held) {
    warnings.add('ontology.unverified', claim.path, `the claim "${shortName(claim.id)}" was left out: ${reason}`)
  }
  // The limits of every concept in these claims apply, not only of concepts that the task names.
  const bound = new Set([...chosen, ...[...facts, ...unverified].flatMap(({ claim }) => claim.conceptIds)])
  const forbidden = judge.forbiddenFor(bound)
  if (forbidden.length > 0) {
    const message = 'it contains forbidden claims; they are given as prohibitions only'
    warnings.add('ontology.forbidden', forbidden[0]!.path, message, 'error')
  }
  return {
    state: graph.state,
    names: graph.names(),
    concepts,
    facts,
    unverified,
    held,
    forbidden,
    constraints: graph.constraintsFor(bound),
    related: relatedTo(graph, chosen, limits.related),
  }
}

function isAbout({ conceptIds }: Pick<Claim, 'conceptIds'>, concepts: ReadonlySet<string>): boolean {
  return conceptIds.some((id) => concepts.has(id))
}

/** Sorts claims by shared words with the task; equal ones keep the order of the file. */
function rankClaims(claims: readonly Claim[], words: TaskWords, warnings: Warnings): Claim[] {
  const ranked = claims.slice(0, MOST_RANKED)
  if (ranked.length < claims.length)
    warnings.add('context.omitted', claims[0]!.path, omitted(claims.length - MOST_RANKED))
  return ranked
    .map((claim) => ({ claim, weight: weightOf(words, wordsIn(words, claim.text)) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ claim }) => claim)
}

function keep(
  judged: readonly JudgedClaim[],
  standing: JudgedClaim['standing'],
  most: number,
  warnings: Warnings,
): JudgedClaim[] {
  const all = judged.filter((one) => one.standing === standing)
  if (all.length > most) warnings.add('context.omitted', all[0]!.claim.path, omitted(all.length - most))
  return all.slice(0, most)
}

function omitted(count: number): string {
  return count === 1
    ? '1 more claim of the same concepts was left out'
    : `${count} more claims of the same concepts were left out`
}

/** Approved relations from the chosen concepts to others. */
function relatedTo(graph: OntologyGraph, chosen: ReadonlySet<string>, most: number): Subgraph['related'] {
  const related: Subgraph['related'] = []
  for (const relation of graph.relations()) {
    if (related.length === most) break
    const isOutward = chosen.has(relation.from) !== chosen.has(relation.to)
    if (isOutward && ['approved', 'reviewed'].includes(relation.status ?? '')) related.push(relation)
  }
  return related
}

const GAPS: Partial<Record<string, string>> = {
  'missing-evidence': 'evidence is missing',
  'missing-material': 'material is missing',
  blocked: 'blocked',
  'needs-review': 'needs review',
}

/** The gaps that the coverage rows of the chosen concepts declare. */
function findGaps(graph: OntologyGraph, { concepts, names }: Subgraph, limits: OntologyLimits): string[] {
  const gaps: string[] = []
  for (const { path, conceptIds, audience, state } of graph.coverage()) {
    const gap = GAPS[state]
    if (gap === undefined || gaps.length === limits.gaps) continue
    for (const { id } of concepts) {
      if (!conceptIds.includes(id)) continue
      gaps.push(`${shortName(names.get(id) ?? id)}${audience ? ` for ${shortName(audience)}` : ''}: ${gap}`)
      graph.warnings.add('ontology.unverified', path, `the coverage of a concept is not ready: ${gap}`)
    }
  }
  return [...new Set(gaps)]
}

/** Concepts of the task without a fact. */
function withoutFacts({ concepts, facts }: Subgraph): string[] {
  return concepts
    .filter(({ id }) => !facts.some(({ claim }) => claim.conceptIds.includes(id)))
    .map(({ label }) => `${shortName(label)}: no verified claim`)
}

interface Match {
  concept: Concept
  words: ReadonlySet<string>
  weight: number
  /** The task has every word of its label or of an alias. */
  isNamed: boolean
}

/** The least weight relative to the best concept, unless the task names the concept in full. */
const LEAST_OF_BEST = 0.5

/** The concepts of a task, best first. */
function matchConcepts(concepts: readonly Concept[], words: TaskWords, most: number): Concept[] {
  const matches: Match[] = []
  for (const concept of concepts) {
    const match = matchConcept(concept, words)
    if (match !== undefined) matches.push(match)
  }
  matches.sort((a, b) => b.weight - a.weight || Number(b.isNamed) - Number(a.isNamed))
  const chosen: Match[] = []
  for (const match of matches) {
    if (chosen.length === most) break
    const isClose = match.weight >= LEAST_OF_BEST * matches[0]!.weight
    if (match.isNamed || (isClose && !chosen.some((better) => explainsMore(better, match)))) chosen.push(match)
  }
  return chosen.map(({ concept }) => concept)
}

/** The summed weight of words of a task. */
export function weightOf(words: TaskWords, found: ReadonlySet<string>): number {
  let weight = 0
  for (const word of found) weight += words.get(word) ?? 0
  return weight
}

/** Matches exact words only: a concept lists its synonyms as aliases. */
function matchConcept(concept: Concept, words: TaskWords): Match | undefined {
  const found = new Set<string>()
  let isNamed = false
  for (const name of [concept.label, ...concept.aliases]) {
    const terms = termsOf(name)
    const shared = terms.filter((term) => words.has(term))
    isNamed ||= shared.length > 0 && shared.length === terms.length
    for (const term of shared) found.add(term)
  }
  return found.size === 0 ? undefined : { concept, words: found, weight: weightOf(words, found), isNamed }
}

/** Whether a better match has all words of this one and more: "relay range" does not ask about the relay's battery. */
function explainsMore(better: Match, match: Match): boolean {
  return better.words.size > match.words.size && [...match.words].every((word) => better.words.has(word))
}
