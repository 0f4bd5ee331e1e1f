import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { makePerson, type Person, personIn } from './in-process.ts'
import { commitAll, copyWorld, git } from './world.ts'

/** Two machines that share a library; the second has not asked since it was made. */
async function makeTwo(): Promise<{ desk: Person; laptop: Person }> {
  const desk = await makePerson({})
  const remote = join(makeFolder(), 'library.git')
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote])
  git(desk, 'remote', 'add', 'origin', remote)
  git(desk, 'push', '--quiet', '--set-upstream', 'origin', 'main')
  return { desk, laptop: personIn(await copyWorld(desk)) }
}

async function doctor(person: Person) {
  const { value } = await person.calls.agents.doctor({})
  return value.checks.filter(({ name }) => name === 'sync')
}

describe('how the library stands', () => {
  it('doctor does not claim to know a remote that was never asked', async () => {
    const { laptop } = await makeTwo()
    expect(await doctor(laptop)).toMatchObject([
      { state: 'note', message: expect.stringContaining('was not asked for news yet') },
    ])
  })

  it('after a fetch, doctor and the standing say how far behind, and since when', async () => {
    const { desk, laptop } = await makeTwo()
    desk.put('library/skills/alpha/SKILL.md', '# Newer\n')
    commitAll(desk, 'newer')
    git(desk, 'push', '--quiet')
    expect((await laptop.calls.skills.readStanding({ fetch: true })).value).toMatchObject({
      behind: 1,
      ahead: 0,
      dirty: 0,
      drift: 0,
    })
    expect(await doctor(laptop)).toMatchObject([
      { state: 'note', message: expect.stringContaining('1 commit behind'), fix: 'loadout sync' },
    ])
    await laptop.calls.skills.sync({})
    expect(await doctor(laptop)).toMatchObject([
      { state: 'fine', message: expect.stringContaining('had all of its commits') },
    ])
  })

  it('counts what is not committed, not pushed, and not as the library has it', async () => {
    const { desk } = await makeTwo()
    desk.put('library/skills/alpha/SKILL.md', '# Newer\n')
    commitAll(desk, 'newer')
    desk.put('library/skills/alpha/notes.md', 'x\n')
    expect((await desk.calls.skills.readStanding({})).value).toMatchObject({ dirty: 1, ahead: 1, behind: 0, drift: 2 })
  })

  it('a dry run of a sync says what the remote has, skill by skill', async () => {
    const { desk, laptop } = await makeTwo()
    desk.put('library/skills/alpha/SKILL.md', '# Newer\n')
    desk.put('library/skills/beta/SKILL.md', '# Beta\n')
    desk.put('library/skills/beta/skill.json', '{ "description": "B.", "targets": ["claude"] }')
    commitAll(desk, 'newer')
    git(desk, 'push', '--quiet')
    const { value } = await laptop.calls.skills.sync({ dryRun: true, diff: true })
    expect(value.changes).toMatchObject([
      { skill: 'alpha', kind: 'changed', diff: expect.stringContaining('+# Newer') },
      { skill: 'beta', kind: 'added' },
    ])
    expect(value.operations.map(({ kind, skill, agent }) => `${kind} ${skill} ${agent}`)).toEqual([
      'refresh alpha claude',
      'refresh alpha codex',
    ])
    expect(laptop.read('library/skills/alpha/SKILL.md')).toBe('# alpha\n')
  })
})
