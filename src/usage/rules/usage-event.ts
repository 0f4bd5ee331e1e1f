import { isRecord } from '../../text/values.ts'

/** How far an entry came: a plan named it, an agent was given it, an agent asked for it. */
const STAGES = ['planned', 'delivered', 'used'] as const

export type Stage = (typeof STAGES)[number]

export const ENTRY_KINDS = ['payload', 'pack', 'skill'] as const

export type EntryKind = (typeof ENTRY_KINDS)[number]

/** How a matched entry enters the context: at once, when the task matches, or only when asked for. */
export type LoadMode = 'eager' | 'lazy' | 'manual'

/** One step of one entry on its way to an agent. */
export interface UsageEvent {
  /** ISO 8601. */
  timestamp: string
  /** The same for all loads of one task. */
  taskHash: string
  /** Empty when nothing was found for a task whose words are kept. */
  entryId: string
  /** What caused the load: a keyword, a phase, a lookup. */
  trigger: string
  mode: LoadMode
  tokensEst: number
  sourceLayer?: string
  /** Absent in logs of other programs, where every line is a delivery. */
  stage?: Stage
  /** Absent: a payload. */
  kind?: EntryKind
  /** The way out: `cli`, `mcp`, or the agent whose hook it was. */
  via?: string
  /** The conversation it happened in, where there is one. */
  session?: string
  /** The digest of what was given, where it is known. */
  version?: string
  /** The name under which the project lets itself be counted by a team: `team.project` in its `loadout.json`. */
  project?: string
  /** The words of the task, without secrets, at its first event. Only where the user asked to keep them. */
  task?: string
  /** Beside `task`: how it was planned. A rule of `payloads/` reads it. */
  asked?: object
}

export function stageOf({ stage }: Pick<UsageEvent, 'stage'>): Stage {
  return stage !== undefined && STAGES.includes(stage) ? stage : 'delivered'
}

export function kindOf({ kind }: Pick<UsageEvent, 'kind'>): EntryKind {
  return kind !== undefined && ENTRY_KINDS.includes(kind) ? kind : 'payload'
}

/** Whether it brought an agent a text. A plan only names it. */
export function isLoad(event: Pick<UsageEvent, 'stage'>): boolean {
  return stageOf(event) !== 'planned'
}

/** One line of a usage log, or undefined when it is not an event. */
export function readEvent(line: string): UsageEvent | undefined {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    return undefined
  }
  return isEvent(json) ? json : undefined
}

export function isEvent(json: unknown): json is UsageEvent {
  return (
    isRecord(json) &&
    typeof json.entryId === 'string' &&
    typeof json.timestamp === 'string' &&
    typeof json.taskHash === 'string' &&
    typeof json.trigger === 'string' &&
    typeof json.mode === 'string' &&
    typeof json.tokensEst === 'number' &&
    Number.isFinite(json.tokensEst)
  )
}
