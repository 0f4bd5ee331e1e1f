import { decodeOrSame } from '../../text/paths.ts'

/** The JSON form of the OpenTelemetry protocol: only what Loadout sends of it. */

export type Attributes = Readonly<Record<string, string | number | undefined>>

export interface Metric {
  name: string
  unit: string
  description: string
  points: readonly Point[]
}

/** Counts since its start: sent again, it is the same series. */
export type Point = { attributes: Attributes; startMs: number; timeMs: number } & (
  | { kind: 'sum' | 'gauge'; value: number }
  | { kind: 'histogram'; count: number; sum: number; bounds: readonly number[]; buckets: readonly number[] }
)

export interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  startMs: number
  endMs: number
  attributes: Attributes
  isFailed: boolean
}

const CUMULATIVE = 2
const SERVER_SPAN = 2
const FAILED = 2

export function metricsRequest(resource: Attributes, metrics: readonly Metric[]): object {
  const scopeMetrics = [{ scope: { name: 'loadout' }, metrics: metrics.filter(hasPoints).map(metricJson) }]
  return { resourceMetrics: [{ resource: { attributes: attributesJson(resource) }, scopeMetrics }] }
}

function hasPoints({ points }: Metric): boolean {
  return points.length > 0
}

function metricJson({ name, unit, description, points }: Metric): object {
  const kind = points[0]?.kind ?? 'sum'
  const dataPoints = points.map(pointJson)
  const form =
    kind === 'gauge'
      ? { gauge: { dataPoints } }
      : kind === 'sum'
        ? { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } }
        : { histogram: { aggregationTemporality: CUMULATIVE, dataPoints } }
  return { name, unit, description, ...form }
}

function pointJson(point: Point): object {
  const { startMs, timeMs } = point
  const about = {
    attributes: attributesJson(point.attributes),
    startTimeUnixNano: nanos(startMs),
    timeUnixNano: nanos(timeMs),
  }
  if (point.kind !== 'histogram') return { ...about, asInt: String(Math.round(point.value)) }
  const { count, sum, bounds, buckets } = point
  return { ...about, count: String(count), sum, explicitBounds: bounds, bucketCounts: buckets.map(String) }
}

export function spansRequest(resource: Attributes, spans: readonly Span[]): object {
  const scopeSpans = [{ scope: { name: 'loadout' }, spans: spans.map(spanJson) }]
  return { resourceSpans: [{ resource: { attributes: attributesJson(resource) }, scopeSpans }] }
}

function spanJson({ traceId, spanId, parentSpanId, name, startMs, endMs, attributes, isFailed }: Span): object {
  return {
    ...{ traceId, spanId, parentSpanId, name, kind: SERVER_SPAN },
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(endMs),
    attributes: attributesJson(attributes),
    status: isFailed ? { code: FAILED } : {},
  }
}

function attributesJson(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }],
  )
}

/** As text: the number exceeds JavaScript's exact range. */
function nanos(milliseconds: number): string {
  return `${BigInt(Math.round(milliseconds * 1000)) * 1000n}`
}

/** The address of a signal: below the endpoint, unless that already names it. */
export function signalAddress(endpoint: string, signal: 'metrics' | 'traces'): string {
  const base = endpoint.replace(/\/+$/, '')
  return /\/v1\/(metrics|traces|logs)$/.test(base) ? base.replace(/[a-z]+$/, signal) : `${base}/v1/${signal}`
}

/** `OTEL_EXPORTER_OTLP_HEADERS`: names and values, in the standard format. */
export function readHeaders(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').map((pair) => pair.split('='))
  return Object.fromEntries(
    pairs.flatMap(([name = '', ...rest]) => {
      const value = decodeOrSame(rest.join('=').trim())
      return /^[\w-]+$/.test(name.trim()) && /^[\t\x20-\x7e]+$/.test(value) ? [[name.trim(), value]] : []
    }),
  )
}
