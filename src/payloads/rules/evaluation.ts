import type { RankDocument, Why } from '../../search/document.ts'
import { isRecord, isTextList } from '../../text/values.ts'

/** Questions read from a file, or the reason why there are none. */
export type SuiteReading = { queries: EvalQuery[] } | { problem: string }

/** Our own form, one JSON object a line: `{ query, relevant, not?, kind?, qid? }`. */
export function readQueryLines(text: string): SuiteReading {
  const queries: EvalQuery[] = []
  for (const { json, line } of jsonLines(text)) {
    const query = json === undefined ? undefined : readQuery(json, `line ${line}`)
    if (query === undefined) return { problem: `line ${line} is not { "query": "…", "relevant": ["id"] }` }
    queries.push(query)
  }
  return { queries }
}

function readQuery(json: unknown, qid: string): EvalQuery | undefined {
  if (!isRecord(json) || typeof json.query !== 'string') return undefined
  const relevant = json.relevant ?? []
  const not = json.not ?? []
  if (!isTextList(relevant) || !isTextList(not)) return undefined
  const kind = relevant.length > 0 ? 'pos' : not.length > 0 ? 'pairneg' : 'neg'
  const stated = ['pos', 'neg', 'pairneg'] as const
  return {
    qid: typeof json.qid === 'string' ? json.qid : qid,
    query: json.query,
    relevant,
    not,
    kind: stated.find((known) => known === json.kind) ?? kind,
  }
}

/**
 * Tests that a skill or pack carries with it: prompts that should choose it, and prompts that should not.
 * `[{ query, should_trigger }]`, the same under `evals` or `queries`, or `{ pack_name, cases: [{ prompt, expected }] }`.
 */
export function readTriggerTests(json: unknown, owner: string): SuiteReading {
  const list = Array.isArray(json) ? json : isRecord(json) ? (json.cases ?? json.evals ?? json.queries) : undefined
  if (!Array.isArray(list)) return { problem: 'it holds no list of tests' }
  const id = isRecord(json) ? textOf(json, ['pack_name', 'skill_name', 'skill', 'name']) : undefined
  const queries: EvalQuery[] = []
  for (const [at, test] of list.entries()) {
    const query = readTriggerTest(test, id ?? owner, at)
    if (query === undefined) return { problem: `test ${at + 1} says not whether it should be chosen` }
    queries.push(query)
  }
  return { queries }
}

function readTriggerTest(json: unknown, id: string, at: number): EvalQuery | undefined {
  if (!isRecord(json)) return undefined
  const query = textOf(json, ['query', 'prompt'])
  const isWanted = wanted(json)
  if (query === undefined || isWanted === undefined) return undefined
  const qid = textOf(json, ['id', 'qid']) ?? `${id} ${at + 1}`
  return { qid, query, relevant: isWanted ? [id] : [], not: isWanted ? [] : [id], kind: isWanted ? 'pos' : 'pairneg' }
}

function wanted(json: Record<string, unknown>): boolean | undefined {
  const flag = json.should_trigger ?? json.should_select
  if (typeof flag === 'boolean') return flag
  if (json.expected === 'reject') return false
  return json.expected === 'select' || json.expected === 'warn' ? true : undefined
}

/** A library of documents, one JSON object a line: `{ id, name?, description?, keywords?, body?, … }`. */
export function readLibraryLines(text: string): { documents: RankDocument[] } | { problem: string } {
  const documents: RankDocument[] = []
  for (const { json, line } of jsonLines(text)) {
    if (!isRecord(json) || typeof json.id !== 'string')
      return { problem: `line ${line} is not a document with an "id"` }
    const list = (key: string) => (isTextList(json[key]) ? { [key]: json[key] } : {})
    documents.push({
      id: json.id,
      name: textOf(json, ['name']) ?? json.id,
      description: textOf(json, ['description']) ?? '',
      body: textOf(json, ['body']) ?? '',
      ...list('keywords'),
      ...list('headings'),
      ...list('examples'),
      ...list('negatives'),
    })
  }
  return { documents }
}

function* jsonLines(text: string): Generator<{ json: unknown; line: number }> {
  for (const [at, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    let json: unknown
    try {
      json = JSON.parse(line)
    } catch {}
    yield { json, line: at + 1 }
  }
}

function textOf(json: Record<string, unknown>, keys: readonly string[]): string | undefined {
  return keys.map((key) => json[key]).find((value): value is string => typeof value === 'string' && value !== '')
}

/** One question of a suite: what should answer it, and what must not. */
export interface EvalQuery {
  qid: string
  query: string
  /** Ids of which one must be found; none: a good router stays silent. */
  relevant: string[]
  /** Ids that must not come first. */
  not: string[]
  kind: 'pos' | 'neg' | 'pairneg'
}

export interface Answer {
  id: string
  why: readonly Why[]
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
  /** Negatives that got an answer. */
  falseTriggers: number
  /** Pairs whose forbidden id came first. */
  pairViolations: number
}

/** A question that went to the wrong place: who took it, and with which words. */
interface Confusion {
  qid: string
  query: string
  expected: string[]
  got: string | null
  /** Where the right one was, counted from 1; null when it was not among the answers. */
  place: number | null
  words: string[]
}

export interface Evaluation {
  figures: Figures
  confusions: Confusion[]
}

/** How deep the mean reciprocal rank looks. */
export const EVAL_DEPTH = 10

export function evaluate(queries: readonly EvalQuery[], answer: (query: string) => readonly Answer[]): Evaluation {
  const results = queries.map((query) => ({ query, answers: answer(query.query).slice(0, EVAL_DEPTH) }))
  return { figures: figuresOf(results), confusions: results.flatMap(confusionOf) }
}

interface Result {
  query: EvalQuery
  answers: readonly Answer[]
}

function figuresOf(results: readonly Result[]): Figures {
  const of = (kind: EvalQuery['kind']) => results.filter(({ query }) => query.kind === kind)
  const positives = of('pos')
  const places = positives.map(placeOf)
  const within = (depth: number) => share(places, (place) => place < depth)
  return {
    positives: positives.length,
    negatives: of('neg').length,
    pairs: of('pairneg').length,
    r1: within(1),
    r3: within(3),
    r5: within(5),
    ndcg5: average(positives.map(ndcg)),
    mrr: average(places.map((place) => 1 / (place + 1))),
    answered: share(positives, ({ answers }) => answers.length > 0),
    falseTriggers: share(of('neg'), ({ answers }) => answers.length > 0),
    pairViolations: share(of('pairneg'), isViolated),
  }
}

function confusionOf(result: Result): Confusion[] {
  const { query, answers } = result
  const place = placeOf(result)
  const isWrong = { pos: place > 0, neg: answers.length > 0, pairneg: isViolated(result) }[query.kind]
  if (!isWrong) return []
  return [
    {
      qid: query.qid,
      query: query.query,
      expected: query.relevant,
      got: answers[0]?.id ?? null,
      place: Number.isFinite(place) ? place + 1 : null,
      words: (answers[0]?.why ?? []).slice(0, 4).map(({ term }) => term),
    },
  ]
}

function isViolated({ query, answers }: Result): boolean {
  return answers[0] !== undefined && query.not.includes(answers[0].id)
}

/** Infinity when no right answer is among them. */
function placeOf({ query, answers }: Result): number {
  const place = answers.findIndex(({ id }) => query.relevant.includes(id))
  return place < 0 ? Infinity : place
}

function ndcg({ query, answers }: Result): number {
  const gain = (place: number) => 1 / Math.log2(place + 2)
  let found = 0
  answers.slice(0, 5).forEach(({ id }, place) => {
    if (query.relevant.includes(id)) found += gain(place)
  })
  let best = 0
  for (let place = 0; place < Math.min(5, query.relevant.length); place++) best += gain(place)
  return best === 0 ? 0 : found / best
}

function share<T>(items: readonly T[], isCounted: (item: T) => boolean): number {
  return average(items.map((item) => (isCounted(item) ? 1 : 0)))
}

function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : (100 * values.reduce((sum, value) => sum + value, 0)) / values.length
}
