import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { type Finding, LoadoutError, report, unlessTrouble } from '../text/trouble.ts'
import { quickDigest } from '../text/values.ts'
import { appendEvents } from './disk/usage-log.ts'
import { parseKeepsTasks } from './rules/config.ts'
import type { EntryKind, Stage, UsageEvent } from './rules/usage-event.ts'
import { shareWhenDue } from './sharing.ts'

/** An entry on its way to an agent. */
export interface RecordedEntry {
  id: string
  kind: EntryKind
  /** Its cause, in a word. */
  trigger: string
  mode: UsageEvent['mode']
  tokens: number
  layer?: string
  /** The digest of the delivered text. */
  version?: string
}

/** A stage that some entries reached. */
interface UsageStep {
  stage: Stage
  entries: readonly RecordedEntry[]
}

/** What happened to some entries for one task. */
export interface UsageNote extends UsageStep {
  task: string
  project?: Project
}

/** What the log stores of a task besides its hash, if the user asked for it. */
export interface KeptTask {
  /** Its words, without secrets. */
  words: string
  /** The options of the plan. */
  asked: object
}

/** What a list or some pointers named to the model. */
export interface ListedEntries {
  listed: Readonly<Record<string, number>>
  /** The list of a session with an empty context. */
  isStart?: true
}

/** Writes an event. A log that cannot be written gives a warning, but never prevents the answer. */
export function recordUsage(machine: Machine, { task, project, ...step }: UsageNote): Finding[] {
  return recordTask(machine, { task, project, steps: [step] })
}

interface TaskNote {
  task: string
  kept?: KeptTask
  named?: ListedEntries
  /** The project, if known: its settings may tell the team its name. */
  project?: Project
  steps: readonly UsageStep[]
}

/** Records several steps of one task at once: they share its hash. */
export function recordTask(machine: Machine, { task, kept, named, project, steps }: TaskNote): Finding[] {
  if (machine.persist === false) return []
  const timestamp = machine.now().toISOString()
  // Includes the time: the same words tomorrow are another task. Fast, because the user waits for it at every prompt.
  const taskHash = quickDigest(`${timestamp}\n${task}`)
  const name = unlessTrouble(() => project?.settings.team?.project, undefined)
  const shared = { timestamp, taskHash, project: name }
  const events = steps.flatMap(({ stage, entries }) => entries.map((entry) => eventOf(machine, shared, stage, entry)))
  if (kept !== undefined || named !== undefined) {
    const [first] = events.length > 0 ? events : [eventOf(machine, shared, 'planned', NO_ENTRY)]
    events.splice(0, 1, { ...first!, ...named, ...(kept && { task: kept.words, asked: kept.asked }) })
  }
  if (events.length === 0) return []
  try {
    appendEvents(events, machine.usageLog)
    // An agent without hooks has no other moment for it. During a prompt the user waits.
    if (machine.caller?.via === 'mcp') shareWhenDue(machine)
    return []
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    // An agent in a sandbox may have a read-only home. If a plan was only viewed, the loss does not matter.
    const severity = steps.some(({ stage, entries }) => stage !== 'planned' && entries.length > 0) ? 'warning' : 'info'
    const { message: problem, hint = 'check the state folder' } = error
    return [report('NOT_RECORDED/use', { problem, hint }, { severity })]
  }
}

const NO_ENTRY: RecordedEntry = { id: '', kind: 'payload', trigger: 'nothing', mode: 'lazy', tokens: 0 }

function eventOf(
  { caller = { via: 'cli' } }: Machine,
  of: Pick<UsageEvent, 'timestamp' | 'taskHash' | 'project'>,
  stage: Stage,
  { id, kind, trigger, mode, tokens, layer, version }: RecordedEntry,
): UsageEvent {
  return {
    ...of,
    entryId: id,
    trigger,
    mode,
    tokensEst: tokens,
    sourceLayer: layer,
    stage,
    kind: kind === 'payload' ? undefined : kind,
    version,
    via: caller.via,
    session: caller.session,
    parent: caller.parent,
    model: caller.model,
  }
}

/** The words of a task and its plan options, for the log; undefined unless the user asked for it. */
export async function keepTask(machine: Machine, task: string, asked: () => object): Promise<KeptTask | undefined> {
  if (!isKept(machine.config, task)) return undefined
  const { maskText } = await import('../machine/secret-scanner.ts')
  return keepMasked(machine, await maskText(task), asked)
}

/** `keepTask` for words whose secrets are already masked. */
export function keepMasked(machine: Machine, words: string, asked: () => object): KeptTask | undefined {
  return isKept(machine.config, words) ? { words, asked: asked() } : undefined
}

/** False if the configuration is unclear. */
function isKept(config: Machine['config'], task: string): boolean {
  // A longer text is hardly a task, and half of one would be routed differently.
  if (task.length > 8_000) return false
  return unlessTrouble(() => parseKeepsTasks(config.read(), config.path), false)
}
