import { chmodSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLoadout } from '../../src/loadout.ts'
import type { LoadoutError } from '../../src/text/trouble.ts'
import { type GitServer, startGitServer } from './git-server.ts'
import { commitAll, envOf, git, makeWorld, readTree, skillFiles, write } from './world.ts'

const upstream = makeWorld({ alpha: skillFiles('alpha') })
let server: GitServer
beforeAll(async () => {
  server = await startGitServer(dirname(upstream.library))
})
afterAll(() => server.stop())

/** A person whose environment would ask for passwords, if anything asked. */
function makePerson() {
  const world = makeWorld({ own: skillFiles('own') })
  write(world.home, { 'ask.sh': `#!/bin/sh\ntouch ${world.home}/asked\necho secret\n` })
  chmodSync(join(world.home, 'ask.sh'), 0o755)
  const ask = join(world.home, 'ask.sh')
  const env = { ...envOf(world), GIT_ASKPASS: ask, SSH_ASKPASS: ask, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':9' }
  const calls = createLoadout({ persist: true, home: world.home, cwd: world.home, env, now: () => new Date() })
  return { ...world, calls, wasAsked: () => existsSync(join(world.home, 'asked')) }
}

const LOGIN = /asks for a login: it is private(?: now)?, or (?:it does not exist|gone)/
const ROWS: [status: number, told: RegExp][] = [
  [401, LOGIN],
  [403, LOGIN],
  [404, /is gone|not found|could not be reached/],
]

it.each(ROWS)('a source that answers %i is reported with what helps, without a prompt', async (status, told) => {
  const person = makePerson()
  const source = `${server.url}/library`
  server.answer(200)
  await person.calls.skills.import({ source })
  git(person, 'remote', 'add', 'origin', source)
  server.answer(status)

  const imported = await person.calls.skills.import({ source, as: 'beta' }).catch((error: LoadoutError) => error)
  expect(imported).toMatchObject({ message: expect.stringMatching(told) })
  const cloned = await person.calls.skills
    .initialize({ clone: source, into: 'other' })
    .catch((error: LoadoutError) => error)
  expect(cloned).toMatchObject({ message: expect.stringMatching(told) })
  expect(existsSync(join(person.home, 'other'))).toBe(false)

  const outdated = await person.calls.skills.outdated({})
  expect(outdated.value).toMatchObject([{ name: 'alpha', state: 'unreachable' }])
  const synced = await person.calls.skills.sync({})
  for (const { findings } of [outdated, await person.calls.skills.update({ all: true }), synced]) {
    const [finding] = findings.filter(({ code }) => code === 'UNREACHABLE')
    expect(finding?.message).toMatch(told)
    expect(finding?.hint).toMatch(status === 404 ? /pin|fetch origin/ : /credential helper/)
  }
  for (const error of [imported, cloned]) {
    expect((error as LoadoutError).hint).toMatch(status === 404 ? /private/ : /credential helper/)
  }
  expect(person.wasAsked()).toBe(false)
})

it('a source behind a login is imported and updated with what git has stored, and the password is written nowhere', async () => {
  const person = makePerson()
  const source = `${server.url}/library`
  server.demand('reader:hush-9')
  const refused = await person.calls.skills.import({ source }).catch((error: LoadoutError) => error)
  expect(refused).toMatchObject({ message: expect.stringMatching(LOGIN) })

  write(person.home, { '.git-credentials': `${source.replace('://', '://reader:hush-9@')}\n` })
  git(person, 'config', '--global', 'credential.helper', 'store')
  const { value } = await person.calls.skills.import({ source })
  expect(value.imported).toMatchObject([{ name: 'alpha' }])
  write(join(upstream.library, 'skills', 'alpha'), { 'more.md': 'More.\n' })
  commitAll(upstream, 'more')
  expect((await person.calls.skills.update({})).value.updates).toMatchObject([{ name: 'alpha', result: 'updated' }])

  const withPassword = source.replace('://', '://reader:hush-9@')
  expect((await person.calls.skills.import({ source: withPassword, as: 'beta' })).value.imported).toHaveLength(1)
  const files = readTree(person.home, (path) => path === '.git-credentials') ?? {}
  expect(Object.keys(files).filter((path) => `${path} ${files[path]}`.includes('hush-9'))).toEqual([])
})
