import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AGENT_IDS, isAgent } from '../../agents/rules/agents.ts'
import { skillOf } from './placement.fixture.ts'
import { formatSkill, metadataFor, parseSkill, type Skill, supports } from './skill.ts'

const FULL = { name: 'review', description: 'Reviews.', tags: ['git'], targets: ['claude'] }

const SOURCE = { url: 'u', folder: 'a', ref: 'main', tree_hash: 'h', imported_at: 't' }

describe('skill.json', () => {
  const good: [what: string, json: unknown, expected: Partial<Skill>][] = [
    ['with all fields', FULL, FULL],
    ['without a name has that of its folder', { ...FULL, name: undefined }, { name: 'folder' }],
    ['may be named unlike its folder', FULL, { name: 'review' }],
    ['without tags', { description: 'd', targets: ['codex'] }, { tags: [] }],
    ['without targets is for every agent', { description: 'd' }, { targets: [] }],
    ['with metadata for agents', { ...FULL, claude: { model: 'opus' } }, { metadata: { claude: { model: 'opus' } } }],
    ['for every agent', { ...FULL, targets: ['*'], '*': { a: 1 } }, { targets: ['*'], metadata: { '*': { a: 1 } } }],
    [
      'with where it was imported from',
      { ...FULL, source: { ...SOURCE, pinned: true } },
      { source: { url: 'u', folder: 'a', ref: 'main', treeHash: 'h', importedAt: 't', others: { pinned: true } } },
    ],
    ['with a source that is not ours', { ...FULL, source: 'a book' }, { others: { source: 'a book' } }],
    ['with half a source', { ...FULL, source: { url: 'u' } }, { others: { source: { url: 'u' } } }],
    ['with fields that are not ours', { ...FULL, license: 'MIT', x: [1] }, { others: { license: 'MIT', x: [1] } }],
  ]
  it.each(good)('%s', (_, json, expected) => {
    const { skill, problems } = parseSkill(json, 'folder')
    expect(problems).toBeUndefined()
    expect(skill).toMatchObject(expected)
  })

  const list = '"targets" must list agents, as loadout agents names them, or *'
  const bad: [what: string, json: unknown, problems: string[]][] = [
    ['null', null, ['skill.json must contain an object']],
    ['a list', [], ['skill.json must contain an object']],
    ['a text', 'x', ['skill.json must contain an object']],
    ['a name that is a number', { ...FULL, name: 7 }, ['"name" must be a text']],
    ['an empty name', { ...FULL, name: '' }, ['the name "" is refused: it is empty']],
    [
      'a name that leads elsewhere',
      { ...FULL, name: '../x' },
      ['the name "../x" is refused: a name has lower case letters, digits, and hyphens inside'],
    ],
    ['no description', { ...FULL, description: undefined }, ['"description" must be a text']],
    ['a blank description', { ...FULL, description: ' \n' }, ['"description" must be a text']],
    ['tags that are no list', { ...FULL, tags: 'git' }, ['"tags" must be a list of texts']],
    ['a tag that is no text', { ...FULL, tags: [1] }, ['"tags" must be a list of texts']],
    ['empty targets', { ...FULL, targets: [] }, [list]],
    ['targets that are no texts', { ...FULL, targets: [{}] }, [list]],
    ['an unknown target', { ...FULL, targets: ['claude', 'cloud'] }, ['"targets" names an unknown agent "cloud"']],
    ['a target twice', { ...FULL, targets: ['claude', 'claude'] }, ['"targets" names claude twice']],
    [
      'metadata that is no object',
      { ...FULL, codex: 'x' },
      ['"codex" must be an object with what only that agent understands'],
    ],
    ['all of it', {}, ['"description" must be a text']],
  ]
  it.each(bad)('is refused for %s', (_, json, problems) => {
    expect(parseSkill(json, 'folder')).toEqual({ problems })
  })

  it('keeps a field named __proto__', () => {
    const { skill } = parseSkill(JSON.parse('{"description":"d","targets":["codex"],"__proto__":1}'), 'folder')
    expect(Object.entries(skill?.others ?? {})).toEqual([['__proto__', 1]])
    expect(formatSkill(skill!)).toContain('"__proto__": 1')
  })

  it('refuses a name from the folder too', () => {
    const { problems } = parseSkill({ ...FULL, name: undefined }, 'My Skill')
    expect(problems).toEqual([expect.stringContaining('the name "My Skill" is refused')])
  })

  it('shows only the beginning of a long name', () => {
    expect(parseSkill({ ...FULL, name: 'x'.repeat(9_999) }, '').problems?.join().length).toBeLessThan(200)
  })

  it('is written in one order: our fields, the agents by their table, the rest by name', () => {
    const metadata = { codex: { b: 1, a: 2 }, claude: { z: 1 } }
    const text = formatSkill(skillOf({ metadata, others: { zeta: 1, Alpha: 2 } }))
    expect(Object.keys(JSON.parse(text))).toEqual([
      'name',
      'description',
      'tags',
      'targets',
      'claude',
      'codex',
      'Alpha',
      'zeta',
    ])
    expect(text.endsWith('}\n')).toBe(true)
  })

  it('is read back as it was written, with unknown fields', () => {
    const own = ['name', 'description', 'tags', 'targets']
    const key = fc.string().filter((name) => name !== '*' && !isAgent(name) && !own.includes(name))
    const json = fc.jsonValue({ noUnicodeString: false }).map((value) => JSON.parse(JSON.stringify(value)))
    const fields = fc.dictionary(key, json)
    const skills = fc.record({
      name: fc.stringMatching(/^[a-z0-9]{1,10}$/),
      description: fc.string().filter((text) => text.trim() !== ''),
      tags: fc.array(fc.string()),
      targets: fc.uniqueArray(fc.constantFrom(...AGENT_IDS), { minLength: 1 }),
      metadata: fc.dictionary(fc.constantFrom(...AGENT_IDS), fields),
      others: fields,
    })
    fc.assert(
      fc.property(skills, (skill) => {
        const text = formatSkill(skill)
        const parsed = parseSkill(JSON.parse(text), 'folder')
        expect(parsed).toEqual({ skill })
        expect(formatSkill(parsed.skill!)).toBe(text)
      }),
    )
  })

  it('lists the supported agents, and the metadata for each', () => {
    const skill = skillOf({ targets: ['*'], metadata: { '*': { a: 1, b: 1 }, codex: { b: 2 } } })
    expect([supports(skill, 'cursor'), supports(skillOf({ targets: ['codex'] }), 'cursor')]).toEqual([true, false])
    expect([metadataFor(skill, 'codex'), metadataFor(skill, 'claude')]).toEqual([
      { a: 1, b: 2 },
      { a: 1, b: 1 },
    ])
  })

  it('keeps where it was imported from when it is written again', () => {
    const { skill } = parseSkill({ ...FULL, source: { ...SOURCE, pinned: true } }, 'folder')
    expect(JSON.parse(formatSkill(skill!)).source).toEqual({ ...SOURCE, pinned: true })
  })

  it('never throws, and gives a skill or problems, not both', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything()), fc.string(), (json, folder) => {
        const { skill, problems } = parseSkill(json, folder)
        expect(skill === undefined).toBe((problems?.length ?? 0) > 0)
      }),
    )
  })
})

it('a target may be another name of an agent, and is kept as it was written', () => {
  const { skill } = parseSkill({ name: 'a', description: 'A.', targets: ['claude-code', 'zed'] }, 'a')
  expect(skill?.targets).toEqual(['claude-code', 'zed'])
  const known = AGENT_IDS.filter((id) => skill !== undefined && supports(skill, id))
  expect(known).toEqual(['claude', 'agents'])
})
