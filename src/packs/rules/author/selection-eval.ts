import type { Severity } from '../../../text/trouble.ts'
import type { Expectation, SelectionCase, SelectionSuite } from '../records/selection-suite.ts'

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
