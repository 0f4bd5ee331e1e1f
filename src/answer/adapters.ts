import { readApprovals } from '../machine/approvals.ts'
import { isPlace } from '../machine/folder-identity.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject, type Project, realFolder } from '../machine/open-project.ts'
import { changesSince, summarizeChanges } from '../machine/rules/approval.ts'
import { shellWord } from '../text/printable.ts'
import { asFinding, failWith, type LoadoutError } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { type CommandPins, pinCommand } from './disk/command-pins.ts'
import { fetchAdapter } from './disk/run-adapter.ts'
import { parseAdapterPayload, toCandidates } from './rules/advice/adapter-slice.ts'
import type { OptionalSlice } from './rules/bundle.ts'
import { type AdapterSettings, contextSettings } from './settings.ts'

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
  const views = viewAdapters(machine, realFolder(machine, projectRoot), adapters)
  const reading = adapters.map(async (adapter, at): Promise<OptionalSlice> => {
    const isAllowed = views[at]?.trust === 'allowed'
    const fetched = await fetchAdapter(machine, projectRoot, adapter, { isAllowed, signal })
    const { payload, problem } =
      fetched.failure === undefined ? parseAdapterPayload(fetched.payload) : { payload: undefined, problem: '' }
    if (payload !== undefined) return { ...toCandidates(payload, adapter, task, now), degraded: [] }
    const failure = fetched.failure ?? failWith('ADAPTER_FAILED/shape', { problem: problem ?? '' })
    return failed(adapter.id, failure, views[at])
  })
  const slices = await Promise.all(reading)
  return {
    candidates: slices.flatMap(({ candidates }) => candidates),
    omitted: slices.flatMap(({ omitted }) => omitted),
    warnings: slices.flatMap(({ warnings }) => warnings),
    degraded: slices.flatMap(({ degraded }) => degraded),
  }
}

/** Why an adapter has no items, and for a command that a person may still allow, how. */
function failed(id: string, failure: LoadoutError, view: AdapterView | undefined): OptionalSlice {
  const { code } = failure
  const { trust, changes = [], problems = [] } = (code === 'ADAPTER_NOT_ALLOWED' && view) || {}
  const reasons: Partial<Record<CommandTrust, string>> = {
    changed: `it has changed since it was approved: ${summarizeChanges(changes)}`,
    denied: 'its command was denied',
    unpinnable: `its command cannot be approved: ${problems.join('; ')}`,
  }
  const reason = (trust && reasons[trust]) ?? failure.message
  const hint = trust === 'unknown' || trust === 'changed' ? `loadout approve ${shellWord(`adapter:${id}`)}` : undefined
  const warning = asFinding(failure, { message: `the adapter ${id}: ${reason}`, subject: id, hint })
  return { candidates: [], omitted: [], warnings: [warning], degraded: [{ source: `adapter:${id}`, code, reason }] }
}

/** `changed`: it was approved, but has changed. `unpinnable`: Loadout cannot know which files it runs. */
type CommandTrust = 'allowed' | 'changed' | 'unknown' | 'unpinnable' | 'denied'

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

export function listAdapters(machine: Machine, request: { project?: string }): AdapterList {
  const { projectRoot, views } = openAdapters(machine, request.project)
  return { projectRoot, adapters: views.map(({ pins: _, ...view }) => view) }
}

export function openAdapters(machine: Machine, project: string | Project | undefined) {
  const opened = openProject(machine, project)
  const projectRoot = realFolder(machine, opened.root)
  return { projectRoot, views: viewAdapters(machine, projectRoot, contextSettings(opened).adapters) }
}

/** Each adapter with what its command can run, and whether a person approved exactly that. */
function viewAdapters(machine: Machine, projectRoot: string, adapters: readonly AdapterSettings[]): AdapterView[] {
  const { approvals } = readApprovals(machine)
  return adapters.map(({ id, file, command }) => {
    if (command === undefined) return { id, file, trust: 'allowed' }
    const approval = approvals.find((each) => each.kind === 'adapter' && each.root === projectRoot && each.name === id)
    const pins = pinCommand(machine, projectRoot, command)
    const { files, problems } = pins
    const changes: string[] = []
    if (approval?.decision === 'approved') {
      const { root, place, digest } = approval
      if (place === undefined || !isPlace(machine, root, place)) changes.push('another project lies at this path now')
      if (digest !== digestOfCommand(command)) changes.push('the command changed')
      changes.push(...changesSince(approval.files ?? {}, files))
    }
    let trust: CommandTrust = changes.length > 0 ? 'changed' : 'allowed'
    if (approval === undefined) trust = 'unknown'
    if (problems.length > 0) trust = 'unpinnable'
    if (approval?.decision === 'denied') trust = 'denied'
    const some = (list: readonly string[]) => (list.length > 0 ? list : undefined)
    return {
      id,
      command,
      trust,
      files: Object.keys(files),
      pins,
      problems: some(problems),
      changes: some(changes),
    }
  })
}

export function digestOfCommand(command: readonly string[]): string {
  return sha256(JSON.stringify(command))
}
