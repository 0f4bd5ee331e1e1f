import type { Severity } from '../../../text/trouble.ts'
import { isRecord } from '../../../text/values.ts'
import { anyText, closed, flag, listOf, readRecord, someText, word } from '../records/record-shape.ts'

const EXPECTATIONS = ['select', 'reject', 'warn'] as const
export type Expectation = (typeof EXPECTATIONS)[number]

/** A prompt, and whether the pack should be chosen for it. */
export interface SelectionCase {
  id: string
  prompt: string
  expected: Expectation
  reason?: string
  /** With `warn`: texts or codes of the warnings that must come. Empty means any warning. */
  expectedWarnings: string[]
}

export interface SelectionSuite {
  packName: string
  cases: SelectionCase[]
}

const SUITE = closed({
  pack_name: someText,
  cases: listOf(
    closed(
      { id: someText, prompt: someText, expected: word(EXPECTATIONS) },
      { reason: anyText, expected_warnings: listOf(anyText) },
    ),
    1,
  ),
})

// The older format, without ids.
const QUERIES = closed(
  { queries: listOf(closed({ query: someText, should_select: flag }, { id: someText, reason: anyText }), 1) },
  { pack_name: someText },
)

/** Reads a suite, also in the older format with `queries`. Refuses a suite of another pack. */
export function readSelectionSuite(value: unknown, packName: string): { suite: SelectionSuite } | { problem: string } {
  if (isRecord(value) && Array.isArray(value.evals)) {
    return { problem: 'it tests answers ("evals"), not selection; only suites with "cases" can be run' }
  }
  const read = isRecord(value) && value.cases === undefined && value.queries !== undefined ? readOld : readNew
  const suite = read(value, packName)
  if ('problem' in suite || suite.suite.packName === packName) return suite
  return { problem: 'pack_name is not the name of this pack' }
}

function readNew(value: unknown): { suite: SelectionSuite } | { problem: string } {
  const read = readRecord(SUITE, value)
  if ('problem' in read) return read
  const cases = read.value.cases.map(({ id, prompt, expected, reason, expected_warnings: expectedWarnings = [] }) => ({
    id,
    prompt,
    expected,
    expectedWarnings,
    ...(reason === undefined ? {} : { reason }),
  }))
  return { suite: { packName: read.value.pack_name, cases } }
}

function readOld(value: unknown, packName: string): { suite: SelectionSuite } | { problem: string } {
  const read = readRecord(QUERIES, value)
  if ('problem' in read) return read
  const cases = read.value.queries.map(
    ({ query, should_select: isWanted, id, reason }, index): SelectionCase => ({
      id: id ?? `query-${index + 1}`,
      prompt: query,
      expected: isWanted ? 'select' : 'reject',
      expectedWarnings: [],
      ...(reason === undefined ? {} : { reason }),
    }),
  )
  return { suite: { packName: read.value.pack_name ?? packName, cases } }
}

/** The result for one prompt. */
export interface SelectionAnswer {
  isSelected: boolean
  warnings: readonly SelectionWarning[]
}

interface SelectionWarning {
  code: string
  message: string
  /** Counts as a warning unless it says `info`. */
  severity?: Severity | undefined
}

interface EvalResult {
  id: string
  expected: Expectation
  actual: Expectation
  passed: boolean
}

/** A ratio is null if its denominator is 0. */
interface EvalSummary {
  passed: number
  failed: number
  /** The share of correct prompts among those that chose the pack. */
  precision: number | null
  /** The share of prompts that chose the pack among those that should. */
  recall: number | null
  falsePositives: number
  falseNegatives: number
  /** The share of expected warnings that came. */
  warningAccuracy: number | null
}

export interface EvalReport {
  packName: string
  results: EvalResult[]
  summary: EvalSummary
}

/** Runs every prompt of a suite. */
export function runSuite(suite: SelectionSuite, answer: (prompt: string) => SelectionAnswer): EvalReport {
  const results = suite.cases.map((each) => judge(each, answer(each.prompt)))
  return { packName: suite.packName, results, summary: summarize(results) }
}

function judge(
  { id, expected, expectedWarnings }: SelectionCase,
  { isSelected, warnings }: SelectionAnswer,
): EvalResult {
  const isWarned = expected === 'warn' && isSelected && hasWarned(expectedWarnings, warnings)
  const actual = isWarned ? 'warn' : isSelected ? 'select' : 'reject'
  return { id, expected, actual, passed: actual === expected }
}

/** Whether all expected warnings came, or any warning if none is named. */
function hasWarned(expected: readonly string[], warnings: readonly SelectionWarning[]): boolean {
  if (expected.length === 0) return warnings.some(({ severity }) => severity !== 'info')
  return expected.every((wanted) => warnings.some((warning) => isMeant(wanted.trim().toLowerCase(), warning)))
}

/** Matches a part of the message, the code, or the end of the code. */
function isMeant(wanted: string, { code, message }: SelectionWarning): boolean {
  const known = code.toLowerCase()
  return message.toLowerCase().includes(wanted) || known === wanted || known.endsWith(`.${wanted}`)
}

function summarize(results: readonly EvalResult[]): EvalSummary {
  const isWanted = ({ expected }: EvalResult) => expected !== 'reject'
  const isChosen = ({ actual }: EvalResult) => actual !== 'reject'
  const [wanted, chosen] = [results.filter(isWanted), results.filter(isChosen)]
  const hits = wanted.filter(isChosen).length
  const warned = results.filter(({ expected }) => expected === 'warn')
  const passed = results.filter((result) => result.passed).length
  return {
    passed,
    failed: results.length - passed,
    precision: share(hits, chosen.length),
    recall: share(hits, wanted.length),
    falsePositives: chosen.length - hits,
    falseNegatives: wanted.length - hits,
    warningAccuracy: share(warned.filter((result) => result.passed).length, warned.length),
  }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

/** Formats the record of a run for `runs/`. */
export function writeEvalRecord(suite: string, { packName, results, summary }: EvalReport): string {
  const record = {
    suite,
    pack_name: packName,
    results: results.map(({ id, expected, actual, passed }) => ({ id, expected, actual, passed })),
    summary: {
      passed: summary.passed,
      failed: summary.failed,
      precision: summary.precision,
      recall: summary.recall,
      false_positives: summary.falsePositives,
      false_negatives: summary.falseNegatives,
      warning_accuracy: summary.warningAccuracy,
    },
  }
  return `${JSON.stringify(record, undefined, 2)}\n`
}
