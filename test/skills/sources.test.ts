import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLoadout, type Loadout } from '../../src/loadout.ts'
import { makeFolder, runShell } from '../cli/run.ts'
import { commitAll, git, makeRepository, put, putAll, skill } from '../cli/skills-machine.ts'

/** A person's computer, used without starting the program. */
function makePerson(skills: Record<string, string> = {}, config: object = {}) {
  const home = makeFolder()
  const library = makeRepository(join(home, 'library'))
  putAll(join(library, 'skills'), skills)
  commitAll(library, 'Start')
  put(join(home, '.config/loadout/config.json'), JSON.stringify({ repo_path: '~/library', ...config }))
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  const loadout: Loadout = createLoadout({
    persist: true,
    home,
    cwd: home,
    env,
    now: () => new Date('2026-01-02T03:04:05Z'),
  })
  const record = (name: string) => JSON.parse(readFileSync(join(library, 'skills', name, 'skill.json'), 'utf8'))
  return { home, library, loadout, record, path: (...parts: string[]) => join(home, ...parts) }
}

const document = (name: string, body = `# ${name}\n`) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n${body}`

/** Every layout that public repositories have. */
const LAYOUTS = {
  'README.md': 'Skills.\n',
  'skills/flat/SKILL.md': document('flat'),
  'skills/flat/assets/sample/SKILL.md': document('sample'),
  'category/deep/er/nested/SKILL.md': document('nested'),
  'plugins/git/skills/commit/SKILL.md': document('commit'),
  'plugins/git/.claude-plugin/plugin.json': '{ "name": "git-tools" }',
  '.claude-plugin/marketplace.json': JSON.stringify({
    plugins: [
      { name: 'docs', source: './', skills: ['./category/deep/er/nested'] },
      { name: 'far', source: { source: 'github', repo: 'o/r' } },
    ],
  }),
  '.gemini/skills/flat/SKILL.md': document('flat'),
  '.gemini/skills/flat/assets/sample/SKILL.md': document('sample'),
  '.gemini/skills/nested/SKILL.md': document('nested', '# An older text\n'),
  'docs/ja/skills/commit/SKILL.md': document('commit', '# コミット\n'),
  'node_modules/pkg/SKILL.md': document('pkg'),
}

function makeSource(files: Record<string, string> = LAYOUTS): string {
  const source = makeRepository(join(makeFolder(), 'source'))
  putAll(source, files)
  commitAll(source, 'Start')
  return source
}

describe('a source of skills', () => {
  it('whose own SKILL.md is a guide has the skills below it; one with samples inside is one skill', async () => {
    const { loadout } = makePerson()
    const files = { 'SKILL.md': document('guide'), 'a/SKILL.md': document('a'), 'b/c/SKILL.md': document('c') }
    const { value } = await loadout.skills.import({ source: makeSource(files), list: true })
    expect(value.offers?.map(({ name }) => name)).toEqual(['a', 'c'])
    expect(value.leftOut.map(({ count, reason }) => `${count} ${reason}`)).toEqual([
      '1 the guide to a collection, whose skills are all here',
    ])
    const one = {
      'SKILL.md': document('one'),
      'assets/x/SKILL.md': document('x'),
      'templates/y/SKILL.md': document('y'),
    }
    const whole = await loadout.skills.import({ source: makeSource(one), list: true })
    expect(whole.value.offers?.map(({ name }) => name)).toEqual(['one'])
  })

  it('is walked to its end; mirrors are one, and what is left out is counted', async () => {
    const { loadout } = makePerson()
    const { value, findings } = await loadout.skills.import({ source: makeSource(), list: true })
    expect(value.offers?.map(({ name, folder, plugin }) => [name, folder, plugin])).toEqual([
      ['commit', 'plugins/git/skills/commit', 'git-tools'],
      ['flat', 'skills/flat', undefined],
      ['nested', 'category/deep/er/nested', 'docs'],
    ])
    expect(value.leftOut.map(({ count, reason }) => `${count} ${reason}`)).toEqual([
      '1 folders of dependencies, which were not looked into',
      '2 inside another skill',
      '1 plugins of the marketplace that lie in other repositories',
      '1 copies of the same content in other folders',
      '2 copies in hidden folders, or below docs, examples or tests, that differ from the others',
    ])
    expect(findings).toEqual([])
  })

  it('becomes one commit, with where each skill came from; again it is unchanged', async () => {
    const { loadout, library, record } = makePerson()
    const source = makeSource()
    const { value, findings } = await loadout.skills.import({ source: `file://${source}` })
    expect(value.imported.map(({ name }) => name)).toEqual(['commit', 'flat', 'nested'])
    expect(findings).toEqual([])
    expect(git(library, 'log', '--format=%s')).toBe(`Import 3 skills from ${source}\nStart`)
    expect(record('nested').targets).toBeUndefined()
    expect(record('nested')).toMatchObject({
      source: {
        url: `file://${source}`,
        folder: 'category/deep/er/nested',
        ref: 'main',
        commit: git(source, 'rev-parse', 'HEAD'),
        tree_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        imported_at: '2026-01-02T03:04:05Z',
      },
    })
    const again = await loadout.skills.import({ source })
    expect(again).toMatchObject({ value: { imported: [], unchanged: ['commit', 'flat', 'nested'] }, findings: [] })
  })

  it('holds no skill only when no folder of it does', async () => {
    const { loadout } = makePerson()
    const source = makeSource({ 'a/b/c/README.md': 'x', 'node_modules/pkg/SKILL.md': document('pkg') })
    await expect(loadout.skills.import({ source })).rejects.toThrow(/contains no skill: 1 left out/)
  })

  it('is named with its ref and folder, as a web page names it', async () => {
    const { loadout, record } = makePerson()
    const source = makeSource()
    git(source, 'checkout', '--quiet', '-b', 'team/next')
    putAll(source, { 'skills/next/SKILL.md': document('next') })
    const commit = commitAll(source, 'Next')
    git(source, 'checkout', '--quiet', 'main')
    await loadout.skills.import({ source: `file://${source}/tree/team/next/skills/next` })
    expect(record('next').source).toMatchObject({ ref: 'team/next', folder: 'skills/next', commit })
    await expect(loadout.skills.import({ source: `file://${source}/tree/gone/skills` })).rejects.toThrow('no branch')
    // A folder of that name on the way is no part of a page.
    const inside = join(makeFolder(), 'src', 'team', 'repo')
    mkdirSync(dirname(inside), { recursive: true })
    git(source, 'clone', '--quiet', '--bare', source, inside)
    const other = await loadout.skills.import({ source: `file://${inside}`, names: ['flat'], as: 'other' })
    expect(other.value.imported.map(({ name }) => name)).toEqual(['other'])
    const named = await loadout.skills.import({
      source,
      ref: commit.slice(0, 12),
      subfolder: 'skills',
      names: ['next'],
    })
    expect(named.value.unchanged).toEqual(['next'])
  })

  it('that is broken in places gives everything else', async () => {
    const { loadout } = makePerson()
    const source = makeSource({
      ...LAYOUTS,
      '.claude-plugin/marketplace.json': '{ "plugins": [',
      'bad/one/SKILL.md': '---\nname: one\n---\n',
      'bad/two/SKILL.md': '---\nname: two\n---\n',
    })
    symlinkSync('/etc/passwd', join(source, 'skills/flat/link'))
    put(join(source, 'huge/SKILL.md'), 'x'.repeat(17 * 1024 * 1024))
    const { value, findings } = await loadout.skills.import({ source })
    expect(value.imported.map(({ name }) => name)).toEqual(['commit', 'flat', 'nested'])
    expect(findings.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      expect.stringMatching(/^warning: \.claude-plugin\/marketplace\.json was skipped/),
      'error: 2 skills were not imported, because it has no description: bad/one, bad/two',
      expect.stringMatching(/^error: huge was not imported, because SKILL.md has 17825792 bytes/),
      expect.stringMatching(/^error: skills\/flat was not imported, because link is a symbolic link/),
    ])
  })

  it('that has one good skill beside a broken one gives that one', async () => {
    const { loadout } = makePerson()
    const source = makeSource({ 'good/SKILL.md': document('good'), 'bad/SKILL.md': '---\nname: bad\n---\n' })
    const { value, findings } = await loadout.skills.import({ source })
    expect([value.imported.map(({ name }) => name), findings[0]?.severity]).toEqual([['good'], 'error'])
  })
})

it('a source with submodules and files of Git LFS says what is not there', async () => {
  const { loadout } = makePerson()
  const source = makeSource({
    '.gitmodules': '[submodule "x"]\n\tpath = vendor/x\n\turl = https://example.org/x\n',
    'a/SKILL.md': document('a'),
    'a/model.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
  })
  const { value, findings } = await loadout.skills.import({ source })
  expect(value.leftOut).toMatchObject([{ count: 1, examples: ['vendor/x'] }])
  expect(findings[0]?.message).toBe('a file is missing: only a Git LFS pointer is there: a/model.bin')
})

describe('a choice', () => {
  it('is needed where several are found and none was chosen', async () => {
    const { loadout, library } = makePerson()
    const asked: string[] = []
    const choose = (offers: readonly { name: string }[]) => void asked.push(...offers.map(({ name }) => name))
    const { value } = await loadout.skills.import({ source: makeSource(), choose })
    expect(value).toMatchObject({ isUndecided: true, imported: [] })
    expect(asked).toEqual(['commit', 'flat', 'nested'])
    expect(git(library, 'status', '--porcelain')).toBe('')
  })

  it.each([
    [['flat'], ['flat']],
    [['git-tools'], ['commit']],
    [['category/deep/er/nested,flat'], ['flat', 'nested']],
  ])('%j', async (names, expected) => {
    const { loadout } = makePerson()
    const { value } = await loadout.skills.import({ source: makeSource(), names, dryRun: true })
    expect(value.imported.map(({ name }) => name)).toEqual(expected)
  })

  it('that names something else is refused with what is near', async () => {
    const { loadout } = makePerson()
    await expect(loadout.skills.import({ source: makeSource(), names: ['flad'] })).rejects.toThrow('did you mean flat?')
  })

  it('of a name: for one skill, or a prefix for all; two folders with one name are told apart', async () => {
    const two = { 'a/review/SKILL.md': document('review'), 'b/review/SKILL.md': document('review', '# Other\n') }
    const { loadout, record } = makePerson(skill('flat', {}, '# Mine\n'))
    const source = makeSource({ ...two, 'flat/SKILL.md': document('flat') })
    const { value, findings } = await loadout.skills.import({ source })
    expect([value.imported, value.refused.map(({ code }) => code)]).toEqual([[], ['FILE_EXISTS', 'MERGE_CONFLICT']])
    expect(findings).toHaveLength(2)
    await loadout.skills.import({ source, names: ['b/review'], as: 'review-b' })
    expect(record('review-b').source.folder).toBe('b/review')
    await expect(loadout.skills.import({ source, as: 'x' })).rejects.toThrow('--as names one skill')
    await expect(loadout.skills.import({ source, names: ['flat'], as: '../x' })).rejects.toThrow('cannot be a skill')
    await loadout.skills.import({ source, names: ['flat'], prefix: 'team-' })
    expect(record('team-flat').name).toBe('team-flat')
  })
})

describe('agents of imported skills', () => {
  it('are those that the author wrote, those that were named, or every one', async () => {
    const { loadout, record, path } = makePerson()
    const source = makeSource({ 'a/SKILL.md': document('a'), 'b/SKILL.md': '# b\n', 'b/skill.json': '' })
    writeFileSync(join(source, 'b/skill.json'), JSON.stringify({ description: 'b', targets: ['cursor'] }))
    await loadout.skills.import({ source, targets: ['*'] })
    expect([record('a').targets, record('b').targets]).toEqual([['*'], ['cursor']])
    await loadout.skills.equip({ names: [], all: true })
    expect(existsSync(path('.codex/skills/a/SKILL.md'))).toBe(true)
    expect(existsSync(path('.codex/skills/b'))).toBe(false)
  })

  it("are all that are enabled, now and later, when another program's skill.json names none, and what it says is kept", async () => {
    const { loadout, record, path } = makePerson()
    const source = makeSource({
      'Loud Voice/SKILL.md': document('speaker'),
      'Loud Voice/skill.json': JSON.stringify({ name: 'Voice!', version: '1', source: 'web' }),
      'b/SKILL.md': document('other'),
      'b/skill.json': JSON.stringify({ name: 'b', description: 'B.', tags: ['x'], author: 'me' }),
      'c/SKILL.md': document('c-skill'),
      'c/skill.json': JSON.stringify({ pricing: {} }),
    })
    const { findings } = await loadout.skills.import({ source })
    const voice = { name: 'loud-voice', description: 'Does speaker.', version: '1', source: { folder: 'Loud Voice' } }
    expect(record('loud-voice')).toMatchObject(voice)
    expect(record('b')).toMatchObject({ name: 'b', description: 'B.', tags: ['x'], author: 'me' })
    expect(record('c-skill')).toMatchObject({ description: 'Does c-skill.', pricing: {} })
    expect(findings.map(({ message }) => message)).toEqual([
      `a name in skill.json cannot be used, so the folder's is: "Voice!" is loud-voice`,
    ])
    writeFileSync(join(source, 'Loud Voice/SKILL.md'), document('speaker', '# Louder\n'))
    const { value } = await loadout.skills.update({})
    expect(value.updates.filter(({ result }) => result === 'updated')).toMatchObject([
      { name: 'loud-voice', isMerged: false },
    ])
    expect(['loud-voice', 'b', 'c-skill'].map((name) => record(name).targets)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    await loadout.skills.equip({ names: ['b'] })
    await loadout.agents.switch({ ids: ['gemini'], isOn: true })
    const { value: shown } = await loadout.skills.inventory({})
    expect(shown.skills.find(({ name }) => name === 'b')).toMatchObject({
      state: 'current',
      targets: ['claude', 'codex', 'gemini'],
    })
    const { value: added } = await loadout.skills.equip({ names: ['b'] })
    expect(added.operations.map(({ kind, agent }) => [kind, agent])).toEqual([['install', 'gemini']])
    expect(existsSync(path('.gemini/skills/b/SKILL.md'))).toBe(true)
  })

  it('can be changed for all at once, in one commit', async () => {
    const { loadout, library, record } = makePerson({ ...skill('alpha'), ...skill('beta', { targets: ['codex'] }) })
    const none = await loadout.skills.equip({ names: [], all: true, targets: ['claude'] })
    expect(none.findings.map(({ message }) => message)).toEqual(['beta does not support claude'])
    const { value, findings } = await loadout.skills.changeTargets({
      names: [],
      all: true,
      add: ['gemini'],
      remove: ['codex'],
    })
    expect(value.changed.map(({ name }) => name)).toEqual(['alpha', 'beta'])
    expect([record('alpha').targets, record('beta').targets]).toEqual([['claude', 'gemini'], ['gemini']])
    expect([git(library, 'log', '-1', '--format=%s'), findings]).toEqual(['Change the agents of 2 skills', []])
    const last = await loadout.skills.changeTargets({ names: ['beta'], remove: ['gemini'] })
    expect(last.findings.map(({ message }) => message)).toEqual([
      'beta was not changed, because no agent would be left',
    ])
  })

  it('that no skill supports are not said to be equipped', async () => {
    const { loadout } = makePerson(skill('alpha'), { targets: { cursor: { enabled: true } } })
    const { value, findings } = await loadout.skills.equip({ names: [], all: true, targets: ['cursor'] })
    expect(value.operations).toEqual([])
    expect(findings).toMatchObject([{ severity: 'error', message: 'none of the skills supports cursor' }])
  })
})

describe('what another manager placed', () => {
  /** As `npx skills add -g` leaves it. */
  function makeLinks(home: string, names: readonly string[]): void {
    for (const name of names) {
      put(join(home, '.agents/skills', name, 'SKILL.md'), document(name))
      for (const agent of ['.claude', '.codex']) {
        mkdirSync(join(home, agent, 'skills'), { recursive: true })
        symlinkSync(`../../.agents/skills/${name}`, join(home, agent, 'skills', name))
      }
    }
    const row = { source: 'o/r', sourceType: 'github', sourceUrl: 'https://github.com/o/r.git', ref: 'v2' }
    const skills = { linked: { ...row, skillPath: 'skills/linked/SKILL.md' } }
    put(join(home, '.agents/.skill-lock.json'), JSON.stringify({ version: 3, skills }))
  }

  it('is listed with what links lead to, and taken over; what they led to stays', async () => {
    const { loadout, home, record, path } = makePerson()
    makeLinks(home, ['linked', 'other'])
    put(path('.agents/skills/unlinked/SKILL.md'), document('unlinked'))
    const listed = await loadout.skills.listCandidates({})
    expect(listed.value.map(({ name, state, manager }) => [name, state, manager])).toEqual([
      ['linked', 'new', 'o/r'],
      ['other', 'new', undefined],
      ['unlinked', 'new', undefined],
    ])
    expect(listed.value[0]?.links?.[path('.claude/skills/linked')]).toMatch(/\.agents\/skills\/linked$/)
    const { value } = await loadout.skills.import({ adopt: true })
    expect(value.imported.map(({ name }) => name)).toEqual(['linked', 'other', 'unlinked'])
    expect(value.adopted).toHaveLength(7)
    for (const place of ['.claude/skills/linked', '.codex/skills/other']) {
      expect(lstatSync(path(place)).isDirectory()).toBe(true)
      expect(existsSync(path(place, '.loadout'))).toBe(true)
    }
    expect(existsSync(path('.agents/skills/linked/SKILL.md'))).toBe(true)
    const from = { url: 'https://github.com/o/r.git', folder: 'skills/linked', ref: 'v2' }
    expect(record('linked').source).toMatchObject(from)
    expect((await loadout.skills.listCandidates({})).value).toEqual([])
  })

  /** As `npx skills add -g -a claude-code codex` leaves it today: Codex reads the shared folder. */
  function makeShared({ home, path }: ReturnType<typeof makePerson>, names: readonly string[]) {
    makeLinks(home, names)
    rmSync(path('.codex/skills'), { recursive: true })
    const read = (folder: string) =>
      runShell(`cd ${home} && find ${folder} -printf '%p %l %m\\n' -type f -exec cat {} +`)
    return () => [read('.agents'), read('.claude'), existsSync(path('.codex/skills'))]
  }

  it('stays served and managed for agents that read the shared folder', async () => {
    const person = makePerson(skill('mine', { targets: ['*'] }))
    const { loadout, path, library } = person
    makeShared(person, ['linked'])
    await loadout.skills.import({ adopt: true })
    expect(existsSync(path('.agents/skills/linked/.loadout'))).toBe(true)
    const places = async (skill: string) => {
      const { value } = await loadout.skills.inventory({})
      const found = value.skills.find(({ name }) => name === skill)?.placements ?? []
      return found.map(({ agents, alsoReadBy, state }) => [...agents, ...(alsoReadBy ?? []), state].join(' '))
    }
    expect(await places('linked')).toEqual(['claude current', 'agents codex current'])
    // A change of the library reaches it.
    put(join(library, 'skills/linked/notes.md'), 'New.\n')
    commitAll(library, 'Notes')
    await loadout.skills.sync({})
    expect(readFileSync(path('.agents/skills/linked/notes.md'), 'utf8')).toBe('New.\n')
    // Codex needs no copy of its own, unless it is named.
    await loadout.skills.equip({ names: ['mine'] })
    expect(await places('mine')).toEqual(['claude current', 'agents codex current'])
    await loadout.skills.equip({ names: ['mine'], targets: ['codex'] })
    expect(existsSync(path('.codex/skills/mine'))).toBe(true)
  })

  it('is as it was after leave, byte for byte, and managed again after its undo', async () => {
    const person = makePerson(skill('mine'))
    const { loadout, path } = person
    const state = makeShared(person, ['linked', 'other'])
    const before = state()
    await loadout.skills.import({ adopt: true })
    const managed = state()
    const planned = await loadout.skills.leave({ dryRun: true })
    expect(planned.value.copies.map(({ agent, skill, link }) => [agent, skill, link])).toEqual([
      ['claude', 'linked', '../../.agents/skills/linked'],
      ['agents', 'linked', undefined],
      ['claude', 'other', '../../.agents/skills/other'],
      ['agents', 'other', undefined],
    ])
    expect(state()).toEqual(managed)
    await loadout.skills.leave({})
    expect(state()).toEqual(before)
    expect((await loadout.skills.leave({})).value.copies).toEqual([])
    await loadout.skills.leave({ undo: true })
    expect(state()).toEqual(managed)
    expect((await loadout.skills.sync({ dryRun: true })).value.operations).toEqual([])

    // An edit is kept in the copy that comes back; what a person changed after leaving stays.
    put(path('.agents/skills/linked/SKILL.md'), document('linked', '# By hand\n'))
    await loadout.skills.equip({ names: ['mine'], targets: ['claude'] })
    const { value } = await loadout.skills.leave({})
    expect(value.copies.find(({ skill }) => skill === 'mine')).not.toHaveProperty('before')
    expect(existsSync(path('.claude/skills/mine/SKILL.md'))).toBe(true)
    expect(existsSync(path('.claude/skills/mine/.loadout'))).toBe(false)
    put(path('.agents/skills/other/SKILL.md'), 'Since.\n')
    const again = await loadout.skills.leave({ undo: true })
    expect(again.findings.map(({ code, subject }) => [code, subject])).toEqual([['UNMANAGED_FOLDER', 'other']])
    expect(readFileSync(path('.agents/skills/other/SKILL.md'), 'utf8')).toBe('Since.\n')
    expect(readFileSync(path('.agents/skills/linked/SKILL.md'), 'utf8')).toContain('By hand')
    expect(existsSync(path('.claude/skills/mine/.loadout'))).toBe(true)
  })

  it('leave takes hooks, server and lists out of the settings, and its undo brings the same bytes back', async () => {
    const { loadout, home, path } = makePerson(skill('mine'))
    mkdirSync(path('.codex'), { recursive: true })
    put(path('.claude/settings.json'), '{ "model": "x" }\n')
    await loadout.agents.installHooks({ agents: ['claude', 'codex'], mcp: true })
    const read = () => runShell(`cd ${home} && find .claude .codex .claude.json -type f -exec cat {} +`)
    const connected = read()
    const { value } = await loadout.skills.leave({})
    expect(value.hooks).toEqual(['claude', 'codex'])
    expect(readFileSync(path('.claude/settings.json'), 'utf8')).toBe('{ "model": "x" }\n')
    expect(existsSync(path('.claude.json'))).toBe(false)
    await loadout.skills.leave({ undo: true })
    expect(read()).toEqual(connected)
  })

  it.each(['{ "version": 3, "skills": [', '{ "skills": [1] }', '[]'])(
    'with a lock file that is broken, %s, is taken over all the same',
    async (lock) => {
      const { loadout, home, record } = makePerson()
      makeLinks(home, ['linked'])
      put(join(home, '.agents/.skill-lock.json'), lock)
      const { value, findings } = await loadout.skills.import({ adopt: true })
      expect(value.imported.map(({ name }) => name)).toEqual(['linked'])
      expect(findings[0]?.message).toMatch(/^the lock file of another manager was skipped/)
      expect(record('linked').source).toMatchObject({ path: '~/.agents/skills/linked', folder: '', pinned: true })
    },
  )
})

describe('loose folders of skills that the library has', () => {
  it('are taken over in one command, and no text is lost', async () => {
    const { loadout, path } = makePerson({ ...skill('exact'), ...skill('same'), ...skill('differs') })
    await loadout.skills.equip({ names: ['exact'], targets: ['claude'] })
    rmSync(path('.claude/skills/exact/.loadout'))
    const installed = readFileSync(path('.claude/skills/exact/SKILL.md'), 'utf8')
    put(
      path('.claude/skills/same/SKILL.md'),
      '---\ndescription: "Does same"\nname: same\n---\n# same\n\nThe text of same.\n',
    )
    put(path('.claude/skills/differs/SKILL.md'), document('differs', '# My own text\n'))
    const listed = await loadout.skills.listCandidates({})
    expect(listed.value.map(({ name, state }) => [name, state])).toEqual([
      ['exact', 'identical'],
      ['same', 'same'],
      ['differs', 'differs'],
    ])
    const { value, findings } = await loadout.skills.import({ adopt: true })
    expect(value.adopted.map(({ skill: name }) => name)).toEqual(['exact', 'same'])
    expect(readFileSync(path('.claude/skills/exact/SKILL.md'), 'utf8')).toBe(installed)
    expect(findings.map(({ code }) => code)).toEqual(['FILE_EXISTS', 'BACKED_UP'])
    const refused = await loadout.skills.equip({ names: ['differs'], targets: ['claude'] })
    expect(refused.findings[0]).toMatchObject({ code: 'UNMANAGED_FOLDER', hint: expect.stringContaining('--replace') })
    expect(refused.findings[0]?.hint).not.toContain('.aside')
    const replaced = await loadout.skills.equip({ names: ['differs'], targets: ['claude'], replace: true })
    const kept = / is in (.+)$/.exec(replaced.findings[0]?.message ?? '')?.[1] ?? ''
    expect(readFileSync(join(kept, 'SKILL.md'), 'utf8')).toContain('My own text')
    expect(kept.startsWith(path('.claude'))).toBe(false)
    expect((await loadout.skills.listCandidates({})).value).toEqual([])
  })

  it('that differ are adopted: merged with what the library changed since the import', async () => {
    const { loadout, library, home, path } = makePerson()
    const notes = Array.from({ length: 9 }, (_, at) => `Line ${at}.\n`).join('')
    const source = makeSource({ 'skills/plan/SKILL.md': document('plan'), 'skills/plan/notes.md': notes })
    await loadout.skills.import({ source })
    put(join(library, 'skills/plan/notes.md'), notes.replace('Line 1.', 'Line 1 of the library.'))
    commitAll(library, 'Mine')
    const loose = path('.claude/skills/plan')
    putAll(loose, { 'SKILL.md': document('plan'), 'notes.md': notes.replace('Line 7.', 'Line 7 by hand.') })
    const preview = await loadout.skills.adopt({ name: 'plan', dryRun: true })
    expect([preview.value.isMerged, preview.value.conflicts]).toEqual([true, []])
    const { value } = await loadout.skills.adopt({ name: 'plan' })
    expect(value.operations.map(({ kind, agent }) => `${kind} ${agent}`)).toEqual(['adopt claude'])
    for (const folder of [join(library, 'skills/plan'), loose]) {
      const text = readFileSync(join(folder, 'notes.md'), 'utf8')
      expect([text.includes('of the library'), text.includes('by hand')]).toEqual([true, true])
    }
    expect((await loadout.skills.inventory({})).value.skills[0]?.placements.map(({ state }) => state)).toEqual([
      'current',
    ])
    expect(readFileSync(join(home, '.claude/skills/plan/.loadout'), 'utf8')).toContain('content_hash')
  })

  it('are taken over by equip where they are just so', async () => {
    const { loadout, path } = makePerson(skill('exact'))
    await loadout.skills.equip({ names: ['exact'], targets: ['claude'] })
    rmSync(path('.claude/skills/exact/.loadout'))
    const { value } = await loadout.skills.equip({ names: ['exact'] })
    expect(value.operations.map(({ kind, agent }) => `${kind} ${agent}`)).toEqual(['adopt claude', 'install codex'])
    const inventory = await loadout.skills.inventory({})
    expect(inventory.value.skills.map(({ state }) => state)).toEqual(['current'])
  })
})

describe('profiles', () => {
  it('lie in the library, and switching makes it exactly that set', async () => {
    const { loadout, library, path } = makePerson({ ...skill('alpha'), ...skill('beta') })
    await loadout.skills.equip({ names: ['alpha'] })
    await loadout.skills.saveProfile({ name: 'work' })
    expect(git(library, 'log', '-1', '--format=%s', '--name-only').split('\n')).toEqual([
      'Save profile work',
      '',
      'loadout.json',
      'profiles/work.json',
    ])
    await loadout.skills.unequip({ names: ['alpha'] })
    await loadout.skills.equip({ names: ['beta'] })
    await loadout.skills.applyProfile({ name: 'work', exact: true })
    expect([existsSync(path('.claude/skills/alpha')), existsSync(path('.claude/skills/beta'))]).toEqual([true, false])
    put(join(library, 'profiles/broken.json'), '{ "alpha": 7 }')
    const listed = await loadout.skills.listProfiles({})
    expect(listed.value.map(({ name, place }) => [name, place])).toEqual([['work', 'library']])
    expect(listed.findings).toHaveLength(1)
    await expect(loadout.skills.applyProfile({ name: 'broken' })).rejects.toThrow(
      'must have a list of agents for each skill',
    )
    await expect(loadout.skills.saveProfile({ name: '../x' })).rejects.toThrow('cannot be a profile')
  })
})

describe('several projects', () => {
  it('are refreshed and cleared together', async () => {
    const { loadout, library, path } = makePerson(skill('alpha', { targets: ['claude'] }))
    const projects = ['one', 'two'].map((name) => {
      mkdirSync(join(makeRepository(path(name)), '.claude'))
      return path(name)
    })
    for (const project of projects) await loadout.skills.equip({ names: ['alpha'], project })
    put(join(library, 'skills/alpha/SKILL.md'), '# New\n')
    commitAll(library, 'New')
    const { value } = await loadout.skills.sync({ allProjects: true })
    expect(value.operations.map(({ kind, root }) => `${kind} ${root}`)).toEqual(
      projects.map((project) => `refresh ${project}/.claude/skills`),
    )
    await loadout.skills.unequip({ names: [], all: true, allProjects: true })
    expect(projects.map((project) => existsSync(join(project, '.claude/skills/alpha')))).toEqual([false, false])
  })
})

describe('more skills than an agent lists', () => {
  it('are reported where people look, with what helps', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `skill-${at}`)
    const long = names.map((name) => skill(name, { targets: ['claude'], description: 'Long words. '.repeat(40) }))
    const { loadout } = makePerson(Object.assign({}, ...long))
    const { findings } = await loadout.skills.equip({ names: [], all: true })
    const told = findings.filter(({ code }) => code === 'NOT_SEEN')
    expect(told).toMatchObject([{ severity: 'warning', hint: expect.stringContaining('loadout see claude --fix') }])
    const { value } = await loadout.agents.doctor({})
    expect(value.checks.filter(({ name }) => name === 'listing')).toMatchObject([{ state: 'problem' }])
    await expect(loadout.skills.unequip({ names: [], unused: true })).rejects.toThrow('no use of any skill')
  })
})

describe('a folder that skills came from', () => {
  const text = (first: string, last: string) => document('a', `# ${first}\n\n1\n2\n3\n\n${last}\n`)

  it('is merged against the commit that was imported, update after update', async () => {
    const { loadout, library, record, path } = makePerson()
    const source = makeSource({ 'a/SKILL.md': text('One', 'end') })
    await loadout.skills.import({ source })
    const own = path('library/skills/a/SKILL.md')
    writeFileSync(own, readFileSync(own, 'utf8').replace('end', 'my end'))
    commitAll(library, 'Mine')
    for (const heading of ['Two', 'Three']) {
      put(join(source, 'a/SKILL.md'), text(heading, 'end'))
      commitAll(source, heading)
      const { value } = await loadout.skills.update({})
      expect(value.updates).toMatchObject([{ name: 'a', result: 'updated', isMerged: true }])
      expect(readFileSync(own, 'utf8')).toBe(`# ${heading}\n\n1\n2\n3\n\nmy end\n`)
      expect(record('a').source.commit).toBe(git(source, 'rev-parse', 'HEAD'))
    }
  })

  it('may be a repository without files, or have another branch checked out', async () => {
    const { loadout, record } = makePerson()
    const source = makeSource({ 'a/SKILL.md': text('One', 'end') })
    const bare = join(makeFolder(), 'bare.git')
    git(source, 'clone', '--quiet', '--bare', '.', bare)
    await loadout.skills.import({ source: bare, prefix: 'bare-' })
    await loadout.skills.import({ source })
    const states = async () => (await loadout.skills.outdated({})).value.map(({ name, state }) => `${name} ${state}`)
    git(source, 'checkout', '--quiet', '-b', 'next')
    put(join(source, 'a/SKILL.md'), text('Next', 'end'))
    commitAll(source, 'Next')
    expect(await states()).toEqual(['a current', 'bare-a current'])
    git(source, 'push', '--quiet', bare, 'HEAD:main')
    expect(await states()).toEqual(['a current', 'bare-a outdated'])
    const { value } = await loadout.skills.update({ names: ['a'], ref: 'next' })
    expect([value.updates[0]?.result, record('a').source.ref]).toEqual(['updated', 'next'])
  })

  it('that is gone is not one that has lost a skill', async () => {
    const { loadout } = makePerson()
    const source = makeSource({ 'a/SKILL.md': document('a'), 'b/SKILL.md': document('b') })
    await loadout.skills.import({ source })
    rmSync(join(source, 'a'), { recursive: true })
    const ask = async () => {
      const { value, findings } = await loadout.skills.update({})
      return [...value.updates.map(({ state }) => state), ...findings.map(({ message }) => message)]
    }
    expect(await ask()).toEqual(['removed', 'current', `${source} no longer has a; the library's skill stays`])
    rmSync(source, { recursive: true })
    const message = `${source} is not on this machine, so a, b could not be compared`
    expect(await ask()).toEqual(['unreachable', 'unreachable', message])
  })
})
