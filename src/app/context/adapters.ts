import { type AdapterPayload, parseAdapterPayload } from '../../domain/context/advice/adapter-payload.ts'
import { toCandidates } from '../../domain/context/advice/adapter-slice.ts'
import { withCommandApproval, withoutCommandApproval } from '../../domain/context/advice/command-approval.ts'
import type { OptionalSlice } from '../../domain/context/advice/optional-slice.ts'
import type { AdapterSettings } from '../../domain/context/settings/context-settings.ts'
import type { Finding, Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import {
  type CommandTrust,
  changeCommandApprovals,
  commandTrust,
  digestOfCommands,
} from '../../infra/context/command-approvals.ts'
import { readContextSettings } from '../../infra/context/context-settings-file.ts'
import type { Failure } from '../../infra/context/project-file.ts'
import { type Fetched, fetchAdapters } from '../../infra/context/run-adapter.ts'
import type { Machine } from '../../infra/machine.ts'
import { openProject } from '../../infra/open-project.ts'
import { realFolder } from '../../infra/packs/real-folder.ts'

export interface AdapterRequest {
  projectRoot: string
  adapters: readonly AdapterSettings[]
  task: string
  now: Date
  signal?: AbortSignal | undefined
}

/** What the adapters of a project have to offer to a task, in the order of the settings. One that fails costs only itself. */
export async function readAdapterSlice(machine: Machine, request: AdapterRequest): Promise<OptionalSlice> {
  const { projectRoot, adapters, task, now, signal } = request
  const trust = commandTrust(machine, projectRoot, adapters)
  const fetched = await fetchAdapters(machine, projectRoot, adapters, { isAllowed: trust === 'allowed', signal })
  const slices = adapters.map((adapter, at) => {
    const { payload, failure } = read(fetched[at])
    if (payload === undefined) return failed(adapter, failure, trust)
    return { ...toCandidates(payload, adapter, task, now), degraded: [] }
  })
  return {
    candidates: slices.flatMap(({ candidates }) => candidates),
    omitted: slices.flatMap(({ omitted }) => omitted),
    warnings: slices.flatMap(({ warnings }) => warnings),
    degraded: slices.flatMap(({ degraded }) => degraded),
  }
}

type Read = { payload: AdapterPayload; failure?: undefined } | { payload?: undefined; failure: Failure }

function read(fetched: Fetched | undefined): Read {
  if (fetched === undefined) return { failure: { code: 'ADAPTER_FAILED', message: 'it gave nothing' } }
  if (fetched.failure !== undefined) return { failure: fetched.failure }
  const { payload, problem } = parseAdapterPayload(fetched.payload)
  if (payload !== undefined) return { payload }
  return { failure: { code: 'ADAPTER_SHAPE', message: `what it gives has the wrong shape: ${problem}` } }
}

function failed({ id }: AdapterSettings, { code, message }: Failure, trust: CommandTrust): OptionalSlice {
  const isChanged = code === 'ADAPTER_NOT_ALLOWED' && trust === 'changed'
  const reason = isChanged ? 'its command, or a script it names, has changed since it was allowed' : message
  const hint = code === 'ADAPTER_NOT_ALLOWED' ? { hint: 'loadout adapters allow' } : {}
  const warning: Finding = { severity: 'warning', code, message: `the adapter ${id}: ${reason}`, subject: id, ...hint }
  return { candidates: [], omitted: [], warnings: [warning], degraded: [{ source: `adapter:${id}`, code, reason }] }
}

export interface AdapterView {
  id: string
  file?: string
  command?: readonly string[]
  /** A file needs nobody's word. */
  trust: CommandTrust
}

export interface AdapterList {
  projectRoot: string
  adapters: AdapterView[]
}

export function listAdapters(machine: Machine, request: { project?: string | undefined }): Report<AdapterList> {
  const { projectRoot, adapters } = openAdapters(machine, request.project)
  return {
    value: { projectRoot, adapters: viewsOf(adapters, commandTrust(machine, projectRoot, adapters)) },
    findings: [],
  }
}

/** Lets the commands of a project run on this machine, as they are now. */
export async function allowAdapters(
  machine: Machine,
  request: { project?: string | undefined },
): Promise<Report<AdapterList>> {
  const { projectRoot, adapters } = openAdapters(machine, request.project)
  if (!adapters.some(({ command }) => command !== undefined)) {
    throw new LoadoutError('ADAPTER_NOT_FOUND', 'no adapter of this project runs a command', {
      hint: 'adapters are named under "adapters" in loadout.json',
    })
  }
  const { USER, LOGNAME } = machine.env
  const approval = {
    root: projectRoot,
    digest: digestOfCommands(projectRoot, adapters),
    actor: USER || LOGNAME || 'unknown',
    at: machine.now().toISOString(),
  }
  await changeCommandApprovals(machine, (approvals) => withCommandApproval(approvals, approval))
  return { value: { projectRoot, adapters: viewsOf(adapters, 'allowed') }, findings: [] }
}

/** Takes the word back. */
export async function revokeAdapters(
  machine: Machine,
  request: { project?: string | undefined },
): Promise<Report<AdapterList>> {
  const { projectRoot, adapters } = openAdapters(machine, request.project)
  await changeCommandApprovals(machine, (approvals) => withoutCommandApproval(approvals, projectRoot))
  return { value: { projectRoot, adapters: viewsOf(adapters, 'unknown') }, findings: [] }
}

function openAdapters(machine: Machine, project: string | undefined) {
  const projectRoot = realFolder(machine, openProject(machine, project).root)
  return { projectRoot, adapters: readContextSettings(projectRoot).adapters }
}

function viewsOf(adapters: readonly AdapterSettings[], trust: CommandTrust): AdapterView[] {
  return adapters.map(({ id, file, command }) =>
    command === undefined ? { id, ...(file !== undefined && { file }), trust: 'allowed' } : { id, command, trust },
  )
}
