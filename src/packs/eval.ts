import { resolve } from 'node:path'
import { readText } from '../machine/files.ts'
import { writeNewInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { readTask } from '../search/task.ts'
import { shellWord } from '../text/printable.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { type CatalogRequest, findPack, type OpenedCatalog, openCatalog } from './catalog.ts'
import { findPacks } from './choose.ts'
import { openPack } from './disk/pack-folder.ts'
import { askPack } from './resolve.ts'
import {
  type EvalReport,
  readSelectionSuite,
  runSuite,
  type SelectionAnswer,
  type SelectionSuite,
  writeEvalRecord,
} from './rules/author/selection-eval.ts'
import { admit } from './rules/gates/admission.ts'
import { packWord, type TrustedPack } from './rules/gates/trust.ts'
import { LARGEST_PACK_FILE, type PackFiles, parsePackJson } from './rules/pack.ts'
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
