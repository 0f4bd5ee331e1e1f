import type { LoadMode } from '../routing/entry.ts'
import { isRecord } from '../shared/record.ts'

/** One load of one entry. */
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
