import { type TaskWords, wordsIn } from '../../../search/task.ts'
import { termsOf } from '../../../search/tokens.ts'
import { getDeep, getOwn } from '../../../text/values.ts'
import { layerOf, normalizePackPath, oneOf, type PackFiles } from '../pack.ts'
import {
  BoundedText,
  type Decode,
  isExport,
  type Line,
  namesOf,
  oneLine,
  quoted,
  RecordFiles,
  type RecordOf,
  shortName,
  textOf,
  type Warnings,
  weightOf,
  wordOf,
} from './record-files.ts'

/** How much of an ontology one task may use. */
export const ONTOLOGY_LIMITS = { concepts: 6, facts: 24, unverified: 8, gaps: 20, characters: 12_000 }

/** The maximum number of claims compared with the task, of files in a manifest, and of sources checked per claim. */
const [MOST_RANKED, MOST_FILES, MOST_REFS] = [5000, 64, 32]

const KINDS = {
  concepts(fields) {
    const [id, label, aliases] = [textOf(fields.id), textOf(fields.label), namesOf(fields.aliases ?? [])]
    return id && label && aliases && { id, label, aliases, status: wordOf(fields.reviewStatus ?? fields.status) }
  },
  claims(fields, warn) {
    const [text, conceptIds, refs] = [textOf(fields.text), conceptsOf(fields), namesOf(fields.sourceRefs ?? [])]
    if (text === undefined || conceptIds === undefined) return undefined
    const [id = '', evidence, status] = [textOf(fields.id), evidenceOf(fields.evidence), wordOf(fields.status)]
    if (id === '') warn('a claim has no id')
    if (evidence === 'unknown' || refs === undefined) warn('the evidence of a claim is not in a known form')
    const review = wordOf(fields.reviewStatus) ?? status
    return { id, conceptIds, text, evidence, review, status, sourceRefs: refs ?? [] }
  },
  evidence(fields) {
    const claimId = textOf(fields.claimId)
    return claimId && { claimId, sourceRef: textOf(fields.sourceRef), state: evidenceOf(fields.state) }
  },
  constraints: decodeConstraint,
  coverage(fields) {
    const [conceptIds, gap] = [conceptsOf(fields), getOwn(GAPS, wordOf(fields.state) ?? '')]
    return gap === undefined ? undefined : conceptIds && { conceptIds, audience: textOf(fields.audience), gap }
  },
  'decision-gates'(fields) {
    // A gate without concepts and claims is about actions, which Loadout does not take.
    const conceptIds = namesOf(fields.conceptIds ?? fields.conceptId ?? [])
    const claimIds = namesOf(fields.claimIds ?? fields.claimId ?? [])
    const state = wordOf(fields.state) ?? wordOf(fields.status) ?? ''
    return conceptIds && claimIds && { ids: [...conceptIds, ...claimIds], hasPassed: /^(passed|approved)$/.test(state) }
  },
} satisfies Record<string, Decode>

/** Known kinds that Loadout never opens: they contain no evidence. */
const UNREAD = ['relations', 'signals', 'objectives', 'resources', 'action-types', 'action-logs', 'feedback']

/** The gap that each state of coverage means. */
const GAPS: Record<string, string> = {
  ready: '',
  covered: '',
  'missing-evidence': 'evidence is missing',
  'missing-material': 'material is missing',
  blocked: 'blocked',
  'needs-review': 'needs review',
}

/** The state of evidence: undefined if missing, `unknown` for an invalid value. */
export function evidenceOf(value: unknown) {
  if (value === undefined) return undefined
  return oneOf(['verified', 'weak', 'needs-verification', 'forbidden'] as const, wordOf(value)) ?? 'unknown'
}

/** A constraint without valid concepts applies to everything, so that no limit is lost by a mistake. */
export function decodeConstraint(fields: Record<string, unknown>) {
  const [rule, conceptIds = []] = [textOf(fields.rule) ?? textOf(fields.text), conceptsOf(fields)]
  return rule && { rule, conceptIds }
}

function conceptsOf(fields: Record<string, unknown>): string[] | undefined {
  return namesOf(fields.conceptIds ?? fields.conceptId)
}

type Concept = RecordOf<typeof KINDS.concepts>
type Claim = RecordOf<typeof KINDS.claims>

/** A claim and how it may be used. `held`: a decision gate has not passed. */
export interface JudgedClaim extends Claim {
  standing: 'fact' | 'unverified' | 'forbidden' | 'held'
  /** Why it is not a fact. */
  reason: string
  /** The verified sources of a fact, as `path#anchor`. */
  anchors: readonly string[]
}

/** Short labels of concepts by id, on one line. */
type Names = ReadonlyMap<string, string>

export function listNames(ids: readonly string[], names?: Names): string {
  const some = ids.slice(0, 6).map((id) => names?.get(id) ?? shortName(id))
  return some.join(', ') + (ids.length > some.length ? ' and more' : '')
}

function isAbout({ conceptIds }: { conceptIds: readonly string[] }, concepts: ReadonlySet<string>): boolean {
  return conceptIds.some((id) => concepts.has(id))
}

/** The constraints on some concepts, and those on everything. */
export function constraintLines(
  constraints: readonly RecordOf<typeof decodeConstraint>[],
  concepts: ReadonlySet<string>,
  names?: Names,
): Line[] {
  const binding = constraints.filter((each) => each.conceptIds.length === 0 || isAbout(each, concepts))
  return binding.map(({ path, conceptIds, rule }) => {
    const subject = conceptIds.length === 0 ? 'everything' : listNames(conceptIds, names)
    return { path, heading: 'Limits on what may be said:', text: `- ${subject}: ${oneLine(rule)}` }
  })
}

const PROHIBITIONS = 'Prohibitions. None of these may be said or taken as true, in these or other words:'

/** An ontology. Reads the manifest at once, and every other file on first use. */
export class Ontology extends RecordFiles<typeof KINDS> {
  readonly state: string | undefined
  private readonly path: string | undefined
  private made: ReturnType<Ontology['makeIndex']> | undefined

  constructor(files: PackFiles, path: string, warnings: Warnings) {
    super(files, 'ontology', KINDS, warnings)
    const manifest = this.open(path)
    if (manifest === undefined) return
    const names = getDeep(manifest.value, 'files')
    if (!Array.isArray(names) || names.length > MOST_FILES) {
      this.warn(manifest.path, `it is not a manifest with a list of at most ${MOST_FILES} files`)
      return
    }
    this.path = manifest.path
    this.state = wordOf(getDeep(manifest.value, 'status'))
    for (const name of names) {
      if (typeof name !== 'string') {
        this.warn(manifest.path, 'a listed file is not a text')
        continue
      }
      const isRefused = warnings.refuses(name)
      const base = /([^/]*)\.jsonl?$/i.exec(name)?.[1]?.toLowerCase() ?? ''
      if (isExport(name) || UNREAD.includes(base)) continue
      const kind = oneOf(Object.keys(KINDS) as (keyof typeof KINDS)[], base)
      const message = `it lists ${shortName(name)}, whose kind is unknown`
      if (kind === undefined) warnings.add('ontology.invalid', this.path, message, 'info')
      else if (isRefused) this.unread.add(kind)
      else this.place(kind, normalizePackPath(manifest.folder + name))
    }
  }

  /** The files that the use of claims depends on. Empty if no claim was looked at. */
  basis(): readonly string[] {
    return this.made === undefined ? [] : this.used
  }

  /** The claims of an id and what else belongs to it. Reads everything that limits claims. */
  get index() {
    this.made ??= this.makeIndex()
    return this.made
  }

  private makeIndex() {
    if (this.path !== undefined && this.state !== 'reviewed') {
      const isKnown = ['draft', 'stale', 'disputed'].includes(this.state ?? '')
      const message = `the ontology is ${isKnown ? `${this.state}, not reviewed` : 'in an unknown state'}`
      this.warnings.add(isKnown ? 'ontology.unverified' : 'ontology.invalid', this.path, message)
    }
    const evidence = new Map<string, RecordOf<typeof KINDS.evidence>[]>()
    for (const row of this.list('evidence')) {
      evidence.set(row.claimId, evidence.get(row.claimId) ?? [])
      evidence.get(row.claimId)?.push(row)
    }
    const [claims, repeated, forbidden] = [new Map<string, Claim>(), new Set<string>(), new Set<Claim>()]
    for (const claim of this.list('claims')) {
      const { id, path, review, status } = claim
      const states = [claim.evidence, review, status, ...(evidence.get(id) ?? []).map(({ state }) => state)]
      if (states.some((state) => state === 'forbidden' || state === 'rejected')) forbidden.add(claim)
      if (claims.has(id)) {
        this.warn(path, 'an id is used more than once')
        repeated.add(id)
      }
      // Evidence names a claim by its id.
      if (id !== '') claims.set(id, claim)
    }
    const gates = this.list('decision-gates').filter(({ hasPassed }) => !hasPassed)
    // Of two concepts with the same id, the first counts.
    const concepts = this.list('concepts').toReversed()
    this.list('constraints')
    return {
      evidence,
      claims,
      repeated,
      forbidden,
      held: new Set(gates.flatMap(({ ids }) => ids)),
      names: new Map(concepts.map(({ id, label }) => [id, shortName(label)])),
      /** Whether all files that limit claims could be read. If not, no claim counts as a fact. */
      isLimited: !(['evidence', 'constraints', 'decision-gates'] as const).some((kind) => this.unread.has(kind)),
      /** Whether a source exists: many claims name the same few. */
      present: new Map<string, boolean>(),
    }
  }

  find(id: string): JudgedClaim | undefined {
    const claim = this.index.claims.get(id)
    return claim && this.judge(claim)
  }

  /** All claims but the forbidden ones. */
  allowedClaims(): Claim[] {
    return this.list('claims').filter((claim) => !this.index.forbidden.has(claim))
  }

  /** The constraints and forbidden claims of some concepts. */
  limitsOn(concepts: ReadonlySet<string>): Line[] {
    const { forbidden, names } = this.index
    const prohibitions = [...forbidden].filter((claim) => isAbout(claim, concepts))
    return [
      ...constraintLines(this.list('constraints'), concepts, names),
      ...prohibitions.map(({ path, conceptIds, text }) => {
        return {
          path,
          heading: PROHIBITIONS,
          text: `- DO NOT CLAIM (${listNames(conceptIds, names)}): ${quoted(text)}`,
        }
      }),
    ]
  }

  judge(claim: Claim): JudgedClaim {
    const { id, conceptIds, review, status, evidence } = claim
    const { forbidden, held, repeated, isLimited, evidence: byClaim } = this.index
    const rows = byClaim.get(id) ?? []
    const verified = rows.filter(({ state }) => state === 'verified')
    const isUnproven = rows.length > 0 && verified.length === 0
    const rules: [applies: boolean, standing: JudgedClaim['standing'], reason: string][] = [
      [forbidden.has(claim), 'forbidden', 'it may not be claimed'],
      [[id, ...conceptIds].some((each) => held.has(each)), 'held', 'a decision gate has not passed'],
      [review === 'disputed' || status === 'disputed', 'unverified', 'disputed'],
      [status === 'stale', 'unverified', 'stale'],
      [review !== 'approved', 'unverified', 'not approved'],
      [id === '', 'unverified', 'it has no id'],
      [repeated.has(id), 'unverified', 'its id is used more than once'],
      [!isLimited, 'unverified', 'its limits could not be read'],
      [evidence === 'weak', 'unverified', 'weak evidence'],
      [evidence === 'needs-verification', 'unverified', 'needs verification'],
      [evidence === 'unknown', 'unverified', 'no known state of evidence'],
      [isUnproven && rows.some(({ state }) => state === 'weak'), 'unverified', 'weak evidence'],
      [isUnproven, 'unverified', 'needs verification'],
      [rows.length === 0 && evidence !== 'verified', 'unverified', 'no evidence'],
    ]
    const rule = rules.find(([applies]) => applies)
    if (rule !== undefined) return { ...claim, standing: rule[1], reason: rule[2], anchors: [] }
    // Evidence rows name the verified sources; without rows, all sources of the claim count.
    const refs = rows.length === 0 ? claim.sourceRefs : verified.flatMap(({ sourceRef }) => sourceRef ?? [])
    const from = verified[0]?.path ?? claim.path
    const anchors = [...new Set(refs.slice(0, MOST_REFS).flatMap((ref) => this.anchorOf(ref, from) ?? []))]
    if (anchors.length === 0) return { ...claim, standing: 'unverified', reason: 'no source', anchors }
    return { ...claim, standing: 'fact', reason: '', anchors: anchors.slice(0, 8) }
  }

  /** A normalized reference to an existing source. Undefined if it is not evidence: other layers are derived. */
  private anchorOf(ref: string, from: string): string | undefined {
    const [path = ''] = ref.split('#', 1)
    if (ref.length > 300 || path.includes('://') || this.warnings.refuses(path)) return undefined
    if (!['sources', 'documents', 'wiki'].includes(layerOf(path) ?? '')) return undefined
    const [name, { present }] = [normalizePackPath(path), this.index]
    const isPresent = present.get(name) ?? this.files.sizeOf(name) !== undefined
    present.set(name, isPresent)
    if (!isPresent) this.warnings.add('source.absent', from, `it names the missing file ${shortName(name)}`)
    return isPresent ? name + oneLine(ref.slice(path.length)) : undefined
  }
}

/** The part of an ontology about a task. Undefined if the task names no concept of it. */
export function groundOntology(ontology: Ontology, words: TaskWords) {
  const { state, warnings } = ontology
  const concepts = matchConcepts(ontology, words)
  if (concepts.length === 0) return undefined
  const chosen = new Set(concepts.map(({ id }) => id))
  const { names } = ontology.index
  for (const { path, label, status = 'reviewed' } of concepts) {
    if (['reviewed', 'approved', 'ready'].includes(status)) continue
    warnings.add('ontology.unverified', path, `the concept "${shortName(label)}" is not reviewed`)
  }

  const take = <T extends Claim>(claims: readonly T[], most: number): T[] => {
    const more = claims.length - most
    const what = more === 1 ? 'claim of the same concepts was' : 'claims of the same concepts were'
    if (more > 0) warnings.add('context.omitted', claims[0]!.path, `${more} more ${what} left out`)
    return claims.slice(0, most)
  }
  const own = ontology.allowedClaims().filter((claim) => isAbout(claim, chosen))
  // Claims with equal weight keep the order of the file.
  const judged = take(own, MOST_RANKED)
    .map((claim) => ({ claim, weight: weightOf(words, wordsIn(words, claim.text)) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ claim }) => ontology.judge(claim))
  const those = (standing: JudgedClaim['standing']) => judged.filter((claim) => claim.standing === standing)
  const proven = take(those('fact'), ONTOLOGY_LIMITS.facts)
  const unverified = take(those('unverified'), ONTOLOGY_LIMITS.unverified)
  for (const { id, path, standing, reason } of [...unverified, ...those('held')]) {
    const fate = standing === 'held' ? 'was left out' : 'is not a fact'
    warnings.add('ontology.unverified', path, `the claim "${shortName(id)}" ${fate}: ${reason}`)
  }

  // The limits of every concept in these claims apply, not only of concepts that the task names.
  const claims = [...proven, ...unverified]
  const limits = ontology.limitsOn(new Set([...chosen, ...claims.flatMap(({ conceptIds }) => conceptIds)]))
  const forbidden = limits.find(({ heading }) => heading === PROHIBITIONS)
  if (forbidden !== undefined) {
    const message = 'it contains forbidden claims; they are given as prohibitions only'
    warnings.add('ontology.forbidden', forbidden.path, message, 'error')
  }
  const text = new BoundedText(ONTOLOGY_LIMITS.characters)
  const facts: JudgedClaim[] = []
  if (text.addLimits(limits, warnings)) {
    const doubt = state === 'reviewed' ? '' : ` (the ontology itself is ${shortName(state ?? 'not reviewed')})`
    for (const claim of claims) {
      const [isFact, about] = [claim.standing === 'fact', listNames(claim.conceptIds, names)]
      const isAdded = text.add({
        path: claim.path,
        heading: isFact ? `Claims with verified evidence${doubt}:` : 'Not verified. Do not use as facts:',
        text: isFact
          ? `- ${about}: ${oneLine(claim.text)} [${claim.anchors.join(', ')}]`
          : `- UNVERIFIED, ${claim.reason} (${about}): ${quoted(claim.text)}`,
      })
      if (!isAdded) warnings.add('context.omitted', claim.path, 'a claim did not fit')
      else if (isFact) facts.push(claim)
    }
  }
  const unproven = concepts.filter(({ id }) => !facts.some(({ conceptIds }) => conceptIds.includes(id)))
  return {
    parts: text.parts(),
    anchors: [...new Set(facts.flatMap(({ anchors }) => anchors))],
    missing: [
      ...findGaps(ontology, concepts),
      ...unproven.map(({ label }) => `${shortName(label)}: no verified claim`),
    ],
    facts: facts.map((fact) => `${listNames(fact.conceptIds, names)}: ${fact.text}`),
  }
}

/** The gaps that the coverage rows of concepts declare. */
function findGaps(ontology: Ontology, concepts: readonly Concept[]): string[] {
  const gaps = new Set<string>()
  for (const { path, conceptIds, audience, gap } of ontology.list('coverage')) {
    for (const { id, label } of gap === '' ? [] : concepts) {
      if (!conceptIds.includes(id) || gaps.size === ONTOLOGY_LIMITS.gaps) continue
      gaps.add(`${shortName(label)}${audience ? ` for ${shortName(audience)}` : ''}: ${gap}`)
      ontology.warnings.add('ontology.unverified', path, `the coverage of a concept is not ready: ${gap}`)
    }
  }
  return [...gaps]
}

/** The concepts that a task names, best first. Matches exact words only: a concept lists its synonyms as aliases. */
function matchConcepts(ontology: Ontology, words: TaskWords): Concept[] {
  const ids = new Set<string>()
  const matches: { concept: Concept; found: ReadonlySet<string>; weight: number; isNamed: boolean }[] = []
  for (const concept of ontology.list('concepts')) {
    if (ids.has(concept.id)) {
      ontology.warn(concept.path, 'two concepts have the same id; the first counts')
      continue
    }
    ids.add(concept.id)
    const names = [concept.label, ...concept.aliases].map(termsOf)
    const found = new Set(names.flat().filter((term) => words.has(term)))
    // Whether the task has every word of its label or of an alias.
    const isNamed = names.some((terms) => terms.length > 0 && terms.every((term) => words.has(term)))
    if (found.size > 0) matches.push({ concept, found, weight: weightOf(words, found), isNamed })
  }
  matches.sort((a, b) => b.weight - a.weight || Number(b.isNamed) - Number(a.isNamed))
  const chosen: typeof matches = []
  for (const { found, weight, isNamed, concept } of matches) {
    if (chosen.length === ONTOLOGY_LIMITS.concepts) break
    const isClose = weight >= matches[0]!.weight / 2
    // "Relay range" does not ask about the relay's battery.
    const isExplained = chosen.some(
      (better) => better.found.size > found.size && [...found].every((word) => better.found.has(word)),
    )
    if (isNamed || (isClose && !isExplained)) chosen.push({ concept, found, weight, isNamed })
  }
  return chosen.map(({ concept }) => concept)
}
