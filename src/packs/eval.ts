import { resolve } from 'node:path'
import { readText } from '../machine/files.ts'
import { writeNewInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { readTask } from '../search/task.ts'
import { shellWord } from '../text/printable.ts'
import type { Finding, Report, Severity } from '../text/trouble.ts'
import { type CatalogRequest, findPack, type OpenedCatalog, openCatalog } from './catalog.ts'
import { openPack } from './disk/pack-folder.ts'
import { findPacks } from './pack-source.ts'
import { askPack } from './resolve.ts'
import { admit, packWord, type TrustedPack } from './rules/gates/trust.ts'
import { LARGEST_PACK_FILE, type PackFiles, parsePackJson } from './rules/pack.ts'
import { readSelectionSuite, type SelectionCase } from './rules/records.ts'
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
  suites: (EvalReport & { suite: string; written?: string | undefined })[]
}

/** Runs the selection suites of a pack: would each prompt choose it? A failed case is an error. */
export function evaluatePack(machine: Machine, request: PackEvalRequest): Report<PackEvaluation> {
  const opened = openCatalog(machine, { project: request.project, packs: [request.pack] })
  const pack = findPack(machine, opened.catalog, request.pack)
  const { root, manifest, trust } = pack
  const value: PackEvaluation = { pack: manifest.name, root, suites: [] }
  const findings: Finding[] = []
  const answer = selectForEval(machine, opened, pack)
  const suites = findSuites(machine, openPack(pack), request.suite)
  if (suites.length === 0) findings.push(badSuite(manifest.name, 'it has no evals/discovery.*.json'))
  for (const { name, text } of suites) {
    const parsed = parsePackJson({ path: name, text })
    const { cases, problem } =
      parsed.problem === undefined ? readSelectionSuite(parsed.value, manifest.name) : { problem: parsed.problem }
    if (cases === undefined) {
      findings.push(badSuite(name, problem))
      continue
    }
    if (!trust.isOpen) findings.push(onlySelection(pack))
    // Numbers instead of ids: Loadout shows no text of a pack before its approval.
    const shown = trust.isOpen ? cases : cases.map((each, index) => ({ ...each, id: `case-${index + 1}` }))
    const report = runSuite(manifest.name, shown, answer)
    const written = request.write ? writeRecord(machine, root, name, report, suites.length > 1) : undefined
    value.suites.push({ suite: name, ...report, written })
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
    const resolution = askPack(machine, { pack, admission }, { task }, hits, sections)
    return { isSelected: true, warnings: [...warnings, ...resolution.warnings] }
  }
}

/** The result for one prompt. A warning counts unless it says `info`. */
export interface SelectionAnswer {
  isSelected: boolean
  warnings: readonly { code: string; message: string; severity?: Severity | undefined }[]
}

interface EvalReport {
  packName: string
  results: { id: string; expected: SelectionCase['expected']; actual: SelectionCase['expected']; passed: boolean }[]
  /** A ratio is null if its denominator is 0. */
  summary: {
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
}

/** Runs every prompt of a suite. */
export function runSuite(
  packName: string,
  cases: readonly SelectionCase[],
  answer: (prompt: string) => SelectionAnswer,
): EvalReport {
  const results = cases.map(({ id, prompt, expected, expectedWarnings }): EvalReport['results'][number] => {
    const { isSelected, warnings } = answer(prompt)
    // A part of the message, the code, or the end of the code.
    const isMeant = (wanted: string) =>
      warnings.some(({ code, message }) => {
        const known = code.toLowerCase()
        return message.toLowerCase().includes(wanted) || known === wanted || known.endsWith(`.${wanted}`)
      })
    const hasAll = expectedWarnings.every((wanted) => isMeant(wanted.trim().toLowerCase()))
    const hasAny = warnings.some(({ severity }) => severity !== 'info')
    const isWarned = expected === 'warn' && (expectedWarnings.length === 0 ? hasAny : hasAll)
    const actual = !isSelected ? 'reject' : isWarned ? 'warn' : 'select'
    return { id, expected, actual, passed: actual === expected }
  })
  const count = (isCounted: (result: EvalReport['results'][number]) => boolean) => results.filter(isCounted).length
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)
  const [wanted, chosen] = [count(({ expected }) => expected !== 'reject'), count(({ actual }) => actual !== 'reject')]
  const hits = count(({ expected, actual }) => expected !== 'reject' && actual !== 'reject')
  const passed = count((result) => result.passed)
  const summary = {
    passed,
    failed: results.length - passed,
    precision: share(hits, chosen),
    recall: share(hits, wanted),
    falsePositives: chosen - hits,
    falseNegatives: wanted - hits,
    warningAccuracy: share(
      count((result) => result.expected === 'warn' && result.passed),
      count(({ expected }) => expected === 'warn'),
    ),
  }
  return { packName, results, summary }
}

/** Writes the results into `runs/`, one file per suite, named by the time. */
function writeRecord(machine: Machine, root: string, suite: string, report: EvalReport, isOneOfMany: boolean): string {
  const { packName, results, summary } = report
  const { precision, recall, falsePositives, falseNegatives, warningAccuracy, ...counts } = summary
  const record = {
    suite,
    pack_name: packName,
    results,
    summary: {
      ...counts,
      precision,
      recall,
      false_positives: falsePositives,
      false_negatives: falseNegatives,
      warning_accuracy: warningAccuracy,
    },
  }
  const time = machine.now().toISOString().slice(0, 19).replaceAll(':', '-')
  const kind = isOneOfMany ? `-${suite.replace(/^.*discovery\.?|\.?json$/g, '') || 'all'}` : ''
  const path = `runs/eval-discovery-${time}Z${kind}.json`
  writeNewInside(root, path, `${JSON.stringify(record, undefined, 2)}\n`)
  return path
}
