import { describe, expect, it } from 'vitest'
import { RECORDED_AGENTS, recordedRules } from './recorded-rules.ts'
import { compareVersions, nearestRow, newestDay, readRuleFile } from './rule-file.ts'

const READING = {
  places: [{ from: 'home', path: '.x/skills', scope: 'user' }],
  depth: 1,
  skipsDotFolders: false,
  followsLinkedFiles: true,
  needsUtf8: false,
  readsBehindMark: true,
  joinsBlanks: true,
  namedBy: 'folder',
  guessesDescription: false,
  hiding: [],
  sameName: 'first',
  climbsWithoutRepository: false,
}
const LISTING = { overflow: 'drop', unit: 'columns', share: 0.01, window: 200_000, own: [] }
const row = (version: string, more: object = {}) => ({ version, recorded: '2026-01-02', ...more })
const file = (...rows: object[]) => ({ agent: 'x', program: { command: 'x', package: 'x' }, rows })
const first = row('1.0', { reading: READING, listing: LISTING })

const problemOf = (json: unknown) => {
  const result = readRuleFile(json)
  return 'problems' in result ? result.problems[0]?.says : 'none'
}

it('every file that comes with Loadout is valid', () => {
  for (const agent of RECORDED_AGENTS) expect(recordedRules(agent)?.agent).toBe(agent)
})

it('a row has only the differences to the one before', () => {
  const later = row('1.1', { recorded: '2026-03-04', listing: { window: 1_000_000 } })
  const result = readRuleFile(file(first, later))
  if (!('file' in result)) throw new Error(result.problems[0]?.says)
  expect(result.file.rows[1]?.rules).toEqual({ reading: READING, listing: { ...LISTING, window: 1_000_000 } })
  expect(result.file.rows[0]?.rules.listing?.window).toBe(200_000)
  expect(newestDay(result.file)).toBe('2026-03-04')
})

describe('a file that is refused', () => {
  const rows: [why: string, json: unknown, says: RegExp][] = [
    ['not an object', [], /must be a JSON object/],
    ['no rows', file(), /"rows" must be not empty/],
    ['a misspelt key', file({ ...first, lsting: {} }), /"rows\[0\]\.lsting"; did you mean "rows\[0\]\.listing"/],
    ['no version', file({ ...first, version: 'newest' }), /must be a version, such as 2\.1\.326/],
    ['no day', file({ ...first, recorded: 'yesterday' }), /must be a day/],
    ['nothing to read', file(row('1.0')), /the row of 1\.0: "reading" must be an object/],
    ['half of what is needed', file(row('1.0', { reading: { depth: 1 } })), /"reading\.places" must be a list/],
    ['versions in disorder', file(first, row('0.9')), /0\.9 is not newer than 1\.0/],
    [
      'a path that leads out',
      file(row('1.0', { reading: { places: [{ from: 'home', path: '../x', scope: 'user' }] } })),
      /leads out/,
    ],
    [
      'a share of more than all',
      file(row('1.0', { reading: READING, listing: { ...LISTING, share: 2 } })),
      /at most 1/,
    ],
  ]
  it.each(rows)('%s', (_, json, says) => {
    expect(problemOf(json)).toMatch(says)
  })
})

it.each([
  ['1.0', '1.0'],
  ['1.0.9', '1.0'],
  ['1.2', '1.2'],
  ['2.0', '1.10'],
  ['0.5', '1.0'],
  [undefined, '1.10'],
])('for the installed version %s, the rules of %s', (installed, expected) => {
  const result = readRuleFile(file(first, row('1.2'), row('1.10')))
  if (!('file' in result)) throw new Error(result.problems[0]?.says)
  expect(nearestRow(result.file, installed)?.version).toBe(expected)
})

it('versions are compared by number', () => {
  expect(['1.10', '1.9', '1.9.1', '1'].sort(compareVersions)).toEqual(['1', '1.9', '1.9.1', '1.10'])
})
