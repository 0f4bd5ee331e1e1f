import type { Code } from '../../../text/trouble.ts'
import type { ContextPart } from '../pack.ts'
import type { AnswerBlock, AnswerFiles, Question } from './answer-records.ts'
import type { ClaimBook } from './claims.ts'
import {
  constraintLine,
  type Line,
  oneLine,
  prohibitionLine,
  quoted,
  Room,
  shortName,
  toParts,
  type Warnings,
} from './graph-records.ts'

/** An answer and how it may be used. */
export interface JudgedBlock {
  block: AnswerBlock
  standing: 'direct' | 'marked' | 'withheld'
  /** Why it is not a direct answer. */
  reason: string
  code: Code
  /** The sources of its claims. */
  anchors: readonly string[]
  /** The concepts of its claims. */
  conceptIds: readonly string[]
}

/** A question and its answers. */
export interface Exchange {
  question: Question
  blocks: readonly JudgedBlock[]
}

interface Limits {
  targets: number
  characters: number
}

/** Writes questions and answers as text. All limits come first; if they do not fit, no answer is given. */
export function writeExchanges(
  exchanges: readonly Exchange[],
  answers: AnswerFiles,
  claims: ClaimBook | undefined,
  limits: Limits,
  warnings: Warnings,
): { parts: ContextPart[]; given: JudgedBlock[] } {
  const room = new Room(limits.characters)
  const binding = bindingLines(exchanges, answers, claims)
  const kept = binding.filter((line) => room.holds(line))
  if (kept.length < binding.length) {
    const message = 'not all limits of these answers fit; no answer is given without them'
    warnings.add('context.omitted', binding[0]!.path, message)
    return { parts: toParts(kept), given: [] }
  }
  const given: JudgedBlock[] = []
  const lines = [...kept]
  for (const { question, blocks } of exchanges) {
    for (const judged of blocks) {
      const line = answerLine(question, judged)
      if (room.holds(line)) {
        lines.push(line)
        given.push(judged)
      } else warnings.add('context.omitted', judged.block.path, 'an answer did not fit')
    }
  }
  const targets = targetLines(given, answers, limits.targets).filter((line) => room.holds(line))
  return { parts: toParts([...lines, ...targets]), given }
}

/** The limits on the concepts of the questions and answers. */
function bindingLines(exchanges: readonly Exchange[], answers: AnswerFiles, claims: ClaimBook | undefined): Line[] {
  const concepts = new Set(
    exchanges.flatMap(({ question, blocks }) => [
      ...question.targetIds,
      ...blocks.flatMap((block) => block.conceptIds),
    ]),
  )
  const names = concepts.size === 0 ? new Map<string, string>() : (claims?.names() ?? new Map<string, string>())
  const own = answers.constraints().filter(({ conceptIds }) => conceptIds?.some((id) => concepts.has(id)) ?? true)
  const others = concepts.size === 0 ? [] : (claims?.constraintsFor(concepts) ?? [])
  const forbidden = concepts.size === 0 ? [] : (claims?.forbiddenFor(concepts) ?? [])
  return [
    ...own.map((constraint) => constraintLine(constraint, 'answers', names)),
    ...others.map((constraint) => constraintLine(constraint, 'ontology', names)),
    ...forbidden.map((claim) => prohibitionLine(claim, names)),
  ]
}

function answerLine(question: Question, { block, standing, reason, anchors }: JudgedBlock): Line {
  const about = [
    question.intent && `intent: ${shortName(question.intent)}`,
    question.audience && `audience: ${shortName(question.audience)}`,
    question.risk && `risk: ${shortName(question.risk)}`,
  ].filter(Boolean)
  const heading = `Question: ${quotedQuestion(question)}${about.length > 0 ? ` (${about.join('; ')})` : ''}`
  const sources = anchors.length > 0 ? ` [${[...new Set(anchors)].join(', ')}]` : ''
  const label =
    standing === 'direct' ? `Approved answer${sources}:` : `UNREVIEWED, ${reason}. Do not give as an answer:`
  return { path: block.path, layer: 'answers', heading, text: `${label}\n${quotedLines(block.answer)}` }
}

const LONGEST_QUESTION = 300

function quotedQuestion({ question }: Question): string {
  return quoted(question.slice(0, LONGEST_QUESTION))
}

/** Marks every line as text of the pack, so that none looks like one of ours. */
function quotedLines(text: string): string {
  const lines = text.trim().split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
  return lines.map((line) => `> ${oneLine(line)}`.trimEnd()).join('\n')
}

function targetLines(given: readonly JudgedBlock[], answers: AnswerFiles, most: number): Line[] {
  const ids = new Set(given.flatMap(({ block }) => block.citationTargetIds))
  if (ids.size === 0) return []
  const heading = 'Candidates for citation. They prove nothing by themselves:'
  return answers
    .targets()
    .filter(({ id }) => ids.has(id))
    .slice(0, most)
    .map(({ path, kind, place }) => ({ path, layer: 'answers', heading, text: `- ${kind}: ${shortName(place)}` }))
}
