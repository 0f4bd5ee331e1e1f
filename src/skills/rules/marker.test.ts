import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMarker, type InstallMarker, parseMarker } from './reconcile.ts'

const TWO = { repo_commit: 'abc1234', installed_at: '2026-01-01T00:00:00Z' }

describe('a marker', () => {
  const rows: [what: string, json: unknown, expected: ReturnType<typeof parseMarker>][] = [
    ['of an older program', TWO, { commit: 'abc1234', installedAt: '2026-01-01T00:00:00Z' }],
    ['of a library without commits', { ...TWO, repo_commit: '' }, { commit: '', installedAt: TWO.installed_at }],
    [
      'with all fields',
      { ...TWO, skill: 's', target: 'claude', content_hash: 'c', source_hash: 'h', uncommitted: true },
      {
        commit: 'abc1234',
        installedAt: TWO.installed_at,
        skill: 's',
        agent: 'claude',
        contentHash: 'c',
        sourceHash: 'h',
        isUncommitted: true,
      },
    ],
    [
      'with fields of another kind, which are as good as none',
      { ...TWO, skill: 1, target: null, content_hash: {}, source_hash: [], uncommitted: 'yes' },
      { commit: 'abc1234', installedAt: TWO.installed_at },
    ],
    ['that is null', null, { problem: 'it contains no object' }],
    ['that is a list', [TWO], { problem: 'it contains no object' }],
    ['without a commit', { installed_at: 'x' }, { problem: '"repo_commit" is missing' }],
    ['without a time', { repo_commit: 'x' }, { problem: '"installed_at" is missing' }],
    ['with a time that is a number', { ...TWO, installed_at: 1 }, { problem: '"installed_at" is missing' }],
  ]
  it.each(rows)('%s', (_, json, expected) => {
    expect(parseMarker(json)).toEqual(expected)
  })

  it('is read back as it was written', () => {
    const text = fc.string()
    const markers: fc.Arbitrary<InstallMarker> = fc.record(
      {
        commit: text,
        installedAt: text,
        skill: text,
        agent: text,
        contentHash: text,
        sourceHash: text,
        isUncommitted: fc.constant(true as const),
      },
      { requiredKeys: ['commit', 'installedAt'] },
    )
    fc.assert(
      fc.property(markers, (marker) => {
        expect(parseMarker(JSON.parse(formatMarker(marker)))).toEqual(marker)
      }),
    )
  })

  it('is a text of lines, each with one field', () => {
    expect(formatMarker({ commit: 'c', installedAt: 't', agent: 'claude' })).toBe(
      '{\n  "repo_commit": "c",\n  "installed_at": "t",\n  "target": "claude"\n}\n',
    )
  })
})
