import { basename, dirname, join, resolve } from 'node:path'
import { openKnowledge } from '../answer/search.ts'
import type { SourceRequest } from '../answer/sources.ts'
import { openExamples } from '../examples/examples.ts'
import { promptKey } from '../examples/rules/example.ts'
import { exists, isFolder, readJson } from '../machine/files.ts'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT } from '../machine/open-project.ts'
import { importedDocument } from '../machine/skill-document.ts'
import { Walk } from '../machine/walk.ts'
import { packDocumentIn } from '../packs/catalog.ts'
import { PACK_FILE } from '../packs/rules/pack.ts'
import { type Layers, projectOf, readKnowledge } from '../payloads/knowledge.ts'
import { type KeptPayload, payloadDocument, payloadExamples, rankPayloads } from '../payloads/payload-source.ts'
import { Planner } from '../payloads/plan.ts'
import { DEFAULT_TRIGGERS, isDomain } from '../payloads/rules/loadout-index.ts'
import { DispatchTable } from '../payloads/rules/match.ts'
import type { RankDocument, Strategy } from '../search/document.ts'
import { rankDocuments } from '../search/ranker.ts'
import { rankedSkill } from '../skills/skill-source.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { asFinding, type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { isRecord, isTextList, nearest } from '../text/values.ts'
import { libraryBeside, readLibrary, readSuite, readTestsBeside } from './disk/suites.ts'
import { ask, DEPTH, type Evaluation, type Figures, type Find, type Question, summarize } from './rules/cases.ts'
import { SUITE_IN_PROJECT, unusedTests } from './tested.ts'

export interface EvalRequest extends SourceRequest {
  /** Default: the project's own. */
  suite?: string
  /** What to search instead of the layers. */
  library?: string
  strategy?: Strategy
  /** How many per cent of the questions must be answered as they should. */
  min?: number
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

/**
 * Tests questions and reports the results; a result below a threshold is an error. A suite is tested against the
 * layers, or a named library. A folder of skills and packs, or a project, is tested with its own questions: its tests,
 * and its examples, each left out while it is tested. So is everything known here, if no suite is named and the project
 * has none.
 */
export function evaluateEntries(machine: Machine, request: EvalRequest): SuiteReport {
  const { path, documents, questions, findings, strategy, ...of } = openEvaluation(machine, request)
  if (documents?.length === 0) {
    const trouble = findings[0]
    const hint = trouble?.hint ?? 'name a folder of skills or packs, an index, or a library with --library'
    throw failWith('NO_INDEX/untestable', { path, trouble: trouble?.message, hint })
  }
  if (questions.length === 0) {
    const why = findings.length === 0 ? '' : `; ${findings.at(-1)!.message}`
    throw failWith('BAD_SUITE/no-questions', { path, why })
  }
  const router = of.router ?? { find: foldedRouter(documents!, questions, strategy), ids: idsOf(documents!) }
  const evaluation = summarize(ask(questions, router.find))
  const value: SuiteReport = { suite: path, strategy, documents: router.ids.size, ...evaluation }
  const heldOut = questions.filter(({ fold }) => fold !== undefined).length
  if (heldOut > 0) value.heldOut = heldOut
  const isTaught = documents?.some(({ examples = [], negatives = [] }) => examples.length + negatives.length > 0)
  if (isTaught && of.isOwn && strategy === 'ranked') {
    const untaught = documents!.map(({ examples: _, negatives: __, ...rest }) => rest)
    value.withoutExamples = summarize(ask(questions, documentRouter(untaught, strategy))).figures
  }
  machine.report(...findings, ...unknownIds(questions, router.ids), ...belowThreshold(evaluation, request))
  return value
}

/** What is asked, and what is searched: documents, or the layers of a project. */
interface Opened {
  path: string
  questions: Question[]
  strategy: Strategy
  documents?: RankDocument[]
  router?: Router
  /** Its own questions are asked, or its entries may have examples. */
  isOwn?: boolean
  findings: Finding[]
}

function openEvaluation(machine: Machine, request: EvalRequest): Opened {
  const [suite, library] = [request.suite, request.library].map((path) => path && resolve(machine.cwd, path))
  const strategy = request.strategy ?? 'ranked'
  // A folder with skills, packs or an index, rather than only questions.
  const isEntries = (folder: string) =>
    isFolder(folder) && (exists(join(folder, INDEX_IN_PROJECT)) || entryFolders(folder, true).length > 0)
  const folder =
    library === undefined
      ? suite !== undefined && isEntries(suite)
        ? suite
        : undefined
      : isFolder(library) || library.endsWith('.json')
        ? library
        : undefined
  if (folder !== undefined) {
    const { documents, aliases, findings } = openLibrary(machine, folder)
    const isTested = library !== undefined && suite !== undefined
    const own = isTested || !isFolder(folder) ? { questions: [], unused: [] } : readTestsBeside(folder)
    if (own.unused.length > 0) findings.push(unusedTests(own.unused))
    // Tests name a skill by its folder or by its name.
    const named = (ids: readonly string[]) => ids.map((id) => aliases.get(id) ?? id)
    const asked = isTested ? readSuite(suite) : [...own.questions, ...heldOutQuestions(documents)]
    const questions = asked.map((each) => ({ ...each, expected: named(each.expected), not: named(each.not) }))
    return { path: folder, documents, questions, strategy, findings, isOwn: true }
  }
  if (suite === undefined && library === undefined && !exists(suiteOf(machine, request))) {
    const everything = openKnowledge(machine, request)
    const documents = everything.documents().map(({ kept, ...rest }) => ({ ...rest, id: `${kept.kind}:${kept.name}` }))
    const about = { path: 'everything here', strategy, isOwn: true, findings: everything.findings() }
    return { ...about, documents, questions: heldOutQuestions(documents) }
  }
  const path = suitePath(machine, request)
  const questions = readSuite(path)
  const beside = library ?? libraryBeside(path)
  if (beside !== undefined) return { path, questions, strategy, documents: readLibrary(beside), findings: [] }
  const own = new Planner(machine).strategyOf(request)
  const router = layerRouter(machine, request.layers, own)
  return { path, questions, strategy: own, router, findings: router.findings }
}

export interface CompareRequest {
  /** Two index files. */
  before: string
  after: string
  suite?: string
  strategy?: Strategy
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
export function compareIndexes(machine: Machine, request: CompareRequest): Comparison {
  const suite = suitePath(machine, request)
  const questions = readSuite(suite)
  const strategy = request.strategy ?? new Planner(machine).strategyOf(request)
  const only = (path: string) => {
    const index = resolve(machine.cwd, path)
    if (!exists(index)) {
      throw failWith('FILE_NOT_FOUND/index', { index })
    }
    const alone = { projectRoot: '', globalDir: '', orgPath: '', sessionPath: index }
    const { find, findings } = layerRouter(machine, alone, strategy, rootOf(machine, request.layers))
    const cases = ask(questions, find)
    return { answers: cases.map(({ found }) => found.map(({ id }) => id)), ...summarize(cases), findings }
  }
  const [before, after] = [only(request.before), only(request.after)]
  const changes = questions.flatMap(({ id, prompt }, at) => {
    const [old = [], now = []] = [before.answers[at], after.answers[at]]
    return old.join('\n') === now.join('\n') ? [] : [{ qid: id, query: prompt, before: old, after: now }]
  })
  const figures = { before: before.figures, after: after.figures }
  const value = { suite, strategy, questions: questions.length, ...figures, changes }
  machine.report(...before.findings, ...after.findings)
  return value
}

interface Router {
  ids: Set<string>
  findings: Finding[]
  find: Find
}

/** Routes to the entries of the layers; with a root, reads payloads there instead of beside their index. */
function layerRouter(machine: Machine, layers: Layers, strategy: Strategy, root?: string): Router {
  const read = readKnowledge(machine, layers)
  const knowledge = root === undefined ? read : read.at(root)
  const { entries, findings } = knowledge
  if (entries.length === 0) {
    const { message = 'no index was found', hint = 'run: loadout rules build, or name a library with --library' } =
      findings[0] ?? {}
    throw failWith('NO_INDEX/nothing-to-test', { why: message, hint })
  }
  const ids = new Set(entries.map(({ id }) => id))
  if (strategy === 'keywords') return { ids, findings, find: byKeywords(knowledge.table) }
  const ranking = rankPayloads(machine, knowledge)
  const find = (prompt: string) =>
    ranking.rank(prompt, { limit: DEPTH }).map((hit) => ({ ...hit, id: (hit.kept as KeptPayload).name }))
  return { ids, findings: [...findings, ...ranking.findings], find }
}

function documentRouter(documents: readonly RankDocument[], strategy: Strategy): Find {
  if (strategy === 'ranked') {
    const rank = rankDocuments(documents)
    return (prompt) => rank(prompt, DEPTH)
  }
  const fixed = { path: '', patterns: [], triggers: DEFAULT_TRIGGERS, tokens_est: 0, lines: 0 }
  const entries = documents.map(({ id, description: summary = '', keywords = [] }) => {
    return { ...fixed, id, keywords: [...keywords], priority: 'domain' as const, summary }
  })
  return byKeywords(new DispatchTable(entries))
}

/** The choice of the keyword matcher, without core entries, which load for every task. */
function byKeywords(table: DispatchTable): Router['find'] {
  return (prompt) =>
    table
      .match(prompt)
      .filter(({ mode }) => mode !== 'eager')
      .map(({ entry, score, matchedKeywords, matchedPatterns }) => ({
        id: entry.id,
        why: [...matchedKeywords, ...matchedPatterns].map((term) => ({ term, field: 'keywords', weight: score })),
      }))
}

/** The examples are split into this many parts; of an entry with ten, one at a time is left out. */
const FOLDS = 10

function heldOutQuestions(documents: readonly RankDocument[]): Question[] {
  return documents.flatMap(({ id, examples = [], negatives = [] }) => [
    ...examples.map((prompt, at): Question => {
      return { id: `${id} example ${at + 1}`, prompt, expected: [id], not: [], kind: 'pos', fold: at % FOLDS }
    }),
    ...negatives.map((prompt, at): Question => {
      return { id: `${id} not ${at + 1}`, prompt, expected: [], not: [id], kind: 'pairneg', fold: at % FOLDS }
    }),
  ])
}

/** No question is tested against a library that contains it as an example. */
function foldedRouter(documents: readonly RankDocument[], questions: readonly Question[], strategy: Strategy): Find {
  const asked = new Set(questions.filter(({ fold }) => fold === undefined).map(({ prompt }) => promptKey(prompt)))
  const routers = new Map<number | undefined, Find>()
  return (prompt, question) => {
    const { fold } = question
    const isKept = (example: string, at: number) =>
      fold === undefined ? !asked.has(promptKey(example)) : at % FOLDS !== fold
    const without = () =>
      documents.map(({ examples = [], negatives = [], ...rest }) => {
        return { ...rest, examples: examples.filter(isKept), negatives: negatives.filter(isKept) }
      })
    const router = routers.get(fold) ?? documentRouter(without(), strategy)
    routers.set(fold, router)
    return router(prompt, question)
  }
}

/** A folder of skills and packs, a project, or an index file; and the folders of skills whose ids are other words. */
function openLibrary(machine: Machine, path: string) {
  const documents: RankDocument[] = []
  const aliases = new Map<string, string>()
  const findings: Finding[] = []
  const library = { documents, aliases, findings }
  const index = isFolder(path) ? join(path, INDEX_IN_PROJECT) : path
  if (exists(index) || index === path) {
    const isProjects = index.endsWith(INDEX_IN_PROJECT)
    const projectRoot = isProjects ? dirname(dirname(dirname(index))) : ''
    const layers = { projectRoot, globalDir: '', orgPath: '', sessionPath: isProjects ? '' : index }
    const knowledge = readKnowledge(machine, layers)
    findings.push(...knowledge.findings)
    const examples = payloadExamples(knowledge)
    // Only entries that a task may load.
    for (const entry of knowledge.entries.filter(isDomain)) {
      documents.push(examples.into('payload', payloadDocument(knowledge, entry, findings)))
    }
  }
  if (index === path) return library
  const examples = openExamples({ project: path, library: path })
  const taken = new Set(documents.map(({ id }) => id))
  for (const { inside, file } of entryFolders(path, false)) {
    try {
      const isSkill = file === DOCUMENT_FILE
      const read = isSkill ? readSkill(path, inside) : packDocumentIn(join(path, inside))
      if (read === undefined) continue
      const document = examples.into(isSkill ? 'skill' : 'pack', read, true)
      // Folders distinguish two entries of one name.
      const id = taken.has(document.id) ? inside : document.id
      taken.add(id)
      documents.push({ ...document, id })
      const folder = basename(inside)
      if (folder !== id && !aliases.has(folder)) aliases.set(folder, id)
    } catch (error) {
      findings.push(asFinding(error, { subject: inside }))
    }
  }
  return library
}

/** Folders with a skill or a pack, by path; with `isEnough` only the first. */
function entryFolders(root: string, isEnough: boolean): { inside: string; file: string }[] {
  const found: { inside: string; file: string }[] = []
  const walk = new Walk(root, { ignore: ['versions', 'dependencies'] })
  for (const { inside, entries, enter } of walk.folders()) {
    const file = entries.find(({ name }) => name === DOCUMENT_FILE || name === PACK_FILE)?.name
    if (file !== undefined) found.push({ inside, file })
    if (isEnough && found.length > 0) break
    for (const { name, kind, isIgnored } of entries) if (kind === 'folder' && !isIgnored) enter(name)
  }
  return found.sort((a, b) => (a.inside < b.inside ? -1 : 1))
}

/** A skill, with the label that it has in the library. */
function readSkill(root: string, inside: string): RankDocument {
  const markdown = readTextInside(root, join(inside, DOCUMENT_FILE))
  let label: unknown
  try {
    label = readJson(join(root, inside, 'skill.json'))
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
  }
  const { name, description, tags } = isRecord(label) ? label : {}
  return rankedSkill(
    {
      name: typeof name === 'string' ? name : (importedDocument(markdown).name ?? basename(join(root, inside))),
      description: typeof description === 'string' ? description : undefined,
      tags: isTextList(tags) ? tags : undefined,
    },
    markdown,
  )
}

function idsOf(documents: readonly RankDocument[]): Set<string> {
  return new Set(documents.map(({ id }) => id))
}

function rootOf(machine: Machine, layers: Layers): string {
  return (projectOf(machine, layers) ?? machine.openProject()).root
}

function suiteOf(machine: Machine, { layers }: { layers: Layers }): string {
  return join(rootOf(machine, layers), SUITE_IN_PROJECT)
}

function suitePath(machine: Machine, request: { suite?: string; layers: Layers }): string {
  if (request.suite !== undefined) return resolve(machine.cwd, request.suite)
  const path = suiteOf(machine, request)
  if (exists(path)) return path
  throw failWith('BAD_SUITE/missing', { path })
}

const MOST_UNKNOWN = 8

/** A question with an unknown id can only fail; the id is probably mistyped. */
function unknownIds(questions: readonly Question[], ids: ReadonlySet<string>): Finding[] {
  const named = new Set(questions.flatMap(({ expected, not }) => [...expected, ...not]))
  const unknown = [...named].filter((id) => !ids.has(id))
  const findings = unknown.slice(0, MOST_UNKNOWN).map((id): Finding => {
    const close = nearest(id, [...ids])
    const hint = close === undefined ? 'check the suite' : `did you mean ${close}?`
    return report('ENTRY_NOT_FOUND/suite', { id, hint })
  })
  const more = unknown.length - MOST_UNKNOWN
  return more <= 0 ? findings : [...findings, report('ENTRY_NOT_FOUND/suite-more', { more })]
}

function belowThreshold({ figures, confusions }: Evaluation, { min = 0 }: EvalRequest): Finding[] {
  const questions = figures.positives + figures.negatives + figures.pairs
  const share = questions === 0 ? 100 : (100 * (questions - confusions.length)) / questions
  return share < min ? [report('BELOW_THRESHOLD/figure', { share: share.toFixed(1), min })] : []
}
