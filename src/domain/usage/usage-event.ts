import type { LoadMode } from '../routing/entry.ts'
import { isRecord } from '../shared/record.ts'

/** How far an entry came: a plan named it, an agent was given it, an agent asked for it. */
export const STAGES = ['planned', 'delivered', 'used'] as const

export type Stage = (typeof STAGES)[number]

export const ENTRY_KINDS = ['payload', 'pack', 'skill'] as const

export type EntryKind = (typeof ENTRY_KINDS)[number]

/** One step of one entry on its way to an agent. */
export interface UsageEvent {
  /** ISO 8601. */
  timestamp: string
  /** The same for all loads of one task. */
  taskHash: string
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
  /** The words of the task. Only where the user asked to keep them. */
  task?: string
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
