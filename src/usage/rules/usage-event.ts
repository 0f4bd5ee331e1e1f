import { isRecord } from '../../text/values.ts'

/** The stages of an entry: a plan named it, an agent received it, an agent requested it. */
const STAGES = ['planned', 'delivered', 'used'] as const

export type Stage = (typeof STAGES)[number]

export const ENTRY_KINDS = ['payload', 'pack', 'skill'] as const

export type EntryKind = (typeof ENTRY_KINDS)[number]

/** How a matched entry enters the context: at once, when the task matches, or only on request. */
export type LoadMode = 'eager' | 'lazy' | 'manual'

/** One step of one entry on its way to an agent. */
export interface UsageEvent {
  /** ISO 8601. */
  timestamp: string
  /** Equal for all events of one task. */
  taskHash: string
  /** Empty when nothing was found for a task whose words are stored. */
  entryId: string
  /** What caused the load: a keyword, a phase, a lookup. */
  trigger: string
  mode: LoadMode
  tokensEst: number
  sourceLayer?: string
  /** Undefined in logs of other programs, where every line is a delivery. */
  stage?: Stage
  /** Default: a payload. */
  kind?: EntryKind
  /** The channel: `cli`, `mcp`, or the agent whose hook it was. */
  via?: string
  /** The conversation, if there is one. */
  session?: string
  /** Of a subagent: the conversation that started it. */
  parent?: string
  /** The digest of the delivered text, if known. */
  version?: string
  /** The project's name for a team: `team.project` in its `loadout.json`. */
  project?: string
  /** The model, if the agent named it. */
  model?: string
  /** At an event of each start of a session with an empty context. */
  isStart?: true
  /**
   * At the first event of a task or start: the entries that a list named to the model, and the tokens of their lines, by
   * `kind:id`.
   */
  listed?: Readonly<Record<string, number>>
  /** The words of the task, without secrets, at its first event. Only if the user asked to keep them. */
  task?: string
  /** The options of the plan, beside `task`. A rule of `payloads/` reads it. */
  asked?: object
}

export function stageOf({ stage }: Pick<UsageEvent, 'stage'>): Stage {
  return stage !== undefined && STAGES.includes(stage) ? stage : 'delivered'
}

export function kindOf({ kind }: Pick<UsageEvent, 'kind'>): EntryKind {
  return kind !== undefined && ENTRY_KINDS.includes(kind) ? kind : 'payload'
}

/** Whether it delivered a text to an agent. A plan only names it. */
export function isLoad(event: Pick<UsageEvent, 'stage'>): boolean {
  return stageOf(event) !== 'planned'
}

/** How tokens of an entry came to a model: its line in a list, its text on request, its text unasked. */
type CostPart = 'listing' | 'opened' | 'delivered'

/** A plan only names an entry. */
const PART_OF: Readonly<Record<Stage, CostPart | undefined>> = {
  planned: undefined,
  delivered: 'delivered',
  used: 'opened',
}

interface CostShare {
  kind: EntryKind
  id: string
  part: CostPart
  tokens: number
}

/** What an event cost, by entry. Every figure of tokens is a sum of these. */
export function sharesOf(event: UsageEvent): CostShare[] {
  const { entryId: id, tokensEst: tokens, listed } = event
  const part = id === '' ? undefined : PART_OF[stageOf(event)]
  const own: CostShare[] = part === undefined ? [] : [{ kind: kindOf(event), id, part, tokens }]
  // Most events list nothing, and a log may have a million.
  return isRecord(listed) ? [...Object.entries(listed).flatMap(lineShare), ...own] : own
}

function lineShare([name, tokens]: [name: string, tokens: unknown]): CostShare[] {
  const kind = ENTRY_KINDS.find((each) => name.startsWith(`${each}:`))
  const id = name.slice((kind?.length ?? 0) + 1)
  if (kind === undefined || id === '' || typeof tokens !== 'number' || !(tokens > 0)) return []
  return [{ kind, id, part: 'listing', tokens }]
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
