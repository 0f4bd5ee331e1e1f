import { dirname, join, resolve } from 'node:path'
import { exists } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT, openProject } from '../machine/open-project.ts'
import type { RankDocument } from '../search/document.ts'
import { createRanker } from '../search/ranker.ts'
import type { Strategy } from '../search/strategy.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { nearest } from '../text/values.ts'
import { libraryBeside, readLibrary, readSuite, readTestsBeside } from './disk/eval-files.ts'
import { readKnowledge } from './knowledge.ts'
import { type Layers, projectOf } from './layers.ts'
import { type KeptPayload, payloadDocument, payloadExamples, rankPayloads } from './payload-source.ts'
import { strategyOf } from './plan.ts'
import { allEntries, createTable } from './rules/dispatch-table.ts'
import { type Answer, EVAL_DEPTH, type EvalQuery, type Evaluation, evaluate, type Figures } from './rules/evaluation.ts'
import { DEFAULT_TRIGGERS, isDomain, type LoadoutEntry } from './rules/loadout-index.ts'
import { type MatchResult, matchTable } from './rules/match.ts'

/** Where a project stores its own questions. */
const SUITE_IN_PROJECT = '.claude/loadout/evals'

export interface Thresholds {
  minR1?: number | undefined
  minR3?: number | undefined
  minR5?: number | undefined
  maxFalse?: number | undefined
  maxPairs?: number | undefined
}

export interface EvaluateRequest extends Thresholds {
  /** Default: the project's own. */
  suite?: string | undefined
  /** A library of documents instead of the layers. */
  library?: string | undefined
  strategy?: Strategy | undefined
  layers: Layers
}

export interface SuiteReport extends Evaluation {
  suite: string
  strategy: Strategy
  documents: number
  /** How many questions are the library's own examples, each left out while it was tested. */
  heldOut?: number
  /** The same questions without any examples. */
  withoutExamples?: Figures
}

/** Tests every question of a suite and reports the results. A result below a threshold is an error. */
export function evaluateSuite(machine: Machine, request: EvaluateRequest): Report<SuiteReport> {
  const suite = suitePath(machine, request.suite, request.layers)
  const queries = readSuite(suite)
  const library = request.library === undefined ? libraryBeside(suite) : resolve(machine.cwd, request.library)
  const strategy = request.strategy ?? (library === undefined ? strategyOf(machine, request) : 'ranked')
  const router =
    library === undefined
      ? layerRouter(machine, request.layers, strategy)
      : documentRouter(readLibrary(library), strategy)
  const evaluation = evaluate(queries, router.answer)
  const findings = [
    ...router.findings,
    ...unknownIds(queries, router.ids),
    ...belowThreshold(evaluation.figures, request),
  ]
  return { value: { suite, strategy, documents: router.ids.size, ...evaluation }, findings }
}

export interface CompareRequest {
  /** Two index files. */
  before: string
  after: string
  suite?: string | undefined
  strategy?: Strategy | undefined
  layers: Layers
}

export interface Comparison {
  suite: string
  strategy: Strategy
  questions: number
  before: Figures
  after: Figures
  changes: { qid: string; query: string; before: string[]; after: string[] }[]
}

/** The questions of a suite whose answer changes when one index replaces another. */
export function compareIndexes(machine: Machine, request: CompareRequest): Report<Comparison> {
  const suite = suitePath(machine, request.suite, request.layers)
  const queries = readSuite(suite)
  const strategy = request.strategy ?? strategyOf(machine, request)
  const only = (path: string) => {
    const index = resolve(machine.cwd, path)
    if (!exists(index))
      throw new LoadoutError('FILE_NOT_FOUND', `${index} does not exist`, { hint: 'name two index files' })
    const alone = { projectRoot: '', globalDir: '', orgPath: '', sessionPath: index }
    return layerRouter(machine, alone, strategy, rootOf(machine, request.layers))
  }
  const [before, after] = [only(request.before), only(request.after)]
  const changes = queries.flatMap(({ qid, query }) => {
    const [old, now] = [before.answer(query).map(({ id }) => id), after.answer(query).map(({ id }) => id)]
    return old.join('\n') === now.join('\n') ? [] : [{ qid, query, before: old, after: now }]
  })
  const figures = (router: Router) => evaluate(queries, router.answer).figures
  const value = { suite, strategy, questions: queries.length, before: figures(before), after: figures(after), changes }
  return { value, findings: [...before.findings, ...after.findings] }
}

export interface Router {
  ids: Set<string>
  findings: Finding[]
  answer(query: string): Answer[]
}

/** Routes to the entries of the layers; with a root, reads payloads there instead of beside their index. */
function layerRouter(machine: Machine, layers: Layers, strategy: Strategy, root?: string): Router {
  const found = readKnowledge(machine, layers)
  const places = found.places.map((place) => ({ ...place, root: root ?? place.root }))
  const knowledge = root === undefined ? found : { ...found, places, rootOf: () => root }
  const { table, findings } = knowledge
  if (table.size === 0) {
    throw new LoadoutError('NO_INDEX', `there is nothing to test: ${findings[0]?.message ?? 'no index was found'}`, {
      hint: findings[0]?.hint ?? 'run: loadout index build, or name a library with --library',
    })
  }
  const ids = new Set(allEntries(table).map(({ id }) => id))
  if (strategy === 'keywords') return { ids, findings, answer: (query) => byKeywords(matchTable(query, table)) }
  const ranking = rankPayloads(machine, knowledge)
  const answer = (query: string) =>
    ranking.rank(query, { limit: EVAL_DEPTH }).map((hit) => ({ ...hit, id: (hit.kept as KeptPayload).name }))
  return { ids, findings: [...findings, ...ranking.findings], answer }
}

export function documentRouter(documents: readonly RankDocument[], strategy: Strategy): Router {
  const common = { ids: new Set(documents.map(({ id }) => id)), findings: [] }
  if (strategy === 'keywords') {
    const table = createTable(documents.map(entryFor))
    return { ...common, answer: (query) => byKeywords(matchTable(query, table)) }
  }
  const ranker = createRanker(documents)
  return { ...common, answer: (query) => ranker.rank(query, { limit: EVAL_DEPTH }) }
}

/** The documents of a file, one per line. */
export function libraryDocuments(path: string): RankDocument[] {
  return readLibrary(path)
}

/** The entries of an index file that a task may load, with the examples of its project. */
export function indexDocuments(machine: Machine, path: string): { documents: RankDocument[]; findings: Finding[] } {
  const none = { globalDir: '', orgPath: '' }
  const layers = path.endsWith(INDEX_IN_PROJECT)
    ? { ...none, projectRoot: dirname(dirname(dirname(path))), sessionPath: '' }
    : { ...none, projectRoot: '', sessionPath: path }
  const knowledge = readKnowledge(machine, layers)
  const findings = [...knowledge.findings]
  const examples = payloadExamples(machine, knowledge, 'committed')
  const documents = allEntries(knowledge.table)
    .filter(isDomain)
    .map((entry) => examples.into('payload', payloadDocument(knowledge, entry, findings)))
  return { documents, findings }
}

/** The questions of a file or folder that was named. */
export function questionsIn(path: string): EvalQuery[] {
  return readSuite(path)
}

/** The tests beside skills and packs; names files in another form. */
export function testsBeside(folder: string): { queries: EvalQuery[]; unused: string[] } {
  return readTestsBeside(folder)
}

/** Whether the project has questions of its own. */
export function hasProjectSuite(machine: Machine, layers: Layers): boolean {
  return exists(join(rootOf(machine, layers), SUITE_IN_PROJECT))
}

/** The choice of the keyword matcher, without core entries, which load for every task. */
function byKeywords(matches: readonly MatchResult[]): Answer[] {
  return matches
    .filter(({ mode }) => mode !== 'eager')
    .map(({ entry, score, matchedKeywords, matchedPatterns }) => ({
      id: entry.id,
      why: [...matchedKeywords, ...matchedPatterns].map((term) => ({ term, field: 'keywords', weight: score })),
    }))
}

function entryFor({ id, description = '', keywords = [] }: RankDocument): LoadoutEntry {
  return {
    id,
    path: '',
    keywords: [...keywords],
    patterns: [],
    priority: 'domain',
    summary: description,
    triggers: DEFAULT_TRIGGERS,
    tokens_est: 0,
    lines: 0,
  }
}

function rootOf(machine: Machine, layers: Layers): string {
  return (projectOf(machine, layers) ?? openProject(machine)).root
}

function suitePath(machine: Machine, named: string | undefined, layers: Layers): string {
  if (named !== undefined) return resolve(machine.cwd, named)
  const path = join(rootOf(machine, layers), SUITE_IN_PROJECT)
  if (exists(path)) return path
  throw new LoadoutError('BAD_SUITE', `there is no suite: ${path} does not exist`, {
    hint: 'name a file of questions, or write some there, one per line: {"query": "…", "relevant": ["id"]}',
  })
}

/** A question with an unknown id can only fail; the id is probably mistyped. */
export function unknownIds(queries: readonly EvalQuery[], ids: ReadonlySet<string>): Finding[] {
  const named = new Set(queries.flatMap(({ relevant, not }) => [...relevant, ...not]))
  const unknown = [...named].filter((id) => !ids.has(id))
  const more: Finding[] =
    unknown.length <= MOST_UNKNOWN
      ? []
      : [
          {
            severity: 'warning',
            code: 'ENTRY_NOT_FOUND',
            message: `${unknown.length - MOST_UNKNOWN} more ids do not exist`,
          },
        ]
  return [
    ...unknown.slice(0, MOST_UNKNOWN).map((id): Finding => {
      const close = nearest(id, [...ids])
      const hint = close === undefined ? 'check the suite' : `did you mean ${close}?`
      return {
        severity: 'warning',
        code: 'ENTRY_NOT_FOUND',
        message: `the suite names "${id}", which does not exist`,
        hint,
      }
    }),
    ...more,
  ]
}

const MOST_UNKNOWN = 8

export function belowThreshold(figures: Figures, { minR1, minR3, minR5, maxFalse, maxPairs }: Thresholds): Finding[] {
  const low = (name: string, value: number, limit: number | undefined): Finding[] =>
    figures.positives > 0 && limit !== undefined && value < limit
      ? [missed(`${name} is ${value.toFixed(1)} %, below ${limit} %`)]
      : []
  const high = (name: string, value: number, limit: number | undefined): Finding[] =>
    limit !== undefined && value > limit ? [missed(`${name} are ${value.toFixed(1)} %, above ${limit} %`)] : []
  return [
    ...low('R@1', figures.r1, minR1),
    ...low('R@3', figures.r3, minR3),
    ...low('R@5', figures.r5, minR5),
    ...high('false triggers', figures.falseTriggers, maxFalse),
    ...high('wrong triggers', figures.pairViolations, maxPairs),
  ]
}

function missed(message: string): Finding {
  return {
    severity: 'error',
    code: 'BELOW_THRESHOLD',
    message,
    hint: 'the wrong answers show which entries are too similar',
  }
}
