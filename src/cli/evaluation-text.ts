import type { Figures } from '../lab/rules/cases.ts'
import type { Comparison, HistoryEvaluation, PackEvaluation, PastComparison, Similar, SuiteReport } from '../loadout.ts'
import { shellWord } from '../text/printable.ts'
import { alignRows, count, grouped, lines, MOST_SHOWN, percent, printableLine, type Screen, shorten } from './screen.ts'

export function printHistory({ tasks, files, chars, recall, misses }: HistoryEvaluation, screen: Screen): string {
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

export function printReport(report: SuiteReport, screen: Screen): string {
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

export function printComparison({ questions, before, after, changes }: Comparison, screen: Screen): string {
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

export function printPackEvaluation({ suites }: PackEvaluation, screen: Screen): string {
  return lines(
    ...suites.flatMap(({ suite, summary, written }) => [
      screen.strong(printableLine(suite)),
      `  ${count(summary.passed, 'case')} passed, ${summary.failed} failed`,
      `  precision ${percent(summary.precision)}, recall ${percent(summary.recall)}, warnings ${percent(summary.warningAccuracy)}`,
      written !== undefined && `  written to ${printableLine(written)}`,
    ]),
  )
}

export function printSimilar({ pairs, asked }: Similar): string {
  if (pairs.length === 0) return `No two of ${count(asked, 'entry', 'entries')} match the same questions.\n`
  const rows = pairs
    .slice(0, MOST_SHOWN)
    .flatMap(({ a, b, strength, questions: [first] }) => [
      `  ${printableLine(a)}  and  ${printableLine(b)}   ${Math.round(strength * 100)} %`,
      ...(first === undefined ? [] : [`      "${shorten(printableLine(first.question), 70)}"`]),
    ])
  const more = pairs.length - MOST_SHOWN
  return lines(
    rows,
    more > 0 && `  and ${grouped(more)} more`,
    '',
    `${count(pairs.length, 'pair')} among ${count(asked, 'entry', 'entries')}; loadout teach makes two entries distinguishable`,
  )
}

export function printPast({ tasks, otherProjects, changes }: PastComparison, screen: Screen): string {
  const [newest] = changes
  const id = [newest?.after, newest?.before].flatMap((list) => list ?? []).find((each) => isNew(newest!, each)) ?? ''
  const same = `${tasks === 1 ? 'The task chooses' : `All ${count(tasks, 'task')} choose`} the same entries as before.`
  return lines(
    newest === undefined && screen.good(same),
    otherProjects > 0 && `${count(otherProjects, 'task')} of other projects skipped.`,
    changes
      .slice(0, MOST_LISTED)
      .flatMap(({ query, before, after }) => [
        `  ${shorten(query, 76)}`,
        `    ${namesOf(before)}  \u2192  ${namesOf(after)}`,
      ]),
    newest !== undefined && ['', explainCommand(id, newest.query)],
  )
}

function isNew({ before, after }: PastComparison['changes'][number], id: string): boolean {
  return before.includes(id) !== after.includes(id)
}

/** Ready to be typed, if it is short enough to read. */
function explainCommand(id: string, task: string): string {
  const shownId = typed(id, 40) ?? '<id>'
  return `loadout explain ${shownId} --task ${typed(task, 56 - shownId.length) ?? '"<task>"'}`
}

function typed(text: string, most: number): string | undefined {
  const word = shellWord(printableLine(text))
  return word.length > most ? undefined : word
}
