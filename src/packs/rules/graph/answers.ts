import { readTask, shareOf, type TaskWords, wordsIn } from '../../../search/task.ts'
import type { Code } from '../../../text/trouble.ts'
import { isRecord } from '../../../text/values.ts'
import { type ContextPart, oneOf, type PackFiles, type PackManifest, type PackWarning } from '../pack.ts'
import {
  constraintLines,
  decodeConstraint,
  evidenceOf,
  groundOntology,
  type JudgedClaim,
  listNames,
  Ontology,
} from './ontology.ts'
import {
  BoundedText,
  type Decode,
  namesOf,
  namesOfKind,
  oneLine,
  quoted,
  RecordFiles,
  type RecordOf,
  rowsOf,
  shortName,
  textOf,
  Warnings,
  weightOf,
  wordOf,
} from './record-files.ts'

type RecordPaths = Partial<Pick<PackManifest, 'primaryOntology' | 'primaryAnswers'>>

/** Text made from a pack's records for a task, with its sources, warnings and gaps. */
export interface RecordGrounding {
  /** Limits come before the text that they limit. A later part must not be used without the earlier ones. */
  parts: ContextPart[]
  /** Sources of the facts, as `path#anchor`. */
  anchors: string[]
  warnings: PackWarning[]
  /** What the task asks for and the records lack. */
  missing: string[]
  /** Whether the records answer a question of the task. */
  isAnswered: boolean
  /** The files that the texts depend on. */
  used: string[]
}

/** Records about a task as short text: a part of the ontology, and prepared answers. */
export function groundRecords(paths: RecordPaths, files: PackFiles, words: TaskWords): RecordGrounding {
  const warnings = new Warnings()
  const { ontology, answers } = openRecords(paths, files, warnings)
  const concepts = ontology && groundOntology(ontology, words)
  const exchanges = answers && groundAnswers(answers, words, ontology, concepts?.facts ?? [])
  const found = [concepts, exchanges].filter((each) => each !== undefined)
  // An answer repeats limits that the ontology may already have given.
  const parts = found
    .flatMap((each) => each.parts)
    .map((part) => [JSON.stringify([part.path, part.text]), part] as const)
  return {
    parts: [...new Map(parts).values()],
    anchors: found.flatMap(({ anchors }) => anchors),
    warnings: warnings.all(),
    missing: found.flatMap(({ missing }) => missing),
    isAnswered: exchanges?.isAnswered ?? false,
    used: [...(ontology?.basis() ?? []), ...((exchanges && answers?.used) ?? [])],
  }
}

/** The questions and allowed claims of a pack, for search. Never shown to a model. */
export function recordTexts(paths: RecordPaths, files: PackFiles): { path: string; text: string }[] {
  const { ontology, answers } = openRecords(paths, files, new Warnings())
  const questions = answers?.list('questions') ?? []
  const [claims, names] = [ontology?.allowedClaims() ?? [], ontology?.index.names]
  return [
    ...questions.map(({ path, question, variants }) => ({ path, text: [question, ...variants].join('\n') })),
    ...claims.map(({ path, conceptIds, text }) => ({ path, text: `${listNames(conceptIds, names)}: ${text}` })),
  ].slice(0, 2000)
}

/** How many answers one task may use. */
export const ANSWER_LIMITS = { questions: 3, blocks: 2, targets: 8, characters: 8000 }

/** The least share of the task, or of a question, that common words make up. */
const LEAST_SHARE = { task: 0.5, question: 0.6 }

const KINDS = {
  questions(fields, warn) {
    const [id, question, variants] = [textOf(fields.id), textOf(fields.question), namesOf(fields.variants ?? [])]
    if (id === undefined || question === undefined || variants === undefined) return undefined
    const { intent, audience, riskLevel: risk } = fields
    const about = Object.entries({ intent, audience, risk }).flatMap(([name, value]) => {
      const text = textOf(value)
      return text === undefined ? [] : `${name}: ${shortName(text)}`
    })
    const conceptIds = namesOf(fields.targetEntityIds ?? []) ?? []
    const given = [fields.answerBlockIds ?? [], fields.answerBlocks ?? []].flat()
    const blockIds = given.filter((one) => typeof one === 'string')
    // Answers may be written inside the question.
    const blocks = given.filter(isRecord).flatMap((block) => {
      const decoded = decodeBlock(block)
      if (!decoded) warn('an answer inside a question has no text')
      return decoded || []
    })
    return { question, variants, about, status: wordOf(fields.status) ?? 'ready', conceptIds, blockIds, blocks }
  },
  'answer-blocks': decodeBlock,
  'citation-targets'(fields) {
    const kinds = ['page', 'section', 'paragraph', 'table', 'figure', 'video-transcript', 'data-point'] as const
    const [id, kind] = [textOf(fields.id), oneOf(kinds, wordOf(fields.kind))]
    const place = textOf(fields.sourceRef) ?? textOf(fields.path) ?? textOf(fields.url)
    return id && kind && place && { id, kind, place }
  },
  constraints: decodeConstraint,
} satisfies Record<string, Decode>

function decodeBlock(fields: Record<string, unknown>) {
  const [id = '', answer, claimIds] = [textOf(fields.id), textOf(fields.answer), namesOf(fields.claimIds ?? [])]
  const targetIds = namesOf(fields.citationTargetIds ?? []) ?? []
  const [evidence, review] = [evidenceOf(fields.evidenceStatus), wordOf(fields.reviewStatus)]
  return answer && claimIds && { id, answer, claimIds, targetIds, evidence, review }
}

type Answers = RecordFiles<typeof KINDS>
type Question = RecordOf<typeof KINDS.questions>

/** An answer and how it may be used. */
interface JudgedBlock extends RecordOf<typeof decodeBlock> {
  standing: 'direct' | 'marked' | 'withheld'
  /** Why it is not a direct answer. */
  reason: string
  code: Code
  /** Its claims in the ontology. */
  claims: readonly JudgedClaim[]
}

function openRecords({ primaryOntology, primaryAnswers }: RecordPaths, files: PackFiles, warnings: Warnings) {
  return {
    ontology: primaryOntology === undefined ? undefined : new Ontology(files, primaryOntology, warnings),
    answers: primaryAnswers === undefined ? undefined : openAnswers(files, primaryAnswers, warnings),
  }
}

/** Opens the answers of a pack. Undefined, with a warning, if there is no list of questions, not even an empty one. */
function openAnswers(files: PackFiles, path: string, warnings: Warnings): Answers | undefined {
  const answers = new RecordFiles(files, 'answers', KINDS, warnings)
  const first = answers.open(path)
  if (first === undefined) return undefined
  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
    // A plain list in the first file contains questions.
    const isInline = Array.isArray(first.value) ? kind === 'questions' : rowsOf(kind, first.value) !== undefined
    if (isInline) answers.place(kind, first.path, first.value)
    const beside = namesOfKind(kind).flatMap((name) => [`${first.folder}${name}.json`, `${first.folder}${name}.jsonl`])
    for (const other of beside) {
      if (other !== first.path && files.sizeOf(other) !== undefined) answers.place(kind, other)
    }
  }
  answers.list('questions')
  if (rowsOf('questions', first.value) !== undefined || answers.used.length > 1) return answers
  return answers.warn(first.path, 'it has no list of questions')
}

/** The prepared answers to a task. Undefined if the task asks none of the questions. */
function groundAnswers(answers: Answers, words: TaskWords, ontology: Ontology | undefined, facts: readonly string[]) {
  const { warnings } = answers
  const questions = matchQuestions(answers.list('questions'), words)
  if (questions.length === 0) return undefined
  const exchanges = questions.map((question) => ({ ...question, blocks: blocksFor(question, answers, ontology) }))
  // An approved answer or a verified claim answers a question.
  const open = exchanges.filter(({ question, blocks }) => {
    const asked = readTask(question).words
    const isFact = asked.size > 0 && facts.some((fact) => shareOf(asked, wordsIn(asked, fact)) >= LEAST_SHARE.task)
    return !isFact && !blocks.some(({ standing }) => standing === 'direct')
  })
  const claims = exchanges.flatMap(({ blocks }) => blocks.flatMap((block) => block.claims))
  const concepts = new Set([...exchanges, ...claims].flatMap(({ conceptIds }) => conceptIds))
  // Without a concept, the ontology is not opened.
  const bound = concepts.size === 0 ? undefined : ontology
  const own = constraintLines(answers.list('constraints'), concepts, bound?.index.names)
  const text = new BoundedText(ANSWER_LIMITS.characters)
  const given: JudgedBlock[] = []
  if (text.addLimits([...own, ...(bound?.limitsOn(concepts) ?? [])], warnings)) {
    for (const { question, about, blocks } of exchanges) {
      const heading = `Question: ${quoted(question.slice(0, 300))}${about.length > 0 ? ` (${about.join('; ')})` : ''}`
      for (const block of blocks) {
        if (text.add({ path: block.path, heading, text: writeBlock(block) })) given.push(block)
        else warnings.add('context.omitted', block.path, 'an answer did not fit')
      }
    }
    const ids = new Set(given.flatMap(({ targetIds }) => targetIds))
    const targets = ids.size === 0 ? [] : answers.list('citation-targets').filter(({ id }) => ids.has(id))
    for (const { path, kind, place } of targets.slice(0, ANSWER_LIMITS.targets)) {
      const heading = 'Candidates for citation. They prove nothing by themselves:'
      text.add({ path, heading, text: `- ${kind}: ${shortName(place)}` })
    }
  }
  const gaps = open.map(({ question, blocks }) => {
    return `${blocks.length > 0 ? 'an approved answer' : 'an answer'} to "${shortName(question)}"`
  })
  return {
    parts: text.parts(),
    anchors: [...new Set(given.flatMap(anchorsOf))],
    missing: [...new Set(gaps)],
    isAnswered: open.length < exchanges.length,
  }
}

/** The sources of a direct answer. */
function anchorsOf({ standing, claims }: JudgedBlock): string[] {
  return standing === 'direct' ? [...new Set(claims.flatMap(({ anchors }) => anchors))] : []
}

/** Marks every line as text of the pack, so that none looks like one of ours. */
function writeBlock(block: JudgedBlock): string {
  const sources = anchorsOf(block).join(', ')
  const approved = `Approved answer${sources && ` [${sources}]`}:`
  const label = block.standing === 'direct' ? approved : `UNREVIEWED, ${block.reason}. Do not give as an answer:`
  const lines = block.answer.trim().split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
  return [label, ...lines.map((line) => `> ${oneLine(line)}`.trimEnd())].join('\n')
}

/** The questions that match a task, also by a variant, closest first. */
function matchQuestions(questions: readonly Question[], words: TaskWords): Question[] {
  const closeness = (text: string): number => {
    const found = wordsIn(words, text)
    const weight = weightOf(words, found)
    // Everyday words alone are not a match.
    if (weight < 1) return 0
    const [ofTask, asked] = [shareOf(words, found), readTask(text).words]
    const ofQuestion = Math.min(1, weight / weightOf(asked, asked.keys()))
    const isAsked = ofTask >= LEAST_SHARE.task || (found.size > 1 && ofQuestion >= LEAST_SHARE.question)
    return isAsked ? ofTask + ofQuestion : 0
  }
  return questions
    .map((each) => ({ each, score: Math.max(...[each.question, ...each.variants.slice(0, 32)].map(closeness)) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, ANSWER_LIMITS.questions)
    .map(({ each }) => each)
}

/** The answers to a question: the direct ones, or else those that must be marked. */
function blocksFor(question: Question, answers: Answers, ontology: Ontology | undefined): JudgedBlock[] {
  const { path, status, blockIds } = question
  const { warnings } = answers
  if (!['ready', 'approved'].includes(status)) {
    warnings.add('answers.unreviewed', path, `the question "${shortName(question.question)}" is not ready`)
  }
  const listed = answers.list('answer-blocks').filter(({ id }) => blockIds.includes(id))
  const judged = [...question.blocks.map((block) => ({ ...block, path })), ...listed].map((block) => {
    return judgeBlock(block, answers, ontology)
  })
  const direct = judged.filter(({ standing }) => standing === 'direct')
  const usable = direct.length > 0 ? direct : judged.filter(({ standing }) => standing === 'marked')
  const taken = usable.slice(0, ANSWER_LIMITS.blocks)
  const more = usable.length - taken.length
  if (more > 0) warnings.add('context.omitted', path, `left out ${more} more of the answers to a question`)
  for (const block of judged) {
    const isWithheld = block.standing === 'withheld'
    if (block.standing === 'direct' || !(isWithheld || taken.includes(block))) continue
    const fate = `${isWithheld ? 'was left out' : 'is marked'}: ${block.reason}`
    const severity = block.code === 'ontology.forbidden' ? 'error' : 'warning'
    warnings.add(block.code, block.path, `the answer "${shortName(block.id)}" ${fate}`, severity)
  }
  return taken
}

/** Decides how an answer may be used. An approved answer also needs evidence and verified claims. */
function judgeBlock(
  block: RecordOf<typeof decodeBlock>,
  answers: Answers,
  ontology: Ontology | undefined,
): JudgedBlock {
  const { evidence, review } = block
  const claims = ontology === undefined ? [] : block.claimIds.map((id) => ontology.find(id))
  const has = (standing: JudgedClaim['standing']) => claims.some((claim) => claim?.standing === standing)
  const isRepeated = answers.list('answer-blocks').filter(({ id }) => id === block.id).length > 1
  const isUnlimited = answers.list('constraints') && answers.unread.has('constraints')
  const isUnproven = evidence !== undefined && evidence !== 'verified'
  const isDoubted = claims.some((claim) => claim?.standing !== 'fact')
  const isBaseless = evidence === undefined && claims.length === 0
  const rules: [applies: boolean, standing: JudgedBlock['standing'], code: Code, reason: string][] = [
    [evidence === 'forbidden' || has('forbidden'), 'withheld', 'ontology.forbidden', 'it makes a forbidden claim'],
    [review === 'rejected', 'withheld', 'answers.unreviewed', 'it was rejected'],
    [has('held'), 'withheld', 'ontology.unverified', 'a decision gate has not passed'],
    [review !== 'approved', 'marked', 'answers.unreviewed', 'not approved'],
    [isRepeated, 'marked', 'answers.unreviewed', 'its id is used more than once'],
    [isUnlimited, 'marked', 'answers.unreviewed', 'its limits could not be read'],
    [isUnproven, 'marked', 'ontology.unverified', 'its evidence is not verified'],
    [isDoubted, 'marked', 'ontology.unverified', 'it rests on a claim that is not verified'],
    [isBaseless, 'marked', 'ontology.unverified', 'it rests on no verified claim'],
    [true, 'direct', 'answers.unreviewed', ''],
  ]
  const [, standing, code, reason] = rules.find(([applies]) => applies)!
  return { ...block, standing, code, reason, claims: claims.filter((claim) => claim !== undefined) }
}
