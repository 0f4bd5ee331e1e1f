import { formatInstant, parseInstant } from '../../text/instant.ts'
import { kindOf, sharesOf, stageOf, type UsageEvent } from '../../usage/rules/usage-event.ts'
import { MOST_ROWS, SENT_TEXTS, type SentRow } from './batch.ts'

/** Which version of a skill an agent has on this machine. */
export type VersionOf = (skill: string, agent: string) => string | undefined

/**
 * Collects what may be sent of the usage log: fixed fields, each with a checked form. The words of a task, its hash,
 * the trigger, the layer and the conversation stay here.
 */
export class SendableRows {
  private readonly rows = new Map<string, SentRow>()
  /** Events that were left out because a field has the wrong form, such as a path. */
  leftOut = 0

  get isFull(): boolean {
    return this.rows.size >= MOST_ROWS
  }

  add(event: UsageEvent, versionOf: VersionOf): void {
    for (const row of listings(event, versionOf)) this.put(row)
    // Only records the words of a task for which nothing was found.
    if (event.entryId === '') return
    const row = sendable(event, versionOf)
    if (row === undefined) this.leftOut++
    else this.put(row)
  }

  put(row: SentRow): void {
    const { tokens, times, ...same } = row
    const key = JSON.stringify(same)
    const known = this.rows.get(key)
    if (known === undefined) this.rows.set(key, row)
    else this.rows.set(key, { ...known, tokens: known.tokens + tokens, times: known.times + times })
  }

  list(): SentRow[] {
    return [...this.rows.values()]
  }
}

/** The lines of skills that Loadout installed, in lists of an agent. The names of other skills stay here. */
function listings(event: UsageEvent, versionOf: VersionOf): SentRow[] {
  const { via: agent = 'cli', timestamp } = event
  const hour = hourOf(timestamp)
  if (hour === undefined || !SENT_TEXTS.agent.test(agent)) return []
  return sharesOf(event).flatMap(({ kind, id, part, tokens }): SentRow[] => {
    const version = part === 'listing' && kind === 'skill' && SENT_TEXTS.id.test(id) ? versionOf(id, agent) : undefined
    if (version === undefined) return []
    return [{ kind, id, agent, stage: 'installed', version, hour, tokens: sentTokens(tokens), times: 1 }]
  })
}

function sentTokens(tokens: number): number {
  return Math.max(0, Math.min(1_000_000, Math.round(tokens)))
}

function sendable(event: UsageEvent, versionOf: VersionOf): SentRow | undefined {
  const { entryId: id, via: agent = 'cli', tokensEst, project } = event
  const hour = hourOf(event.timestamp)
  if (hour === undefined || !SENT_TEXTS.id.test(id) || !SENT_TEXTS.agent.test(agent)) return undefined
  const kind = kindOf(event)
  const version = event.version ?? (kind === 'skill' ? versionOf(id, agent) : undefined)
  return {
    ...{ kind, id, agent, stage: stageOf(event) },
    version: version !== undefined && SENT_TEXTS.version.test(version) ? version : undefined,
    hour,
    project: typeof project === 'string' && SENT_TEXTS.project.test(project) ? project : undefined,
    tokens: sentTokens(tokensEst),
    times: 1,
  }
}

function hourOf(timestamp: string): string | undefined {
  const time = parseInstant(timestamp)
  return time === undefined ? undefined : formatInstant(time).slice(0, 13)
}
