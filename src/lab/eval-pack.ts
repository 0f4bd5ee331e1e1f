import { resolve } from 'node:path'
import { readText } from '../machine/files.ts'
import { writeNewInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { type CatalogRequest, PackFolder, Packs } from '../packs/catalog.ts'
import { findPacks } from '../packs/pack-source.ts'
import { askPack } from '../packs/resolve.ts'
import { admit, packWord, type TrustedPack } from '../packs/rules/gates/trust.ts'
import { LARGEST_PACK_FILE, parsePackJson } from '../packs/rules/pack.ts'
import { readSelectionSuite, type SelectionCase } from '../packs/rules/records.ts'
import { LIKELY_PACK } from '../packs/rules/resolve/choose.ts'
import { readTask } from '../search/task.ts'
import { shellWord } from '../text/printable.ts'
import { type Finding, report, type Severity } from '../text/trouble.ts'
import { type Case, summarize } from './rules/cases.ts'

export interface PackEvalRequest extends Pick<CatalogRequest, 'project'> {
  /** Its name, or its folder. */
  pack: string
  /** `train`, `validation` or a file. Default: all suites of the pack. */
  suite?: string
  /** Writes the results into `runs/` of the pack. */
  write?: boolean
}

export interface PackEvaluation {
  pack: string
  root: string
  suites: (SelectionReport & { suite: string; written: string | undefined })[]
}

/** Runs the selection suites of a pack: would each prompt choose it? A failed case is an error. */
export function evaluatePack(machine: Machine, request: PackEvalRequest): PackEvaluation {
  const opened = new Packs(machine, { project: request.project, packs: [request.pack] })
  const pack = opened.get(request.pack)
  const { root, manifest, trust } = pack
  const value: PackEvaluation = { pack: manifest.name, root, suites: [] }
  const select = selector(opened, pack)
  const suites = findSuites(machine, pack, request.suite)
  if (suites.length === 0) machine.report(badSuite(manifest.name, 'it has no evals/discovery.*.json'))
  for (const { suite, text } of suites) {
    const json = parsePackJson({ path: suite, text })
    const read = json.problem === undefined ? readSelectionSuite(json.value, manifest.name) : { problem: json.problem }
    if (read.cases === undefined) {
      machine.report(badSuite(suite, read.problem))
      continue
    }
    let { cases } = read
    if (!trust.isOpen) {
      // Selection needs only the metadata. Loadout shows no text of a pack before its approval, so no ids.
      cases = cases.map((each, at) => ({ ...each, id: `case-${at + 1}` }))
      const facts = { name: packWord(manifest.name), root: shellWord(root) }
      machine.report(report('pack.trust/cases', facts, { subject: manifest.name }))
    }
    const ran = runCases(manifest.name, cases, select)
    const written = request.write ? writeRecord(machine, root, suite, ran, suites.length > 1) : undefined
    value.suites.push({ suite, ...ran, written })
    for (const { id, expected, actual, passed } of ran.results) {
      const facts = { suite, id: id.slice(0, 60), expected: `${expected}`, actual: `${actual}` }
      if (!passed) machine.report(report('BELOW_THRESHOLD/case', facts, { subject: suite }))
    }
  }
  return value
}

const KNOWN_SUITES: Readonly<Record<string, string>> = {
  train: 'evals/discovery.train.json',
  validation: 'evals/discovery.validation.json',
}

function findSuites(machine: Machine, pack: TrustedPack, named: string | undefined): { suite: string; text: string }[] {
  const known = named === undefined ? undefined : KNOWN_SUITES[named]
  if (named !== undefined && known === undefined) {
    return [{ suite: named, text: readText(resolve(machine.cwd, named), LARGEST_PACK_FILE) }]
  }
  const files = new PackFolder(machine, pack)
  const paths = known === undefined ? ['evals/discovery.json', ...Object.values(KNOWN_SUITES)] : [known]
  return paths.flatMap((suite) => {
    const text = files.read(suite)?.text
    return text === undefined ? [] : [{ suite, text }]
  })
}

function badSuite(subject: string, problem: string): Finding {
  return report('BAD_SUITE/pack', { subject, problem }, { subject })
}

/** The result for one prompt. A warning counts unless it says `info`. */
export interface Selection {
  isSelected: boolean
  warnings: readonly { code: string; message: string; severity?: Severity }[]
}

/** Whether a prompt would choose the pack among all visible ones, and the warnings of its context. */
function selector(packs: Packs, pack: TrustedPack) {
  const others = packs.all.filter(({ manifest }) => manifest.name !== pack.manifest.name)
  const admission = admit(pack, { isExplicit: true, isConfirmed: true })
  const warnings = [...pack.warnings, ...admission.warnings]
  return (prompt: string): Selection => {
    const task = readTask(prompt)
    const { open, closed, hits, sections } = findPacks(packs, [...others, pack], task)
    const chosen = [...open, ...closed].find((each) => each.pack === pack)
    if (chosen === undefined || chosen.confidence < LIKELY_PACK) return { isSelected: false, warnings: [] }
    if (!pack.trust.isOpen) return { isSelected: true, warnings }
    const resolution = askPack(packs.machine, { pack, admission }, { task }, hits, sections)
    return { isSelected: true, warnings: [...warnings, ...resolution.warnings] }
  }
}

type Expectation = SelectionCase['expected']

export interface SelectionReport {
  packName: string
  results: { id: string; expected: Expectation; actual: Expectation; passed: boolean }[]
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

/** Tests every prompt of a suite. */
export function runCases(
  packName: string,
  cases: readonly SelectionCase[],
  select: (prompt: string) => Selection,
): SelectionReport {
  const results = cases.map(({ id, prompt, expected, expectedWarnings: wanted }) => {
    const { isSelected, warnings } = select(prompt)
    const isWarned = expected === 'warn' && hasWarned(wanted, warnings)
    const actual: Expectation = !isSelected ? 'reject' : isWarned ? 'warn' : 'select'
    return { id, expected, actual, passed: actual === expected }
  })
  const asked = results.map(({ id, expected, actual }): Case => {
    const found = actual === 'reject' ? [] : [{ id: packName }]
    return expected === 'reject'
      ? { id, prompt: id, expected: [], not: [packName], kind: 'pairneg', found }
      : { id, prompt: id, expected: [packName], not: [], kind: 'pos', found }
  })
  const { figures, confusions } = summarize(asked)
  const falseNegatives = confusions.filter(({ expected }) => expected.length > 0).length
  const falsePositives = confusions.length - falseNegatives
  const hits = figures.positives - falseNegatives
  const warned = results.filter(({ expected }) => expected === 'warn')
  const passed = (some: typeof results) => some.filter((result) => result.passed).length
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)
  return {
    packName,
    results,
    summary: {
      passed: passed(results),
      failed: results.length - passed(results),
      precision: share(hits, hits + falsePositives),
      recall: share(hits, figures.positives),
      falsePositives,
      falseNegatives,
      warningAccuracy: share(passed(warned), warned.length),
    },
  }
}

/** Whether all expected warnings came, by a part of the message, the code or its end; or any, if none is named. */
function hasWarned(expected: readonly string[], warnings: Selection['warnings']): boolean {
  if (expected.length === 0) return warnings.some(({ severity }) => severity !== 'info')
  return expected.every((text) => {
    const wanted = text.trim().toLowerCase()
    return warnings.some(({ code, message }) => {
      const known = code.toLowerCase()
      return message.toLowerCase().includes(wanted) || known === wanted || known.endsWith(`.${wanted}`)
    })
  })
}

/** Writes the record of a run into the pack, named by the time. */
function writeRecord(machine: Machine, root: string, suite: string, report: SelectionReport, isOneOfMany: boolean) {
  const { packName, results, summary } = report
  const { falsePositives, falseNegatives, warningAccuracy, ...same } = summary
  const renamed = {
    false_positives: falsePositives,
    false_negatives: falseNegatives,
    warning_accuracy: warningAccuracy,
  }
  const record = { suite, pack_name: packName, results, summary: { ...same, ...renamed } }
  const time = machine.now().toISOString().slice(0, 19).replaceAll(':', '-')
  const kind = isOneOfMany ? `-${suite.replace(/^.*discovery\.?|\.?json$/g, '') || 'all'}` : ''
  const path = `runs/eval-discovery-${time}Z${kind}.json`
  writeNewInside(root, path, `${JSON.stringify(record, undefined, 2)}\n`)
  return path
}
