import { type ContextPart, packSections } from '../pack.ts'
import { type Choice, setsLimits } from './choice.ts'
import type { Omission } from './resolution.ts'

/** Counts the tokens of a text. */
export type TokenCounter = (text: string) => number

export interface Fitted {
  /** Undefined if not even the frame and its warnings fit. */
  text: string | undefined
  choices: readonly Choice[]
  omitted: readonly Omission[]
}

interface Piece {
  choice: Choice
  /** Its position among all pieces, to keep the order. */
  at: number
  rank: number
}

/**
 * Keeps as many sections as the budget allows: limits first, then by rule and score. Cuts only between sections.
 * `render` returns the whole wrapper, whose size must fit.
 */
export function fitBudget(
  choices: readonly Choice[],
  budget: number,
  count: TokenCounter,
  render: (choices: readonly Choice[], omitted: readonly Omission[]) => string,
): Fitted {
  const whole = render(choices, [])
  if (count(whole) <= budget) return { text: whole, choices, omitted: [] }
  const pieces = choices.flatMap(cutChoice).map((choice, at) => ({ choice, at, rank: rankOf(choice) }))
  const byWorth = [...pieces].sort((a, b) => a.rank - b.rank || b.choice.score - a.choice.score || a.at - b.at)
  const none = pieces.map(({ choice }) => omission(choice, count))
  const frame = render([], none)
  if (count(frame) > budget) return { text: undefined, choices: [], omitted: none }
  const kept = takeWorthiest(byWorth, budget - count(frame), count)
  for (;;) {
    const taken = new Set(kept)
    const left = joinNeighbours(pieces.filter((piece) => taken.has(piece)).map(({ choice }) => choice))
    const omitted = pieces.filter((piece) => !taken.has(piece)).map(({ choice }) => omission(choice, count))
    const text = render(left, omitted)
    if (count(text) <= budget) return { text, choices: left, omitted: joinOmissions(omitted) }
    kept.pop()
  }
}

/** Takes sections by an estimate; the caller checks the real size. A section next to a taken one needs no delimiter. */
function takeWorthiest(pieces: readonly Piece[], budget: number, count: TokenCounter): Piece[] {
  let left = budget
  const taken = new Map<number, string>()
  return pieces.filter(({ choice: { part }, at }) => {
    const isJoined = taken.get(at - 1) === part.path || taken.get(at + 1) === part.path
    const cost = count(part.text) + (isJoined ? 0 : count(part.path) + DELIMITER_TOKENS)
    if (cost > left) return false
    left -= cost
    taken.set(at, part.path)
    return true
  })
}

const DELIMITER_TOKENS = 16

function cutChoice(choice: Choice): Choice[] {
  const { part } = choice
  if (part.lines === undefined || choice.rule === 'excerpt') return [choice]
  return packSections(part.path, part.text, part.lines.from).map(({ from, to, text }) => ({
    ...choice,
    part: { ...part, lines: { from, to }, text },
  }))
}

/** Before the sections, which compete by their score; everything else comes after them. */
const FIRST: readonly Choice['rule'][] = ['contradiction', 'guide', 'answer', 'ontology']

function rankOf({ part, rule }: Choice): number {
  if (part.path.startsWith('compiled/') && setsLimits(part.path)) return -2
  const isOwn = part.layer === 'compiled' || part.layer === 'guide'
  if (isOwn && setsLimits(packSections(part.path, part.text)[0]?.title ?? '')) return -1
  if (rule === 'excerpt') return FIRST.length + 1
  const at = FIRST.indexOf(rule)
  return at === -1 ? FIRST.length : at
}

/** Joins sections that follow each other. */
function joinNeighbours(choices: readonly Choice[]): Choice[] {
  const joined: Choice[] = []
  for (const choice of choices) {
    const last = joined.at(-1)
    if (last !== undefined && touches(last.part, choice.part) && last.rule === choice.rule) {
      const lines = { from: last.part.lines?.from ?? 1, to: choice.part.lines?.to ?? 1 }
      joined[joined.length - 1] = { ...last, part: { ...last.part, lines, text: last.part.text + choice.part.text } }
    } else joined.push(choice)
  }
  return joined
}

function touches(a: ContextPart, b: ContextPart): boolean {
  return a.path === b.path && a.lines !== undefined && a.lines.to + 1 === b.lines?.from
}

function omission({ part: { path, lines, text } }: Choice, count: TokenCounter): Omission {
  return { path, ...(lines !== undefined && { lines }), reason: 'budget', tokens: count(text) }
}

function joinOmissions(omitted: readonly Omission[]): Omission[] {
  const joined: Omission[] = []
  for (const next of omitted) {
    const last = joined.at(-1)
    if (last?.path === next.path && last.lines !== undefined && last.lines.to + 1 === next.lines?.from) {
      const lines = { from: last.lines.from, to: next.lines.to }
      joined[joined.length - 1] = { ...last, lines, tokens: last.tokens + next.tokens }
    } else joined.push(next)
  }
  return joined
}
