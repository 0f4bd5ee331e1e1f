import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { personIn } from './in-process.ts'
import { git, makeWorld, skillFiles, write } from './world.ts'

const NAMES = ['alpha', 'beta', 'gamma', 'delta']

it('several skills are deleted in one commit, without those that cannot be, and come back in one', async () => {
  const person = personIn(makeWorld(Object.fromEntries(NAMES.map((name) => [name, skillFiles(name)]))))
  await person.calls.skills.equip({ names: ['gamma'] })
  // What git does not have.
  write(join(person.library, 'skills', 'beta'), { 'new.md': 'new\n' })
  const commits = () => git(person, 'log', '--format=%s').split('\n')
  const before = git(person, 'rev-parse', 'HEAD:skills/alpha')

  const { value, findings } = await person.calls.skills.deleteAll({
    names: ['alpha', 'beta', 'gamma', 'nobody', 'alpha'],
  })
  expect(value.map(({ name }) => name)).toEqual(['alpha', 'beta'])
  expect(new Set(value.map(({ commit }) => commit))).toEqual(new Set([git(person, 'rev-parse', 'HEAD')]))
  expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
    'error SKILL_INSTALLED',
    'error SKILL_NOT_FOUND',
  ])
  expect(commits()).toEqual(['Delete 2 skills', 'first'])
  expect(git(person, 'show', '--format=%b', '--name-only').split('\n').filter(Boolean)).toEqual([
    'alpha',
    'beta',
    'skills/alpha/SKILL.md',
    'skills/alpha/skill.json',
    'skills/beta/SKILL.md',
    'skills/beta/skill.json',
  ])
  expect(existsSync(join(person.library, 'skills', 'beta'))).toBe(false)

  const restored = await person.calls.skills.restore({ deletions: value })
  expect(restored.value.names).toEqual(['alpha', 'beta'])
  expect(commits()).toEqual(['Restore 2 skills', 'Delete 2 skills', 'first'])
  expect(git(person, 'rev-parse', 'HEAD:skills/alpha')).toBe(before)
  expect(person.read('library/skills/beta/new.md')).toBe('new\n')
})
