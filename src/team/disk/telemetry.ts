import { randomBytes } from 'node:crypto'
import { callHttp } from '../../machine/call-http.ts'
import {
  type Attributes,
  type Metric,
  metricsRequest,
  type Point,
  type Span,
  signalAddress,
  spansRequest,
} from '../../usage/rules/otlp.ts'

/** Logs one event as a line of JSON. Never the content of a request: only counts, states and names of routes. */
export type Log = (event: string, fields?: Readonly<Record<string, string | number | boolean | undefined>>) => void

export function createLog(write: (line: string) => void, now: () => Date): Log {
  return (event, fields = {}) => write(`${JSON.stringify({ time: now().toISOString(), event, ...fields })}\n`)
}

/** An error without its message, which may quote sent data: its kind, and its origin. */
export function aboutError(error: unknown): { error: string; code?: string; at?: string } {
  if (!(error instanceof Error)) return { error: typeof error }
  const at = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 4)
    .map((line) => line.trim())
    .join(' ')
  return { error: error.name, code: 'code' in error ? String(error.code) : undefined, at }
}

/** A figure of now. */
export interface Gauge {
  name: string
  description: string
  value: number
}

const SUMS = [
  { name: 'loadout.team.batches', unit: '{batch}', description: 'Batches that machines sent, by result.' },
  { name: 'loadout.team.events', unit: '{event}', description: 'Events in accepted batches.' },
]
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const FLUSH_MS = 5_000

interface Duration {
  attributes: Attributes
  count: number
  sum: number
  buckets: number[]
}

/** The service's own traces and metrics. If a collector does not answer, only the data it missed is lost. */
export class Telemetry {
  private spans: Span[] = []
  private readonly sums = new Map<string, { name: string; attributes: Attributes; value: number }>()
  private readonly durations = new Map<string, Duration>()
  private readonly startMs: number
  private timer: NodeJS.Timeout | undefined
  private readonly endpoint: string | undefined
  private readonly headers: Readonly<Record<string, string>>
  private readonly version: string
  private readonly log: Log

  constructor(options: { endpoint?: string; headers: Record<string, string>; version: string; log: Log }) {
    this.endpoint = options.endpoint
    this.headers = options.headers
    this.version = options.version
    this.log = options.log
    this.startMs = Date.now()
    if (this.endpoint !== undefined) this.timer = setInterval(() => void this.flush(), FLUSH_MS).unref()
  }

  count(name: string, value: number, attributes: Attributes = {}): void {
    const key = JSON.stringify([name, attributes])
    const sum = this.sums.get(key) ?? { name, attributes, value: 0 }
    sum.value += value
    this.sums.set(key, sum)
  }

  /** Records an answered request. */
  noteRequest(request: {
    method: string
    route: string
    status: number
    startMs: number
    parent: string | undefined
  }): void {
    const { method, route, status, startMs, parent } = request
    const endMs = Date.now()
    const attributes = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status }
    this.noteDuration(attributes, (endMs - startMs) / 1000)
    if (this.endpoint === undefined || this.spans.length >= 2_000) return
    const [, traceId = randomBytes(16).toString('hex'), parentSpanId] =
      /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/.exec(parent ?? '') ?? []
    const spanId = randomBytes(8).toString('hex')
    const name = `${method} ${route}`
    this.spans.push({ traceId, spanId, parentSpanId, name, startMs, endMs, attributes, isFailed: status >= 500 })
  }

  private noteDuration(attributes: Attributes, seconds: number): void {
    const key = JSON.stringify(attributes)
    const known = this.durations.get(key) ?? { attributes, count: 0, sum: 0, buckets: BOUNDS.map(() => 0).concat(0) }
    this.durations.set(key, known)
    known.count++
    known.sum += seconds
    const at = BOUNDS.findIndex((bound) => seconds <= bound)
    known.buckets[at < 0 ? BOUNDS.length : at]! += 1
  }

  async flush(): Promise<void> {
    const { endpoint } = this
    if (endpoint === undefined) return
    const resource = { 'service.name': 'loadout-team', 'service.version': this.version }
    const spans = this.spans
    this.spans = []
    try {
      if (spans.length > 0) await this.send(signalAddress(endpoint, 'traces'), spansRequest(resource, spans))
      await this.send(signalAddress(endpoint, 'metrics'), metricsRequest(resource, this.metrics()))
    } catch (error) {
      this.log('telemetry not sent', aboutError(error))
    }
  }

  private async send(address: string, body: object): Promise<void> {
    await callHttp(address, { body: JSON.stringify(body), headers: this.headers, milliseconds: FLUSH_MS })
  }

  /** What was counted since the start, and figures of now. */
  metrics(gauges: readonly Gauge[] = []): Metric[] {
    const span = { startMs: this.startMs, timeMs: Date.now() }
    const sums = SUMS.map(({ name, unit, description }): Metric => {
      const found = [...this.sums.values()].filter((sum) => sum.name === name)
      const points = found.map(({ attributes, value }): Point => ({ kind: 'sum', attributes, value, ...span }))
      return { name, unit, description, points }
    })
    const durations = [...this.durations.values()].map(
      (each): Point => ({ kind: 'histogram', ...each, bounds: BOUNDS, ...span }),
    )
    return [
      ...sums,
      { name: 'http.server.request.duration', unit: 's', description: 'Answered requests.', points: durations },
      ...gauges.map(
        ({ name, description, value }): Metric => ({
          ...{ name, unit: '', description },
          points: [{ kind: 'gauge', attributes: {}, value, ...span }],
        }),
      ),
    ]
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.flush()
  }
}
