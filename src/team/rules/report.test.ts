import { describe, expect, it } from 'vitest'
import { TEAM } from './portions.ts'
import { assembleReport, type ReportRows } from './report.ts'

const NOTHING: ReportRows = {
  ...{ usage: [], versions: [], holdings: [], catalog: [], groups: [], agents: [], projects: [] },
  ...{ group: TEAM, people: 0, waiting: 0, silent: 0, running: undefined },
}
const report = (rows: Partial<ReportRows>) =>
  assembleReport({ from: '2026-11-02', to: '2026-11-29' }, { ...NOTHING, ...rows })

const used = (entry: string, version: string, times: number) => {
  const sums = { times, tokens: times * 10, people: 8, first: '2026-11-02', last: '2026-11-02' }
  return { entry, name: entry, version, isJoined: false, stage: 'used' as const, ...sums }
}
const machines = (entry: string, version: string, from: number, count: number, group = 1) => [
  { entry, version, group, machines: Array.from({ length: count }, (_, at) => from + at), since: '2026-01-01' },
]

describe('a report', () => {
  it('adds up the stages of an entry, and lists its versions, the newest first', () => {
    const { entries } = report({
      usage: [used('skill:a', '', 7), { ...used('skill:a', '', 3), stage: 'planned' }],
      versions: [used('skill:a', 'v1', 2), { ...used('skill:a', 'v2', 5), last: '2026-11-09' }],
    })
    expect(entries).toMatchObject([
      { kind: 'skill', id: 'a', planned: 3, delivered: null, used: 7, tokens: 70, people: 8, listing: 0 },
    ])
    expect(entries[0]?.versions.map(({ version, used: times }) => [version, times])).toEqual([
      ['v2', 5],
      ['v1', 2],
    ])
  })

  it('shows what was delivered but hardly used, and dead weight by what its line in the lists costs', () => {
    const { inVain, deadWeight, entries } = report({
      usage: [
        { ...used('pack:vain', '', 4), stage: 'delivered' },
        { ...used('payload:named', '', 9), stage: 'planned' },
        used('skill:good', '', 1),
        { ...used('skill:idle', '', 50), stage: 'installed' },
        { ...used('skill:good', '', 90), stage: 'installed' },
      ],
      holdings: [...machines('skill:idle', 'v', 0, 7), ...machines('skill:good', 'v', 0, 7)],
    })
    expect(inVain).toEqual([{ kind: 'pack', id: 'vain', delivered: 4, tokens: 40 }])
    expect(deadWeight).toEqual([
      { kind: 'skill', id: 'idle', planned: 0, listing: 500, machines: 7 },
      { kind: 'payload', id: 'named', planned: 9, listing: 0, machines: null },
    ])
    expect(entries.map(({ id, listing }) => [id, listing])).toEqual([
      ['good', 900],
      ['vain', 0],
      ['named', 0],
    ])
  })

  it('shows a roll-out by versions that more than five machines have, with what the catalog says', () => {
    const { rollout } = report({
      holdings: [
        ...machines('skill:a', 'old', 0, 6),
        ...machines('skill:a', 'new', 6, 9),
        ...machines('skill:b', 'old', 0, 2),
        ...machines('skill:b', 'new', 2, 11),
        ...machines('skill:few', 'v', 0, 5),
      ],
      catalog: [
        { entry: 'skill:a', version: '2.0.0', state: 'approved', digest: 'new' },
        { entry: 'skill:a', version: '1.0.0', state: 'quarantined', digest: 'old' },
        { entry: 'skill:few', version: '*', state: 'retired', digest: '' },
      ],
    })
    const since = '2026-01-01'
    const [old, young] = [
      { digest: 'old', name: '1.0.0', state: 'quarantined' },
      { digest: 'new', name: '2.0.0', state: 'approved' },
    ]
    expect(rollout).toEqual([
      {
        ...{ kind: 'skill', id: 'a', machines: 15 },
        versions: [
          { versions: [young], machines: 9, share: 60, since },
          { versions: [old], machines: 6, share: 40, since },
        ],
      },
      {
        ...{ kind: 'skill', id: 'b', machines: 13 },
        versions: [{ versions: [{ digest: 'new' }, { digest: 'old' }], machines: 13, share: 100, since }],
      },
      {
        ...{ kind: 'skill', id: 'few', state: 'retired', machines: null },
        versions: [{ versions: [{ digest: 'v' }], machines: null, share: null, since: null }],
      },
    ])
  })

  it('shows the roll-out of a group only if that of the others cannot be worked out', () => {
    const holdings = [...machines('skill:a', 'v', 0, 7, 1), ...machines('skill:a', 'v', 10, 3, 2)]
    expect(report({ holdings, group: 1 }).rollout).toEqual([])
    const more = [...holdings, ...machines('skill:a', 'v', 20, 9, 3)]
    expect(report({ holdings: more, group: 3 }).rollout[0]?.machines).toBe(9)
    expect(report({ holdings: more }).rollout[0]?.machines).toBe(19)
  })

  it('hides how few machines are silent', () => {
    expect([0, 3, 6].map((silent) => report({ silent }).silent)).toEqual([0, null, 6])
  })

  it('names what needs attention: stopped versions that machines have, older ones, and stopped ones that are gone', () => {
    const row = (entry: string, version: string, state: string, digest: string) => ({ entry, version, state, digest })
    const rows = {
      holdings: [
        ...machines('skill:bad', 'b1', 0, 7),
        ...machines('skill:late', 'l1', 0, 8),
        ...machines('skill:late', 'l2', 8, 9),
        ...machines('skill:own', 'o1', 0, 9),
        ...machines('skill:few', 'f1', 0, 3),
      ],
      catalog: [
        row('skill:late', '2.0', 'approved', 'l2'),
        row('skill:late', '1.0', 'approved', 'l1'),
        row('skill:bad', '1.0', 'retired', 'b1'),
        row('skill:few', '1.0', 'quarantined', 'f1'),
        row('skill:away', '3.0', 'retired', 'a3'),
      ],
    }
    expect(report(rows).attention).toEqual([
      { about: 'stopped', kind: 'skill', id: 'bad', versions: ['1.0'], machines: 7 },
      { about: 'stopped', kind: 'skill', id: 'few', versions: ['1.0'], machines: null },
      { about: 'behind', kind: 'skill', id: 'late', versions: ['1.0'], wanted: '2.0', machines: 8 },
      { about: 'gone', kind: 'skill', id: 'away', versions: ['3.0'], machines: 0 },
    ])
    // A group does not know what others have.
    expect(report({ ...rows, group: 1 }).attention.map(({ about }) => about)).not.toContain('gone')
  })
})
