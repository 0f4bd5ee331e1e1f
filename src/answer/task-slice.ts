import { isBareRepository } from '../machine/git-folder.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { deliveredPacks } from '../packs/record.ts'
import { resolvePacks } from '../packs/resolve.ts'
import { LIKELY_PACK } from '../packs/rules/resolve/choose-packs.ts'
import { allGaps } from '../packs/rules/resolve/gaps.ts'
import { isWaiting, newWrappers, type PackContext } from '../packs/rules/resolve/pack-context.ts'
import { readPayload } from '../payloads/load.ts'
import { namedBy, planByStrategy } from '../payloads/plan.ts'
import type { MatchResult } from '../payloads/rules/match.ts'
import type { ProjectAnswer } from '../project/find-files.ts'
import { roundScore } from '../search/document.ts'
import type { Strategy } from '../search/strategy.ts'
import type { Task } from '../search/task.ts'
import { shellWord } from '../text/printable.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import type { RecordedEntry } from '../usage/record.ts'
import { type IntentFiles, readIntentFiles } from './disk/read-candidate.ts'
import { type CandidateRules, projectCandidates } from './project-slice.ts'
import { interleave } from './rules/budget/fill.ts'
import type { Limits } from './rules/budget/limits.ts'
import { type Candidate, type Omission, toWarning } from './rules/bundle.ts'
import type { Intent } from './rules/context-settings.ts'

export interface TaskSlice {
  candidates: Candidate[]
  omitted: Omission[]
  warnings: string[]
  missing: string[]
  sourceAnchors: string[]
  /** The entries from routing and packs, by the path of their candidate. Whether they fit is not known yet. */
  planned: ReadonlyMap<string, RecordedEntry>
  /** How payloads were found. */
  strategy: Strategy
}

export interface TaskSliceRequest {
  task: Task
  project: Project
  intent: Intent
  /** The maximum limits of the bundle. */
  widest: Limits
  exclude: ReadonlySet<string>
  /** The result for the project's own files; undefined if only the patterns of an intent choose. */
  own: (Omit<CandidateRules, 'root'> & { answer: ProjectAnswer; hasOwnIntents: boolean }) | undefined
}

const MOST_OPENED = 200
const FILES_PER_PLACE = 2

/** Everything a task needs beyond the control plane: files by intent, routed payloads, knowledge packs. */
export async function readTaskSlice(machine: Machine, request: TaskSliceRequest): Promise<TaskSlice> {
  const { project, intent, widest, exclude } = request
  // More than there are places, because some are duplicates or unsafe.
  const mostRead = Math.min(MOST_OPENED, FILES_PER_PLACE * widest.maxFiles)
  const intended = () => readIntentFiles(project.root, intent, widest.maxCharsPerFile, { exclude, mostRead })
  const files = request.own === undefined ? intended() : ownFiles(project.root, request.own, intended)
  const payloads = await readPayloads(machine, request)
  const packs = packsForTask(machine, request)
  const hasKnowledge = [payloads.core, payloads.matched, packs.candidates].some(({ length }) => length > 0)
  const isEmpty = request.own?.answer.paths.length === 0 && files.findings.length === 0 && !hasKnowledge
  return {
    candidates: interleave({
      core: payloads.core,
      files: files.candidates,
      matched: payloads.matched,
      packs: packs.candidates,
    }),
    omitted: [...files.omitted, ...payloads.omitted, ...packs.omitted],
    warnings: [...(isEmpty ? [EMPTY] : files.findings).map(toWarning), ...payloads.warnings, ...packs.warnings],
    missing: packs.missing,
    sourceAnchors: packs.sourceAnchors,
    planned: new Map([...payloads.planned, ...packs.planned]),
    strategy: payloads.strategy,
  }
}

/** Files from an intent of the user rank after project files that match this well. */
const BETTER = 0.5

/**
 * The project's own files, best first. An intent of the user adds its files, but hides no better one; the intents of
 * the preset choose only if no file matches the task.
 */
function ownFiles(root: string, own: NonNullable<TaskSliceRequest['own']>, intended: () => IntentFiles): IntentFiles {
  const found = projectCandidates(own.answer, { ...own, root })
  if (own.hasOwnIntents) return withIntended(found, intended())
  if (found.candidates.length > 0) return { ...found, findings: [] }
  const general = intended()
  const candidates = general.candidates.filter(({ path }) => !own.isTaken(path))
  const isTold = candidates.length > 0 || own.answer.paths.every(own.isTaken)
  if (isBareRepository(root)) return { candidates, omitted: general.omitted, findings: [BARE] }
  return {
    candidates,
    omitted: [...found.omitted, ...general.omitted],
    findings: [...general.findings, ...(isTold ? [] : [NOTHING_FITS])],
  }
}

function withIntended(found: Omit<IntentFiles, 'findings'>, named: IntentFiles): IntentFiles {
  const isNamed = new Set(named.candidates.map(({ path }) => path))
  const isRanked = new Set(found.candidates.map(({ path }) => path))
  const isFirst = ({ path, score }: Candidate) => isNamed.has(path) || score >= BETTER
  return {
    candidates: [
      ...found.candidates.filter(isFirst),
      ...named.candidates.filter(({ path }) => !isRanked.has(path)),
      ...found.candidates.filter((candidate) => !isFirst(candidate)),
    ],
    omitted: [...named.omitted, ...found.omitted.filter(({ path }) => !isNamed.has(path))],
    findings: named.findings,
  }
}

const NOTHING_FITS: Finding = {
  severity: 'warning',
  code: 'NO_FITTING_FILE',
  message: 'no file of the project fits the words of the task',
  hint: 'describe the task in other words',
}

const EMPTY: Finding = {
  severity: 'warning',
  code: 'NO_FITTING_FILE',
  message: 'the project folder has no files to choose from',
  hint: 'run this in your project, or name its folder: --project <folder>',
}

const BARE: Finding = {
  severity: 'warning',
  code: 'NO_FITTING_FILE',
  message: 'this is a bare repository: it has no files that could be shown',
  hint: 'clone it, and run this in the clone',
}

async function readPayloads(machine: Machine, { task, project }: TaskSliceRequest) {
  const request = { task: task.text, layers: { projectRoot: project } }
  const { value: plan, findings, knowledge } = await planByStrategy(machine, request, task)
  const omitted: Omission[] = plan.leftOut.map(({ match, reason }) => ({
    path: `payload:${match.entry.id}`,
    sourceClass: 'task',
    reason: 'budget',
    detail: reason,
  }))
  const found = [...findings]
  const read = (match: MatchResult, selectedBy: string): Candidate[] => {
    const { entry } = match
    const path = `payload:${entry.id}`
    const payload = readPayload(knowledge, entry)
    if ('problem' in payload) {
      omitted.push({ path, sourceClass: 'task', reason: 'unreadable', detail: payload.problem })
      return []
    }
    const { body: text } = payload
    found.push(...payload.findings)
    return [
      {
        path,
        sourceClass: 'task',
        selectedBy,
        reason: match.reason,
        score: roundScore(match.score),
        text,
        charsTotal: text.length,
        sha256: sha256(text),
        provenance: { layer: knowledge.layerOf(entry), file: entry.path, priority: entry.priority },
        isWhole: false,
      },
    ]
  }
  return {
    core: plan.preload.flatMap((match) => read(match, 'core')),
    matched: plan.onDemand.flatMap((match) => read(match, plan.strategy)),
    planned: namedBy(plan).map((entry): [string, RecordedEntry] => [`payload:${entry.id}`, entry]),
    strategy: plan.strategy,
    omitted,
    warnings: found.filter(({ severity }) => severity !== 'info').map(toWarning),
  }
}

/** The maximum size of one pack. Not a share of the bundle: a pack is kept whole or left out. */
const PACK_TOKENS = 1_500

/** If the settings of packs cannot be read, the bundle is built without packs. */
function packsForTask(machine: Machine, request: TaskSliceRequest): ReturnType<typeof resolveForTask> {
  try {
    return resolveForTask(machine, request)
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code !== 'BAD_CONFIG') throw error
    const { code, message, hint } = error
    machine.report?.({ severity: 'error', code, message, ...(hint !== undefined && { hint }) })
    const warnings = [`packs are left out: ${message}`]
    return { candidates: [], planned: [], omitted: [], warnings, missing: [], sourceAnchors: [] }
  }
}

function resolveForTask(machine: Machine, { task, project }: TaskSliceRequest) {
  const limits = { budget: PACK_TOKENS, isBudgetPerPack: true, isRecorded: false, least: LIKELY_PACK }
  const { value, findings } = resolvePacks(machine, { task: task.text, project, ...limits }, task)
  const omitted = value.refused.map(
    ({ name, message }): Omission => ({ path: `pack:${name}`, sourceClass: 'task', reason: 'gate', detail: message }),
  )
  const isOwn = ({ severity, code }: Finding) => severity === 'error' && !code.endsWith('_NEEDED')
  return {
    candidates: packCandidates(value),
    planned: deliveredPacks(value).map((entry): [string, RecordedEntry] => [`pack:${entry.id}`, entry]),
    omitted,
    warnings: [
      ...value.refused
        .filter(isWaiting)
        .map(({ name, reason, message }) =>
          reason === 'approval-needed' ? `${message}: loadout approve ${shellWord(name)}` : message,
        ),
      ...value.active.flatMap(({ pack: { manifest } }) =>
        manifest.status === 'ready' ? [] : [`the pack ${manifest.name} is ${manifest.status}`],
      ),
      ...findings.filter(isOwn).map(toWarning),
    ],
    missing: [...new Set(value.active.flatMap(({ resolution }) => allGaps(resolution)))],
    sourceAnchors: value.active.flatMap(({ pack, resolution }) =>
      resolution.sourceAnchors.map((anchor) => `${pack.manifest.name}/${anchor}`),
    ),
  }
}

function packCandidates(context: PackContext): Candidate[] {
  return newWrappers(context).flatMap(({ pack: name, text }): Candidate[] => {
    const active = context.active.find(({ pack }) => pack.manifest.name === name)
    if (active === undefined) return []
    const { manifest, scope, trust } = active.pack
    return [
      {
        path: `pack:${name}`,
        sourceClass: 'task',
        selectedBy: 'pack',
        reason: 'the task fits what this pack says of itself',
        score: roundScore(active.confidence ?? 1),
        text,
        charsTotal: text.length,
        sha256: sha256(text),
        provenance: {
          scope,
          trust: trust.state,
          status: manifest.status ?? 'unknown',
          version: manifest.version ?? null,
          digest: active.resolution.entryDigest ?? null,
        },
        isWhole: true,
      },
    ]
  })
}
