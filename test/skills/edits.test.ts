import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EDIT_OUTCOMES } from '../../src/skills/rules/skill.ts'
import { makePerson, type Person, personIn } from './in-process.ts'
import { commitAll, copyWorld, git } from './world.ts'

const FILES = {
  'SKILL.md': '# Alpha\n\nOne.\n\nTwo.\n\nThree.\n',
  'notes.md': 'one\ntwo\nthree\nfour\nfive\n',
  'a.bin': '\0one',
}
const COPY = '.claude/skills/alpha'
const OTHER = '.codex/skills/alpha'
const OWN = 'library/skills/alpha'

const change = (path: string, from: string, to: string) => (person: Person) =>
  person.put(path, person.read(path).replace(from, to))

/** The edits of a copy. The library changes line one of notes.md, and a.bin. */
const EDITS = {
  none: () => {},
  clean: change(`${COPY}/notes.md`, 'five', 'five, mine'),
  conflicting: change(`${COPY}/notes.md`, 'one', 'one, mine'),
  binary: (person: Person) => person.put(`${COPY}/a.bin`, '\0mine'),
} satisfies Record<string, (person: Person) => void>

type Run = (person: Person, flags: { replace?: boolean; dryRun?: boolean }) => Promise<unknown>

const COMMANDS: Record<string, { run: Run; replaces: boolean }> = {
  sync: { run: (person, flags) => person.calls.skills.sync(flags), replaces: true },
  equip: { run: (person, flags) => person.calls.skills.equip({ names: ['alpha'], ...flags }), replaces: true },
  'equip --all': {
    run: (person, flags) => person.calls.skills.equip({ names: [], all: true, ...flags }),
    replaces: true,
  },
  'profile apply': {
    run: (person, { dryRun }) => person.calls.skills.applyProfile({ name: 'all', dryRun }),
    replaces: false,
  },
  'profile switch': {
    run: (person, { dryRun }) => person.calls.skills.applyProfile({ name: 'none', exact: true, dryRun }),
    replaces: false,
  },
}

const bases = new Map<boolean, Promise<Person>>()

async function edited(edit: keyof typeof EDITS, isChanged: boolean): Promise<Person> {
  if (!bases.has(isChanged)) bases.set(isChanged, makeBase(isChanged))
  const person = personIn(await copyWorld(await bases.get(isChanged)!))
  EDITS[edit](person)
  return person
}

/** What each row only copies. */
async function makeBase(isChanged: boolean): Promise<Person> {
  const person = await makePerson(FILES)
  for (const [name, profile] of [['all', { alpha: ['claude', 'codex'] }] as const, ['none', {}] as const]) {
    person.put(`library/profiles/${name}.json`, JSON.stringify(profile))
  }
  commitAll(person, 'profiles')
  if (!isChanged) return person
  change(`${OWN}/notes.md`, 'one', 'one, library')(person)
  person.put(`${OWN}/a.bin`, '\0library')
  commitAll(person, 'there')
  return person
}

const stateOf = (person: Person, copy = COPY) =>
  ['notes.md', 'a.bin'].map((path) => (person.has(`${copy}/${path}`) ? person.read(`${copy}/${path}`) : undefined))
const ORIGINAL = [FILES['notes.md'], FILES['a.bin']]
const LIBRARY = ['one, library\ntwo\nthree\nfour\nfive\n', '\0library']
const MERGED = ['one, library\ntwo\nthree\nfour\nfive, mine\n', '\0library']

describe('a copy that a person edited', () => {
  const rows = Object.keys(COMMANDS).flatMap((command) =>
    (['none', 'clean', 'conflicting', 'binary'] as const).flatMap((edit) =>
      [false, true].flatMap((isChanged) =>
        (COMMANDS[command]?.replaces ? [false, true] : [false]).map((replace) => ({
          command,
          edit,
          isChanged,
          replace,
        })),
      ),
    ),
  )
  // One rule decides for all: sync and profile switch meet every row, the others every fifth.
  const isMeant = ({ command }: { command: string }, at: number) =>
    ['sync', 'profile switch'].includes(command) || at % 5 === 0 || process.env.LOADOUT_TEST_ALL !== undefined
  it.each(rows.filter(isMeant))(
    'with the edit "$edit", the library changed: $isChanged, stays or is merged by $command, replace: $replace',
    async ({ command, edit, isChanged, replace }) => {
      const person = await edited(edit, isChanged)
      const mine = stateOf(person)
      const { run } = COMMANDS[command]!
      await run(person, { replace, dryRun: true })
      expect(stateOf(person), 'a dry run changes nothing').toEqual(mine)
      expect((await person.calls.skills.finishMerge({})).value.merges).toEqual([])

      await run(person, { replace })
      const fresh = isChanged ? LIBRARY : ORIGINAL
      const isRemoved = command === 'profile switch' && edit === 'none'
      const isKept = edit !== 'none' && (command === 'profile switch' || (isChanged ? edit !== 'clean' : true))
      const expected = isRemoved ? [undefined, undefined] : edit === 'none' || replace ? fresh : isKept ? mine : MERGED
      expect(stateOf(person)).toEqual(expected)
      const isOpened = isChanged && !replace && command !== 'profile switch' && edit !== 'none' && edit !== 'clean'
      const merges = (await person.calls.skills.finishMerge({})).value.merges.map(({ skill }) => skill)
      expect(merges).toEqual(isOpened ? ['alpha'] : [])

      // The edit survives every later command that does not ask to replace it.
      if (edit !== 'none' && !replace) {
        for (const again of ['sync', 'equip', 'profile switch']) await COMMANDS[again]!.run(person, {})
        expect(stateOf(person)).toEqual(isChanged && edit === 'clean' ? MERGED : mine)
      }
    },
  )

  it('counts as edited after a clean merge, with the marker of the new version', async () => {
    const person = await edited('clean', true)
    await person.calls.skills.sync({})
    const marker = JSON.parse(person.read(`${COPY}/.loadout`))
    const plain = JSON.parse(person.read(`${OTHER}/.loadout`))
    expect(marker).toMatchObject({ repo_commit: git(person, 'rev-parse', 'HEAD'), source_hash: plain.source_hash })
    const { placements } = (await person.calls.skills.inventory({})).value.skills[0]!
    expect(placements).toMatchObject([{ state: 'edited', edit: 'kept' }, { state: 'current' }])
  })

  it.each([
    ['clean', false, 'kept', 0],
    ['clean', true, 'merged', 2],
    ['conflicting', true, 'conflicts', 2],
    ['binary', true, 'conflicts', 2],
  ] as const)(
    'is named with what would happen to the edit "%s", library changed: %s',
    async (edit, isChanged, what, drift) => {
      const person = await edited(edit, isChanged)
      const [copy] = (await person.calls.skills.inventory({})).value.skills[0]!.placements
      expect(copy).toMatchObject({ state: 'edited', edit: what })
      const { library } = (await person.calls.agents.status({})).value
      const path = join(person.home, COPY)
      expect(library).toMatchObject({ drift, edited: [{ skill: 'alpha', path, edit: what }] })
      const { checks } = (await person.calls.agents.doctor({})).value
      expect(checks.map(({ message }) => message)).toContain(`${path} was edited by hand: ${EDIT_OUTCOMES[what]}`)
      const { value, findings } = await person.calls.skills.sync({ dryRun: true })
      const told = { kept: 'EDITED_INSTALL', merged: undefined, conflicts: 'MERGE_CONFLICT' }[what]
      expect(findings.map(({ code }) => code)).toEqual(told === undefined ? [] : [told])
      expect(value.operations.some(({ kind }) => kind === 'merge')).toBe(what === 'merged')
    },
  )
})

describe('edits of every shape', () => {
  const here = (person: Person, path: string) => join(person.home, COPY, path)
  const rows: [what: string, edit: (person: Person) => void, check: (person: Person) => void][] = [
    [
      'a removed file stays removed',
      (p) => rmSync(here(p, 'a.bin')),
      (p) => expect(p.has(`${COPY}/a.bin`)).toBe(false),
    ],
    [
      'an added file stays',
      (p) => p.put(`${COPY}/more.md`, 'More.\n'),
      (p) => expect(p.read(`${COPY}/more.md`)).toBe('More.\n'),
    ],
    [
      'an executable bit stays',
      (p) => chmodSync(here(p, 'notes.md'), 0o755),
      (p) => expect(statSync(here(p, 'notes.md')).mode & 0o111).not.toBe(0),
    ],
    [
      'CRLF line ends stay',
      (p) => p.put(`${COPY}/notes.md`, p.read(`${COPY}/notes.md`).replaceAll('\n', '\r\n')),
      (p) => expect(p.read(`${COPY}/notes.md`)).toBe(MERGED[0]!.replace(', mine', '').replaceAll('\n', '\r\n')),
    ],
  ]
  it.each(rows)('%s, and the change of the library arrives', async (_, edit, check) => {
    const person = await makePerson(FILES)
    edit(person)
    change(`${OWN}/notes.md`, 'one', 'one, library')(person)
    commitAll(person, 'there')
    await person.calls.skills.sync({})
    expect(person.read(`${COPY}/notes.md`)).toContain('one, library')
    check(person)
  })

  it('different edits of two copies are merged each on its own', async () => {
    const person = await edited('clean', true)
    change(`${OTHER}/notes.md`, 'three', 'three, other')(person)
    await person.calls.skills.sync({})
    expect(stateOf(person)).toEqual(MERGED)
    expect(person.read(`${OTHER}/notes.md`)).toBe('one, library\ntwo\nthree, other\nfour\nfive\n')
  })

  it('two different conflicts are decided one after the other, and equal ones together', async () => {
    const person = await edited('conflicting', true)
    change(`${OTHER}/notes.md`, 'one', 'one, other')(person)
    const { findings } = await person.calls.skills.sync({})
    expect(findings.map(({ code }) => code)).toEqual(['MERGE_CONFLICT', 'MERGE_CONFLICT'])
    await person.calls.skills.finishMerge({ name: 'alpha', take: 'other', continue: true })
    expect(person.read(`${COPY}/notes.md`)).toContain('one, mine')
    expect(person.read(`${OTHER}/notes.md`)).toContain('one, other')
    await person.calls.skills.sync({})
    await person.calls.skills.finishMerge({ name: 'alpha', take: 'library', continue: true })
    for (const copy of [COPY, OTHER]) expect(person.read(`${copy}/notes.md`)).toContain('one, mine')

    const same = await edited('conflicting', true)
    change(`${OTHER}/notes.md`, 'one', 'one, mine')(same)
    expect((await same.calls.skills.sync({})).findings).toHaveLength(1)
    await same.calls.skills.finishMerge({ name: 'alpha', take: 'other', continue: true })
    const { placements } = (await same.calls.skills.inventory({})).value.skills[0]!
    expect(placements.map(({ state }) => state)).toEqual(['current', 'current'])
  })

  it('a copy from another machine, whose version this library never had, stays as it is, and sync says so', async () => {
    const person = await edited('clean', true)
    const marker = JSON.parse(person.read(`${COPY}/.loadout`))
    person.put(`${COPY}/.loadout`, JSON.stringify({ ...marker, repo_commit: 'abcdef0123', source_hash: 'unknown' }))
    const mine = stateOf(person)
    const { findings } = await person.calls.skills.sync({})
    expect(findings).toMatchObject([{ severity: 'error', code: 'MERGE_CONFLICT', subject: 'alpha' }])
    expect(stateOf(person)).toEqual(mine)
    expect((await person.calls.skills.inventory({})).value.skills[0]?.placements[0]).toMatchObject({ edit: 'kept' })
    await person.calls.skills.equip({ names: ['alpha'], replace: true })
    expect(stateOf(person)).toEqual(LIBRARY)
  })

  it('an edited copy of a skill that left the library stays, and is named as edited', async () => {
    const person = await edited('clean', false)
    rmSync(join(person.home, OWN), { recursive: true })
    commitAll(person, 'gone')
    const mine = stateOf(person)
    const { findings } = await person.calls.skills.sync({})
    expect(findings.map(({ message }) => message.includes('edited by hand'))).toEqual([true, false])
    expect(stateOf(person)).toEqual(mine)
  })

  it('a copy that became a link, or was removed, after the plan is not written', async () => {
    for (const how of ['link', 'gone'] as const) {
      const person = await edited('clean', true)
      const place = join(person.home, COPY)
      const onProgress = () => {
        if (existsSync(`${person.home}/moved`)) return
        renameSync(place, `${person.home}/moved`)
        if (how === 'link') symlinkSync(`${person.home}/moved`, place)
      }
      const { findings } = await person.calls.skills.sync({ onProgress })
      expect(findings.find(({ severity }) => severity === 'error')?.message).toMatch(/meanwhile/)
      expect(readFileSync(`${person.home}/moved/notes.md`, 'utf8')).toContain('five, mine')
    }
  })
})

describe('an undo', () => {
  it.each(['clean', 'conflicting', 'binary', 'none'] as const)(
    'brings a copy with the edit "%s" back to the state before the change',
    async (edit) => {
      const person = await edited(edit, true)
      const mine = stateOf(person)
      await person.calls.skills.sync({})
      const planned = await person.calls.skills.undo({ dryRun: true })
      await person.calls.skills.undo({})
      expect(stateOf(person)).toEqual(mine)
      expect(stateOf(person, OTHER)).toEqual(ORIGINAL)
      expect(planned.value.operations.length).toBeGreaterThan(0)
    },
  )

  it('brings back an edit that was replaced, from its backup, also after an unrelated commit', async () => {
    const person = await edited('conflicting', true)
    const mine = stateOf(person)
    const commit = git(person, 'rev-parse', 'HEAD')
    await person.calls.skills.sync({ replace: true })
    expect(stateOf(person)).toEqual(LIBRARY)
    person.put('library/other.txt', 'x')
    commitAll(person, 'other')
    await person.calls.skills.sync({})
    const { operations } = (await person.calls.skills.undo({ commit })).value
    expect(operations.map(({ kind, agent }) => `${kind} ${agent}`)).toEqual(['restore claude', 'refresh codex'])
    expect(stateOf(person)).toEqual(mine)
    const [copy] = (await person.calls.skills.inventory({})).value.skills[0]!.placements
    expect(copy).toMatchObject({ state: 'edited', edit: 'kept' })
  })

  it('takes back a commit of another machine only when it is named', async () => {
    const person = await edited('none', false)
    const remote = join(person.home, 'remote.git')
    git(person, 'init', '--quiet', '--bare', '--initial-branch=main', remote)
    git(person, 'remote', 'add', 'origin', remote)
    git(person, 'push', '--quiet', '--set-upstream', 'origin', 'HEAD')
    const elsewhere = { ...person, library: join(person.home, 'elsewhere') }
    git(person, 'clone', '--quiet', remote, elsewhere.library)
    person.put('elsewhere/skills/alpha/notes.md', 'from there\n')
    commitAll(elsewhere, 'there')
    git(elsewhere, 'push', '--quiet')
    await person.calls.skills.sync({})
    expect(person.read(`${COPY}/notes.md`)).toBe('from there\n')
    await expect(person.calls.skills.undo({})).rejects.toMatchObject({ code: 'ENTRY_NOT_FOUND' })
    expect(person.read(`${COPY}/notes.md`)).toBe('from there\n')
    const commit = git(person, 'rev-parse', 'HEAD')
    await person.calls.skills.undo({ commit })
    expect(person.read(`${COPY}/notes.md`)).toBe(FILES['notes.md'])
    await person.calls.skills.sync({ push: true })
    await person.calls.skills.undo({})
    expect(person.read(`${COPY}/notes.md`), 'an own commit that was pushed').toBe('from there\n')
  })
})
