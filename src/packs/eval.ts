import { resolve } from 'node:path'
import { readText } from '../machine/files.ts'
import { writeNewInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { readTask } from '../search/task.ts'
import { shellWord } from '../text/printable.ts'
import type { Finding, Report, Severity } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { type CatalogRequest, findPack, type OpenedCatalog, openCatalog } from './catalog.ts'
import { openPack } from './disk/pack-folder.ts'
import { findPacks } from './pack-source.ts'
import { askPack } from './resolve.ts'
import { admit, packWord, type TrustedPack } from './rules/gates/trust.ts'
import { LARGEST_PACK_FILE, type PackFiles, parsePackJson } from './rules/pack.ts'
import { anyText, closed, flag, listOf, readRecord, someText, word } from './rules/records.ts'
import { LIKELY_PACK } from './rules/resolve/choose-packs.ts'

export interface PackEvalRequest extends Pick<CatalogRequest, 'project'> {
  /** Its name, or its folder. */
  pack: string
  /** `train`, `validation` or a file. Default: all suites of the pack. */
  suite?: string | undefined
  /** Writes the results into `runs/` of the pack. */
  write?: boolean | undefined
}

export interface PackEvaluation {
  pack: string
  root: string
  suites: (EvalReport & { suite: string; written?: string })[]
}

/** Runs the selection suites of a pack: would each prompt choose it? A failed case is an error. */
export function evaluatePack(machine: Machine, request: PackEvalRequest): Report<PackEvaluation> {
  const opened = openCatalog(machine, { project: request.project, packs: [request.pack] })
  const pack = findPack(machine, opened.catalog, request.pack)
  const { root, manifest } = pack
  const value: PackEvaluation = { pack: manifest.name, root, suites: [] }
  const findings: Finding[] = []
  const answer = selectForEval(machine, opened, pack)
  const suites = findSuites(machine, openPack(pack), request.suite)
  if (suites.length === 0) findings.push(badSuite(manifest.name, 'it has no evals/discovery.*.json'))
  for (const { name, text } of suites) {
    const read = readSuiteText(name, text, manifest.name)
    if (read.problem !== undefined) {
      findings.push(badSuite(name, read.problem))
      continue
    }
    const isOpen = pack.trust.isOpen
    if (!isOpen) findings.push(onlySelection(pack))
    const report = runSuite(isOpen ? read.suite : withoutNames(read.suite), answer)
    const written = request.write ? writeRecord(machine, root, name, report, suites.length > 1) : undefined
    value.suites.push({ suite: name, ...report, ...(written === undefined ? {} : { written }) })
    findings.push(...failures(name, report))
  }
  return { value, findings }
}

const KNOWN_SUITES: Readonly<Record<string, string>> = {
  train: 'evals/discovery.train.json',
  validation: 'evals/discovery.validation.json',
}

function findSuites(machine: Machine, files: PackFiles, suite: string | undefined): { name: string; text: string }[] {
  const known = suite === undefined ? undefined : KNOWN_SUITES[suite]
  if (suite !== undefined && known === undefined) {
    return [{ name: suite, text: readText(resolve(machine.cwd, suite), LARGEST_PACK_FILE) }]
  }
  const names = known === undefined ? ['evals/discovery.json', ...Object.values(KNOWN_SUITES)] : [known]
  return names.flatMap((name) => {
    const text = files.read(name)?.text
    return text === undefined ? [] : [{ name, text }]
  })
}

function readSuiteText(
  path: string,
  text: string,
  packName: string,
): { suite: SelectionSuite; problem?: undefined } | { problem: string } {
  const parsed = parsePackJson({ path, text })
  return parsed.problem === undefined ? readSelectionSuite(parsed.value, packName) : { problem: parsed.problem }
}

/** Numbers instead of ids: Loadout shows no text of a pack before its approval. */
function withoutNames(suite: SelectionSuite): SelectionSuite {
  return { ...suite, cases: suite.cases.map((each, index) => ({ ...each, id: `case-${index + 1}` })) }
}

/** Writes one file per suite, named by the time. */
function writeRecord(machine: Machine, root: string, suite: string, report: EvalReport, isOneOfMany: boolean): string {
  const time = machine.now().toISOString().slice(0, 19).replaceAll(':', '-')
  const kind = isOneOfMany ? `-${suite.replace(/^.*discovery\.?|\.?json$/g, '') || 'all'}` : ''
  const name = `eval-discovery-${time}Z${kind}.json`
  const path = `runs/${name}`
  writeNewInside(root, path, writeEvalRecord(suite, report))
  return path
}

/** Selection needs only the metadata; warnings of a context need an open pack. */
function onlySelection({ manifest, root }: TrustedPack): Finding {
  return {
    severity: 'info',
    code: 'pack.trust.unapproved',
    message: `${packWord(manifest.name)} is not approved: cases are shown by number, and warnings were not checked`,
    subject: manifest.name,
    hint: `loadout approve ${shellWord(root)}`,
  }
}

function failures(suite: string, { results }: EvalReport): Finding[] {
  return results
    .filter(({ passed }) => !passed)
    .map(({ id, expected, actual }) => ({
      severity: 'error',
      code: 'BELOW_THRESHOLD',
      message: `${suite}, ${id.slice(0, 60)}: expected ${expected}, got ${actual}`,
      subject: suite,
    }))
}

function badSuite(subject: string, problem: string): Finding {
  return {
    severity: 'error',
    code: 'BAD_SUITE',
    message: `${subject}: ${problem}`,
    subject,
    hint: 'a suite is { "pack_name": "…", "cases": [{ "id": "…", "prompt": "…", "expected": "select" }] }',
  }
}

/** Whether a prompt would choose the pack among all visible ones, and the warnings of its context. */
export function selectForEval(
  machine: Machine,
  opened: OpenedCatalog,
  pack: TrustedPack,
): (prompt: string) => SelectionAnswer {
  const { catalog, examples } = opened
  const others = catalog.entries.map((each) => each.pack).filter(({ manifest }) => manifest.name !== pack.manifest.name)
  const admission = admit(pack, { isExplicit: true, isConfirmed: true })
  const warnings = [...pack.warnings, ...admission.warnings]
  return (prompt) => {
    const task = readTask(prompt)
    const { open, closed, hits, sections } = findPacks(machine, [...others, pack], examples, task)
    const chosen = [...open, ...closed].find((each) => each.pack === pack)
    if (chosen === undefined || chosen.confidence < LIKELY_PACK) return { isSelected: false, warnings: [] }
    if (!pack.trust.isOpen) return { isSelected: true, warnings }
    const resolution = askPack({ pack, admission }, { task }, hits, sections)
    return { isSelected: true, warnings: [...warnings, ...resolution.warnings] }
  }
}

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
