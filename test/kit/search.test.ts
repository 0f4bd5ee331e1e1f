import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectCivil } from '../cli/civil.ts'
import { expectNarrow, skill } from '../cli/skills-machine.ts'
import { guide } from '../packs/pack-world.ts'
import { type KnowledgeFiles, makeKnowledge, payload } from './knowledge-world.ts'

const LIGHTHOUSE = 'How the lighthouse lamp is cleaned.'
const about = (name: string, more: Record<string, string> = {}) => guide({ name, description: LIGHTHOUSE, ...more })

const WORLD: KnowledgeFiles = {
  payloads: {
    'lamp-rules': payload('lamp-rules', 'lighthouse, lamp', '# Lamp\n\nThe lighthouse lamp turns.'),
    'tide-table': payload('tide-table', 'tide', 'When the water comes.'),
  },
  packs: { 'lamp-notes/KNOWLEDGE.md': about('lamp-notes') },
  userPacks: {
    'lamp-book/KNOWLEDGE.md': about('lamp-book'),
    'lamp-draft/KNOWLEDGE.md': about('lamp-draft', { status: 'draft' }),
    'lamp-old/KNOWLEDGE.md': about('lamp-old', { status: 'archived' }),
  },
  skills: {
    ...skill('lamp-cleaning', { description: 'Clean the lighthouse lamp.', tags: ['brass'] }),
    ...skill('knots', { description: 'Tie knots.' }, '# Knots\n\nNever near a lighthouse lamp.\n'),
  },
  home: {
    '.claude/skills/lamp-polish/SKILL.md': '---\nname: x\ndescription: Polish the lighthouse lamp.\n---\n\n# P\n',
  },
  project: { '.claude/skills/lamp-oil/SKILL.md': '# Lamp oil\n\nFill the lighthouse lamp.\n' },
}

const idsOf = ({ value }: { value: { hits: { id: string }[] } }) => value.hits.map(({ id }) => id).sort()

describe('search', () => {
  it('finds payloads, packs and skills in one list, each with the id to read it by', () => {
    const world = makeKnowledge(WORLD)
    const found = world.json(['search', 'clean', 'the', 'lighthouse', 'lamp'])
    expect(found).toMatchObject({ code: 0, stderr: '' })
    expect(found.value.known).toEqual({ payload: 2, pack: 4, skill: 4 })
    expect(idsOf(found)).toEqual([
      'lamp-rules',
      'pack:lamp-book',
      'pack:lamp-draft',
      'pack:lamp-notes',
      'skill:lamp-cleaning',
      'skill:lamp-oil',
      'skill:lamp-polish',
    ])
    expect(found.value.hits[0]).toMatchObject({ id: 'skill:lamp-cleaning', kind: 'skill', source: 'library' })
    const confidences: number[] = found.value.hits.map(({ confidence }: { confidence: number }) => confidence)
    expect(confidences).toEqual([...confidences].sort((a, b) => b - a))
    for (const { id } of found.value.hits) expect(world.json(['lookup', id]).value.findings).toEqual([])
  })

  it('points to lines of the project, beside entries or alone', () => {
    const world = makeKnowledge({
      ...WORLD,
      project: { 'src/beam.ts': 'const oil = 1\n\nexport function swingBeam() {\n  return "lighthouse beam"\n}\n' },
    })
    const words = ['search', 'swing', 'the', 'beam']
    expect(world.json(words).value.files).toHaveLength(1)
    expect(world.json([...words, '--kind', 'pack']).value.files).toEqual([])
    expect(world.json([...words, '--kind', 'file']).value).toMatchObject({
      known: {},
      hits: [],
      files: [{ path: 'src/beam.ts', start: 1, end: 5, symbol: 'swingBeam', score: 1 }],
    })
    const refused = world.run([...words, '--kind', 'fil'])
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean file?') })
  })

  it('says of a pack what keeps it shut and which command opens it, and never what is in it', () => {
    const world = makeKnowledge({
      ...WORLD,
      packs: {
        'lamp-notes/KNOWLEDGE.md': guide({ name: 'lamp-notes', description: LIGHTHOUSE }, 'the word is zanzibar'),
      },
    })
    const hit = (id: string) =>
      world.json(['search', 'lighthouse lamp']).value.hits.find((each: { id: string }) => each.id === id)
    expect(hit('pack:lamp-notes')).toMatchObject({
      trust: 'unapproved',
      admission: 'approval-needed',
      next: `loadout approve ${join(world.cwd, '.agents/knowledge/lamp-notes')}`,
    })
    expect(hit('pack:lamp-draft')).toMatchObject({ status: 'draft', admission: 'confirmation-needed' })
    expect(hit('pack:lamp-book')).toMatchObject({ trust: 'trusted', admission: 'admitted', scope: 'user' })
    expect(world.json(['search', 'zanzibar']).value.hits).toEqual([])
    world.run(['packs', 'deny', 'lamp-book'])
    expect(hit('pack:lamp-book')).toBeUndefined()
    const { stdout } = world.run(['search', 'lighthouse lamp'])
    expect(stdout).toContain('pack, workspace, ready, unapproved')
    expect(stdout).toContain('loadout approve')
    expectNarrow(stdout)
  })

  it.each([
    [['payload'], ['lamp-rules']],
    [['pack'], ['pack:lamp-book', 'pack:lamp-draft', 'pack:lamp-notes']],
    [
      ['skill', 'payload'],
      ['lamp-rules', 'skill:knots', 'skill:lamp-cleaning', 'skill:lamp-oil', 'skill:lamp-polish'],
    ],
  ])('of the kinds %j finds %j', (kinds, ids) => {
    const flags = kinds.flatMap((kind) => ['--kind', kind])
    expect(idsOf(makeKnowledge(WORLD).json(['search', 'lighthouse lamp', ...flags]))).toEqual(ids)
  })

  it('gives ties by kind, then by name, and the same bytes again from what it kept', async () => {
    const world = makeKnowledge({
      payloads: { twin: '---\nid: twin\nsummary: Same words.\n---\n' },
      userPacks: { 'twin/KNOWLEDGE.md': guide({ name: 'twin', description: 'Same words.' }) },
      skills: skill('twin', { description: 'Same words.' }, '# Twin\n'),
    })
    const cold = world.run(['search', 'same', 'words', '--limit', '3', '--json'])
    await new Promise((done) => setTimeout(done, 150))
    for (const _ of [1, 2]) expect(world.run(['search', 'same', 'words', '--limit', '3', '--json'])).toEqual(cold)
    const hits: { id: string; confidence: number }[] = JSON.parse(cold.stdout).hits
    const order = hits.map(({ confidence, id }) => [1 - confidence, ['pack:', 'twin', 'skill'].indexOf(id.slice(0, 5))])
    expect(hits.map(({ id }) => id).sort()).toEqual(['pack:twin', 'skill:twin', 'twin'])
    expect(order).toEqual([...order].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0)))
  })

  it('notices what has changed', async () => {
    const world = makeKnowledge(WORLD)
    world.run(['search', 'harbour'])
    await new Promise((done) => setTimeout(done, 150))
    expect(world.json(['search', 'harbour']).value.hits).toEqual([])
    writeFileSync(join(world.cwd, '.claude/skills/lamp-oil/SKILL.md'), '# The harbour master\n')
    expect(idsOf(world.json(['search', 'harbour']))).toEqual(['skill:lamp-oil'])
    rmSync(join(world.cwd, '.claude/skills/lamp-oil'), { recursive: true })
    expect(world.json(['search', 'harbour']).value.hits).toEqual([])
  })
})

describe('a search where something is missing or broken', () => {
  const rows: [what: string, files: KnowledgeFiles, ids: string[], told: string][] = [
    ['no library', { ...WORLD, skills: undefined, home: {}, project: {} }, ['lamp-rules'], ''],
    [
      'a library that is gone',
      { ...WORLD, home: { '.config/loadout/config.json': '{"repo_path": "~/gone"}' }, project: {} },
      ['lamp-rules'],
      'REPO_NOT_FOUND',
    ],
    [
      'a broken configuration',
      { ...WORLD, home: { '.config/loadout/config.json': '{' }, project: {} },
      ['lamp-rules'],
      'BAD_JSON',
    ],
    [
      'a broken skill',
      { ...WORLD, skills: { ...skill('lamp-good'), 'lamp-bad/SKILL.md': 'x' }, home: {}, project: {} },
      ['lamp-rules', 'skill:lamp-good'],
      'INVALID_SKILL',
    ],
    ['no payloads', { ...WORLD, payloads: {}, home: {}, project: {} }, ['skill:knots', 'skill:lamp-cleaning'], ''],
  ]
  it.each(rows)('%s: the others answer', (_, files, ids, told) => {
    const world = makeKnowledge({ ...files, packs: {}, userPacks: {} })
    const run = world.run(['search', 'lighthouse lamp'])
    expectCivil(run)
    expect(run.code).toBe(0)
    if (told === '') expect(run.stderr).toBe('')
    else expect(run.stderr).toContain(`[${told}]`)
    expect(idsOf(world.json(['search', 'lighthouse lamp']))).toEqual(ids)
  })

  it('finds a skill whose text may not be read by its name, and tells', () => {
    const world = makeKnowledge({ home: { '.claude/skills/lamp-cleaning/SKILL.md': '# Lamp\n' } })
    chmodSync(join(world.home, '.claude/skills/lamp-cleaning/SKILL.md'), 0)
    const run = world.run(['search', 'cleaning a lamp'], { isBound: true })
    expect(run.stdout).toContain('skill:lamp-cleaning')
    expect(run.stderr).toContain('is not readable')
  })

  it('no hits at all cannot be asked for', () => {
    const run = makeKnowledge({}).run(['search', 'lamp', '--limit', '0'])
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('must be at least 1') })
  })

  it('an unknown kind is a mistake', () => {
    const run = makeKnowledge({}).run(['search', 'lamp', '--kind', 'skills'])
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean skill?') })
  })
})
