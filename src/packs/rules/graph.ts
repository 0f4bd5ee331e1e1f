import { readTask, shareOf, type TaskWords, wordsIn } from '../../search/task.ts'
import { termsOf } from '../../search/tokens.ts'
import { printableLine } from '../../text/printable.ts'
import type { Code } from '../../text/trouble.ts'
import { getDeep, isRecord } from '../../text/values.ts'
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
export const RECORD_LIMITS = { concepts: 6, facts: 24, unverified: 8, questions: 3, answers: 2, characters: 16_000 }

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

/** Records about a task as short text: claims about the concepts that it names, and prepared answers. */
export function groundRecords(paths: RecordPaths, files: PackFiles, words: TaskWords): RecordGrounding {
  const records = new PackRecords(paths, files)
  const claims = giveClaims(records, words)
  const answers = giveAnswers(records, words, claims.facts)
  return {
    parts: [...records.parts.values()],
    anchors: [...new Set([...claims.anchors, ...answers.anchors])],
    warnings: records.warnings,
    missing: [...claims.missing, ...answers.missing],
    isAnswered: answers.isAnswered,
    used: records.used,
  }
}

/** The questions and allowed claims of a pack, for search. Never shown to a model. */
export function recordTexts(paths: RecordPaths, files: PackFiles): { path: string; text: string }[] {
  const records = new PackRecords(paths, files)
  const claims = records.list('claims').filter((claim) => !records.index.forbidden.has(claim))
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
  /** All that its fields say about its state, in lower case. */
  states: string[]
  review: string | undefined
  evidence: string | undefined
  /** The sources of a claim, the claims of an answer or a gate, the answers of a question. */
  refs: string[]
}

function readRow(kind: Kind, value: unknown, path: string): Row | undefined {
  if (!isRecord(value)) return undefined
  const word = (key: string) => {
    if (value[key] === undefined) return undefined
    return typeof value[key] === 'string' ? value[key].trim().toLowerCase() : 'unknown'
  }
  const key = KINDS[kind]
  const [text = ''] = key === undefined ? [''] : namesIn(value[key], kind === 'constraints' && value.text)
  const concepts = namesIn(value.conceptIds, value.conceptId, value.targetEntityIds)
  // A claim is about concepts; a constraint without any applies to everything.
  const isWhole = (text.trim() !== '' || key === undefined) && (kind !== 'claims' || concepts.length > 0)
  if (!isWhole) return undefined
  return {
    path,
    id: namesIn(value.id)[0] ?? '',
    text,
    names: namesIn(value.aliases, value.variants),
    concepts,
    states: ['evidence', 'evidenceStatus', 'state', 'status', 'reviewStatus'].flatMap((each) => word(each) ?? []),
    review: word('reviewStatus') ?? word('status'),
    evidence: word('evidence') ?? word('evidenceStatus') ?? word('state'),
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

function weightOf(words: TaskWords, found: Iterable<string>): number {
  let weight = 0
  for (const word of found) weight += words.get(word) ?? 0
  return weight
}

/** The record files of a pack, and the text made from them. Opens each file on first use. */
class PackRecords {
  readonly warnings: PackWarning[] = []
  readonly used: string[] = []
  /** One per heading and file, in the order of their first lines. */
  readonly parts = new Map<string, ContextPart>()
  /** What the ontology says about itself. */
  readonly state: string | undefined
  private left = RECORD_LIMITS.characters
  private readonly files: PackFiles
  private readonly places = new Map<Kind, Map<string, unknown>>()
  private readonly rows = new Map<Kind, readonly Row[]>()
  /** Kinds with a file that could not be read. */
  private readonly unread = new Set<Kind>()
  private made: ReturnType<PackRecords['makeIndex']> | undefined

  constructor({ primaryOntology, primaryAnswers }: RecordPaths, files: PackFiles) {
    this.files = files
    if (primaryOntology !== undefined) this.state = this.openOntology(primaryOntology)
    const value = primaryAnswers === undefined ? undefined : this.open(primaryAnswers, 'answers')
    if (primaryAnswers === undefined || value === undefined) return
    this.place('questions', primaryAnswers, value)
    const folder = primaryAnswers.slice(0, primaryAnswers.lastIndexOf('/') + 1)
    for (const [kind, name] of [
      ['answer-blocks', 'answer-blocks'],
      ['answer-blocks', 'answers'],
      ['constraints', 'constraints'],
    ] as const) {
      if (listIn(kind, value) !== undefined && isRecord(value)) this.place(kind, primaryAnswers, value)
      const beside = [`${folder}${name}.json`, `${folder}${name}.jsonl`].filter((path) => path !== primaryAnswers)
      for (const path of beside) if (files.sizeOf(path) !== undefined) this.place(kind, path)
    }
  }

  /** Notes the files of an ontology by kind, and returns its state. Exports and other kinds are never opened. */
  private openOntology(path: string): string | undefined {
    const manifest = this.open(path, 'ontology')
    if (manifest === undefined) return undefined
    const names = getDeep(manifest, 'files')
    if (!Array.isArray(names) || names.length > MOST_FILES) {
      return this.warn('ontology.invalid', path, `it is not a manifest with a list of at most ${MOST_FILES} files`)
    }
    for (const name of namesIn(names)) {
      const kind = oneOf(Object.keys(KINDS) as Kind[], /([^/]*)\.jsonl?$/i.exec(name)?.[1]?.toLowerCase())
      const isRefused = this.refuses(name)
      if (kind === undefined || EXPORTS.test(name)) continue
      if (isRefused) this.unread.add(kind)
      else this.place(kind, path.slice(0, path.lastIndexOf('/') + 1) + name)
    }
    return namesIn(getDeep(manifest, 'status'))[0]?.trim().toLowerCase() ?? 'of no known state'
  }

  /** Reads the file that the frontmatter names. Undefined, with a warning, if it cannot be used. */
  private open(path: string, layer: 'ontology' | 'answers'): unknown {
    if (this.refuses(path)) return undefined
    if (layerOf(path) === layer && !EXPORTS.test(path)) return this.readJson(normalizePackPath(path))
    return this.warn(`${layer}.invalid`, shortName(path), `it is not a record inside ${layer}/, so it is not opened`)
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

  warn(code: Code, path: string, message: string, severity: PackWarning['severity'] = 'warning'): undefined {
    if (this.warnings.length < MOST_WARNINGS) this.warnings.push({ severity, code, path: path.slice(0, 200), message })
  }

  private invalid(path: string, problem: string): undefined {
    return this.warn(path.startsWith('answers/') ? 'answers.invalid' : 'ontology.invalid', path, problem)
  }

  private refuses(path: string): boolean {
    const problem = packPathProblem(path)
    if (problem !== undefined) this.warn('source.escape', shortName(path), `this path is refused: ${problem}`, 'error')
    return problem !== undefined
  }

  /** What belongs to a claim or a concept by its id. Reads everything that limits claims. */
  get index() {
    this.made ??= this.makeIndex()
    return this.made
  }

  private makeIndex() {
    const byId = (rows: readonly Row[], idOf: (row: Row) => string) => {
      const found = new Map<string, Row[]>()
      for (const row of rows) {
        found.set(idOf(row), found.get(idOf(row)) ?? [])
        found.get(idOf(row))?.push(row)
      }
      return found
    }
    const proofs = byId(this.list('evidence'), ({ text }) => text)
    const states = (claim: Row) => [claim, ...(proofs.get(claim.id) ?? [])].flatMap((row) => row.states)
    const isForbidden = (claim: Row) => states(claim).some((state) => /^(?:forbidden|rejected)$/.test(state))
    const gates = this.list('decision-gates').filter(
      (gate) => !gate.states.some((state) => /^(?:passed|approved)$/.test(state)),
    )
    this.list('constraints')
    return {
      proofs,
      claims: byId(this.list('claims'), ({ id }) => id),
      labels: new Map(
        this.list('concepts')
          .toReversed()
          .map(({ id, text }) => [id, shortName(text)]),
      ),
      forbidden: new Set(this.list('claims').filter(isForbidden)),
      held: new Set(gates.flatMap(({ concepts, refs }) => [...concepts, ...refs])),
    }
  }

  labels(ids: readonly string[]): string {
    const some = ids.slice(0, 6).map((id) => this.index.labels.get(id) ?? shortName(id))
    return some.join(', ') + (ids.length > some.length ? ' and more' : '')
  }

  /** Whether all files could be read that limit what may be said. If not, nothing counts as a fact. */
  get isLimited(): boolean {
    return !(['evidence', 'constraints', 'decision-gates'] as const).some((kind) => this.unread.has(kind))
  }

  /** Why a claim is not a fact. A fact has no reason, and its verified sources. */
  judge(claim: Row): Judged {
    const { claims, proofs, held, forbidden } = this.index
    const rows = proofs.get(claim.id) ?? []
    const verified = rows.filter(({ evidence }) => evidence === 'verified')
    const evidence =
      rows.length === 0 || claim.evidence !== 'verified' ? claim.evidence : (verified[0] ?? rows[0])?.evidence
    const rules: [applies: boolean, reason: string][] = [
      [forbidden.has(claim), FORBIDDEN],
      [[claim.id, ...claim.concepts].some((id) => held.has(id)), HELD],
      [claim.states.includes('disputed'), 'disputed'],
      [claim.states.includes('stale'), 'stale'],
      [claim.review !== 'approved', 'not approved'],
      [claim.id === '', 'it has no id'],
      [(claims.get(claim.id)?.length ?? 0) > 1, 'its id is used more than once'],
      [!this.isLimited, 'its limits could not be read'],
      [evidence === undefined && verified.length === 0, 'no evidence'],
      [evidence !== undefined && evidence !== 'verified', evidence === 'weak' ? 'weak evidence' : 'needs verification'],
    ]
    const rule = rules.find(([applies]) => applies)
    if (rule !== undefined) return { ...claim, reason: rule[1], anchors: [] }
    // Evidence rows name the verified sources; without rows, all sources of the claim count.
    const refs = rows.length === 0 ? claim.refs : verified.flatMap((row) => row.refs)
    const anchors = [...new Set(refs.slice(0, 8).flatMap((ref) => this.anchorOf(ref, claim.path) ?? []))]
    return { ...claim, reason: anchors.length === 0 ? 'no source' : '', anchors }
  }

  /** A reference to an existing source. Undefined if it is not evidence: other layers are derived. */
  private anchorOf(ref: string, from: string): string | undefined {
    const [path = ''] = ref.split('#', 1)
    if (ref.length > 300 || path.includes('://') || this.refuses(path)) return undefined
    if (!/^(?:sources|documents|wiki)$/.test(layerOf(path) ?? '')) return undefined
    const name = normalizePackPath(path)
    if (this.files.sizeOf(name) !== undefined) return name + oneLine(ref.slice(path.length))
    return this.warn('source.absent', from, `it names the missing file ${shortName(name)}`)
  }

  /** Adds a line below one of our headings, if it fits whole. */
  add(path: string, heading: string, text: string): boolean {
    const key = JSON.stringify([heading, path])
    const part = this.parts.get(key) ?? { path, layer: layerOf(path) ?? 'ontology', text: `${heading}\n` }
    if (part.text.includes(`\n${text}\n`)) return true
    if (text.length >= this.left) {
      this.warn('context.omitted', path, 'a record did not fit')
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
    const forbidden = [...this.index.forbidden].filter(isAbout)
    if (forbidden[0] !== undefined) {
      const message = 'it contains forbidden claims; they are given as prohibitions only'
      this.warn('ontology.forbidden', forbidden[0].path, message, 'error')
    }
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
const FORBIDDEN = 'it makes a forbidden claim'
const HELD = 'a decision gate has not passed'

/** A claim or an answer, and why it may not be used as a fact. */
interface Judged extends Row {
  /** Empty for a fact. */
  reason: string
  anchors: readonly string[]
}

/** The rows of a kind: the value itself, or a list in it. */
function listIn(kind: Kind, value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  const names = kind === 'answer-blocks' ? [kind, 'answerBlocks', 'answers'] : [kind]
  return names.map((name) => getDeep(value, name)).find(Array.isArray)
}

/** Claims about the concepts that a task names, their limits first. */
function giveClaims(records: PackRecords, words: TaskWords) {
  const concepts = matchConcepts(records, words)
  if (concepts.length === 0) return { anchors: [], missing: [], facts: [] }
  const { state = 'reviewed', used, index } = records
  const warn = (path: string, message: string) => records.warn('ontology.unverified', path, message)
  if (state !== 'reviewed') warn(used[0] ?? '', `the ontology is ${quoted(state)}, not reviewed`)
  const chosen = new Set(concepts.map(({ id }) => id))
  const isAllowed = (claim: Row) => !index.forbidden.has(claim) && claim.concepts.some((id) => chosen.has(id))
  // Claims with equal weight keep the order of the file.
  const judged = records
    .list('claims')
    .filter(isAllowed)
    .slice(0, MOST_RANKED)
    .map((claim) => ({ claim, weight: weightOf(words, wordsIn(words, claim.text)) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ claim }) => records.judge(claim))
  const take = (claims: readonly Judged[], most: number) => {
    const more = claims.length - most
    if (more > 0) records.warn('context.omitted', claims[0]!.path, `left out ${more} more claims of the same concepts`)
    return claims.slice(0, most)
  }
  const proven = take(
    judged.filter(({ reason }) => reason === ''),
    RECORD_LIMITS.facts,
  )
  const held = judged.filter(({ reason }) => reason === HELD)
  const doubted = take(
    judged.filter(({ reason }) => reason !== '' && reason !== HELD),
    RECORD_LIMITS.unverified,
  )
  for (const { id, path, reason } of doubted) warn(path, `the claim "${shortName(id)}" is not a fact: ${reason}`)
  for (const { id, path, reason } of held) warn(path, `the claim "${shortName(id)}" was left out: ${reason}`)
  const claims = [...proven, ...doubted]
  // The limits of every concept in these claims apply, not only of concepts that the task names.
  const isLimited = records.addLimits(new Set([...chosen, ...claims.flatMap((claim) => claim.concepts)]))
  const doubt = state === 'reviewed' ? '' : ` (the ontology itself is ${shortName(state)})`
  const facts = (isLimited ? claims : []).filter(({ path, reason, concepts: ids, text, anchors }) => {
    const about = records.labels(ids)
    if (reason !== '') {
      records.add(path, 'Not verified. Do not use as facts:', `- UNVERIFIED, ${reason} (${about}): ${quoted(text)}`)
      return false
    }
    const line = `- ${about}: ${oneLine(text)} [${anchors.join(', ')}]`
    return records.add(path, `Claims with verified evidence${doubt}:`, line)
  })
  const unproven = concepts.filter(({ id }) => !facts.some((fact) => fact.concepts.includes(id)))
  return {
    anchors: facts.flatMap(({ anchors }) => anchors),
    missing: unproven.map(({ text }) => `${shortName(text)}: no verified claim`),
    facts: facts.map((fact) => `${records.labels(fact.concepts)}: ${fact.text}`),
  }
}

/** The concepts that a task names, best first. Matches exact words only: a concept lists its synonyms as aliases. */
function matchConcepts(records: PackRecords, words: TaskWords): Row[] {
  const matches = records.list('concepts').flatMap((concept) => {
    const names = [concept.text, ...concept.names].map(termsOf)
    const found = new Set(names.flat().filter((term) => words.has(term)))
    // Whether the task has every word of its label or of an alias.
    const isNamed = names.some((terms) => terms.length > 0 && terms.every((term) => words.has(term)))
    return found.size === 0 ? [] : [{ concept, found, weight: weightOf(words, found), isNamed }]
  })
  matches.sort((a, b) => b.weight - a.weight || Number(b.isNamed) - Number(a.isNamed))
  const chosen: typeof matches = []
  for (const match of matches) {
    const { found, weight, isNamed } = match
    // "Relay range" does not ask about the relay's battery.
    const isExplained = chosen.some(
      (better) => better.found.size > found.size && [...found].every((word) => better.found.has(word)),
    )
    if (isNamed || (weight >= matches[0]!.weight / 2 && !isExplained)) chosen.push(match)
  }
  return chosen.slice(0, RECORD_LIMITS.concepts).map(({ concept }) => concept)
}

/** Prepared answers to the questions that a task asks, with their limits. `facts`: what the claims already say. */
function giveAnswers(records: PackRecords, words: TaskWords, facts: readonly string[]) {
  const exchanges = matchQuestions(records, words).map((question) => {
    const answers = records.list('answer-blocks').filter(({ id }) => question.refs.includes(id))
    const judged = answers.map((answer) => judgeAnswer(records, answer))
    const approved = judged.filter(({ reason }) => reason === '')
    const usable =
      approved.length > 0 ? approved : judged.filter(({ reason }) => reason !== FORBIDDEN && reason !== HELD)
    for (const { id, path, reason } of approved.length > 0 ? [] : judged) {
      const code = reason === FORBIDDEN ? 'ontology.forbidden' : 'answers.unreviewed'
      records.warn(code, path, `the answer "${shortName(id)}" is not used as an answer: ${reason}`)
    }
    return { question, answers: usable.slice(0, RECORD_LIMITS.answers) }
  })
  const given = exchanges.flatMap(({ answers }) => answers)
  const concepts = [...exchanges.map(({ question }) => question), ...given].flatMap((row) => row.concepts)
  const isLimited = given.length > 0 && records.addLimits(new Set(concepts))
  const anchors: string[] = []
  for (const { question, answers } of isLimited ? exchanges : []) {
    for (const { path, text, reason, anchors: own } of answers) {
      const sources = own.length === 0 ? '' : ` [${own.join(', ')}]`
      const label = reason === '' ? `Approved answer${sources}:` : `UNREVIEWED, ${reason}. Do not give as an answer:`
      // Every line is marked as text of the pack, so that none looks like one of ours.
      const lines = text.trim().split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
      const shown = [label, ...lines.map((line) => `> ${oneLine(line)}`.trimEnd())].join('\n')
      if (records.add(path, `Question: ${quoted(question.text.slice(0, 300))}`, shown)) anchors.push(...own)
    }
  }
  // An approved answer or a verified claim answers a question.
  const open = exchanges.filter(({ question, answers }) => {
    const asked = readTask(question.text).words
    const isStated = asked.size > 0 && facts.some((fact) => shareOf(asked, wordsIn(asked, fact)) >= 0.5)
    return !isStated && !answers.some(({ reason }) => reason === '')
  })
  const missing = open.map(({ question, answers }) => {
    return `${answers.length > 0 ? 'an approved answer' : 'an answer'} to "${shortName(question.text)}"`
  })
  return { anchors, missing, isAnswered: open.length < exchanges.length }
}

/** An answer needs an approval, evidence and verified claims. Its concepts and sources are those of its claims. */
function judgeAnswer(records: PackRecords, answer: Row): Judged {
  const { claims: known } = records.index
  const claims = answer.refs.map((id) => known.get(id)?.[0]).map((claim) => claim && records.judge(claim))
  const isDoubted = records.state !== undefined && claims.some((claim) => claim?.reason !== '')
  const rules: [applies: boolean, reason: string][] = [
    [answer.states.some((state) => /^(?:forbidden|rejected)$/.test(state)), FORBIDDEN],
    [claims.some((claim) => claim?.reason === FORBIDDEN), FORBIDDEN],
    [claims.some((claim) => claim?.reason === HELD), HELD],
    [answer.review !== 'approved', 'not approved'],
    [!records.isLimited, 'its limits could not be read'],
    [answer.evidence !== undefined && answer.evidence !== 'verified', 'its evidence is not verified'],
    [isDoubted, 'it rests on a claim that is not verified'],
    [answer.evidence === undefined && claims.length === 0, 'it rests on no verified claim'],
  ]
  const reason = rules.find(([applies]) => applies)?.[1] ?? ''
  const anchors = reason === '' ? [...new Set(claims.flatMap((claim) => claim?.anchors ?? []))] : []
  return { ...answer, concepts: claims.flatMap((claim) => claim?.concepts ?? []), reason, anchors }
}

/** The questions that match a task, also by a variant, closest first. */
function matchQuestions(records: PackRecords, words: TaskWords): Row[] {
  const closeness = (text: string): number => {
    const found = wordsIn(words, text)
    const weight = weightOf(words, found)
    // Everyday words alone are not a match.
    if (weight < 1) return 0
    const [ofTask, asked] = [shareOf(words, found), readTask(text).words]
    const ofQuestion = Math.min(1, weight / weightOf(asked, asked.keys()))
    return ofTask >= 0.5 || (found.size > 1 && ofQuestion >= 0.6) ? ofTask + ofQuestion : 0
  }
  return records
    .list('questions')
    .map((question) => ({
      question,
      score: Math.max(...[question.text, ...question.names.slice(0, 32)].map(closeness)),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RECORD_LIMITS.questions)
    .map(({ question }) => question)
}
