import { join } from 'node:path'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { fence, fenceFindings } from '../text/fence.ts'
import type { Readable } from '../text/readable.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { getOwn } from '../text/values.ts'
import { keepTask, type RecordedEntry, recordTask } from '../usage/record.ts'
import { type Knowledge, projectOf } from './knowledge.ts'
import { namedBy, noteOf, type PlanRequest, planByStrategy, planTerms, type TaskPlan } from './plan.ts'
import { readBody } from './rules/frontmatter.ts'
import type { LoadoutEntry } from './rules/loadout-index.ts'
import type { LeftOut, LoadPlan } from './rules/plan.ts'

/** The text of one payload, fenced as data, as it goes to a model. */
export interface LoadedPayload {
  id: string
  layer: string
  path: string
  text: string
  tokens: number
}

export interface LoadResult {
  contents: LoadedPayload[]
  findings: Finding[]
}

/** The layer of an entry, and the folder from which its path starts. */
type PayloadLocations = Pick<Knowledge, 'layerOf' | 'rootOf'>

/** An entry and where it comes from. */
export interface PlacedEntry {
  entry: LoadoutEntry
  layer: string
  root: string
}

export function placeOf({ layerOf, rootOf }: PayloadLocations, entry: LoadoutEntry): PlacedEntry {
  return { entry, layer: layerOf(entry), root: rootOf(entry) }
}

/** Reads payloads in order, as long as the text for the model, fences included, stays within the budget. */
export function loadPayloads(
  knowledge: PayloadLocations,
  entries: readonly LoadoutEntry[],
  budget = Infinity,
): LoadResult {
  const contents: LoadedPayload[] = []
  const findings: Finding[] = []
  let left = budget
  for (const entry of entries) {
    const payload = fencePayload(knowledge, entry, findings)
    if (payload === undefined) continue
    if (payload.tokens > left) {
      findings.push(overBudget(entry, payload.tokens, left))
      continue
    }
    contents.push(payload)
    left -= payload.tokens
  }
  return { contents, findings }
}

/** The text of one payload, without frontmatter and fence. */
export function readPayload(
  knowledge: Knowledge,
  entry: LoadoutEntry,
): { body: string; findings: Finding[] } | { problem: string } {
  try {
    return readBody(readTextInside(knowledge.rootOf(entry), entry.path), entry.path)
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    return { problem: error.message }
  }
}

function fencePayload(
  knowledge: PayloadLocations,
  entry: LoadoutEntry,
  findings: Finding[],
): LoadedPayload | undefined {
  const layer = knowledge.layerOf(entry)
  try {
    const read = readBody(readTextInside(knowledge.rootOf(entry), entry.path), entry.path)
    const fenced = fence('loadout_payload', { id: entry.id, layer, path: entry.path }, read.body)
    findings.push(...read.findings, ...fenceFindings(fenced, entry.id, entry.path))
    return { id: entry.id, layer, path: entry.path, text: fenced.text, tokens: estimateTokens(fenced.text) }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const code = error.code === 'PATH_ESCAPE' || error.code === 'FENCE_BROKEN' ? error.code : 'PAYLOAD_UNREADABLE'
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    const message = `${entry.id} was not loaded: ${error.message}`
    findings.push({ severity: 'error', code, message, subject: entry.id, ...hint })
    return undefined
  }
}

function overBudget(entry: LoadoutEntry, needed: number, left: number): Finding {
  return {
    severity: entry.priority === 'core' ? 'error' : 'warning',
    code: entry.priority === 'core' ? 'BUDGET_TOO_SMALL' : 'LEFT_OUT',
    message: `${entry.id} was not loaded: it needs ${needed} tokens with its fence, ${left} are left`,
    subject: entry.id,
    hint: 'raise --budget',
  }
}

export interface LoadedPlan extends TaskPlan {
  contents: LoadedPayload[]
}

/** Plans a task, reads its payloads within the budget, and records what was planned and loaded. */
export async function loadPlan(machine: Machine, request: PlanRequest): Promise<LoadedPlan> {
  const { value: plan, knowledge } = await planByStrategy(machine, request)
  const matches = [...plan.preload, ...plan.onDemand]
  const loaded = loadPayloads(
    knowledge,
    matches.map(({ entry }) => entry),
    request.budget,
  )
  const recorded = request.isRecorded === false ? [] : await recordLoaded(machine, request, plan, loaded.contents)
  const value = Object.assign(plan, { contents: loaded.contents })
  machine.report(...plan.findings, ...plan.leftOut.map(leftOutFinding), ...loaded.findings, ...recorded)
  return value
}

export interface LoadRequest {
  /** Maximum tokens of the texts, fences included. */
  budget?: number
  /** Default: true if the plan knows its task. */
  isRecorded?: boolean
}

/** Reads the entries of a plan, made by any caller at any time: the plan contains the location of its payloads. */
export function loadChosen(machine: Machine, plan: LoadPlan | TaskPlan, request: LoadRequest = {}): LoadResult {
  const matches = [...plan.preload, ...plan.onDemand]
  const loaded = loadPayloads(
    locationsOf(plan),
    matches.map(({ entry }) => entry),
    request.budget,
  )
  if (request.isRecorded === false || !('task' in plan)) return loaded
  const entries = deliveredOf(plan, loaded.contents)
  const recorded = recordTask(machine, { task: plan.task, steps: [{ stage: 'delivered', entries }] })
  return { ...loaded, findings: [...loaded.findings, ...recorded] }
}

function locationsOf(plan: LoadPlan | TaskPlan): PayloadLocations {
  const layerOf = ({ id }: LoadoutEntry) =>
    ('sources' in plan ? getOwn(plan.sources, id) : undefined) ?? getOwn(plan.provenance, id) ?? ''
  const rootOf = (entry: LoadoutEntry) => {
    const root = getOwn(plan.roots, layerOf(entry))
    if (root === undefined) throw failWith('ENTRY_NOT_FOUND/plan', { id: entry.id })
    return root
  }
  return { layerOf, rootOf }
}

function deliveredOf(plan: TaskPlan, contents: readonly LoadedPayload[]): RecordedEntry[] {
  const matches = new Map([...plan.preload, ...plan.onDemand].map((match) => [match.entry.id, match]))
  return contents.flatMap(({ id, tokens }) => {
    const match = matches.get(id)
    return match === undefined ? [] : [noteOf(plan, match, tokens)]
  })
}

async function recordLoaded(
  machine: Machine,
  request: PlanRequest,
  plan: TaskPlan,
  contents: readonly LoadedPayload[],
): Promise<Finding[]> {
  const delivered = deliveredOf(plan, contents)
  const kept = await keepTask(machine, request.task, () => planTerms(machine, request, plan.strategy))
  return recordTask(machine, {
    task: request.task,
    kept,
    project: projectOf(machine, request.layers),
    steps: [
      { stage: 'planned', entries: namedBy(plan) },
      { stage: 'delivered', entries: delivered },
    ],
  })
}

function leftOutFinding({ match, reason }: LeftOut): Finding {
  return report('LEFT_OUT/entry', { id: match.entry.id, reason }, { subject: match.entry.id })
}

/** The body of a payload, without its frontmatter. */
export function openPayload(entry: LoadoutEntry, knowledge: Knowledge): Readable {
  const { id, path } = entry
  const root = knowledge.rootOf(entry)
  const layer = knowledge.layerOf(entry)
  const { body: whole, findings } = readBody(readTextInside(root, path), path)
  return {
    name: id,
    layer,
    path: join(root, path),
    body: whole,
    wrap: (body) => {
      const fenced = fence('loadout_payload', { id, layer, path }, body)
      return { text: fenced.text, findings: [...findings, ...fenceFindings(fenced, id, path)] }
    },
  }
}
