import { describe, expect, it } from 'vitest'
import { CostMeter } from './cost.ts'
import { event } from './event.fixture.ts'
import { MOST_POINTS, startOf, TimelineTally, type TimeStep } from './timeline.ts'

describe('the start of a step', () => {
  const rows: [instant: string, step: TimeStep, start: string][] = [
    ['2026-11-17T09:41:12.345Z', 'hour', '2026-11-17T09:00:00.000Z'],
    ['2026-11-17T09:41:12.345Z', 'day', '2026-11-17T00:00:00.000Z'],
    ['2026-11-17T09:41:12.345Z', 'week', '2026-11-16T00:00:00.000Z'],
    ['2026-11-16T00:00:00.000Z', 'week', '2026-11-16T00:00:00.000Z'],
    ['2026-11-15T23:59:59.999Z', 'week', '2026-11-09T00:00:00.000Z'],
  ]
  it.each(rows)('of %s by %s is %s', (instant, step, start) => {
    expect(new Date(startOf(Date.parse(instant), step)).toISOString()).toBe(start)
  })
})

const meter = new CostMeter(undefined)
const add = (tally: TimelineTally, each: ReturnType<typeof event>) => tally.add(each, meter.read(each))

const RANGE = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-03T12:00:00.000Z', step: 'day' as const }

it('a timeline has a point for every day, also where nothing happened, and sums by agent', () => {
  const tally = new TimelineTally(RANGE)
  add(tally, event('a', { timestamp: '2026-11-01T05:00:00.000Z', stage: 'planned', via: 'claude', tokensEst: 9 }))
  add(tally, event('a', { timestamp: '2026-11-01T06:00:00.000Z', stage: 'delivered', via: 'claude', tokensEst: 9 }))
  add(tally, event('b', { timestamp: '2026-11-03T06:00:00.000Z', stage: 'used', via: 'mcp', tokensEst: 5 }))
  add(tally, event('b', { timestamp: '2026-10-31T23:00:00.000Z' }))
  add(tally, event('', { timestamp: '2026-11-01T06:00:00.000Z' }))
  add(tally, event('c', { timestamp: 'no time' }))
  const { points, agents } = tally.timeline()
  expect(points.map(({ at, starts: _, cost: __, ...counts }) => [at.slice(0, 10), counts])).toEqual([
    ['2026-11-01', { planned: 1, delivered: 1, used: 0, tokens: 9 }],
    ['2026-11-02', { planned: 0, delivered: 0, used: 0, tokens: 0 }],
    ['2026-11-03', { planned: 0, delivered: 0, used: 1, tokens: 5 }],
  ])
  expect(agents.map(({ via, tokens }) => [via, tokens])).toEqual([
    ['claude', 9],
    ['mcp', 5],
  ])
})

it.each([
  [{ agent: 'mcp' }, 1],
  [{ kind: 'pack' as const }, 1],
  [{ entry: 'a' }, 2],
  [{ entry: 'a', agent: 'mcp' }, 0],
])('counts only what was asked for: %j', (wanted, expected) => {
  const tally = new TimelineTally({ ...RANGE, ...wanted })
  const timestamp = '2026-11-01T06:00:00.000Z'
  add(tally, event('a', { timestamp, via: 'claude' }))
  add(tally, event('a', { timestamp, via: 'claude', kind: 'pack' }))
  add(tally, event('b', { timestamp, via: 'mcp' }))
  expect(tally.timeline().points[0]?.delivered).toBe(expected)
})

it('a timeline has a limited number of points, the newest ones', () => {
  const { points } = new TimelineTally({ ...RANGE, from: '1970-01-01T00:00:00.000Z', step: 'hour' }).timeline()
  expect(points).toHaveLength(MOST_POINTS)
  expect(points.at(-1)?.at).toBe('2026-11-03T12:00:00.000Z')
})
