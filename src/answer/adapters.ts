import { readApprovals } from '../machine/approvals.ts'
import { isPlace } from '../machine/folder-identity.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject, type Project, realFolder } from '../machine/open-project.ts'
import { type Approval, changesSince, summarizeChanges } from '../machine/rules/approval.ts'
import { shellWord } from '../text/printable.ts'
import type { Finding } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { type CommandPins, pinCommand } from './disk/command-pins.ts'
import { type Failure, type Fetched, fetchAdapter } from './disk/run-adapter.ts'
import { type AdapterPayload, parseAdapterPayload, toCandidates } from './rules/advice/adapter-slice.ts'
import type { OptionalSlice } from './rules/bundle.ts'
import type { AdapterSettings } from './rules/context-settings.ts'
import { contextSettings } from './settings.ts'

export interface AdapterRequest {
  projectRoot: string
  adapters: readonly AdapterSettings[]
  task: string
  now: Date
  signal?: AbortSignal
}

/**
 * The adapter items for a task, in the order of the settings. A failing adapter does not affect the others.
 */
export async function readAdapterSlice(machine: Machine, request: AdapterRequest): Promise<OptionalSlice> {
  const { projectRoot, adapters, task, now, signal } = request
  const judged = viewAdapters(machine, realFolder(machine, projectRoot), adapters)
  const reading = adapters.map(async (adapter, at) => {
    const isAllowed = judged[at]?.trust === 'allowed'
    const { payload, failure } = read(await fetchAdapter(machine, projectRoot, adapter, { isAllowed, signal }))
    if (payload === undefined) return failed(adapter, failure, judged[at])
    return { ...toCandidates(payload, adapter, task, now), degraded: [] }
  })
  const slices = await Promise.all(reading)
  return {
    candidates: slices.flatMap(({ candidates }) => candidates),
    omitted: slices.flatMap(({ omitted }) => omitted),
    warnings: slices.flatMap(({ warnings }) => warnings),
    degraded: slices.flatMap(({ degraded }) => degraded),
  }
}

type Read = { payload: AdapterPayload; failure?: undefined } | { payload?: undefined; failure: Failure }

function read(fetched: Fetched): Read {
  if (fetched.failure !== undefined) return { failure: fetched.failure }
  const { payload, problem } = parseAdapterPayload(fetched.payload)
  if (payload !== undefined) return { payload }
  return { failure: { code: 'ADAPTER_FAILED', message: `its output has the wrong shape: ${problem}` } }
}

function failed({ id }: AdapterSettings, failure: Failure, view: AdapterView | undefined): OptionalSlice {
  const { code } = failure
  const isRefused = code === 'ADAPTER_NOT_ALLOWED'
  const reason = (isRefused && view !== undefined && refusal(view)) || failure.message
  const isAskable = view?.trust === 'unknown' || view?.trust === 'changed'
  const hint = isRefused && isAskable ? { hint: `loadout approve ${shellWord(`adapter:${id}`)}` } : {}
  const warning: Finding = { severity: 'warning', code, message: `the adapter ${id}: ${reason}`, subject: id, ...hint }
  return { candidates: [], omitted: [], warnings: [warning], degraded: [{ source: `adapter:${id}`, code, reason }] }
}

function refusal({ trust, changes = [], problems = [] }: AdapterView): string | undefined {
  if (trust === 'changed') return `it has changed since it was approved: ${summarizeChanges(changes)}`
  if (trust === 'denied') return 'its command was denied'
  return trust === 'unpinnable' ? `its command cannot be approved: ${problems.join('; ')}` : undefined
}

/** `changed`: it was approved, but has changed. `unpinnable`: Loadout cannot know which files it runs. */
export type CommandTrust = 'allowed' | 'changed' | 'unknown' | 'unpinnable' | 'denied'

export interface AdapterView {
  id: string
  file?: string
  command?: readonly string[]
  /** A file needs no approval. */
  trust: CommandTrust
  /** The files of the project that the command runs, as far as known. */
  files?: string[]
  /** Why the command cannot be approved. */
  problems?: readonly string[]
  /** What has changed since the command was approved. */
  changes?: readonly string[]
  pins?: CommandPins
}

export interface AdapterList {
  projectRoot: string
  adapters: Omit<AdapterView, 'pins'>[]
}

export const UNPINNABLE_HINT =
  'name a script file of the project that imports only files by their paths: node tools/tickets.js'

export function listAdapters(machine: Machine, request: { project?: string }): AdapterList {
  const { projectRoot, adapters } = openAdapters(machine, request.project)
  const views = viewAdapters(machine, projectRoot, adapters).map(({ pins: _, ...view }) => view)
  return { projectRoot, adapters: views }
}

export function openAdapters(machine: Machine, project: string | Project | undefined) {
  const opened = openProject(machine, project)
  return { projectRoot: realFolder(machine, opened.root), adapters: contextSettings(opened).adapters }
}

/** Each adapter with what its command can run, and whether a person approved exactly that. */
export function viewAdapters(
  machine: Machine,
  projectRoot: string,
  adapters: readonly AdapterSettings[],
): AdapterView[] {
  const { approvals } = readApprovals(machine)
  return adapters.map(({ id, file, command }) => {
    if (command === undefined) return { id, file, trust: 'allowed' }
    const approval = approvals.find((each) => each.kind === 'adapter' && each.root === projectRoot && each.name === id)
    const pins = pinCommand(machine, projectRoot, command)
    const { files, problems } = pins
    const changes = approval?.decision === 'approved' ? changesOf(machine, approval, command, pins) : []
    const view = { id, command, trust: trustOf(approval, pins, changes), files: Object.keys(files), pins }
    return {
      ...view,
      problems: problems.length > 0 ? problems : undefined,
      changes: changes.length > 0 ? changes : undefined,
    }
  })
}

function trustOf(approval: Approval | undefined, { problems }: CommandPins, changes: readonly string[]): CommandTrust {
  if (approval?.decision === 'denied') return 'denied'
  if (problems.length > 0) return 'unpinnable'
  if (approval === undefined) return 'unknown'
  return changes.length > 0 ? 'changed' : 'allowed'
}

function changesOf(
  machine: Machine,
  { root, place, digest, files = {} }: Approval,
  command: readonly string[],
  pins: CommandPins,
): string[] {
  return [
    ...(place !== undefined && isPlace(machine, root, place) ? [] : ['another project lies at this path now']),
    ...(digest === digestOfCommand(command) ? [] : ['the command changed']),
    ...changesSince(files, pins.files),
  ]
}

export function digestOfCommand(command: readonly string[]): string {
  return sha256(JSON.stringify(command))
}
