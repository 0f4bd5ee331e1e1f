import { expect, it } from 'vitest'
import { prometheusText } from './prometheus.ts'

const span = { startMs: 0, timeMs: 1 }

it('metrics are written as Prometheus reads them: counters, gauges, buckets that add up, escaped labels', () => {
  const text = prometheusText([
    {
      ...{ name: 'team.batches', unit: '{batch}', description: 'Batches.' },
      points: [{ kind: 'sum', attributes: { result: 'a "b"\\\n', none: undefined }, value: 3, ...span }],
    },
    {
      ...{ name: 'request.duration', unit: 's', description: 'Requests.' },
      points: [
        { kind: 'histogram', attributes: {}, count: 4, sum: 1.5, bounds: [0.1, 1], buckets: [1, 2, 1], ...span },
      ],
    },
    {
      ...{ name: 'machines', unit: '', description: 'Machines.' },
      points: [{ kind: 'gauge', attributes: {}, value: 7, ...span }],
    },
    { name: 'nothing', unit: '', description: 'Left out.', points: [] },
  ])
  expect(text).toBe(`# HELP team_batches_total Batches.
# TYPE team_batches_total counter
team_batches_total{result="a \\"b\\"\\\\\\n"} 3
# HELP request_duration_seconds Requests.
# TYPE request_duration_seconds histogram
request_duration_seconds_bucket{le="0.1"} 1
request_duration_seconds_bucket{le="1"} 3
request_duration_seconds_bucket{le="+Inf"} 4
request_duration_seconds_sum 1.5
request_duration_seconds_count 4
# HELP machines Machines.
# TYPE machines gauge
machines 7
`)
})
