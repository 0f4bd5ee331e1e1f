import { type AdapterPayload, parseAdapterPayload } from '../../domain/context/advice/adapter-payload.ts'
import { toCandidates } from '../../domain/context/advice/adapter-slice.ts'
import { withCommandApproval, withoutCommandApproval } from '../../domain/context/advice/command-approval.ts'
import type { OptionalSlice } from '../../domain/context/advice/optional-slice.ts'
import type { AdapterSettings } from '../../domain/context/settings/context-settings.ts'
import type { Finding, Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import type { Failure } from '../../infra/context/adapter-process.ts'
import {
  type CommandTrust,
  changeCommandApprovals,
  digestOfPins,
  type JudgedAdapter,
  judgeAdapters,
  judgeAs,
  pinAdapters,
} from '../../infra/context/command-approvals.ts'
import { readContextSettings } from '../../infra/context/context-settings-file.ts'
import { type Fetched, fetchAdapter } from '../../infra/context/run-adapter.ts'
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
  const judged = judgeAdapters(machine, projectRoot, adapters)
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
  return { failure: { code: 'ADAPTER_SHAPE', message: `what it gives has the wrong shape: ${problem}` } }
}

function failed({ id }: AdapterSettings, failure: Failure, judged: JudgedAdapter | undefined): OptionalSlice {
  const { code } = failure
  const isRefused = code === 'ADAPTER_NOT_ALLOWED'
  const reason = (isRefused && judged !== undefined && refusal(judged)) || failure.message
  const hint = isRefused && judged?.trust !== 'unpinnable' ? { hint: 'loadout adapters allow' } : {}
  const warning: Finding = { severity: 'warning', code, message: `the adapter ${id}: ${reason}`, subject: id, ...hint }
  return { candidates: [], omitted: [], warnings: [warning], degraded: [{ source: `adapter:${id}`, code, reason }] }
}

function refusal({ trust, pins }: JudgedAdapter): string | undefined {
  if (trust === 'changed') return 'its command, or a file that it runs, has changed since it was allowed'
  return trust === 'unpinnable' ? `its command cannot be allowed: ${pins?.problems.join('; ')}` : undefined
}

export interface AdapterView {
  id: string
  file?: string
  command?: readonly string[]
  /** A file needs nobody's word. */
  trust: CommandTrust
  /** The files of the project that the command runs, as far as they are known. */
  files?: string[]
  /** Why the command cannot be allowed. */
  problems?: readonly string[]
}

export interface AdapterList {
  projectRoot: string
  adapters: AdapterView[]
}

export function listAdapters(machine: Machine, request: { project?: string | undefined }): Report<AdapterList> {
  const { projectRoot, adapters } = openAdapters(machine, request.project)
  return {
    value: { projectRoot, adapters: viewsOf(adapters, judgeAdapters(machine, projectRoot, adapters)) },
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
  const pinned = pinAdapters(machine, projectRoot, adapters)
  const views = viewsOf(
    adapters,
    pinned.map(({ pins }) => judgeAs('allowed', pins)),
  )
  const findings = views.flatMap(({ id, problems }) => (problems === undefined ? [] : [unpinnable(id, problems)]))
  if (pinned.every(({ pins }) => pins === undefined || pins.problems.length > 0)) {
    const message = findings.map((finding) => finding.message).join('\n')
    throw new LoadoutError('ADAPTER_UNPINNABLE', message, { hint: UNPINNABLE_HINT })
  }
  const { USER, LOGNAME } = machine.env
  const approval = {
    root: projectRoot,
    digest: digestOfPins(pinned),
    actor: USER || LOGNAME || 'unknown',
    at: machine.now().toISOString(),
  }
  await changeCommandApprovals(machine, (approvals) => withCommandApproval(approvals, approval))
  return { value: { projectRoot, adapters: views }, findings }
}

const UNPINNABLE_HINT =
  'name a script file of the project that imports only files by their paths: node tools/tickets.js'

function unpinnable(id: string, problems: readonly string[]): Finding {
  const message = `the command of the adapter ${id} cannot be allowed: ${problems.join('; ')}`
  return { severity: 'error', code: 'ADAPTER_UNPINNABLE', message, subject: id, hint: UNPINNABLE_HINT }
}

/** Takes the word back. */
export async function revokeAdapters(
  machine: Machine,
  request: { project?: string | undefined },
): Promise<Report<AdapterList>> {
  const { projectRoot, adapters } = openAdapters(machine, request.project)
  await changeCommandApprovals(machine, (approvals) => withoutCommandApproval(approvals, projectRoot))
  return {
    value: {
      projectRoot,
      adapters: viewsOf(
        adapters,
        pinAdapters(machine, projectRoot, adapters).map(({ pins }) => judgeAs('unknown', pins)),
      ),
    },
    findings: [],
  }
}

function openAdapters(machine: Machine, project: string | undefined) {
  const projectRoot = realFolder(machine, openProject(machine, project).root)
  return { projectRoot, adapters: readContextSettings(projectRoot).adapters }
}

function viewsOf(adapters: readonly AdapterSettings[], judged: readonly JudgedAdapter[]): AdapterView[] {
  return adapters.map(({ id, file, command }, at) => {
    const { trust = 'unknown', pins = { files: {}, problems: [] } } = judged[at] ?? {}
    if (command === undefined) return { id, ...(file !== undefined && { file }), trust: 'allowed' }
    const { files, problems } = pins
    return { id, command, trust, files: Object.keys(files), ...(problems.length > 0 && { problems }) }
  })
}
