import { chmodSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makePerson, type Person } from './in-process.ts'
import { commitAll, git } from './world.ts'

const BODY = '# Alpha\n\nOne.\n\nTwo.\n\nThree.\n'
const COPY = '.claude/skills/alpha'
const OTHER = '.codex/skills/alpha'
const OWN = 'library/skills/alpha'

function edit(person: Person, path: string, from: string, to: string): void {
  person.put(path, person.read(path).replace(from, to))
}

describe('an edit of a copy, and a change in the library', () => {
  it('are merged by adopt', async () => {
    const person = await makePerson({ 'SKILL.md': BODY })
    edit(person, `${COPY}/SKILL.md`, 'Three.', 'Three, here.')
    edit(person, `${OWN}/SKILL.md`, 'One.', 'One, there.')
    commitAll(person, 'there')
    const { value, findings } = await person.calls.skills.adopt({ name: 'alpha' })
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(value).toMatchObject({ isMerged: true, conflicts: [] })
    const both = '# Alpha\n\nOne, there.\n\nTwo.\n\nThree, here.\n'
    expect(person.read(`${OWN}/SKILL.md`)).toBe(both)
    for (const copy of [COPY, OTHER]) expect(person.read(`${copy}/SKILL.md`)).toContain(both)
    expect(git(person, 'log', '-1', '--format=%s')).toBe('Adopt edits of alpha')
  })

  it('are merged in the copy by sync, and then brought into the library by adopt', async () => {
    const person = await makePerson({ 'SKILL.md': BODY })
    edit(person, `${COPY}/SKILL.md`, 'Three.', 'Three, here.')
    person.put(`${COPY}/more.md`, 'More.\n')
    edit(person, `${OWN}/SKILL.md`, 'One.', 'One, there.')
    commitAll(person, 'there')
    const both = '# Alpha\n\nOne, there.\n\nTwo.\n\nThree, here.\n'
    await person.calls.skills.sync({})
    expect(person.read(`${COPY}/SKILL.md`)).toContain(both)
    expect(person.read(`${COPY}/more.md`)).toBe('More.\n')
    expect(person.read(`${OWN}/SKILL.md`)).not.toContain('Three, here')
    await person.calls.skills.adopt({ name: 'alpha' })
    expect(person.read(`${OWN}/SKILL.md`)).toBe(both)
    expect(person.read(`${OTHER}/more.md`)).toBe('More.\n')
    expect((await person.calls.skills.inventory({})).value.skills[0]?.state).toBe('current')
  })

  it('a changed description and metadata of one agent are merged too', async () => {
    const person = await makePerson({ 'SKILL.md': BODY })
    edit(person, `${COPY}/SKILL.md`, 'About alpha.', 'About alpha, better.')
    edit(person, `${COPY}/SKILL.md`, 'description:', 'model: opus\ndescription:')
    edit(person, `${OWN}/skill.json`, '"targets"', '"tags": ["new"],\n  "targets"')
    commitAll(person, 'there')
    await person.calls.skills.adopt({ name: 'alpha' })
    expect(JSON.parse(person.read(`${OWN}/skill.json`))).toMatchObject({
      description: 'About alpha, better.',
      tags: ['new'],
      claude: { model: 'opus' },
    })
  })

  it('wait for a decision where they do not merge; the library and the copy stay', async () => {
    const person = await makePerson({ 'SKILL.md': BODY, 'run.sh': '#!/bin/sh\necho one\n' })
    edit(person, `${COPY}/run.sh`, 'one', 'here')
    edit(person, `${OWN}/run.sh`, 'one', 'there')
    commitAll(person, 'there')
    const { value, findings } = await person.calls.skills.adopt({ name: 'alpha' })
    expect(value.conflicts).toEqual([{ path: 'run.sh', message: 'run.sh changed on both sides in the same place' }])
    expect(findings).toMatchObject([{ severity: 'error', code: 'MERGE_CONFLICT' }])
    expect(person.read(`${OWN}/run.sh`)).toContain('there')
    expect(person.read(`${COPY}/run.sh`)).toContain('here')

    const { merges } = (await person.calls.skills.finishMerge({})).value
    const script = join(merges[0]?.files ?? '', 'run.sh')
    expect(statSync(script).mode & 0o111).toBe(0)
    await expect(person.calls.skills.finishMerge({ name: 'alpha', continue: true })).rejects.toMatchObject({
      code: 'MERGE_CONFLICT',
    })
    const path = script.slice(person.home.length + 1)
    person.put(path, '#!/bin/sh\necho both\n')
    const done = await person.calls.skills.finishMerge({ name: 'alpha', continue: true })
    expect(done.value).toMatchObject({ merged: 'alpha' })
    expect(person.read(`${OWN}/run.sh`)).toBe('#!/bin/sh\necho both\n')
    expect(statSync(join(person.home, OWN, 'run.sh')).mode & 0o111).not.toBe(0)
    expect((await person.calls.skills.finishMerge({})).value.merges).toEqual([])
  })

  it.each([
    ['library', 'there'],
    ['other', 'here'],
  ] as const)('end with the %s when it is taken', async (take, word) => {
    const person = await makePerson({ 'SKILL.md': BODY, 'a.bin': '\0one' })
    person.put(`${COPY}/a.bin`, '\0here')
    person.put(`${OWN}/a.bin`, '\0there')
    edit(person, `${COPY}/SKILL.md`, 'Two.', 'Two, here.')
    edit(person, `${OWN}/SKILL.md`, 'Two.', 'Two, there.')
    commitAll(person, 'there')
    await person.calls.skills.sync({})
    expect(person.read(`${COPY}/a.bin`)).toBe('\0here')
    await person.calls.skills.finishMerge({ name: 'alpha', take, continue: true })
    expect(person.read(`${OWN}/a.bin`)).toBe(`\0${word}`)
    for (const place of [OWN, COPY]) expect(person.read(`${place}/SKILL.md`)).toContain(`Two, ${word}.`)
    expect((await person.calls.skills.inventory({})).value.skills[0]?.placements[0]?.state).toBe('current')
  })

  it('are kept when the merge is given up, and can be merged again', async () => {
    const person = await makePerson({ 'SKILL.md': BODY })
    edit(person, `${COPY}/SKILL.md`, 'Two.', 'Two, here.')
    edit(person, `${OWN}/SKILL.md`, 'Two.', 'Two, there.')
    commitAll(person, 'there')
    await person.calls.skills.adopt({ name: 'alpha' })
    await expect(person.calls.skills.adopt({ name: 'alpha' })).rejects.toMatchObject({ code: 'MERGE_CONFLICT' })
    const { findings } = await person.calls.skills.finishMerge({ name: 'alpha', abort: true })
    expect(findings).toMatchObject([{ code: 'BACKED_UP' }])
    expect((await person.calls.skills.adopt({ name: 'alpha' })).value.conflicts).toHaveLength(1)
  })

  it('are not merged against a base that was never committed', async () => {
    const person = await makePerson({ 'SKILL.md': BODY })
    edit(person, `${OWN}/SKILL.md`, 'One.', 'One, uncommitted.')
    await person.calls.skills.sync({})
    edit(person, `${COPY}/SKILL.md`, 'Three.', 'Three, here.')
    edit(person, `${OWN}/SKILL.md`, 'One, uncommitted.', 'One, committed.')
    commitAll(person, 'there')
    await expect(person.calls.skills.adopt({ name: 'alpha' })).rejects.toMatchObject({ code: 'MERGE_CONFLICT' })
    await person.calls.skills.adopt({ name: 'alpha', force: true })
    expect(person.read(`${OWN}/SKILL.md`)).toContain('Three, here.')
  })
})

describe('the same edit in both copies', () => {
  it('is one edit: one adoption, and no copy stays edited', async () => {
    const person = await makePerson({ 'SKILL.md': BODY })
    for (const copy of [COPY, OTHER]) edit(person, `${copy}/SKILL.md`, 'Two.', 'Two, here.')
    const { findings } = await person.calls.skills.adopt({ name: 'alpha' })
    expect(findings.filter(({ code }) => code !== 'BACKED_UP')).toEqual([])
    const { value } = await person.calls.skills.inventory({})
    expect(value.skills[0]?.placements.map(({ state }) => state)).toEqual(['current', 'current'])
  })

  it('different edits are refused with the places', async () => {
    const person = await makePerson({ 'SKILL.md': BODY })
    edit(person, `${COPY}/SKILL.md`, 'Two.', 'Two, here.')
    edit(person, `${OTHER}/SKILL.md`, 'Two.', 'Two, elsewhere.')
    await expect(person.calls.skills.adopt({ name: 'alpha' })).rejects.toMatchObject({ code: 'MERGE_CONFLICT' })
  })
})

describe('files of a copy and of the library', () => {
  const rows: [what: string, here: (p: Person) => void, there: (p: Person) => void, check: (p: Person) => void][] = [
    [
      'renamed there, changed here',
      (p) => edit(p, `${COPY}/notes.md`, 'five', 'five, here'),
      (p) => git(p, 'mv', 'skills/alpha/notes.md', 'skills/alpha/guide.md'),
      (p) => expect(p.read(`${OWN}/guide.md`)).toContain('five, here'),
    ],
    [
      'removed there, untouched here',
      (p) => edit(p, `${COPY}/SKILL.md`, 'Two.', 'Two, here.'),
      (p) => rmSync(join(p.home, OWN, 'notes.md')),
      (p) => expect(p.has(`${OWN}/notes.md`)).toBe(false),
    ],
    [
      'made runnable here, changed there',
      (p) => chmodSync(join(p.home, COPY, 'notes.md'), 0o755),
      (p) => edit(p, `${OWN}/notes.md`, 'one', 'one, there'),
      (p) => {
        expect(p.read(`${OWN}/notes.md`)).toContain('one, there')
        expect(statSync(join(p.home, OWN, 'notes.md')).mode & 0o111).not.toBe(0)
      },
    ],
  ]
  it.each(rows)('%s', async (_, here, there, check) => {
    const person = await makePerson({ 'SKILL.md': BODY, 'notes.md': 'one\ntwo\nthree\nfour\nfive\n' })
    here(person)
    there(person)
    commitAll(person, 'there')
    expect((await person.calls.skills.adopt({ name: 'alpha' })).value.conflicts).toEqual([])
    check(person)
  })
})
