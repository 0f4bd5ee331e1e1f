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
  /** With `warn`: texts or codes of warnings that must come with the pack. None means any warning. */
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

// An older form, without ids.
const QUERIES = closed(
  { queries: listOf(closed({ query: someText, should_select: flag }, { id: someText, reason: anyText }), 1) },
  { pack_name: someText },
)

/** Also reads the older form with `queries`. A suite that is about another pack is refused. */
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

/** What happened to the pack for one prompt. */
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

/** A share is null when there was nothing to take it of. */
interface EvalSummary {
  passed: number
  failed: number
  /** How many of the prompts that chose the pack should have. */
  precision: number | null
  /** How many of the prompts that should have chosen the pack did. */
  recall: number | null
  falsePositives: number
  falseNegatives: number
  /** How many of the warnings that should have come did. */
  warningAccuracy: number | null
}

export interface EvalReport {
  packName: string
  results: EvalResult[]
  summary: EvalSummary
}

/** Asks every prompt of a suite. */
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

/** Every expected warning came; where none is named, any came. */
function hasWarned(expected: readonly string[], warnings: readonly SelectionWarning[]): boolean {
  if (expected.length === 0) return warnings.some(({ severity }) => severity !== 'info')
  return expected.every((wanted) => warnings.some((warning) => isMeant(wanted.trim().toLowerCase(), warning)))
}

/** By a part of its text, by its code, or by the last part of that. */
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

/** The record of a run, as it lies in a pack. */
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
