import { resolve } from 'node:path'
import { openSources, type SourceRequest, withoutRepeats } from '../answer/sources.ts'
import { promptKey } from '../examples/rules/example.ts'
import { isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import {
  belowThreshold,
  documentRouter,
  type EvaluateRequest,
  evaluateSuite,
  hasProjectSuite,
  questionsIn,
  type Router,
  type SuiteReport,
  testsBeside,
  unknownIds,
} from '../payloads/evaluate.ts'
import { type EvalQuery, evaluate } from '../payloads/rules/evaluation.ts'
import type { RankDocument } from '../search/document.ts'
import type { Strategy } from '../search/strategy.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { type EvalLibrary, isLibrary, openLibrary } from './eval-library.ts'

export type EvalRequest = EvaluateRequest &
  SourceRequest & {
    /** Test the examples of everything known here, although the project has its own questions. */
    own?: boolean | undefined
  }

/**
 * Tests questions and reports the results. A suite is tested against the layers, or a named library. A folder of skills
 * and packs, or a project, is tested with its own questions: its tests, and its examples, each left out while it is
 * tested. So is everything known here, if no suite is named and the project has none.
 */
export function evaluateEntries(machine: Machine, request: EvalRequest): Report<SuiteReport> {
  const { suite, library, own = false, layers } = request
  if (library !== undefined) {
    const path = resolve(machine.cwd, library)
    if (!isFolder(path) && !path.endsWith('.json')) return evaluateSuite(machine, request)
    const opened = openLibrary(machine, path)
    return suite === undefined
      ? askLibrary(opened, ownQuestions(opened), request)
      : askLibrary(opened, { queries: questionsIn(resolve(machine.cwd, suite)), findings: [] }, request)
  }
  if (suite !== undefined) {
    const path = resolve(machine.cwd, suite)
    if (!isLibrary(path)) return evaluateSuite(machine, request)
    const opened = openLibrary(machine, path)
    return askLibrary(opened, ownQuestions(opened), request)
  }
  if (!own && hasProjectSuite(machine, layers)) return evaluateSuite(machine, request)
  const known = everythingHere(machine, request)
  return askLibrary(known, { queries: heldOutQuestions(known.documents), findings: [] }, request)
}

interface Questions {
  queries: EvalQuery[]
  findings: Finding[]
}

/** The tests in a folder, and the examples of its entries. */
function ownQuestions({ path, documents }: EvalLibrary): Questions {
  const { queries, unused } = isFolder(path) ? testsBeside(path) : { queries: [], unused: [] }
  const [first] = unused
  const more = unused.length > 1 ? ` and ${unused.length - 1} more` : ''
  const findings: Finding[] =
    first === undefined
      ? []
      : [
          {
            severity: 'info',
            code: 'BAD_SUITE',
            message: `there are no trigger tests in ${first}${more}`,
            count: unused.length,
            hint: 'a test is { "query": "…", "should_trigger": true }',
          },
        ]
  return { queries: [...queries, ...heldOutQuestions(documents)], findings }
}

/** The examples are split into this many parts; of an entry with ten, one at a time is left out. */
const FOLDS = 10

function heldOutQuestions(documents: readonly RankDocument[]): EvalQuery[] {
  return documents.flatMap(({ id, examples = [], negatives = [] }) => [
    ...examples.map((query, at): EvalQuery => {
      return { qid: `${id} example ${at + 1}`, query, relevant: [id], not: [], kind: 'pos', fold: at % FOLDS }
    }),
    ...negatives.map((query, at): EvalQuery => {
      return { qid: `${id} not ${at + 1}`, query, relevant: [], not: [id], kind: 'pairneg', fold: at % FOLDS }
    }),
  ])
}

function askLibrary(library: EvalLibrary, questions: Questions, request: EvalRequest): Report<SuiteReport> {
  const { path, documents, aliases } = library
  if (documents.length === 0) throw nothingToAsk(path, library.findings[0])
  const queries = questions.queries.map((query) => withIds(query, aliases))
  if (queries.length === 0) throw noQuestions(path, questions.findings[0])
  const strategy = request.strategy ?? 'ranked'
  const isTaught = documents.some(({ examples = [], negatives = [] }) => examples.length + negatives.length > 0)
  const evaluation = evaluate(queries, foldedRouter(documents, queries, strategy))
  const ids = new Set(documents.map(({ id }) => id))
  const heldOut = queries.filter(({ fold }) => fold !== undefined).length
  const untaught = documents.map(({ examples: _, negatives: __, ...rest }) => rest)
  const value: SuiteReport = {
    suite: path,
    strategy,
    documents: documents.length,
    ...evaluation,
    ...(heldOut > 0 ? { heldOut } : {}),
    ...(isTaught && strategy === 'ranked'
      ? { withoutExamples: evaluate(queries, documentRouter(untaught, strategy).answer).figures }
      : {}),
  }
  const findings = [...library.findings, ...questions.findings, ...unknownIds(queries, ids)]
  return { value, findings: [...findings, ...belowThreshold(evaluation.figures, request)] }
}

/** Tests name a skill by its folder or by its name. */
function withIds(query: EvalQuery, aliases: ReadonlyMap<string, string>): EvalQuery {
  const named = (ids: readonly string[]) => ids.map((id) => aliases.get(id) ?? id)
  return { ...query, relevant: named(query.relevant), not: named(query.not) }
}

/** No question is tested against a library that contains it as an example. */
function foldedRouter(documents: readonly RankDocument[], queries: readonly EvalQuery[], strategy: Strategy) {
  const asked = new Set(queries.filter(({ fold }) => fold === undefined).map(({ query }) => promptKey(query)))
  const isUnasked = (prompt: string) => !asked.has(promptKey(prompt))
  const routers = new Map<number | undefined, Router>()
  const without = (fold: number | undefined) => {
    const isKept = (prompt: string, at: number) => (fold === undefined ? isUnasked(prompt) : at % FOLDS !== fold)
    return documents.map(({ examples = [], negatives = [], ...rest }) => {
      return { ...rest, examples: examples.filter(isKept), negatives: negatives.filter(isKept) }
    })
  }
  return (query: string, { fold }: EvalQuery) => {
    const router = routers.get(fold) ?? documentRouter(without(fold), strategy)
    routers.set(fold, router)
    return router.answer(query)
  }
}

/** Payloads, packs and skills visible on this machine, with the committed examples. */
function everythingHere(machine: Machine, request: EvalRequest): EvalLibrary {
  const { sources, findings } = openSources(machine, request)
  const documents = sources.flatMap(({ kind, segments }) =>
    segments.flatMap(({ readDocuments }) =>
      readDocuments(findings).map(({ kept, ...rest }) => ({
        ...rest,
        id: `${kind}:${(kept as { name: string }).name}`,
      })),
    ),
  )
  return { path: 'everything here', documents, aliases: new Map(), findings: withoutRepeats(findings) }
}

function nothingToAsk(path: string, first: Finding | undefined): LoadoutError {
  const trouble = first === undefined ? '' : `: ${first.message}`
  return new LoadoutError('NO_INDEX', `nothing in ${path} can be tested${trouble}`, {
    hint: first?.hint ?? 'name a folder of skills or packs, an index, or a library with --library',
  })
}

function noQuestions(path: string, unused: Finding | undefined): LoadoutError {
  const why = unused === undefined ? '' : `; ${unused.message}`
  return new LoadoutError('BAD_SUITE', `there are no questions: ${path} has no tests and no examples${why}`, {
    hint: 'loadout teach adds examples; or write questions into .claude/loadout/evals, one per line: {"query": "…", "relevant": ["id"]}',
  })
}
