// npm run bench:routing -- <data folder>: how often each strategy, and the ranker without each of its ingredients, is right.
import { ask, type Figures, type Found, summarize } from '../src/lab/rules/cases.ts'
import { DEFAULT_TRIGGERS } from '../src/payloads/rules/loadout-index.ts'
import { DispatchTable, splitWords } from '../src/payloads/rules/match.ts'
import { DEFAULT_TUNING, type Field, type RankDocument, type Tuning } from '../src/search/document.ts'
import { createRanker, type RankerOptions } from '../src/search/ranker.ts'
import { STOP_WORDS } from '../src/search/word-lists.ts'
import { printTable } from './measure.ts'
import { type RoutingSet, readRoutingSet } from './routing-data.ts'
import { reportAnswers, reportLearning, reportTeaching } from './routing-learning.ts'

const HEADINGS = ['', 'questions', 'R@1', 'R@3', 'R@5', 'nDCG@5', 'MRR', 'answered', 'false', 'pairs']

type Router = (library: readonly RankDocument[]) => (query: string) => readonly Found[]

const STRATEGIES: [name: string, router: Router][] = [
  ['keywords, ten automatic ones', byKeywords],
  ['ranked, always answering', ranked({ silence: 0 })],
  ['ranked, as shipped', ranked({})],
]

const ABLATIONS: [name: string, router: Router][] = [
  ['clauses: the description as one text', flat()],
  ['body', without({ fields: field('body', { weight: 0 }) })],
  ['redirects to others', without({ fields: field('redirect', { weight: 0 }) })],
  ['first sentence counts more', without({ fields: field('lead', { weight: 1 }) })],
  ['pairs of words', without({ pair: 0 })],
  ['related words', without({ related: 0, relatedToUnknown: 0 })],
  ['everyday words', without({ everydayShare: 0 })],
  ['background documents', without({ backgroundSize: 0 })],
  ['coverage of the name', without({ nameCoverage: 0 })],
  ['later words count less', without({ fade: 0 })],
  ['repeated words', without({ repetitionPower: 0 })],
  ['joined identifiers', without({ joined: 0 })],
]

const folder = process.argv[2]
if (folder === undefined) {
  console.error(
    'usage: npm run bench:routing -- <folder with skills/ and tools/, each with library.jsonl and queries.jsonl> [--learning | --teaching] [further sets]',
  )
  process.exit(2)
}
const skills = readRoutingSet(folder, 'skills')
const tools = readRoutingSet(folder, 'tools')
const isTeachingOnly = process.argv.includes('--teaching')
if (!isTeachingOnly && !process.argv.includes('--learning')) for (const set of [skills, tools]) report(set)
if (!isTeachingOnly) {
  reportLearning(skills, 2, Infinity)
  reportLearning(tools, 5, 5)
  reportAnswers(skills)
}
const further = process.argv.slice(3).filter((argument) => !argument.startsWith('--'))
for (const set of [skills, tools, ...further.map((name) => readRoutingSet(folder, name))]) {
  reportTeaching(set, set === tools ? 5 : Infinity)
}

function report(set: RoutingSet): void {
  const { name, library, queries, sourceOf } = set
  const run = (router: Router, asked = queries) => summarize(ask(asked, router(library))).figures
  const title = `${name}: ${library.length} documents, ${queries.length} questions`
  printTable(title, [HEADINGS, ...STRATEGIES.map(([label, router]) => row(label, run(router)))])
  printTable('always answering, without one ingredient', [
    HEADINGS,
    ...ABLATIONS.map(([label, router]) => row(label, run(router))),
  ])
  const sources = [...new Set(queries.map(({ id }) => sourceOf.get(id) ?? ''))]
  const asked = (source: string) => queries.filter(({ id }) => sourceOf.get(id) === source)
  printTable('always answering, by where the questions come from', [
    HEADINGS,
    ...sources.map((source) => row(source, run(ranked({ silence: 0 }), asked(source)))),
  ])
}

function row(label: string, figures: Figures): string[] {
  const { positives, r1, r3, r5, ndcg5, mrr, answered, falseTriggers, pairViolations } = figures
  const cells = [r1, r3, r5, ndcg5, mrr, answered, falseTriggers, pairViolations].map((value) => value.toFixed(1))
  return [label, String(positives), ...cells]
}

function ranked(options: RankerOptions): Router {
  return (library) => {
    const ranker = createRanker(library, options)
    return (query) => ranker.rank(query, { limit: 10 })
  }
}

function without(change: Partial<Tuning>): Router {
  return ranked({ silence: 0, tuning: { ...DEFAULT_TUNING, ...change } })
}

/** Keywords are not read for clauses, so a description given as a keyword is one plain text. */
function flat(): Router {
  const fields = field('keywords', { weight: 2, norm: 0.65, length: 50 })
  const router = without({ fields })
  return (library) => router(library.map(({ description, ...rest }) => ({ ...rest, keywords: [description ?? ''] })))
}

function field(name: string, change: Partial<Field>): Tuning['fields'] {
  return DEFAULT_TUNING.fields.map((each) => (each.name === name ? { ...each, ...change } : each))
}

/** The keyword matcher; keywords are the words of the name, then those of the description that tell it apart best. */
function byKeywords(library: readonly RankDocument[]): (query: string) => readonly Found[] {
  const words = library.map(({ name, description = '' }) => splitWords(`${name} ${description}`).filter(isTelling))
  const holders = new Map<string, number>()
  for (const list of words) for (const word of new Set(list)) holders.set(word, (holders.get(word) ?? 0) + 1)
  const entries = library.map(({ id, name }, at) => {
    const named = new Set(splitWords(name))
    const list = words[at] ?? []
    const weight = (word: string) =>
      (named.has(word) ? 100 : list.filter((other) => other === word).length) *
      Math.log(library.length / (holders.get(word) ?? 1))
    const keywords = [...new Set(list)].sort((a, b) => weight(b) - weight(a)).slice(0, 10)
    const shape = { path: '', patterns: [], summary: '', triggers: DEFAULT_TRIGGERS, tokens_est: 0, lines: 0 }
    return { id, keywords, priority: 'domain' as const, ...shape }
  })
  const table = new DispatchTable(entries)
  return (query) => table.match(query).map(({ entry }) => ({ id: entry.id }))
}

function isTelling(word: string): boolean {
  return word.length > 2 && !STOP_WORDS.has(word)
}
