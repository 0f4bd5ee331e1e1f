import type { Attributes, Metric, Point } from '../../usage/rules/otlp.ts'

/** The text form that Prometheus reads, of the same metrics that go to an OpenTelemetry collector. */
export function prometheusText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ points }) => points.length > 0)
    .map(({ name, unit, description, points }) => {
      const kind = points[0]!.kind
      const base = `${name.replace(/\W/g, '_')}${unit === 's' ? '_seconds' : ''}${kind === 'sum' ? '_total' : ''}`
      const type = kind === 'sum' ? 'counter' : kind
      const rows = points.flatMap((point) => rowsOf(base, point))
      return `# HELP ${base} ${description}\n# TYPE ${base} ${type}\n${rows.join('\n')}\n`
    })
    .join('')
}

function rowsOf(name: string, point: Point): string[] {
  const labels = labelsOf(point.attributes)
  if (point.kind !== 'histogram') return [`${name}${braced(labels)} ${point.value}`]
  let upTo = 0
  const buckets = point.buckets.map((size, at) => {
    upTo += size
    return `${name}_bucket${braced([...labels, `le="${point.bounds[at] ?? '+Inf'}"`])} ${upTo}`
  })
  return [...buckets, `${name}_sum${braced(labels)} ${point.sum}`, `${name}_count${braced(labels)} ${point.count}`]
}

function labelsOf(attributes: Attributes): string[] {
  return Object.entries(attributes).flatMap(([name, value]) => {
    if (value === undefined) return []
    const text = String(value).replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
    return `${name.replace(/\W/g, '_')}="${text}"`
  })
}

function braced(labels: readonly string[]): string {
  return labels.length === 0 ? '' : `{${labels.join(',')}}`
}
