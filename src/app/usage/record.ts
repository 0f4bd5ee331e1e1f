import { sha256 } from '../../domain/shared/digest.ts'
import type { Finding } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import type { EntryKind, Stage, UsageEvent } from '../../domain/usage/usage-event.ts'
import { type Machine, usageLogPath } from '../../infra/machine.ts'
import { appendEvents } from '../../infra/usage-log.ts'

/** What happened to some entries for one task. */
export interface UsageNote {
  task: string
  stage: Stage
  entries: readonly {
    id: string
    kind: EntryKind
    /** What caused it, in a word. */
    trigger: string
    mode: UsageEvent['mode']
    tokens: number
    layer?: string | undefined
  }[]
}

/** Writes it down. A log that cannot be written is worth a warning, never the answer. */
export function recordUsage(machine: Machine, { task, stage, entries }: UsageNote): Finding[] {
  if (entries.length === 0) return []
  const { via, session } = machine.caller ?? { via: 'cli' }
  const timestamp = machine.now().toISOString()
  // With the time: the same words tomorrow are another task.
  const taskHash = sha256(`${timestamp}\n${task}`).slice(0, 16)
  const events = entries.map(
    ({ id: entryId, kind, trigger, mode, tokens: tokensEst, layer }): UsageEvent => ({
      timestamp,
      taskHash,
      entryId,
      trigger,
      mode,
      tokensEst,
      ...(layer === undefined ? {} : { sourceLayer: layer }),
      stage,
      ...(kind === 'payload' ? {} : { kind }),
      via,
      ...(session === undefined ? {} : { session }),
    }),
  )
  try {
    appendEvents(events, usageLogPath(machine))
    return []
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const hint = error.hint ?? 'check the state folder'
    return [
      { severity: 'warning', code: 'USAGE_NOT_RECORDED', message: `the use was not recorded: ${error.message}`, hint },
    ]
  }
}
