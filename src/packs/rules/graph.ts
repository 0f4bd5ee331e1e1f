import { readTask, shareOf, type TaskWords, wordsIn } from '../../search/task.ts'
import { termsOf } from '../../search/tokens.ts'
import { printableLine } from '../../text/printable.ts'
import { report } from '../../text/trouble.ts'
import { getDeep, groupBy, isRecord } from '../../text/values.ts'
import {
  type ContextPart,
  layerOf,
  normalizePackPath,
  oneOf,
  type PackFiles,
  type PackManifest,
  type PackWarning,
  packPathProblem,
  parsePackJson,
} from './pack.ts'

/** How much of its records one task may get. */
export const RECORD_LIMITS = { concepts: 6, claims: 24, questions: 3, characters: 16_000 }

/** The maximum number of claims compared with the task, of files in a manifest, and of warnings. */
const [MOST_RANKED, MOST_FILES, MOST_WARNINGS] = [5000, 64, 200]

/** Text made from the records of a pack for a task, with its sources, warnings and gaps. */
export interface RecordGrounding {
  /** Limits come before the text that they limit. A later part must not be used without the earlier ones. */
  parts: ContextPart[]
  /** Sources of the facts, as `path#anchor`. */
  anchors: string[]
  warnings: PackWarning[]
  /** What the task asks for and the records lack. */
  missing: string[]
  /** Whether a record answers the task. */
  isAnswered: boolean
  /** The files that were read. */
  used: readonly string[]
}

type RecordPaths = Partial<Pick<PackManifest, 'primaryOntology' | 'primaryAnswers'>>

/**
 * Records about a task as short text: the limits and claims of the concepts that it names, and prepared answers to it.
 */
export function groundRecords(paths: RecordPaths, files: PackFiles, words: TaskWords): RecordGrounding {
  const records = new PackRecords(paths, files)
  const concepts = matchConcepts(records.list('concepts'), words)
  const questions = matchQuestions(records.list('questions'), words)
  const { anchors, missing, facts } = giveClaims(records, concepts, words)
  const open = questions.filter((question) => !giveAnswers(records, question, facts, anchors))
  return {
    parts: [...records.parts.values()],
    anchors: [...new Set(anchors)],
    warnings: records.warnings,
    missing: [...missing, ...open.map(({ text }) => `an approved answer to "${shortName(text)}"`)],
    isAnswered: open.length < questions.length,
    used: records.used,
  }
}

/** The questions and allowed claims of a pack, for search. Never shown to a model. */
export function recordTexts(paths: RecordPaths, files: PackFiles): { path: string; text: string }[] {
  const records = new PackRecords(paths, files)
  const claims = records.list('claims').filter((claim) => !records.isForbidden(claim))
  return [...records.list('questions'), ...claims]
    .map(({ path, concepts, names, text }) => ({ path, text: [text, ...names, records.labels(concepts)].join('\n') }))
    .slice(0, 2000)
}

/** The kinds of records, and the field with their text. A kind is the name of its file, and of a list in a file. */
const KINDS = {
  concepts: 'label',
  claims: 'text',
  evidence: 'claimId',
  constraints: 'rule',
  'decision-gates': undefined,
  questions: 'question',
  'answer-blocks': 'answer',
} as const

type Kind = keyof typeof KINDS

/** One record of any kind. */
interface Row {
  path: string
  id: string
  text: string
  /** Other names of a concept, other forms of a question. */
  names: string[]
  concepts: string[]
  /** What its fields say about its review and its evidence, in lower case. */
  review: string | undefined
  evidence: string | undefined
  states: string[]
  /** The sources of a claim, the claims of an answer or a gate, the answers of a question. */
  refs: string[]
}

function readRow(kind: Kind, value: unknown, path: string): Row | undefined {
  if (!isRecord(value)) return undefined
  const word = (...keys: string[]) => {
    const [said] = keys.flatMap((key) => (value[key] === undefined ? [] : [value[key]]))
    return said === undefined || typeof said === 'string' ? said?.trim().toLowerCase() : 'unknown'
  }
  const key = KINDS[kind]
  const [text = ''] = key === undefined ? [] : namesIn(value[key], kind === 'constraints' && value.text)
  const concepts = namesIn(value.conceptIds, value.conceptId, value.targetEntityIds)
  // A claim is about concepts; a constraint without any applies to everything.
  const isWhole = (text.trim() !== '' || key === undefined) && (kind !== 'claims' || concepts.length > 0)
  if (!isWhole) return undefined
  const review = word('reviewStatus', 'status')
  const evidence = word('evidence', 'evidenceStatus', 'state')
  return {
    path,
    id: namesIn(value.id)[0] ?? '',
    text,
    names: namesIn(value.aliases, value.variants),
    concepts,
    review,
    evidence,
    states: [review, evidence, word('status'), word('state')].filter((state) => state !== undefined),
    refs: namesIn(value.sourceRefs, value.sourceRef, value.claimIds, value.claimId, value.answerBlockIds),
  }
}

function namesIn(...values: unknown[]): string[] {
  return values.flat().filter((name): name is string => typeof name === 'string' && name !== '')
}

/** Text of the pack on one line, so that it cannot look like one of our lines. */
function oneLine(text: string): string {
  return printableLine(text.replace(/\s+/g, ' ').trim())
}

/** Without double quotes inside, so that its end is clear. */
function quoted(text: string): string {
  return `"${oneLine(text).replaceAll('"', "'")}"`
}

function shortName(name: string): string {
  const line = oneLine(name.slice(0, 240))
  return line.length > 60 ? `${line.slice(0, 60)}...` : line
}

/** The record files of a pack, and the text made from them. Opens each file on first use. */
class PackRecords {
  readonly warnings: PackWarning[] = []
  readonly used: string[] = []
  /** One per heading and file, in the order of their first lines. */
  readonly parts = new Map<string, ContextPart>()
  /** What the ontology says about itself. */
  readonly state: string = 'reviewed'
  private left = RECORD_LIMITS.characters
  private readonly files: PackFiles
  private readonly places = new Map<Kind, Map<string, unknown>>()
  private readonly rows = new Map<Kind, readonly Row[]>()
  /** Kinds with a file that could not be read. */
  private readonly unread = new Set<Kind>()
  private proofs: ReadonlyMap<string, readonly Row[]> | undefined
  private byId: ReadonlyMap<string, readonly Row[]> | undefined

  constructor({ primaryOntology, primaryAnswers }: RecordPaths, files: PackFiles) {
    this.files = files
    if (primaryOntology !== undefined) this.state = this.openOntology(primaryOntology) ?? 'of no known state'
    const value = primaryAnswers === undefined ? undefined : this.open(primaryAnswers, 'answers')
    if (primaryAnswers === undefined || value === undefined) return
    this.place('questions', primaryAnswers, value)
    const folder = primaryAnswers.slice(0, primaryAnswers.lastIndexOf('/') + 1)
    for (const kind of ['answer-blocks', 'constraints'] as const) {
      if (isRecord(value) && listIn(kind, value) !== undefined) this.place(kind, primaryAnswers, value)
      const names = kind === 'constraints' ? [kind] : [kind, 'answers']
      const beside = names.flatMap((name) => [`${folder}${name}.json`, `${folder}${name}.jsonl`])
      for (const path of beside) {
        if (path !== primaryAnswers && files.sizeOf(path) !== undefined) this.place(kind, path)
      }
    }
  }

  /** Notes the files of an ontology by kind, and returns its state. Exports and other kinds are never opened. */
  private openOntology(path: string): string | undefined {
    const manifest = this.open(path, 'ontology')
    if (manifest === undefined) return undefined
    const names = getDeep(manifest, 'files')
    if (!Array.isArray(names) || names.length > MOST_FILES) {
      return this.invalid(path, `it is not a manifest with a list of at most ${MOST_FILES} files`)
    }
    for (const name of namesIn(names)) {
      const kind = oneOf(Object.keys(KINDS) as Kind[], /([^/]*)\.jsonl?$/i.exec(name)?.[1]?.toLowerCase())
      const isRefused = this.refuses(name)
      if (kind === undefined || EXPORTS.test(name)) continue
      if (isRefused) this.unread.add(kind)
      else this.place(kind, path.slice(0, path.lastIndexOf('/') + 1) + name)
    }
    return namesIn(getDeep(manifest, 'status'))[0]?.trim().toLowerCase()
  }

  /** Reads the file that the frontmatter names. Undefined, with a warning, if it cannot be used. */
  private open(path: string, layer: 'ontology' | 'answers'): unknown {
    if (this.refuses(path)) return undefined
    if (layerOf(path) === layer && !EXPORTS.test(path)) return this.readJson(normalizePackPath(path))
    return this.invalid(shortName(path), `it is not a record inside ${layer}/, so it is not opened`)
  }

  private place(kind: Kind, path: string, value?: unknown): void {
    this.places.set(kind, (this.places.get(kind) ?? new Map()).set(normalizePackPath(path), value))
  }

  private readJson(path: string): unknown {
    const file = this.files.read(path)
    const { value, problem } = file === undefined ? { problem: 'it cannot be read' } : parsePackJson(file)
    if (problem !== undefined) return this.invalid(path, problem)
    if (!this.used.includes(path)) this.used.push(path)
    return value
  }

  /** The valid records of a kind, in the order of the files. */
  list(kind: Kind): readonly Row[] {
    const rows =
      this.rows.get(kind) ??
      [...(this.places.get(kind) ?? [])].flatMap(([path, known]) => {
        const value = known ?? this.readJson(path)
        const list = listIn(kind, value)
        if (list === undefined) {
          this.unread.add(kind)
          if (value !== undefined) this.invalid(path, `it has no list of ${kind}`)
          return []
        }
        return list.flatMap((each) => {
          const row = readRow(kind, each, path)
          if (row === undefined) this.invalid(path, `a row is not a valid record of ${kind}`)
          return row ?? []
        })
      })
    this.rows.set(kind, rows)
    return rows
  }

  warn(warning: PackWarning): undefined {
    if (this.warnings.length < MOST_WARNINGS) this.warnings.push({ ...warning, path: warning.path.slice(0, 200) })
  }

  private invalid(path: string, problem: string): undefined {
    return this.warn(report('pack.field/record', { problem }, { path }))
  }

  private refuses(path: string): boolean {
    const problem = packPathProblem(path)
    if (problem !== undefined) this.warn(report('PATH_ESCAPE/pack-path', { problem }, { path: shortName(path) }))
    return problem !== undefined
  }

  labels(ids: readonly string[]): string {
    const concepts = this.list('concepts')
    const some = ids.slice(0, 6).map((id) => shortName(concepts.find((concept) => concept.id === id)?.text ?? id))
    return some.join(', ') + (ids.length > some.length ? ' and more' : '')
  }

  /** The claims with an id, and the evidence for them. */
  private claimsOf(id: string): readonly Row[] {
    this.byId ??= groupBy(this.list('claims'), (claim) => claim.id)
    return this.byId.get(id) ?? []
  }

  private proofsOf({ id }: Row): readonly Row[] {
    this.proofs ??= groupBy(this.list('evidence'), ({ text }) => text)
    return this.proofs.get(id) ?? []
  }

  isForbidden(row: Row): boolean {
    const states = [row, ...this.proofsOf(row)].flatMap((each) => each.states)
    return states.some((state) => /^(?:forbidden|rejected)$/.test(state))
  }

  private isHeld(claim: Row): boolean {
    const gates = this.list('decision-gates').filter(
      ({ states }) => !states.some((state) => /^(?:passed|approved)$/.test(state)),
    )
    return gates.some(({ concepts, refs }) =>
      [claim.id, ...claim.concepts].some((id) => refs.includes(id) || concepts.includes(id)),
    )
  }

  /** Why a claim or an answer is not a fact. A fact has no reason, and the sources that were verified. */
  judge(
    row: Row,
    kind: 'claims' | 'answer-blocks',
  ): { reason: string; anchors: string[]; concepts: readonly string[] } {
    const isAnswer = kind === 'answer-blocks'
    const proofs = isAnswer ? [] : this.proofsOf(row)
    const verified = proofs.filter(({ evidence }) => evidence === 'verified')
    const claims = isAnswer ? row.refs.map((id) => this.claimsOf(id)[0]) : []
    const known = claims.flatMap((claim) => (claim === undefined ? [] : [this.judge(claim, 'claims')]))
    const concepts = isAnswer ? known.flatMap((each) => each.concepts) : row.concepts
    const isProven = proofs.length === 0 ? row.evidence === 'verified' : verified.length > 0
    const doubted = row.states.find((state) => /^(?:disputed|stale)$/.test(state))
    // The limits are read first: without them nothing counts as a fact.
    for (const limits of LIMITS) this.list(limits)
    const rules: [applies: boolean, reason: string][] = [
      [this.isForbidden(row) || known.some(({ reason }) => reason === FORBIDDEN), FORBIDDEN],
      [(!isAnswer && this.isHeld(row)) || known.some(({ reason }) => reason === HELD), HELD],
      [doubted !== undefined, doubted ?? ''],
      [row.review !== 'approved', 'not approved'],
      [LIMITS.some((limits) => this.unread.has(limits)), 'its limits could not be read'],
      [!isAnswer && (row.id === '' || this.claimsOf(row.id).length > 1), 'it has no id of its own'],
      [!isAnswer && !isProven, 'no verified evidence'],
      [isAnswer && row.evidence !== undefined && row.evidence !== 'verified', 'no verified evidence'],
      [isAnswer && (known.length < claims.length || known.some(({ reason }) => reason !== '')), 'unverified claims'],
      [isAnswer && claims.length === 0 && row.evidence === undefined, 'no verified claim'],
    ]
    const reason = rules.find(([applies]) => applies)?.[1] ?? ''
    if (reason !== '' || isAnswer) {
      return { reason, concepts, anchors: reason === '' ? known.flatMap(({ anchors }) => anchors) : [] }
    }
    // Evidence rows name the verified sources; without rows, all sources of the claim count.
    const refs = proofs.length === 0 ? row.refs : verified.flatMap((proof) => proof.refs)
    const anchors = [...new Set(refs.slice(0, 8).flatMap((ref) => this.anchorOf(ref, row.path) ?? []))]
    return { reason: anchors.length === 0 ? 'no source' : '', anchors, concepts }
  }

  /** A reference to an existing source. Undefined if it is not evidence: other layers are derived. */
  private anchorOf(ref: string, from: string): string | undefined {
    const [path = ''] = ref.split('#', 1)
    if (ref.length > 300 || path.includes('://') || this.refuses(path)) return undefined
    if (!/^(?:sources|documents|wiki)$/.test(layerOf(path) ?? '')) return undefined
    const name = normalizePackPath(path)
    if (this.files.sizeOf(name) !== undefined) return name + oneLine(ref.slice(path.length))
    return this.warn(report('source.absent/named', { name: shortName(name) }, { path: from }))
  }

  /** Adds a line below one of our headings, if it fits whole. */
  add(path: string, heading: string, text: string): boolean {
    const key = JSON.stringify([heading, path])
    const part = this.parts.get(key) ?? { path, layer: layerOf(path) ?? 'ontology', text: `${heading}\n` }
    if (part.text.includes(`\n${text}\n`)) return true
    if (text.length >= this.left) {
      this.warn(report('LEFT_OUT/record', {}, { path }))
      return false
    }
    this.left -= text.length + 1
    this.parts.set(key, { ...part, text: `${part.text}${text}\n` })
    return true
  }

  /** Adds the constraints and forbidden claims of concepts. If not all fit, nothing that they limit may follow. */
  addLimits(concepts: ReadonlySet<string>): boolean {
    const isAbout = (row: Row) => row.concepts.some((id) => concepts.has(id))
    const constraints = this.list('constraints').filter((row) => row.concepts.length === 0 || isAbout(row))
    const forbidden = this.list('claims').filter((claim) => isAbout(claim) && this.isForbidden(claim))
    if (forbidden[0] !== undefined) this.warn(report('ontology.forbidden/claims', {}, { path: forbidden[0].path }))
    const ruled = constraints.every((row) => {
      const subject = row.concepts.length === 0 ? 'everything' : this.labels(row.concepts)
      return this.add(row.path, 'Limits on what may be said:', `- ${subject}: ${oneLine(row.text)}`)
    })
    const heading = 'Prohibitions. None of these may be said or taken as true, in these or other words:'
    return (
      ruled &&
      forbidden.every((row) => {
        return this.add(row.path, heading, `- DO NOT CLAIM (${this.labels(row.concepts)}): ${quoted(row.text)}`)
      })
    )
  }
}

const EXPORTS = /(?:^|\/)exports\//i
const LIMITS = ['evidence', 'constraints', 'decision-gates'] as const
const FORBIDDEN = 'it makes a forbidden claim'
const HELD = 'a decision gate has not passed'

/** The rows of a kind: the value itself, or a list in it. */
function listIn(kind: Kind, value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  const names = kind === 'answer-blocks' ? [kind, 'answerBlocks', 'answers'] : [kind]
  return names.map((name) => getDeep(value, name)).find(Array.isArray)
}

/** The concepts that a task names in full, or most of the best one. A concept lists its synonyms as aliases. */
function matchConcepts(concepts: readonly Row[], words: TaskWords): Row[] {
  const matches = concepts.flatMap((concept) => {
    const names = [concept.text, ...concept.names].map(termsOf)
    const found = new Set(names.flat().filter((term) => words.has(term)))
    const isNamed = names.some((terms) => terms.length > 0 && terms.every((term) => words.has(term)))
    return found.size === 0 ? [] : [{ concept, share: shareOf(words, found), isNamed }]
  })
  matches.sort((a, b) => b.share - a.share || Number(b.isNamed) - Number(a.isNamed))
  const best = matches.filter(({ isNamed, share }, at) => isNamed || (at === 0 && share > 0))
  return best.slice(0, RECORD_LIMITS.concepts).map(({ concept }) => concept)
}

/** Adds the claims about concepts, their limits first, and returns the facts among them. */
function giveClaims(records: PackRecords, concepts: readonly Row[], words: TaskWords) {
  if (concepts.length === 0) return { anchors: [], missing: [], facts: [] }
  const { state, used } = records
  if (state !== 'reviewed') {
    records.warn(report('claim.doubtful/ontology', { state: quoted(state) }, { path: used[0] ?? '' }))
  }
  const chosen = new Set(concepts.map(({ id }) => id))
  // Claims with equal weight keep the order of the file.
  const about = records
    .list('claims')
    .filter((claim) => claim.concepts.some((id) => chosen.has(id)) && !records.isForbidden(claim))
    .slice(0, MOST_RANKED)
    .map((claim) => ({ claim, share: shareOf(words, wordsIn(words, claim.text)) }))
    .sort((a, b) => b.share - a.share)
  const claims = about.slice(0, RECORD_LIMITS.claims).map(({ claim }) => ({ claim, ...records.judge(claim, 'claims') }))
  if (about.length > claims.length) {
    const path = about[0]!.claim.path
    records.warn(report('LEFT_OUT/claims', { more: about.length - claims.length }, { path }))
  }
  for (const { claim, reason } of claims.filter((each) => each.reason !== '')) {
    records.warn(report('claim.doubtful/no-fact', { id: shortName(claim.id), reason }, { path: claim.path }))
  }
  // The limits of every concept in these claims apply, not only of concepts that the task names.
  const isLimited = records.addLimits(new Set([...chosen, ...claims.flatMap((each) => each.concepts)]))
  const doubt = state === 'reviewed' ? '' : ` (the ontology itself is ${shortName(state)})`
  const facts = (isLimited ? claims : []).filter(({ claim: { path, text }, reason, concepts: ids, anchors }) => {
    const subject = records.labels(ids)
    if (reason === '') {
      const line = `- ${subject}: ${oneLine(text)} [${anchors.join(', ')}]`
      return records.add(path, `Claims with verified evidence${doubt}:`, line)
    }
    const line = `- UNVERIFIED, ${reason} (${subject}): ${quoted(text)}`
    if (reason !== HELD) records.add(path, 'Not verified. Do not use as facts:', line)
    return false
  })
  const unproven = concepts.filter(({ id }) => !facts.some((fact) => fact.concepts.includes(id)))
  return {
    anchors: facts.flatMap(({ anchors }) => anchors),
    missing: unproven.map(({ text }) => `${shortName(text)}: no verified claim`),
    facts: facts.map((fact) => `${records.labels(fact.concepts)}: ${fact.claim.text}`),
  }
}

/** The questions that match a task, also by a variant, closest first. */
function matchQuestions(questions: readonly Row[], words: TaskWords): Row[] {
  const closeness = (text: string): number => {
    const found = wordsIn(words, text)
    // Everyday words alone are not a match.
    if (![...found].some((word) => words.get(word) === 1)) return 0
    const asked = readTask(text).words
    const [ofTask, ofQuestion] = [shareOf(words, found), shareOf(asked, found)]
    return ofTask >= 0.5 || (found.size > 1 && ofQuestion >= 0.6) ? ofTask + ofQuestion : 0
  }
  return questions
    .map((question) => ({
      question,
      score: Math.max(...[question.text, ...question.names.slice(0, 32)].map(closeness)),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RECORD_LIMITS.questions)
    .map(({ question }) => question)
}

/** Adds the first usable answer to a question, after its limits. Whether it or one of the facts settles the question. */
function giveAnswers(records: PackRecords, question: Row, facts: readonly string[], anchors: string[]): boolean {
  const judged = records
    .list('answer-blocks')
    .filter(({ id }) => question.refs.includes(id))
    .map((answer) => ({ ...answer, ...records.judge(answer, 'answer-blocks') }))
  const answer = judged.find(({ reason }) => reason === '') ?? judged[0]
  if (answer !== undefined && answer.reason !== '') {
    const row = answer.reason === FORBIDDEN ? 'ontology.forbidden/answer' : 'claim.doubtful/answer'
    records.warn(report(row, { id: shortName(answer.id), reason: answer.reason }, { path: answer.path }))
  }
  const isShown = answer !== undefined && answer.reason !== FORBIDDEN && answer.reason !== HELD
  if (isShown && records.addLimits(new Set([...question.concepts, ...answer.concepts]))) {
    const { path, text, reason } = answer
    const own = [...new Set(answer.anchors)]
    const sources = own.length === 0 ? '' : ` [${own.join(', ')}]`
    const label = reason === '' ? `Approved answer${sources}:` : `UNREVIEWED, ${reason}. Do not give as an answer:`
    // Every line is marked as text of the pack, so that none looks like one of ours.
    const lines = text.trim().split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    const shown = [label, ...lines.map((line) => `> ${oneLine(line)}`.trimEnd())].join('\n')
    if (records.add(path, `Question: ${quoted(question.text.slice(0, 300))}`, shown)) anchors.push(...own)
  }
  const asked = readTask(question.text).words
  const isStated = asked.size > 0 && facts.some((fact) => shareOf(asked, wordsIn(asked, fact)) >= 0.5)
  return isStated || answer?.reason === ''
}
