import { callHttp } from '../machine/call-http.ts'
import type { Machine } from '../machine/machine.ts'
import { failWith } from '../text/trouble.ts'
import { VERSION } from '../text/version.ts'
import { scanEvents } from './disk/usage-log.ts'
import { type Attributes, type Metric, metricsRequest, type Point, readHeaders, signalAddress } from './rules/otlp.ts'
import { parseSince } from './rules/summary.ts'
import { type EntryKind, kindOf, sharesOf, stageOf, type UsageEvent } from './rules/usage-event.ts'
import { junkFinding, openLog } from './usage.ts'

export interface UsageExport {
  address: string
  /** The number of distinct totals. */
  series: number
  events: number
}

/**
 * Sends the totals of this machine's log to an OpenTelemetry collector. They count from a fixed start, so that a later
 * export continues the series.
 */
export async function exportUsage(
  machine: Machine,
  request: { endpoint: string; since?: string },
): Promise<UsageExport> {
  const address = addressOf(request.endpoint)
  const since = request.since === undefined ? '' : parseSince(request.since, machine.now())
  const log = openLog(machine, undefined)
  const tally = new Map<string, Tally>()
  let events = 0
  const { junkLines } = scanEvents(log, (event) => {
    if (event.timestamp < since) return
    if (event.entryId !== '') events++
    add(tally, event)
  })
  const timeMs = machine.now().getTime()
  const body = JSON.stringify(metricsRequest(RESOURCE, metricsOf([...tally.values()], timeMs)))
  const headers = readHeaders(machine.env.OTEL_EXPORTER_OTLP_HEADERS)
  const { status } = await callHttp(address, { body, headers })
  if (status >= 300) {
    throw failWith('UNREACHABLE/collector', { address, status })
  }
  const findings = junkLines > 0 ? [junkFinding(junkLines, log)] : []
  machine.report(...findings)
  return { address, series: tally.size, events }
}

const RESOURCE = { 'service.name': 'loadout', 'service.version': VERSION }

function addressOf(endpoint: string): string {
  if (URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)) return signalAddress(endpoint, 'metrics')
  throw failWith('USAGE/collector', { endpoint })
}

interface Tally {
  attributes: Attributes
  startMs: number
  times: number
  tokens: number
}

function add(tally: Map<string, Tally>, event: UsageEvent): void {
  const shares = sharesOf(event).map((share) => {
    return { ...share, stage: share.part === 'listing' ? 'listed' : stageOf(event) }
  })
  const plan = { kind: kindOf(event), id: event.entryId, stage: 'planned', tokens: 0 }
  const isPlan = event.entryId !== '' && stageOf(event) === 'planned'
  for (const { kind, id, stage, tokens } of isPlan ? [...shares, plan] : shares) {
    const attributes = attributesOf(event, kind, id, stage)
    const key = JSON.stringify(attributes)
    const startMs = Date.parse(event.timestamp) || 0
    const known = tally.get(key) ?? { attributes, startMs, times: 0, tokens: 0 }
    tally.set(key, known)
    known.startMs = Math.min(known.startMs, startMs)
    known.times++
    known.tokens += tokens
  }
}

/** Uses attribute names of agents and of the conventions for generative AI, where they exist. */
function attributesOf({ via = 'cli' }: UsageEvent, kind: EntryKind, id: string, stage: string): Attributes {
  return {
    'gen_ai.agent.name': via,
    'loadout.entry.kind': kind,
    'loadout.entry.id': id,
    'skill.name': kind === 'skill' ? id : undefined,
    'loadout.stage': stage,
  }
}

function metricsOf(tallies: readonly Tally[], timeMs: number): Metric[] {
  const points = (value: (tally: Tally) => number, more: Attributes) =>
    tallies
      .filter((tally) => value(tally) > 0)
      .map(
        (tally): Point => ({
          kind: 'sum',
          attributes: { ...tally.attributes, ...more },
          startMs: tally.startMs,
          timeMs,
          value: value(tally),
        }),
      )
  return [
    {
      name: 'loadout.entry.events',
      unit: '{event}',
      description: 'How often entries were listed, planned, delivered and used',
      points: points(({ times }) => times, {}),
    },
    {
      name: 'loadout.entry.tokens',
      unit: '{token}',
      description: 'Estimated tokens of entries that agents were given',
      points: points(({ tokens }) => tokens, { 'gen_ai.token.type': 'input' }),
    },
  ]
}
