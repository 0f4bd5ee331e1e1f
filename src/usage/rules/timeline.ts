import { addCost, type Cost, noCost } from '../../text/cost.ts'
import { compareText } from '../../text/values.ts'
import type { EntryCost } from './cost.ts'
import { type EntryKind, kindOf, type Stage, stageOf, type UsageEvent } from './usage-event.ts'

/** The width of one point of a timeline. */
export const STEPS = ['hour', 'day', 'week'] as const
export type TimeStep = (typeof STEPS)[number]

type Counts = Record<Stage, number> & {
  /** Sessions that began with an empty context. */
  starts: number
  cost: Cost
}
/** `tokens`: opened and delivered. */
type ShownCounts = Counts & { tokens: number }

export interface Timeline {
  /** ISO 8601, inclusive. */
  from: string
  to: string
  step: TimeStep
  /** Every point in the range, including those without events. */
  points: ({ at: string } & ShownCounts)[]
  /** By channel: `cli`, `mcp`, or the agent whose hook it was. */
  agents: ({ via: string } & ShownCounts)[]
  /** Of all points. */
  starts: number
  cost: Cost
}

export interface TimelineRequest {
  from: string
  to: string
  step: TimeStep
  agent?: string
  kind?: EntryKind
  entry?: string
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WIDTH: Record<TimeStep, number> = { hour: HOUR, day: DAY, week: 7 * DAY }
/** More points do not fit a chart. */
export const MOST_POINTS = 2_000
// The first Monday: weeks begin on one.
const FIRST_WEEK = Date.UTC(1970, 0, 5)

export function startOf(time: number, step: TimeStep): number {
  const origin = step === 'week' ? FIRST_WEEK : 0
  return Math.floor((time - origin) / WIDTH[step]) * WIDTH[step] + origin
}

/** Whether an event matches the filters, at any time. */
export function isAbout(
  { agent, kind, entry }: Pick<TimelineRequest, 'agent' | 'kind' | 'entry'>,
  event: Pick<UsageEvent, 'via' | 'kind' | 'entryId'>,
): boolean {
  if (agent !== undefined && viaOf(event) !== agent) return false
  if (kind !== undefined && kindOf(event) !== kind) return false
  return entry === undefined || event.entryId === entry
}

/** Summarises events by time and by agent, one after another, so that the size of a log does not matter. */
export class TimelineTally {
  private readonly request: TimelineRequest
  private readonly points = new Map<number, Counts>()
  private readonly agents = new Map<string, Counts>()
  private readonly last: number

  constructor(request: TimelineRequest) {
    this.request = request
    const { step } = request
    this.last = startOf(Date.parse(request.to), step)
    const first = Math.max(startOf(Date.parse(request.from), step), this.last - (MOST_POINTS - 1) * WIDTH[step])
    for (let at = first; at <= this.last; at += WIDTH[step]) this.points.set(at, nothing())
  }

  /** `costs`: what the event cost, of the entries that the request is about. */
  add(event: UsageEvent, costs: readonly EntryCost[]): void {
    const { agent: wanted, step } = this.request
    const via = viaOf(event)
    const isCounted = event.entryId !== '' && isAbout(this.request, event)
    const isStart = event.isStart === true && (wanted === undefined || via === wanted)
    const point = this.points.get(startOf(Date.parse(event.timestamp), step))
    if (point === undefined || !(isCounted || isStart || costs.length > 0)) return
    const agent = this.agents.get(via) ?? nothing()
    this.agents.set(via, agent)
    for (const counts of [point, agent]) {
      if (isCounted) counts[stageOf(event)]++
      if (isStart) counts.starts++
      for (const { cost } of costs) addCost(counts.cost, cost)
    }
  }

  timeline(): Timeline {
    const { from, to, step } = this.request
    const cost = noCost()
    for (const counts of this.agents.values()) addCost(cost, counts.cost)
    const points = [...this.points].map(([at, counts]) => ({ at: new Date(at).toISOString(), ...shown(counts) }))
    const agents = [...this.agents].map(([via, counts]) => ({ via, ...shown(counts) }))
    return {
      from,
      to,
      step,
      points,
      agents: agents.sort((a, b) => b.delivered - a.delivered || compareText(a.via, b.via)),
      starts: agents.reduce((sum, { starts }) => sum + starts, 0),
      cost,
    }
  }
}

function nothing(): Counts {
  return { planned: 0, delivered: 0, used: 0, starts: 0, cost: noCost() }
}

function shown(counts: Counts): ShownCounts {
  return { ...counts, tokens: counts.cost.opened + counts.cost.delivered }
}

export function viaOf({ via }: Pick<UsageEvent, 'via'>): string {
  return via ?? 'unknown'
}
