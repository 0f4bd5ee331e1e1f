import { describe, expect, it } from 'vitest'
import { FACETS, mondayOf, partition, publish, SEVERAL, TEAM, type WaitingRow } from './portions.ts'

const row = (group: number, person: number, more: Partial<WaitingRow> = {}): WaitingRow => {
  return { entry: 1, stage: 3, group, version: 7, agent: 1, project: 0, person, times: 1, tokens: 10, ...more }
}
const people = (group: number, count: number, more: Partial<WaitingRow> = {}) =>
  Array.from({ length: count }, (_, at) => row(group, group * 100 + at, more))

describe('a part that is shown', () => {
  it.each<[sizes: number[], shown: [group: number, people: number][]]>([
    [
      [6, 7],
      [
        [0, 6],
        [1, 7],
      ],
    ],
    [
      [2, 7, 8],
      [
        [SEVERAL, 9],
        [2, 8],
      ],
    ],
    [
      [2, 5, 8],
      [
        [SEVERAL, 7],
        [2, 8],
      ],
    ],
    [[1, 6], [[SEVERAL, 7]]],
    [[3, 2], []],
    [[5], []],
    [[6], [[0, 6]]],
    [[], []],
  ])('has more than five people: of groups with %j people %j', (sizes, shown) => {
    const rows = sizes.flatMap((size, group) => people(group, size))
    expect(partition(rows, ({ group }) => group).map((part) => [part.name, part.rows.length])).toEqual(shown)
  })

  it('does not count a person twice who works in two groups', () => {
    expect(partition([...people(1, 5), row(2, 100)], ({ group }) => group)).toEqual([])
  })
})

describe('what is published of a week', () => {
  const times = (rows: WaitingRow[], isOver: boolean, facet: keyof typeof FACETS) =>
    publish(rows, isOver)
      .figures.filter((figure) => figure.facet === FACETS[facet])
      .map((figure) => [figure.group, figure.item, figure.version, figure.times, figure.people])

  it('while it runs are the large groups; what the others did waits', () => {
    const { published } = publish([...people(1, 6), ...people(2, 1)], false)
    expect(published).toEqual([{ entry: 1, stage: 3, group: 1 }])
    expect(times([...people(1, 6), ...people(2, 1)], false, 'entry')).toEqual([
      [1, 1, 0, 6, 6],
      [TEAM, 1, 0, 6, 6],
    ])
  })

  it('when it is over is all of it, with small groups added to others', () => {
    expect(times([...people(1, 6), ...people(2, 1)], true, 'entry')).toEqual([[TEAM, 1, 0, 7, 7]])
    expect(times(people(1, 5), true, 'entry')).toEqual([])
  })

  it('names a version or an agent only if enough people have it, and enough the others', () => {
    const rows = [...people(1, 7), ...people(2, 1, { group: 1, version: 8, agent: 2 })]
    expect(times(rows, true, 'version')).toEqual([
      [1, 1, SEVERAL, 8, 8],
      [TEAM, 1, SEVERAL, 8, 8],
    ])
    expect(times(rows, true, 'agent').map(([, agent]) => agent)).toEqual([SEVERAL, SEVERAL])
  })

  it('names no agent where its sum minus that of an entry that only it has would be of few people', () => {
    // Only the second agent has entry 1, so its sum minus that of the entry is the one use of entry 2.
    const first = [...people(1, 6, { agent: 2 }), ...people(1, 6, { entry: 2 })]
    expect(times([...first, row(1, 200, { entry: 2, agent: 2 })], true, 'agent').map(([, agent]) => agent)).toEqual([
      SEVERAL,
      SEVERAL,
    ])
    expect(times(first, true, 'agent').map(([, agent]) => agent)).toEqual([2, 2, 1, 1])
  })

  it('names a project only beside the agents that are named', () => {
    const rows = [...people(1, 6, { project: 9 }), ...people(2, 6, { group: 1, agent: 2 })]
    expect(times(rows, true, 'project').map(([, project]) => project)).toEqual([9, 9, 0, 0])
    const small = [...rows, row(1, 300, { agent: 2, project: 9 })]
    expect(times(small, true, 'agent').map(([, agent]) => agent)).toEqual([1, 1, 2, 2])
    expect(times(small, true, 'project').map(([, project]) => project)).toEqual([SEVERAL, SEVERAL])
  })

  it('counts each stage by the people of that stage', () => {
    const rows = [...people(1, 6, { stage: 2 }), row(1, 100)]
    expect(publish(rows, true).published).toEqual([{ entry: 1, stage: 2, group: 1 }])
  })
})

it.each([
  ['2026-11-16', '2026-11-16'],
  ['2026-11-22', '2026-11-16'],
  ['2026-11-23', '2026-11-23'],
  ['2027-01-01', '2026-12-28'],
])('the week of %s begins on %s', (day, monday) => {
  expect(mondayOf(day)).toBe(monday)
})
