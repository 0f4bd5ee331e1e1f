import type { AnswerForm, Why } from '../../search/document.ts'
import { compareText } from '../../text/values.ts'

/** A prompt, and what it should find: entries, or files of a project. */
export interface Question {
  id: string
  prompt: string
  /** Ids of which one must be found, with `needsAll` each of them; empty: it is right to find nothing. */
  expected: readonly string[]
  needsAll?: boolean
  /** Ids that must not come first. */
  not: readonly string[]
  kind: 'pos' | 'neg' | 'pairneg'
  /** One of the library's own examples: tested with a library without the examples of this fold. */
  fold?: number
  task?: Task
}

/** What a test says about the work that a prompt asks for. */
export interface Task {
  /** As named by the test. */
  files: readonly string[]
  /** The file of the test: `files` are named from near it. */
  path?: string
  assertions: readonly Assertion[]
  /** What the test says that Loadout cannot run. */
  notRun: readonly string[]
}

/** What must be true after the work. `judge`: a model is asked. */
export type Assertion =
  | { kind: 'says' | 'says not' | 'matches' | 'file' | 'tool' | 'judge'; text: string }
  | { kind: 'command'; text: string; exit: number }

/** A question that was asked. */
export interface Case extends Question {
  /** Best first. */
  found: readonly Found[]
}

export interface Found {
  id: string
  why?: readonly Why[]
  /** Absent where answers have none. */
  form?: AnswerForm
}

/** All in per cent, except the counts. Positives without an answer count as not found. */
export interface Figures {
  positives: number
  negatives: number
  pairs: number
  r1: number
  r3: number
  r5: number
  ndcg5: number
  mrr: number
  answered: number
  /** Positives with an answer that is certain enough to load its text; the others get pointers, or nothing. */
  texts: number
  /** Of all texts that these load, the right ones. */
  rightTexts: number
  /** Negatives that got an answer. */
  falseTriggers: number
  /** Negatives that got text, not only pointers. */
  falseTexts: number
  /** Pairs whose forbidden id came first. */
  pairViolations: number
}

/** A case with a wrong answer: which entry, and by which words. */
interface Confusion {
  qid: string
  query: string
  expected: readonly string[]
  got: string | null
  /** The rank of the right one, counted from 1; null when it was not among the answers. */
  place: number | null
  words: string[]
}

export interface Evaluation {
  figures: Figures
  /** Entries that ranked first for cases of another, most often first. */
  takers: { taker: string; owner: string; times: number }[]
  confusions: Confusion[]
}

/** How many answers count. */
export const DEPTH = 10

export type Find = (prompt: string, question: Question) => readonly Found[]

export function ask(questions: readonly Question[], find: Find): Case[] {
  return questions.map((question) => ({ ...question, found: find(question.prompt, question) }))
}

/** 0 to 1: how much of what a case expects is among the first answers. */
export function recallAt({ expected, needsAll = false, found }: Case, depth: number): number {
  const first = found.slice(0, depth)
  const hits = expected.filter((wanted) => first.some(({ id }) => id === wanted)).length
  return needsAll ? hits / expected.length : Math.min(1, hits)
}

export function mean(values: readonly number[], whole = 1): number {
  return values.length === 0 ? 0 : (whole * values.reduce((sum, value) => sum + value, 0)) / values.length
}

export function summarize(asked: readonly Case[]): Evaluation {
  const cases = asked.map((each) => ({ ...each, found: each.found.slice(0, DEPTH) }))
  const confusions = cases.flatMap(confusionOf)
  const takers = new Map<string, Evaluation['takers'][number]>()
  for (const { got, expected } of confusions) {
    if (got === null || expected.length === 0) continue
    const key = JSON.stringify([got, expected])
    const before = takers.get(key) ?? { taker: got, owner: expected.join(' or '), times: 0 }
    takers.set(key, { ...before, times: before.times + 1 })
  }
  const byTimes = [...takers.values()].sort(
    (a, b) => b.times - a.times || compareText(a.taker, b.taker) || compareText(a.owner, b.owner),
  )
  return { figures: figuresOf(cases), takers: byTimes, confusions }
}

function figuresOf(cases: readonly Case[]): Figures {
  const [positives = [], negatives = [], pairs = []] = ['pos', 'neg', 'pairneg'].map((kind) =>
    cases.filter((each) => each.kind === kind),
  )
  const average = <T>(some: readonly T[], of: (each: T) => number) => mean(some.map(of), 100)
  const share = <T>(some: readonly T[], isCounted: (each: T) => boolean) => average(some, (each) => +isCounted(each))
  const isAnswered = ({ found }: Case) => found.length > 0
  return {
    positives: positives.length,
    negatives: negatives.length,
    pairs: pairs.length,
    r1: average(positives, (each) => recallAt(each, 1)),
    r3: average(positives, (each) => recallAt(each, 3)),
    r5: average(positives, (each) => recallAt(each, 5)),
    ndcg5: average(positives, ndcg),
    mrr: average(positives, (each) => 1 / (placeOf(each) + 1)),
    answered: share(positives, isAnswered),
    texts: share(positives, isText),
    rightTexts: share(positives.flatMap(textsOf), (isRight) => isRight),
    falseTriggers: share(negatives, isAnswered),
    falseTexts: share(negatives, isText),
    pairViolations: share(pairs, isViolated),
  }
}

function confusionOf(each: Case): Confusion[] {
  const { id, prompt, expected, kind, found } = each
  const place = placeOf(each)
  const isWrong = { pos: place > 0, neg: found.length > 0, pairneg: isViolated(each) }[kind]
  if (!isWrong) return []
  const words = (found[0]?.why ?? []).slice(0, 4).map(({ term }) => term)
  const rank = Number.isFinite(place) ? place + 1 : null
  return [{ qid: id, query: prompt, expected, got: found[0]?.id ?? null, place: rank, words }]
}

/** Of each text that is loaded, whether it is right. */
function textsOf({ expected, found }: Case): boolean[] {
  return found.filter(({ form }) => form === 'text').map(({ id }) => expected.includes(id))
}

function isText(asked: Case): boolean {
  return textsOf(asked).length > 0
}

function isViolated({ not, found }: Case): boolean {
  return found[0] !== undefined && not.includes(found[0].id)
}

/** Infinity when no right answer is among them. */
function placeOf({ expected, found }: Case): number {
  const place = found.findIndex(({ id }) => expected.includes(id))
  return place < 0 ? Infinity : place
}

function ndcg({ expected, found }: Case): number {
  const gain = (count: number, isHit: (place: number) => boolean) =>
    Array.from({ length: count }, (_, place) => (isHit(place) ? 1 / Math.log2(place + 2) : 0)).reduce(
      (a, b) => a + b,
      0,
    )
  const best = gain(Math.min(5, expected.length), () => true)
  return best === 0 ? 0 : gain(5, (place) => expected.includes(found[place]?.id ?? '')) / best
}
