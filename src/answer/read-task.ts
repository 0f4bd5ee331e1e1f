import { isBareRepository } from '../machine/git-process.ts'
import type { Machine } from '../machine/machine.ts'
import { resolvePacks } from '../packs/resolve.ts'
import { LIKELY_PACK } from '../packs/rules/resolve/choose.ts'
import { allGaps } from '../packs/rules/resolve/gaps.ts'
import { isWaiting, newWrappers } from '../packs/rules/resolve/pack-context.ts'
import { openPayload } from '../payloads/knowledge.ts'
import { namedBy, Planner } from '../payloads/plan.ts'
import type { MatchResult } from '../payloads/rules/match.ts'
import { type ProjectAnswer, readSections, type SectionedText } from '../project/find-files.ts'
import { describeWords, pointersOf } from '../project/point-to-files.ts'
import { isSameBuild } from '../project/rules/candidates.ts'
import { orderSections } from '../project/rules/portions.ts'
import type { RankedFile } from '../project/rules/rank-files.ts'
import { roundScore, type Strategy } from '../search/document.ts'
import type { CheckedText } from '../text/checked-text.ts'
import { shellWord } from '../text/printable.ts'
import { asFinding, type Finding, LoadoutError, report } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import type { RecordedEntry } from '../usage/record.ts'
import type { Question } from './answer.ts'
import { readIntentFiles } from './disk/read-candidate.ts'
import { deliveredPacks } from './record.ts'
import { interleave } from './rules/budget/fit.ts'
import {
  type BundlePointer,
  type Candidate,
  type CandidateSection,
  type Omission,
  POINTER_GROUPS,
  toWarning,
} from './rules/bundle.ts'
import { isInstruction } from './settings.ts'

/** Everything a task needs beyond the control plane. */
export interface TaskParts {
  candidates: Candidate[]
  /** Places in the project's own files, best first; undefined if these are not searched. */
  pointers: BundlePointer[] | undefined
  /** The entries from routing and packs, by the path of their candidate. Whether they fit is not known yet. */
  planned: ReadonlyMap<string, RecordedEntry>
  /** How payloads were found. */
  strategy: Strategy
}

/** Files of the project, payloads and packs, in turn. Without `found`, only the patterns of an intent choose files. */
export async function readTaskParts(
  machine: Machine,
  question: Question,
  found: ProjectAnswer | undefined,
  plane: readonly Candidate[],
): Promise<TaskParts> {
  const { trail } = question
  const at = trail.warnings.length
  const { files, pointers } = found === undefined ? { files: intended(question) } : ownFiles(question, found, plane)
  const isSilent = trail.warnings.length === at
  const payloads = await readPayloads(machine, question)
  const besides = [...files, ...payloads.core, ...payloads.matched].flatMap(({ path, text, sections = [{ text }] }) =>
    sections.map((section) => `${path} ${section.text}`),
  )
  const packs = readPacks(machine, question, besides)
  const isEmpty = [payloads.core, payloads.matched, packs.candidates].every(({ length }) => length === 0)
  if (found?.paths.length === 0 && isSilent && isEmpty) {
    trail.warnings.splice(at, 0, toWarning(report('NOTHING_TO_DO/no-files')))
  }
  return {
    candidates: interleave({ core: payloads.core, files, matched: payloads.matched, packs: packs.candidates }),
    pointers,
    planned: new Map([...payloads.planned, ...packs.planned]),
    strategy: payloads.strategy,
  }
}

/** The files that the patterns of the intent name. */
function intended({ project, intent, widest, excluded, trail }: Question): Candidate[] {
  // More than there are places, because some are duplicates or unsafe.
  const rules = { exclude: new Set(excluded), mostRead: Math.min(200, 2 * widest.maxFiles) }
  const { candidates, omitted, findings } = readIntentFiles(project.root, intent, widest.maxCharsPerFile, rules)
  trail.omitted.push(...omitted)
  trail.warnings.push(...findings.map(toWarning))
  return candidates
}

/**
 * The project's own files, best first. An intent of the user adds its files, but hides no better one; the intents of
 * the preset choose only if no file matches the task.
 */
function ownFiles(question: Question, found: ProjectAnswer, plane: readonly Candidate[]) {
  const { project, settings, trail } = question
  const inPlane = new Set(plane.map(({ path }) => path))
  const isTaken = (path: string) => inPlane.has(path) || isInstruction(path)
  const { candidates, pointers, omitted } = projectCandidates(question, found, plane.length, isTaken)
  if (settings.project?.hasOwnIntents) {
    const named = intended(question)
    const isNamed = new Set(named.map(({ path }) => path))
    const isRanked = new Set(candidates.map(({ path }) => path))
    // Files from an intent of the user rank after project files that match well.
    const isFirst = ({ path, score }: Candidate) => isNamed.has(path) || score >= 0.5
    trail.omitted.push(...omitted.filter(({ path }) => !isNamed.has(path)))
    const files = [
      ...candidates.filter(isFirst),
      ...named.filter(({ path }) => !isRanked.has(path)),
      ...candidates.filter((candidate) => !isFirst(candidate)),
    ]
    return { files, pointers }
  }
  const isBare = candidates.length === 0 && isBareRepository(project.root)
  if (!isBare) trail.omitted.push(...omitted)
  if (candidates.length > 0) return { files: candidates, pointers }
  const at = trail.warnings.length
  const general = intended(question).filter(({ path }) => !isTaken(path))
  if (isBare) trail.warnings.splice(at, trail.warnings.length, toWarning(report('NOTHING_TO_DO/bare-repository')))
  else if (general.length === 0 && !found.paths.every(isTaken)) {
    trail.warnings.push(toWarning(report('NOTHING_TO_DO/no-fitting-file')))
  }
  return { files: general, pointers }
}

async function readPayloads(machine: Machine, { task, project, trail }: Question) {
  const request = { task: task.text, layers: { projectRoot: project } }
  const { value: plan, knowledge } = await new Planner(machine).plan(request, task)
  for (const { match, reason } of plan.leftOut) {
    trail.omitted.push({ path: `payload:${match.entry.id}`, sourceClass: 'task', reason: 'budget', detail: reason })
  }
  const found = [...plan.findings]
  const read = (match: MatchResult, selectedBy: string): Candidate[] => {
    const { entry } = match
    const path = `payload:${entry.id}`
    let payload: CheckedText
    try {
      payload = openPayload(knowledge.place(entry))
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
      trail.omitted.push({ path, sourceClass: 'task', reason: 'unreadable', detail: error.message })
      return []
    }
    found.push(...(payload.findings ?? []))
    const provenance = { layer: knowledge.layerOf(entry), file: entry.path, priority: entry.priority }
    const { reason, score } = match
    return [{ ...wholeText(payload.body), path, selectedBy, reason, score: roundScore(score), provenance }]
  }
  const core = plan.preload.flatMap((match) => read(match, 'core'))
  const matched = plan.onDemand.flatMap((match) => read(match, plan.strategy))
  trail.warnings.push(...found.filter(({ severity }) => severity !== 'info').map(toWarning))
  const planned = namedBy(plan).map((entry): [string, RecordedEntry] => [`payload:${entry.id}`, entry])
  return { core, matched, planned, strategy: plan.strategy }
}

/** A text that was read completely. */
function wholeText(text: string) {
  return { sourceClass: 'task', text, charsTotal: text.length, sha256: sha256(text), isWhole: false } as const
}

/** If the settings of packs cannot be read, the bundle is built without packs. */
function readPacks(machine: Machine, { task, project, request, trail }: Question, besides: readonly string[]) {
  // The budget is the maximum size of one pack, not a share of the bundle: a pack is kept whole or left out.
  const limits = { budget: 1_500, isBudgetPerPack: true, least: LIKELY_PACK }
  const asked = { task: task.text, project, now: request.now, besides, ...limits }
  let resolved: { value: ReturnType<typeof resolvePacks>; findings: Finding[] }
  try {
    resolved = machine.collect((listening) => resolvePacks(listening, asked, task))
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code !== 'BAD_SETTINGS') throw error
    machine.report(asFinding(error, { severity: 'error' }))
    trail.warnings.push(`packs are left out: ${error.message}`)
    return { candidates: [], planned: [] }
  }
  const { value, findings } = resolved
  for (const { name, message } of value.refused) {
    trail.omitted.push({ path: `pack:${name}`, sourceClass: 'task', reason: 'gate', detail: message })
  }
  for (const { name, reason, message } of value.refused.filter(isWaiting)) {
    trail.warnings.push(reason === 'approval-needed' ? `${message}: loadout approve ${shellWord(name)}` : message)
  }
  for (const { pack } of value.active) {
    const { name, status } = pack.manifest
    if (status !== 'ready') trail.warnings.push(`the pack ${name} is ${status}`)
  }
  // A mistake in the configuration is not about packs alone: Loadout reports it beside the bundle.
  const isGeneral = ({ code }: Finding) => code === 'BAD_SETTINGS'
  machine.report(...findings.filter(isGeneral))
  const isOwn = (each: Finding) => each.severity === 'error' && !each.code.endsWith('_NEEDED') && !isGeneral(each)
  trail.warnings.push(...findings.filter(isOwn).map(toWarning))
  trail.missing.push(...new Set(value.active.flatMap(({ resolution }) => allGaps(resolution))))
  for (const { pack, resolution } of value.active) {
    trail.sourceAnchors.push(...resolution.sourceAnchors.map((anchor) => `${pack.manifest.name}/${anchor}`))
  }
  const candidates = newWrappers(value).flatMap(({ pack: name, text }): Candidate[] => {
    const active = value.active.find(({ pack }) => pack.manifest.name === name)
    if (active === undefined) return []
    const { manifest, scope, trust } = active.pack
    const provenance = {
      scope,
      trust: trust.state,
      status: manifest.status ?? 'unknown',
      version: manifest.version ?? null,
      digest: active.resolution.entryDigest ?? null,
    }
    const reason = 'the task fits what this pack says of itself'
    const score = roundScore(active.confidence ?? 1)
    return [{ ...wholeText(text), path: `pack:${name}`, selectedBy: 'pack', reason, score, provenance, isWhole: true }]
  })
  const planned = deliveredPacks(value).map((entry): [string, RecordedEntry] => [`pack:${entry.id}`, entry])
  return { candidates, planned }
}

/** Files worth their text with their sections, then places that are only named. */
function projectCandidates(
  { project: { root }, limits, widest, unit, isUnrestricted, request: { withTests } }: Question,
  answer: ProjectAnswer,
  inPlane: number,
  isTaken: (path: string) => boolean,
): { candidates: Candidate[]; pointers: BundlePointer[]; omitted: Omission[] } {
  const ranked = answer.files.filter(({ path }) => !isTaken(path))
  // The first files are shown with text, however likely; others only if they are likely enough to be needed.
  const worth = ranked.filter(({ probability }, at) => at < 3 || probability >= 0.05)
  const wanted = withTests ? worth.flatMap((file, at) => [file, ...answer.tests.slice(at, at + 1)]) : worth
  const read: (SectionedText & { file: RankedFile })[] = []
  const builds: Omission[] = []
  for (const file of wanted) {
    if (read.length >= limits.maxFiles - inPlane) break
    const found = readSections(root, file.path, answer.terms, file.lines)
    if (found === undefined || found.text.trim() === '') continue
    // Past commits alone speak for it: a document is named then, but the head of a README says nothing about the task.
    if (file.role.isProse && !file.isNamed && found.sections.every(({ words }) => words.length === 0)) continue
    const better = read.find((each) =>
      isSameBuild({ path: each.file.path, text: each.text }, { ...found, path: file.path }),
    )
    if (better === undefined || file.isNamed) read.push({ file, ...found })
    else {
      const detail = `nearly the same as ${better.file.path}`
      builds.push({ path: file.path, sourceClass: 'task', reason: 'duplicate', detail })
    }
  }
  // The turn of every section of every file. Those beyond the size of any bundle cannot be shown; no text has more
  // characters per token than 16.
  const mostChars = unit === 'chars' ? widest.total : 16 * widest.total
  const sized = read.map(({ file: { probability, isNamed, role }, sections }, at) => {
    return { probability, isSide: at > 0 && !isNamed && (role.isLog || role.isConfig || role.isData), sections }
  })
  const mostPerFile = isUnrestricted ? widest.maxCharsPerFile : limits.maxCharsPerFile
  const { first, order } = orderSections(sized, { mostPerFile, isUnrestricted })
  const turns: (number | undefined)[][] = read.map(() => [])
  let chars = 0
  order.forEach(({ file, section }, at) => {
    if (at >= first && chars > mostChars) return
    chars += read[file]!.sections[section]!.text.length
    turns[file]![section] = at < first ? 0 : at
  })
  const isBuild = new Set(builds.map(({ path }) => path))
  const others = ranked.filter(({ path, probability }) => !isBuild.has(path) && probability >= 0.004).slice(0, 40)
  const isOther = new Set(others.map(({ path }) => path))
  const beside = answer.companions.filter(({ path }) => !isOther.has(path) && !isTaken(path))
  const named = { file: others, test: answer.tests.slice(0, 6), companion: beside.slice(0, 6) }
  const places = POINTER_GROUPS.flatMap((group) => named[group].map((file) => ({ file, group })))
  places.sort((a, b) => b.file.probability - a.file.probability)
  return {
    candidates: read.map((each, at) => toCandidate(each, turns[at] ?? [])),
    pointers: places.flatMap(({ file, group }) =>
      pointersOf({ ...answer, files: [file] }, root, 1).map((pointer) => ({ ...pointer, group })),
    ),
    omitted: builds,
  }
}

function toCandidate(
  { file, text, sha256, sections }: SectionedText & { file: RankedFile },
  turns: readonly (number | undefined)[],
): Candidate {
  const { path, score, words, commits, isNamed } = file
  const chosen = sections.flatMap((section, at): CandidateSection[] => {
    const turn = turns[at]
    if (turn === undefined) return []
    const { start, end, text: own, symbol } = section
    const reason = [symbol?.slice(0, 80), section.words.slice(0, 6).join(', ')].filter(Boolean).join(': ')
    return [{ start, end, text: own, score: roundScore(section.score), reason, turn }]
  })
  // `file name [cors], text [origin, allow]; 3 past commits`
  const voted = commits.length === 0 ? '' : `${commits.length} past ${commits.length === 1 ? 'commit' : 'commits'}`
  return {
    path,
    sourceClass: 'task',
    selectedBy: 'project',
    reason: [isNamed ? 'named in the task' : '', describeWords(words), voted].filter(Boolean).join('; '),
    score: roundScore(score),
    text: chosen.map((section) => section.text).join(''),
    charsTotal: text.length,
    sha256,
    provenance: commits.length === 0 ? {} : { commits: commits.join(' ') },
    isWhole: false,
    sections: chosen,
  }
}
