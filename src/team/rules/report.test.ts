import { describe, expect, it } from 'vitest'
import { assembleReport, type ReportRows } from './report.ts'

const NOTHING: ReportRows = {
  ...{ usage: [], people: [], entryPeople: [], holdings: [], groups: [], groupPeople: [], agents: [], projects: [] },
  ...{ allPeople: 0, waiting: 0 },
}
const report = (rows: Partial<ReportRows>) =>
  assembleReport({ from: '2026-11-01', to: '2026-12-01' }, { ...NOTHING, ...rows })

const used = (entry: string, version: string, times: number) => {
  return { entry, version, stage: 'used' as const, times, tokens: times * 10, first: '2026-11-02', last: '2026-11-03' }
}

describe('a report', () => {
  it('adds up the versions of an entry, the newest first', () => {
    const { entries } = report({
      usage: [
        used('skill:a', 'v1', 2),
        { ...used('skill:a', 'v2', 5), last: '2026-11-09' },
        { ...used('skill:a', 'v1', 3), stage: 'planned' },
      ],
      entryPeople: [{ entry: 'skill:a', people: 9 }],
      people: [
        { entry: 'skill:a', version: 'v1', people: 4 },
        { entry: 'skill:a', version: 'v2', people: 8 },
      ],
    })
    expect(entries).toMatchObject([{ kind: 'skill', id: 'a', planned: 3, used: 7, tokens: 70, people: 9 }])
    expect(entries[0]?.versions.map(({ version, people }) => [version, people])).toEqual([
      ['v2', 8],
      ['v1', null],
    ])
  })

  it('shows what was delivered but never used, and what is dead weight', () => {
    const { inVain, deadWeight } = report({
      usage: [
        { ...used('pack:vain', '', 4), stage: 'delivered' },
        { ...used('payload:named', '', 9), stage: 'planned' },
        used('skill:good', 'v', 1),
      ],
      holdings: [
        { entry: 'skill:idle', version: 'v', machines: 7, since: '2026-01-01' },
        { entry: 'skill:good', version: 'v', machines: 7, since: '2026-01-01' },
      ],
    })
    expect(inVain).toEqual([{ kind: 'pack', id: 'vain', delivered: 4, tokens: 40 }])
    expect(deadWeight).toEqual([
      { kind: 'payload', id: 'named', planned: 9, machines: null },
      { kind: 'skill', id: 'idle', planned: 0, machines: 7 },
    ])
  })

  it('hides people up to five, and shows a roll-out of more', () => {
    const { people, rollout } = report({
      allPeople: 5,
      holdings: [
        { entry: 'skill:a', version: 'old', machines: 3, since: '2026-01-01' },
        { entry: 'skill:a', version: 'new', machines: 9, since: '2026-02-01' },
        { entry: 'skill:few', version: 'v', machines: 5, since: '2026-02-01' },
      ],
    })
    expect(people).toBe(null)
    expect(rollout).toEqual([
      {
        ...{ kind: 'skill', id: 'a', machines: 12 },
        versions: [
          { version: 'new', machines: 9, share: 75, since: '2026-02-01' },
          { version: 'old', machines: null, share: 25, since: '2026-01-01' },
        ],
      },
    ])
  })

  const groups: [people: number[], shown: [string, number | null][]][] = [
    [
      [6, 7],
      [
        ['g1', 7],
        ['g0', 6],
      ],
    ],
    [
      [2, 7, 8],
      [
        ['g2', 8],
        ['smaller groups', 9],
      ],
    ],
    [
      [2, 5, 8],
      [
        ['g2', 8],
        ['smaller groups', 7],
      ],
    ],
    [[3], [['smaller groups', null]]],
    [[], []],
  ]
  it.each(groups)('with groups of %j people shows %j', (people, shown) => {
    const names = people.map((count, at) => ({ name: `g${at}`, people: count }))
    const { groups: found } = report({
      groupPeople: names,
      groups: names.map(({ name, people: times }) => ({ name, stage: 'used' as const, times, tokens: 0 })),
    })
    expect(found.map((each) => [each.group, each.people])).toEqual(shown)
  })
})
