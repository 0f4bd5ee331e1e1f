import type { Figures } from '../../lab/rules/cases.ts'
import {
  type Comparison,
  type HistoryEvaluation,
  type PackEvaluation,
  STRATEGIES,
  type SuiteReport,
} from '../../loadout.ts'
import { failWith, type Report } from '../../text/trouble.ts'
import { defineCommand, LAYER_FLAGS, nameOfKey, PACK_KIND_FLAG } from '../command.ts'
import { alignRows, count, grouped, lines, printableLine, type Screen } from '../screen.ts'

export const test = defineCommand({
  name: 'test',
  aliases: { eval: [], 'packs eval': ['--kind', 'pack'] },
  summary: 'measure the search with your own questions, also in CI',
  details: `A suite is a file of questions, one per line: {"query": "cut a release", "relevant": ["release-pipeline"]}; a JSON file of
trigger tests in an evals folder; or a folder of such files. It is tested against the layers, a library.jsonl beside
it, or --library: a folder of skills or packs, a project, an index file, or documents, one per line.
A folder of skills or packs, or a project, instead of the suite is tested with its own questions: its trigger tests, and
its examples (loadout teach), each left out while it is tested.
Without a suite: .claude/loadout/evals of the project, or else the examples of everything known here.
loadout test --compare <old-index> <new-index> [suite] lists the questions whose answer changes.
loadout test --history 100 tests the file search with the last commits: the subject is the task, in the tree before it.
loadout test pack:name tests whether the prompts in the pack's evals/discovery.*.json select the pack.
It exits with 1 when a question fails or a suite is malformed.`,
  args: [
    {
      name: 'suite',
      summary: 'questions, a folder of skills or packs, pack:name, or with --compare the old index',
      complete: 'file',
    },
    { name: 'new-index', summary: 'with --compare: the new index', complete: 'file' },
    { name: 'questions', summary: 'with --compare: the suite', complete: 'file' },
  ],
  flags: {
    strategy: {
      kind: 'choice',
      choices: STRATEGIES,
      summary: 'routing strategy (default: the project’s, ranked for a library)',
    },
    library: { kind: 'text', value: 'path', summary: 'what to search: a folder, an index, or documents, one per line' },
    own: { kind: 'switch', summary: 'use the examples of everything known here, not the suite of the project' },
    compare: { kind: 'switch', summary: 'compare two indexes' },
    history: { kind: 'number', value: 'commits', summary: 'test which files it finds for the last commits' },
    packSuite: {
      name: 'suite',
      kind: 'text',
      value: 'train|validation|file',
      summary: 'for a pack: only this suite (default: all)',
    },
    write: { kind: 'switch', summary: 'for a pack: store the results in the pack, below runs/' },
    ...PACK_KIND_FLAG,
    minR1: { kind: 'number', value: 'percent', summary: 'fail if the right result is first less often' },
    minR3: { kind: 'number', value: 'percent', summary: 'fail if it is in the first three less often' },
    minR5: { kind: 'number', value: 'percent', summary: 'fail if it is in the first five less often' },
    maxFalse: {
      kind: 'number',
      value: 'percent',
      summary: 'fail if more questions without an answer get one',
    },
    maxPairs: { kind: 'number', value: 'percent', summary: 'fail if more questions choose a forbidden result' },
    ...LAYER_FLAGS,
  },
  run: ({ args, flags }, loadout): Promise<Report<Evaluation>> => {
    const { history, kind, packSuite, write, compare, ...asked } = flags
    const { project, strategy } = asked
    if (history !== undefined) {
      if (args.suite !== undefined) throw failWith('USAGE/history-suite')
      if (!Number.isSafeInteger(history) || history < 1 || history > MOST_COMMITS) {
        throw failWith('USAGE/history', { most: MOST_COMMITS })
      }
      return loadout.knowledge.evaluateHistory({ project, commits: history })
    }
    const pack = kind === 'pack' ? args.suite : /^pack:(.+)/.exec(args.suite ?? '')?.[1]
    if (pack !== undefined || kind === 'pack') {
      if (pack === undefined || pack.trim() === '') throw failWith('USAGE/no-tested-pack')
      // A pack has its own suites: no routing flag applies.
      const other = Object.keys(flags).find((key) => !PACK_FLAGS.includes(key))
      if (other !== undefined) throw failWith('USAGE/not-of-packs', { flag: nameOfKey(other) })
      if (args['new-index'] !== undefined)
        throw failWith('USAGE/unexpected', { word: args['new-index'], command: 'test' })
      return loadout.knowledge.evaluatePack({ pack, project, suite: packSuite, write })
    }
    if (packSuite !== undefined || write) throw failWith('USAGE/pack-suite')
    const layers = loadout.knowledge.nameLayers(flags)
    if (!compare) {
      if (args['new-index'] !== undefined) throw failWith('USAGE/one-suite')
      return loadout.knowledge.evaluate({ ...asked, suite: args.suite, layers })
    }
    const { suite: before, 'new-index': after, questions: suite } = args
    if (before === undefined || after === undefined)
      throw failWith('USAGE/needs', { flag: '--compare', what: 'two index files', command: 'test' })
    return loadout.knowledge.compare({ before, after, suite, strategy, layers })
  },
  print: (value, screen) => {
    if ('recall' in value) return printHistory(value, screen)
    if ('suites' in value) return printPackEvaluation(value, screen)
    return 'changes' in value ? printComparison(value, screen) : printReport(value, screen)
  },
})

type Evaluation = SuiteReport | Comparison | PackEvaluation | HistoryEvaluation

const MOST_COMMITS = 1000
const PACK_FLAGS = ['project', 'kind', 'packSuite', 'write']

function printHistory({ tasks, files, chars, recall, misses }: HistoryEvaluation, screen: Screen): string {
  const share = (value: number | undefined) => (value === undefined ? '\u2013' : `${Math.round(value * 100)} %`)
  const row = (name: string, { first, five, all, lines: shown }: HistoryEvaluation['recall']['loadout']) => [
    `  ${name}`,
    ...[first, five, all, shown].map((value) => share(value).padStart(5)),
  ]
  const place = (rank: number | null) => (rank === null ? 'not found' : `place ${rank}`)
  return lines(
    `${count(tasks, 'commit')} tested, each in the tree before it \u00b7 ${files} files, ${grouped(chars)} characters`,
    '',
    alignRows([
      ['', '  R@1', '  R@5', ` R@${files}`, 'lines'],
      row('loadout', recall.loadout),
      row('plain BM25', recall.bm25),
    ]),
    '',
    `R@1, R@5, R@${files}: of the files that a commit changed, the share among the first 1, 5 and ${files}.`,
    'lines: of the lines that it changed, the share that is shown.',
    misses.length > 0 && ['', screen.strong(`${count(misses.length, 'commit')} with a file that was not found`)],
    misses.flatMap(({ commit, task, wanted, first }) => [
      `  ${commit}  ${printableLine(task)}`,
      ...wanted.map(({ path, rank }) => `    changed  ${printableLine(path)}  (${place(rank)})`),
      `    first    ${first.slice(0, 2).map(printableLine).join(', ')}`,
    ]),
  )
}

// --json lists the rest.
const MOST_TAKERS = 8
const MOST_LISTED = 20

function printReport(report: SuiteReport, screen: Screen): string {
  const { suite, strategy, documents, figures, takers, confusions, heldOut, withoutExamples } = report
  const shown = confusions.slice(0, MOST_LISTED)
  const rows: string[][] =
    withoutExamples === undefined
      ? [HEADINGS, figureRow(figures)]
      : [
          ['', ...HEADINGS],
          ['with examples', ...figureRow(figures)],
          ['without', ...figureRow(withoutExamples)],
        ]
  return lines(
    `${printableLine(suite)}  ${strategy}, ${count(documents, 'document')}`,
    heldOut !== undefined &&
      `  ${count(heldOut, 'question is', 'questions are')} examples, each left out while it was tested`,
    '',
    alignRows(
      rows.map((row) => row.map((cell) => `  ${cell}`)),
      [0, 1, 2, 3, 4, 5, 6, 7, 8].slice(withoutExamples === undefined ? 0 : 1),
    ),
    '',
    strategy === 'ranked' && answersLine(figures),
    takers.length > 0 && [
      screen.strong('Wrong answers by document'),
      ...takers
        .slice(0, MOST_TAKERS)
        .map(({ taker, owner, times }) => `  ${printableLine(taker)}  ${times} of ${printableLine(owner)}`),
      '',
    ],
    shown.length > 0 && [
      screen.strong('Wrong answers by question'),
      ...shown.flatMap(({ query, expected, got, words, place }) => [
        `  ${printableLine(query)}`,
        `    ${got === null ? 'no answer' : `${printableLine(got)} [${words.map(printableLine).join(', ')}]`}${wanted(expected, place)}`,
      ]),
      confusions.length > shown.length ? `  … and ${confusions.length - shown.length} more: --json lists all` : '',
    ],
  )
}

function wanted(expected: readonly string[], place: number | null): string {
  if (expected.length === 0) return ', but nothing should match'
  return ` instead of ${expected.map(printableLine).join(' or ')}${place === null ? '' : ` (number ${place})`}`
}

function printComparison({ questions, before, after, changes }: Comparison, screen: Screen): string {
  const rows = [
    ['', ...HEADINGS],
    ['before', ...figureRow(before)],
    ['after', ...figureRow(after)],
  ]
  return lines(
    alignRows(
      rows.map((row) => row.map((cell) => `  ${cell}`)),
      [1, 2, 3, 4, 5, 6, 7, 8],
    ),
    '',
    changes
      .slice(0, MOST_LISTED)
      .flatMap((change) => [
        `  ${printableLine(change.query)}`,
        `    ${namesOf(change.before)}  →  ${namesOf(change.after)}`,
      ]),
    screen.strong(`${changes.length} of ${count(questions, 'question')} have another answer`),
  )
}

/** What an agent gets without asking. */
function answersLine({ positives, negatives, answered, r5, texts, rightTexts, falseTriggers, falseTexts }: Figures) {
  const per = (value: number) => `${value.toFixed(1)} %`
  return [
    ...(positives === 0
      ? []
      : [
          `  Of the questions with an answer, ${per(100 - answered)} get nothing, ${per(r5)} get the right one among five, ${per(texts)} load a text (${per(rightTexts)} of these are right).`,
        ]),
    ...(negatives === 0
      ? []
      : [
          `  Of the questions without an answer, ${per(100 - falseTriggers)} get nothing, ${per(falseTexts)} load a text.`,
        ]),
    '',
  ]
}

const HEADINGS = ['R@1', 'R@3', 'R@5', 'nDCG@5', 'MRR', 'answered', 'false', 'pairs']

function figureRow(figures: Figures): string[] {
  const { r1, r3, r5, ndcg5, mrr, answered, falseTriggers, pairViolations, negatives, pairs } = figures
  const some = (of: number, value: number) => (of === 0 ? '–' : value.toFixed(1))
  return [
    ...[r1, r3, r5, ndcg5, mrr, answered].map((value) => some(figures.positives, value)),
    some(negatives, falseTriggers),
    some(pairs, pairViolations),
  ]
}

function namesOf(ids: readonly string[]): string {
  return ids.slice(0, 3).map(printableLine).join(', ') || 'no answer'
}

function printPackEvaluation({ suites }: PackEvaluation, screen: Screen): string {
  return lines(
    ...suites.flatMap(({ suite, summary, written }) => [
      screen.strong(printableLine(suite)),
      `  ${count(summary.passed, 'case')} passed, ${summary.failed} failed`,
      `  precision ${percent(summary.precision)}, recall ${percent(summary.recall)}, warnings ${percent(summary.warningAccuracy)}`,
      written !== undefined && `  written to ${printableLine(written)}`,
    ]),
  )
}

function percent(share: number | null): string {
  return share === null ? '\u2013' : `${(share * 100).toFixed(1)} %`
}
