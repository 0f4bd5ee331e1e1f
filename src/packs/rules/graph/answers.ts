import { readTaskWords, shareOf, type TaskWords, wordsIn } from '../../../search/task-words.ts'
import type { Code } from '../../../text/trouble.ts'
import type { PackFiles } from '../pack.ts'
import { type AnswerBlock, type AnswerFiles, openAnswers, type Question } from './answer-records.ts'
import { type Exchange, type JudgedBlock, writeExchanges } from './answer-text.ts'
import type { ClaimBook, JudgedClaim } from './claims.ts'
import { type Grounded, shortName, Warnings } from './graph-records.ts'
import { weightOf } from './ontology.ts'

/** How many answers one task may use. */
export const ANSWER_LIMITS = { questions: 3, blocks: 2, targets: 8, characters: 8000 } as const

/** The least share of common words, of the task or of the question. */
const LEAST_OF_TASK = 0.5
const LEAST_OF_QUESTION = 0.6

/** Limits for one question. */
const MOST_VARIANTS = 32
const MOST_BLOCKS = 32

/** The prepared answers to a task. Undefined if there are none and nothing to warn about. */
export function groundAnswers(
  files: PackFiles,
  path: string,
  words: TaskWords,
  claims?: ClaimBook,
  facts: readonly string[] = [],
): Grounded | undefined {
  const warnings = new Warnings()
  const answers = openAnswers(files, path, warnings)
  const questions = answers === undefined ? [] : matchQuestions(answers.questions(), words)
  if (answers === undefined || questions.length === 0) {
    const found = warnings.all()
    return found.length === 0
      ? undefined
      : { parts: [], anchors: [], warnings: found, missing: [], files: answers?.used ?? [] }
  }
  const repeated = repeatedIds(answers.blocks())
  const exchanges = questions.map((question) => answerQuestion(question, answers, repeated, claims, warnings))
  const open = exchanges.filter((exchange) => !isAnswered(exchange, facts))
  const { parts, given } = writeExchanges(exchanges, answers, claims, ANSWER_LIMITS, warnings)
  return {
    parts,
    anchors: [...new Set(given.flatMap(({ anchors }) => anchors))],
    warnings: [...warnings.all(), ...(claims?.warnings() ?? [])],
    missing: [...new Set(open.map(gapOf))],
    isAnswered: open.length < exchanges.length,
    files: [...answers.used, ...(claims?.files() ?? [])],
  }
}

/** The questions that match a task, also by a variant, closest first. */
function matchQuestions(questions: readonly Question[], words: TaskWords): Question[] {
  const matches: { question: Question; score: number }[] = []
  for (const question of questions) {
    const texts = [question.question, ...question.variants.slice(0, MOST_VARIANTS)]
    const score = Math.max(...texts.map((text) => closeness(words, text)))
    if (score > 0) matches.push({ question, score })
  }
  matches.sort((a, b) => b.score - a.score)
  return matches.slice(0, ANSWER_LIMITS.questions).map(({ question }) => question)
}

/** How close a question is to the task; 0 if it is another question. */
function closeness(words: TaskWords, text: string): number {
  const found = wordsIn(words, text)
  const weight = weightOf(words, found)
  // Everyday words alone are not a match.
  if (weight < 1) return 0
  const ofTask = shareOf(words, found)
  const asked = readTaskWords(text)
  const ofQuestion = Math.min(1, weight / weightOf(asked, new Set(asked.keys())))
  const isAsked = ofTask >= LEAST_OF_TASK || (found.size > 1 && ofQuestion >= LEAST_OF_QUESTION)
  return isAsked ? ofTask + ofQuestion : 0
}

function answerQuestion(
  question: Question,
  answers: AnswerFiles,
  repeated: ReadonlySet<string>,
  claims: ClaimBook | undefined,
  warnings: Warnings,
): Exchange {
  const name = shortName(question.question)
  if (question.status !== undefined && !['ready', 'approved'].includes(question.status)) {
    warnings.add('answers.unreviewed', question.path, `the question "${name}" is not ready`)
  }
  const ids = new Set(question.blockIds)
  const blocks = [...question.blocks, ...answers.blocks().filter(({ id }) => ids.has(id))].slice(0, MOST_BLOCKS)
  const knowsLimits = answers.knowsLimits()
  const judged = blocks.map((block) => judgeBlock(block, claims, { knowsLimits, isRepeated: repeated.has(block.id) }))
  for (const { block, standing, code, reason } of judged) {
    if (standing === 'withheld') {
      const severity = code === 'ontology.forbidden' ? 'error' : 'warning'
      warnings.add(code, block.path, `the answer "${shortName(block.id)}" was left out: ${reason}`, severity)
    }
  }
  const direct = judged.filter(({ standing }) => standing === 'direct')
  const usable = direct.length > 0 ? direct : judged.filter(({ standing }) => standing === 'marked')
  return { question, blocks: takeBlocks(usable, warnings) }
}

/** Whether an approved answer or a verified claim answers the question. */
function isAnswered({ question, blocks }: Exchange, facts: readonly string[]): boolean {
  if (blocks.some(({ standing }) => standing === 'direct')) return true
  const words = readTaskWords(question.question)
  return words.size > 0 && facts.some((fact) => shareOf(words, wordsIn(words, fact)) >= LEAST_OF_TASK)
}

function gapOf({ question, blocks }: Exchange): string {
  return `${blocks.length > 0 ? 'an approved answer' : 'an answer'} to "${shortName(question.question)}"`
}

function takeBlocks(usable: readonly JudgedBlock[], warnings: Warnings): JudgedBlock[] {
  const taken = usable.slice(0, ANSWER_LIMITS.blocks)
  if (taken.length < usable.length) {
    const { path } = usable[taken.length]!.block
    warnings.add('context.omitted', path, `left out ${usable.length - taken.length} more of the answers to a question`)
  }
  for (const { block, standing, code, reason } of taken) {
    if (standing === 'marked')
      warnings.add(code, block.path, `the answer "${shortName(block.id)}" is marked: ${reason}`)
  }
  return taken
}

function repeatedIds(blocks: readonly AnswerBlock[]): Set<string> {
  const [known, repeated] = [new Set<string>(), new Set<string>()]
  for (const { id } of blocks) (known.has(id) ? repeated : known).add(id)
  return repeated
}

interface Circumstances {
  /** Whether all constraints could be read. */
  knowsLimits: boolean
  /** Another answer has the same id. */
  isRepeated: boolean
}

/** Decides how an answer may be used. An approved answer also needs evidence and verified claims. */
function judgeBlock(
  block: AnswerBlock,
  book: ClaimBook | undefined,
  { knowsLimits, isRepeated }: Circumstances,
): JudgedBlock {
  const claims = book === undefined ? [] : block.claimIds.map((id) => book.find(id))
  const known = claims.filter((claim) => claim !== undefined)
  const judged = (standing: JudgedBlock['standing'], code: Code, reason: string): JudgedBlock => ({
    block,
    standing,
    code,
    reason,
    anchors: standing === 'direct' ? known.flatMap(({ anchors }) => anchors) : [],
    conceptIds: known.flatMap(({ claim }) => claim.conceptIds),
  })

  if (block.evidence === 'forbidden' || has(known, 'forbidden')) {
    return judged('withheld', 'ontology.forbidden', 'it makes a forbidden claim')
  }
  if (block.review === 'rejected') return judged('withheld', 'answers.unreviewed', 'it was rejected')
  if (has(known, 'held')) return judged('withheld', 'ontology.unverified', 'a decision gate has not passed')
  if (block.review !== 'approved') return judged('marked', 'answers.unreviewed', 'not approved')
  if (isRepeated) return judged('marked', 'answers.unreviewed', 'its id is used more than once')
  if (!knowsLimits) return judged('marked', 'answers.unreviewed', 'its limits could not be read')
  if (block.evidence !== undefined && block.evidence !== 'verified') {
    return judged('marked', 'ontology.unverified', 'its evidence is not verified')
  }
  if (claims.some((claim) => claim?.standing !== 'fact')) {
    return judged('marked', 'ontology.unverified', 'it rests on a claim that is not verified')
  }
  // It has neither verified evidence nor a claim that could be checked.
  if (block.evidence === undefined && claims.length === 0) {
    return judged('marked', 'ontology.unverified', 'it rests on no verified claim')
  }
  return judged('direct', 'answers.unreviewed', '')
}

function has(claims: readonly JudgedClaim[], standing: JudgedClaim['standing']): boolean {
  return claims.some((claim) => claim.standing === standing)
}
