import { isBareRepository } from '../machine/git-folder.ts'
import type { Machine } from '../machine/machine.ts'
import { deliveredPacks } from '../packs/record.ts'
import { resolvePacks } from '../packs/resolve.ts'
import { LIKELY_PACK } from '../packs/rules/resolve/choose.ts'
import { allGaps } from '../packs/rules/resolve/gaps.ts'
import { isWaiting, newWrappers } from '../packs/rules/resolve/pack-context.ts'
import { namedBy, planByStrategy, readPayload } from '../payloads/plan.ts'
import type { MatchResult } from '../payloads/rules/match.ts'
import { type ProjectAnswer, readSections, type SectionedText } from '../project/find-files.ts'
import { describeWords, pointersOf } from '../project/point-to-files.ts'
import { isSameBuild } from '../project/rules/candidates.ts'
import { orderSections } from '../project/rules/portions.ts'
import type { RankedFile } from '../project/rules/rank-files.ts'
import { roundScore, type Strategy } from '../search/document.ts'
import { shellWord } from '../text/printable.ts'
import { type Finding, LoadoutError, report } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import type { RecordedEntry } from '../usage/record.ts'
import type { Question } from './answer.ts'
import { readIntentFiles } from './disk/read-candidate.ts'
import { interleave } from './rules/budget/fit.ts'
import {
  type BundlePointer,
  type Candidate,
  type CandidateSection,
  type Omission,
  POINTER_GROUPS,
  type Trail,
  toWarning,
} from './rules/bundle.ts'

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

type TaskQuestion = Pick<Question, 'task' | 'project' | 'intent' | 'widest' | 'now'> & {
  exclude: ReadonlySet<string>
  trail: Trail
}

/** How the project's own files are shown. */
export interface OwnFiles {
  /** What the task found. */
  files: ProjectAnswer
  places: number
  mostPerFile: number
  /** Shown elsewhere in the bundle. */
  isTaken: (path: string) => boolean
  /** The maximum number of characters in any bundle. */
  mostChars: number
  /** Shows the test of each file after it. */
  withTests: boolean
  /** Shows whole files. */
  isUnrestricted: boolean
  /** The user wrote the intents: they add files. */
  hasOwnIntents: boolean
}

const MOST_OPENED = 200
const FILES_PER_PLACE = 2

/** Files of the project, payloads and packs, in turn. Without `own`, only the patterns of an intent choose files. */
export async function readTaskParts(
  machine: Machine,
  question: TaskQuestion,
  own: OwnFiles | undefined,
): Promise<TaskParts> {
  const { trail } = question
  const at = trail.warnings.length
  const { files, pointers } = own === undefined ? { files: intended(question) } : ownFiles(question, own)
  const isSilent = trail.warnings.length === at
  const payloads = await readPayloads(machine, question)
  const besides = [...files, ...payloads.core, ...payloads.matched].flatMap(({ path, text, sections = [{ text }] }) =>
    sections.map((section) => `${path} ${section.text}`),
  )
  const packs = packsForTask(machine, question, besides)
  const isEmpty = [payloads.core, payloads.matched, packs.candidates].every(({ length }) => length === 0)
  if (own?.files.paths.length === 0 && isSilent && isEmpty) trail.warnings.splice(at, 0, toWarning(EMPTY))
  return {
    candidates: interleave({
      core: payloads.core,
      files,
      matched: payloads.matched,
      packs: packs.candidates,
    }),
    pointers,
    planned: new Map([...payloads.planned, ...packs.planned]),
    strategy: payloads.strategy,
  }
}

/** The files that the patterns of the intent name. */
function intended({ project, intent, widest, exclude, trail }: TaskQuestion): Candidate[] {
  // More than there are places, because some are duplicates or unsafe.
  const mostRead = Math.min(MOST_OPENED, FILES_PER_PLACE * widest.maxFiles)
  const found = readIntentFiles(project.root, intent, widest.maxCharsPerFile, { exclude, mostRead })
  trail.omitted.push(...found.omitted)
  trail.warnings.push(...found.findings.map(toWarning))
  return found.candidates
}

/** Files from an intent of the user rank after project files that match this well. */
const BETTER = 0.5

/**
 * The project's own files, best first. An intent of the user adds its files, but hides no better one; the intents of
 * the preset choose only if no file matches the task.
 */
function ownFiles(question: TaskQuestion, own: OwnFiles): { files: Candidate[]; pointers: BundlePointer[] } {
  const { project, trail } = question
  const { candidates, pointers, omitted } = projectCandidates(project.root, own)
  if (own.hasOwnIntents) {
    const named = intended(question)
    const isNamed = new Set(named.map(({ path }) => path))
    const isRanked = new Set(candidates.map(({ path }) => path))
    const isFirst = ({ path, score }: Candidate) => isNamed.has(path) || score >= BETTER
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
  const general = intended(question).filter(({ path }) => !own.isTaken(path))
  if (isBare) trail.warnings.splice(at, trail.warnings.length, toWarning(BARE))
  else if (general.length === 0 && !own.files.paths.every(own.isTaken)) trail.warnings.push(toWarning(NOTHING_FITS))
  return { files: general, pointers }
}

const NOTHING_FITS: Finding = report('NO_FITTING_FILE/words')

const EMPTY: Finding = report('NO_FITTING_FILE/words-x')

const BARE: Finding = report('NO_FITTING_FILE/words-x-x')

async function readPayloads(machine: Machine, { task, project, trail }: TaskQuestion) {
  const request = { task: task.text, layers: { projectRoot: project } }
  const { value: plan, knowledge } = await planByStrategy(machine, request, task)
  for (const { match, reason } of plan.leftOut) {
    trail.omitted.push({ path: `payload:${match.entry.id}`, sourceClass: 'task', reason: 'budget', detail: reason })
  }
  const found = [...plan.findings]
  const read = (match: MatchResult, selectedBy: string): Candidate[] => {
    const { entry } = match
    const path = `payload:${entry.id}`
    const payload = readPayload(knowledge, entry)
    if ('problem' in payload) {
      trail.omitted.push({ path, sourceClass: 'task', reason: 'unreadable', detail: payload.problem })
      return []
    }
    found.push(...payload.findings)
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

/** The maximum size of one pack. Not a share of the bundle: a pack is kept whole or left out. */
const PACK_TOKENS = 1_500

/** If the settings of packs cannot be read, the bundle is built without packs. */
function packsForTask(
  machine: Machine,
  question: TaskQuestion,
  besides: readonly string[],
): ReturnType<typeof readPacks> {
  try {
    return readPacks(machine, question, besides)
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code !== 'BAD_CONFIG') throw error
    const { code, message, hint } = error
    machine.report({ severity: 'error', code, message, hint })
    question.trail.warnings.push(`packs are left out: ${message}`)
    return { candidates: [], planned: [] }
  }
}

function readPacks(machine: Machine, { task, project, now, trail }: TaskQuestion, besides: readonly string[]) {
  const limits = { budget: PACK_TOKENS, isBudgetPerPack: true, isRecorded: false, least: LIKELY_PACK }
  const { value, findings } = machine.collect((listening) =>
    resolvePacks(listening, { task: task.text, project, now, besides, ...limits }, task),
  )
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
  const isGeneral = ({ code }: Finding) => code === 'BAD_CONFIG' || code === 'BAD_SETTINGS'
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

/** The first files are shown with text, however likely; others only if they are this likely to be needed. */
const ALWAYS_SHOWN = 3
const WORTH_TEXT = 0.05
const WORTH_A_LINE = 0.004
const MOST_POINTERS = 40
const MOST_TESTS = 6
const MOST_COMPANIONS = 6

interface FoundFiles {
  candidates: Candidate[]
  pointers: BundlePointer[]
  omitted: Omission[]
}

/** Files worth their text with their sections, then places that are only named. */
function projectCandidates(root: string, own: OwnFiles): FoundFiles {
  const { files: answer, places: most, isTaken, withTests } = own
  const ranked = answer.files.filter(({ path }) => !isTaken(path))
  const worth = ranked.filter(({ probability }, at) => at < ALWAYS_SHOWN || probability >= WORTH_TEXT)
  const wanted = withTests ? worth.flatMap((file, at) => [file, ...answer.tests.slice(at, at + 1)]) : worth
  const read: (SectionedText & { file: RankedFile })[] = []
  const builds: Omission[] = []
  for (const file of wanted) {
    if (read.length >= most) break
    const found = readSections(root, file.path, answer.terms, file.lines)
    if (found === undefined || found.text.trim() === '') continue
    const better = read.find((each) =>
      isSameBuild({ path: each.file.path, text: each.text }, { ...found, path: file.path }),
    )
    if (better === undefined || file.isNamed) read.push({ file, ...found })
    else {
      const detail = `nearly the same as ${better.file.path}`
      builds.push({ path: file.path, sourceClass: 'task', reason: 'duplicate', detail })
    }
  }
  const turns = turnsOf(
    read.map(({ file, sections }, at) => ({
      probability: file.probability,
      isSide: at > 0 && isSide(file),
      sections,
    })),
    own,
  )
  const isBuild = new Set(builds.map(({ path }) => path))
  const others = ranked
    .filter(({ path, probability }) => !isBuild.has(path) && probability >= WORTH_A_LINE)
    .slice(0, MOST_POINTERS)
  const isOther = new Set(others.map(({ path }) => path))
  const beside = answer.companions.filter(({ path }) => !isOther.has(path) && !isTaken(path))
  const named = {
    file: others,
    test: answer.tests.slice(0, MOST_TESTS),
    companion: beside.slice(0, MOST_COMPANIONS),
  }
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

/** Files that match many tasks a little: changelogs, settings, data. */
function isSide({ role, isNamed }: RankedFile): boolean {
  return !isNamed && (role.isLog || role.isConfig || role.isData)
}

type Sectioned = Parameters<typeof orderSections>[0]

/** The turn of every section of every file; undefined if the section is not shown. */
function turnsOf(files: Sectioned, { mostPerFile, mostChars, isUnrestricted }: OwnFiles): (number | undefined)[][] {
  const { first, order } = orderSections(files, { mostPerFile, isUnrestricted })
  const turns: (number | undefined)[][] = files.map(() => [])
  let chars = 0
  order.forEach(({ file, section }, at) => {
    // Sections beyond the size of the bundle cannot be shown.
    if (at >= first && chars > mostChars) return
    chars += files[file]!.sections[section]!.text.length
    turns[file]![section] = at < first ? 0 : at
  })
  return turns
}

function toCandidate(
  { file, text, sha256, sections }: SectionedText & { file: RankedFile },
  turns: readonly (number | undefined)[],
): Candidate {
  const chosen = sections.flatMap((section, at): CandidateSection[] => {
    const turn = turns[at]
    if (turn === undefined) return []
    const { start, end, text: own, score } = section
    return [{ start, end, text: own, score: roundScore(score), reason: sectionReason(section), turn }]
  })
  return {
    path: file.path,
    sourceClass: 'task',
    selectedBy: 'project',
    reason: fileReason(file),
    score: roundScore(file.score),
    text: chosen.map((section) => section.text).join(''),
    charsTotal: text.length,
    sha256,
    provenance: file.commits.length === 0 ? {} : { commits: file.commits.join(' ') },
    isWhole: false,
    sections: chosen,
  }
}

function sectionReason({ symbol, words }: SectionedText['sections'][number]): string {
  const said = words.length === 0 ? '' : words.slice(0, 6).join(', ')
  return [symbol?.slice(0, 80), said].filter((part) => part !== undefined && part !== '').join(': ')
}

/** `file name [cors], text [origin, allow]; 3 commits` */
function fileReason({ words, commits, isNamed }: RankedFile): string {
  const voted = commits.length === 0 ? '' : `${commits.length} past ${commits.length === 1 ? 'commit' : 'commits'}`
  return [isNamed ? 'named in the task' : '', describeWords(words), voted].filter((part) => part !== '').join('; ')
}
