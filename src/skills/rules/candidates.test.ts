import { describe, expect, it } from 'vitest'
import { type ForeignSkill, groupCandidates } from './candidates.ts'
import { skillOf } from './placement.fixture.ts'
import type { Skill } from './skill.ts'

function copyIn(path: string, changes: Partial<ForeignSkill> = {}, skill: Partial<Skill> = {}): ForeignSkill {
  return {
    path,
    agents: ['claude'],
    skill: skillOf({ targets: ['claude'], ...skill }),
    isDeclared: false,
    document: 'text\n',
    files: new Map([['a.sh', 'hash x']]),
    treeHash: path,
    ...changes,
  }
}

const declared = { isDeclared: true }

describe('copies of one skill', () => {
  const rows: [what: string, second: ForeignSkill, problem: string | undefined][] = [
    ['agree', copyIn('/b'), undefined],
    ['differ in their text', copyIn('/b', { document: 'other' }), 'SKILL.md'],
    ['differ in a file', copyIn('/b', { files: new Map([['a.sh', 'hash -']]) }), 'a.sh'],
    [
      'differ by a file',
      copyIn('/b', {
        files: new Map([
          ['a.sh', 'hash x'],
          ['b', 'b'],
        ]),
      }),
      'b',
    ],
    ['lack a file', copyIn('/b', { files: new Map() }), 'a.sh'],
    ['differ in description', copyIn('/b', {}, { description: 'x' }), 'skill.json (description)'],
    ['differ in tags', copyIn('/b', {}, { tags: ['x'] }), 'skill.json (tags)'],
    ['differ in fields of others', copyIn('/b', {}, { others: { license: 'MIT' } }), 'skill.json (others)'],
    ['were for other agents, as far as can be guessed', copyIn('/b', {}, { targets: ['codex'] }), undefined],
    ['are for other agents, as one author says', copyIn('/b', declared, { targets: ['codex'] }), undefined],
    ['have metadata for other agents', copyIn('/b', {}, { metadata: { codex: { a: 1 } } }), undefined],
    [
      'have other metadata for one agent',
      copyIn('/b', {}, { metadata: { claude: { a: 2, b: 1 } } }),
      'skill.json (claude)',
    ],
    ['have the same metadata in another order', copyIn('/b', {}, { metadata: { claude: { b: 1, a: 1 } } }), undefined],
    [
      'differ in much',
      copyIn('/b', { document: '', files: new Map() }, { tags: ['x'] }),
      'SKILL.md, a.sh, skill.json (tags)',
    ],
  ]
  it.each(rows)('%s', (_, second, differing) => {
    const first = copyIn('/a', {}, { metadata: { claude: { a: 1, b: 1 } } })
    const [candidate, ...more] = groupCandidates([second, first])
    expect(more).toEqual([])
    expect(candidate?.problem).toBe(differing && `its copies differ in ${differing}`)
    expect(candidate?.merged === undefined).toBe(differing !== undefined)
    expect(candidate?.copies.map(({ path }) => path)).toEqual(['/a', '/b'])
  })

  it('differ in targets that two authors wrote down', () => {
    const found = groupCandidates([copyIn('/a', declared), copyIn('/b', declared, { targets: ['codex'] })])
    expect(found[0]?.problem).toBe('its copies differ in skill.json (targets)')
  })

  it('are compared with the first, also when there are three', () => {
    const [candidate] = groupCandidates([copyIn('/a'), copyIn('/b'), copyIn('/c', { document: 'x' })])
    expect(candidate?.problem).toBe('its copies differ in SKILL.md')
  })

  it('add up: agents, guessed targets and metadata', () => {
    const codex = copyIn('/b', { agents: ['codex'] }, { targets: ['codex'], metadata: { codex: { b: 1 } } })
    const [candidate] = groupCandidates([copyIn('/a', {}, { metadata: { claude: { a: 1 } } }), codex])
    expect(candidate?.merged).toMatchObject({
      agents: ['claude', 'codex'],
      skill: { targets: ['claude', 'codex'], metadata: { claude: { a: 1 }, codex: { b: 1 } } },
    })
  })

  it('take their targets from the one with a skill.json', () => {
    const author = copyIn('/z', declared, { targets: ['amp'] })
    const [candidate] = groupCandidates([copyIn('/a'), author])
    expect(candidate?.merged).toMatchObject({ path: '/z', isDeclared: true, skill: { targets: ['amp'] } })
  })
})

it('candidates are in the order of their names', () => {
  const found = [copyIn('/z', {}, { name: 'b' }), copyIn('/a', {}, { name: 'c' }), copyIn('/b', {}, { name: 'a' })]
  expect(groupCandidates(found).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  expect(groupCandidates([])).toEqual([])
})
