import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inventoryOf, modelOf, placementOf, SKILLS, skillOf } from '../model.fixture.ts'
import { facetRows, fuzzyScore, groupOf, parseFilter, shortSource, visibleSkills, withFacet } from './filter.ts'

const MORE = [
  ...SKILLS,
  skillOf({
    name: 'packages',
    description: 'Finds outdated packages.',
    tags: ['two words'],
    source: 'https://github.com/acme/skills.git',
  }),
]
const shown = (filter: string, grouping: 'none' | 'state' | 'tag' | 'source' | 'agent' = 'none') => {
  const { inventory } = modelOf({}, { value: inventoryOf(MORE), filter, grouping })
  return visibleSkills(inventory).map(({ name }) => name)
}

describe('a filter', () => {
  it.each<[filter: string, names: string[]]>([
    ['', MORE.map(({ name }) => name)],
    ['state:outdated', ['db-migrations']],
    ['state:out', ['db-migrations']],
    ['outdated', ['packages']],
    ['tag:rel', ['release-notes']],
    ['tag:"two words"', ['packages']],
    ['agent:codex', ['release-notes']],
    ['source:acme', ['packages']],
    ['agent:claude state:current', ['api-review']],
    ['rlnt', ['release-notes']],
    ['dbm', ['db-migrations']],
    ['sk', ['sketch']],
    ['STATE:Edited', ['release-notes']],
    ['state:', MORE.map(({ name }) => name)],
    ['zzz', []],
  ])('%s', (filter, names) => {
    expect(shown(filter)).toEqual(names)
  })

  it('shows the best fit first', () => {
    const skills = ['a-notes-b', 'xnotes', 'notes', 'n-o-t-e-s'].map((name) => skillOf({ name }))
    const { inventory } = modelOf({}, { value: inventoryOf(skills), filter: 'notes' })
    expect(visibleSkills(inventory).map(({ name }) => name)).toEqual(['notes', 'a-notes-b', 'xnotes'])
  })

  it('whatever is typed, only skills of the library are shown, each once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (filter) => {
        const names = shown(filter)
        expect(new Set(names).size).toBe(names.length)
        for (const { word } of parseFilter(filter)) expect(typeof word).toBe('string')
      }),
    )
  })
})

describe('groups', () => {
  it.each<['state' | 'tag' | 'source' | 'agent', string[]]>([
    ['state', ['outdated', 'edited', 'not in the library', 'invalid in the library', 'current', 'not equipped']],
    ['tag', ['review', 'two words', 'writing', 'without a tag']],
    ['source', ['github.com/acme/skills', 'made here']],
    ['agent', ['claude', 'claude, codex', 'not installed']],
  ])('by %s', (grouping, groups) => {
    const { inventory } = modelOf({}, { value: inventoryOf(MORE), grouping })
    expect([...new Set(visibleSkills(inventory).map((skill) => groupOf(inventory, skill)))]).toEqual(groups)
  })
})

describe('facets', () => {
  it('count what there is, and are put into the filter and taken out again', () => {
    const { inventory } = modelOf({}, { value: inventoryOf(MORE) })
    const rows = facetRows(inventory)
    expect(rows.find(({ value }) => value === 'claude')).toEqual({
      facet: 'agent',
      value: 'claude',
      count: 4,
      isOn: false,
    })
    for (const row of rows) {
      const on = withFacet('rel', row)
      const after = facetRows({ ...inventory, filter: on }).find(
        ({ facet, value }) => facet === row.facet && value === row.value,
      )
      expect(after?.isOn).toBe(true)
      expect(withFacet(on, { ...row, isOn: true })).toBe('rel')
    }
  })

  it('of a project are about its copies', () => {
    const skills = [
      skillOf({ name: 'a', placements: [placementOf('claude'), placementOf('codex', { scope: 'project' })] }),
    ]
    const { inventory } = modelOf({}, { value: inventoryOf(skills, { scope: 'project' }) })
    expect(facetRows(inventory).filter(({ facet }) => facet === 'agent')).toMatchObject([{ value: 'codex' }])
  })
})

it.each([
  ['https://github.com/acme/skills.git', 'github.com/acme/skills'],
  ['ssh://git@host/x.git', 'host/x'],
  ['~/skills', '~/skills'],
])('the source %s is shown as %s', (source, short) => {
  expect(shortSource(source)).toBe(short)
})

it('letters in another order do not fit', () => {
  expect(fuzzyScore('ab', 'ba')).toBeUndefined()
})
