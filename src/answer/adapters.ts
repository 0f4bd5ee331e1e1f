import { isPlace } from '../machine/folder-identity.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import type { Source } from '../machine/ranking.ts'
import { changesSince, summarizeChanges } from '../machine/rules/approval.ts'
import { answerFacts, gate } from '../machine/rules/gate.ts'
import { shellWord } from '../text/printable.ts'
import { failWith, LoadoutError } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { type CommandPins, pinCommand } from './disk/command-pins.ts'
import { fetchAdapter } from './disk/run-adapter.ts'
import { parseAdapterPayload, toCandidates } from './rules/advice/adapter-slice.ts'
import { type Candidate, type Trail, toWarning } from './rules/bundle.ts'
import { type AdapterSettings, contextSettings } from './settings.ts'

interface AdapterRequest {
  project: string | Project
  adapters: readonly AdapterSettings[]
  task: string
  now: Date
  signal?: AbortSignal
}

/** The items of the project's adapters for a task, in the order of the settings. A failing one does not affect the others. */
export async function readAdapterSlice(
  machine: Machine,
  { project, adapters, task, now, signal }: AdapterRequest,
  trail: Trail,
): Promise<Candidate[]> {
  const { projectRoot, gate } = openAdapters(machine, project, adapters)
  const reading = adapters.map(async (adapter): Promise<ReturnType<typeof toCandidates> | LoadoutError> => {
    const refusal = gate(adapter.id)
    if (refusal !== undefined) return refusal
    const { payload: json, failure } = await fetchAdapter(machine, projectRoot, adapter, signal)
    if (failure !== undefined) return failure
    const { payload, problem } = parseAdapterPayload(json)
    return payload ? toCandidates(payload, adapter, task, now) : failWith('ADAPTER_FAILED/shape', { problem })
  })
  return (await Promise.all(reading)).flatMap((read, at) => {
    const { id } = adapters[at]!
    if (read instanceof LoadoutError) {
      const { code, message: reason, hint } = read
      trail.adviceWarnings.push(
        toWarning({ message: `the adapter ${id}: ${reason}`, hint: code === 'ADAPTER_NOT_ALLOWED' ? hint : undefined }),
      )
      trail.degraded.push({ source: `adapter:${id}`, code, reason })
      return []
    }
    trail.omitted.push(...read.omitted)
    trail.adviceWarnings.push(...read.warnings.map(toWarning))
    return read.candidates
  })
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

/** The adapters of a project. Their items are read by the task. */
export interface AdapterSource extends Pick<Source<AdapterView>, 'names' | 'findings' | 'find' | 'gate'> {
  kind: 'adapter'
  projectRoot: string
  views: AdapterView[]
}

export function openAdapters(
  machine: Machine,
  project: string | Project | undefined,
  adapters?: readonly AdapterSettings[],
): AdapterSource {
  const opened = machine.openProject(project)
  const projectRoot = machine.realFolder(opened.root)
  const views = viewAdapters(machine, projectRoot, adapters ?? contextSettings(opened).adapters)
  const find = (name: string) => views.find(({ id }) => id === name)
  return {
    kind: 'adapter',
    projectRoot,
    views,
    names: views.map(({ id }) => id),
    findings: [],
    find,
    gate: (name) => {
      const { trust, changes = [], problems = [] } = find(name) ?? {}
      if (trust === undefined || trust === 'allowed') return undefined
      const facts = {
        adapter: shellWord(`adapter:${name}`),
        changes: summarizeChanges(changes),
        problems: problems.join('; '),
      }
      return failWith(`ADAPTER_NOT_ALLOWED/${trust}`, facts)
    },
  }
}

/** Each adapter with what its command can run, and whether a person approved exactly that. */
function viewAdapters(machine: Machine, projectRoot: string, adapters: readonly AdapterSettings[]): AdapterView[] {
  const { approvals } = machine.approvals.read()
  return adapters.map(({ id, file, command }) => {
    if (command === undefined) return { id, file, trust: 'allowed' }
    const approval = approvals.find((each) => each.kind === 'adapter' && each.root === projectRoot && each.name === id)
    const pins = pinCommand(machine, projectRoot, command)
    const { files, problems } = pins
    const changes: string[] = []
    const answer = answerFacts(approval)
    if (approval !== undefined && !answer.unapproved) {
      const { root, place, digest } = approval
      if (place === undefined || !isPlace(machine, root, place)) changes.push('another project lies at this path now')
      if (digest !== digestOfCommand(command)) changes.push('the command changed')
      changes.push(...changesSince(approval.files ?? {}, files))
    }
    const closed = gate({ ...answer, unusable: problems.length > 0, changed: changes.length > 0 })
    const trusts = { denied: 'denied', unusable: 'unpinnable', unapproved: 'unknown', changed: 'changed' } as const
    const trust = closed === undefined ? 'allowed' : trusts[closed.reason as keyof typeof trusts]
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
