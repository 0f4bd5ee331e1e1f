import { describe, expect, it } from 'vitest'
import { analyzeBudget, findDeadEntries, findKeywordOverlaps } from '../../payloads/rules/analysis.ts'
import { entryOf, indexOf } from '../../payloads/rules/entry.fixture.ts'
import { event } from './event.fixture.ts'
import { DistinctCounter, parseSince, summarizeUsage, UsageTally } from './summary.ts'
import { readEvent } from './usage-event.ts'

describe('a line of a log', () => {
  const rows: [line: string, isEvent: boolean][] = [
    [JSON.stringify(event('a')), true],
    ['', false],
    ['null', false],
    ['[]', false],
    ['{"entryId":"a"}', false],
    [JSON.stringify({ ...event('a'), tokensEst: '100' }), false],
    ['{"entryId":"a', false],
  ]
  it.each(rows)('%s: %s', (line, isEvent) => {
    expect(readEvent(line) !== undefined).toBe(isEvent)
  })
})

it('sums up per entry, the most loaded first; a plan is no load', () => {
  const later = '2026-02-02T00:00:00.000Z'
  const summaries = summarizeUsage([
    event('a'),
    event('b'),
    event('b', { timestamp: later, trigger: 'docs', mode: 'eager' }),
    event('a', { stage: 'planned', timestamp: later }),
    event('c', { stage: 'planned' }),
  ])
  expect(summaries).toEqual([
    {
      entryId: 'b',
      loadCount: 2,
      totalTokens: 200,
      lastLoaded: later,
      triggers: ['ci', 'docs'],
      modes: new Set(['lazy', 'eager']),
    },
    {
      entryId: 'a',
      loadCount: 1,
      totalTokens: 100,
      lastLoaded: event('a').timestamp,
      triggers: ['ci'],
      modes: new Set(['lazy']),
    },
  ])
})

it('measures per task, not per load, and no plans', () => {
  const tally = new UsageTally()
  const plan = event('a', { stage: 'planned', taskHash: 't3' })
  for (const each of [event('a'), event('b'), event('a', { taskHash: 't2' }), plan]) tally.add(each)
  expect([tally.taskCount(), tally.averagePerTask()]).toEqual([2, 150])
  expect(new UsageTally().averagePerTask()).toBeNull()
})

it('the log counts different texts exactly, through growth', () => {
  const counter = new DistinctCounter()
  for (let round = 0; round < 2; round++) for (let n = 0; n < 50_000; n++) counter.add(`task-${n}`)
  expect(counter.count).toBe(50_000)
})

it('the log counts more texts than it keeps, within two per cent and in any order', () => {
  const [forwards, backwards] = [new DistinctCounter(10_000), new DistinctCounter(10_000)]
  for (let n = 0; n < 200_000; n++) {
    forwards.add(`task-${n}`)
    backwards.add(`task-${199_999 - n}`)
  }
  expect(Math.abs(forwards.count - 200_000)).toBeLessThan(4000)
  expect(backwards.count).toBe(forwards.count)
})

const index = indexOf([
  entryOf({ id: 'core', priority: 'core', keywords: ['ci'], tokens_est: 5 }),
  entryOf({ id: 'small', keywords: ['ci', 'docs'], tokens_est: 10 }),
  entryOf({ id: 'large', keywords: ['docs', 'ci'], tokens_est: 90 }),
  null,
])

it('the analysis finds entries that were never loaded, the heaviest first', () => {
  expect(findDeadEntries(index, []).map(({ entry }) => entry.id)).toEqual(['large', 'small'])
  expect(findDeadEntries(index, [event('large')]).map(({ entry }) => entry.id)).toEqual(['small'])
  const noLoad = [event('large', { stage: 'planned' }), event('small', { kind: 'pack' })]
  expect(findDeadEntries(index, noLoad).map(({ entry }) => entry.id)).toEqual(['large', 'small'])
})

describe('since', () => {
  const now = new Date('2026-03-10T12:00:00.000Z')
  const rows: [text: string, instant: string | undefined][] = [
    ['2d', '2026-03-08T12:00:00.000Z'],
    ['12h', '2026-03-10T00:00:00.000Z'],
    ['1w', '2026-03-03T12:00:00.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.000Z'],
    ['yesterday', undefined],
    ['2026-13-01', undefined],
    ['2026-02-31', undefined],
    ['2026-02-0\u0000', undefined],
    ['d', undefined],
    ['', undefined],
  ]
  it.each(rows)('%s', (text, instant) => {
    if (instant === undefined) expect(() => parseSince(text, now)).toThrow('is not a time')
    else expect(parseSince(text, now)).toBe(instant)
  })
})

it('the analysis finds shared keywords, the most shared first', () => {
  expect(findKeywordOverlaps(index)).toEqual([
    { keyword: 'ci', entries: ['core', 'small', 'large'] },
    { keyword: 'docs', entries: ['small', 'large'] },
  ])
})

it('the analysis finds a keyword however it is spelt, and never an entry beside itself', () => {
  const entries = [
    { id: 'a', keywords: ['CI', 'k v', 'own', 'own'] },
    { id: 'b', keywords: ['ci', 'k-v'] },
  ].map(entryOf)
  expect(findKeywordOverlaps(indexOf(entries))).toEqual([
    { keyword: 'CI', entries: ['a', 'b'] },
    { keyword: 'k v', entries: ['a', 'b'] },
  ])
})

it('the log counts an entry of an unknown priority where it is planned', () => {
  const entries = [entryOf({ tokens_est: 7, priority: 'Manual' as never }), entryOf({ tokens_est: 3 })]
  expect(analyzeBudget(indexOf(entries))).toMatchObject({ totalTokens: 10, domainTokens: 10, domainEntries: 2 })
})

it('breaks a budget down', () => {
  expect(analyzeBudget(index, summarizeUsage([event('small'), event('large', { tokensEst: 300 })]))).toEqual({
    totalTokens: 105,
    coreTokens: 5,
    domainTokens: 100,
    manualTokens: 0,
    coreEntries: 1,
    domainEntries: 2,
    manualEntries: 0,
    avgDomainSize: 50,
    largestEntry: { id: 'large', tokens: 90 },
    smallestEntry: { id: 'core', tokens: 5 },
    observedAvg: 200,
  })
  expect(analyzeBudget(indexOf([]))).toMatchObject({ totalTokens: 0, largestEntry: null, observedAvg: null })
})
