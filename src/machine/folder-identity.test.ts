import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeFolder } from '../../test/cli/run.ts'
import { isPlace, placeOf } from './folder-identity.ts'
import { Machine } from './machine.ts'

function makeRepository(folder: string, text: string): string {
  const git = (...words: string[]) => execFileSync('git', ['-C', folder, ...words], { stdio: 'ignore' })
  git('init', '--quiet')
  writeFileSync(join(folder, 'a.md'), text)
  git('add', '--all')
  git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '--quiet', '--message', text)
  return folder
}

it('a repository is known by its first commit; git is not asked again while its folder is the same', () => {
  const later = new Date(Date.now() + 60_000)
  const machine = new Machine({ cwd: '/', home: makeFolder(), env: {}, now: () => later })
  const [project, other] = [makeRepository(makeFolder(), 'one'), makeRepository(makeFolder(), 'two')]
  const place = placeOf(project)
  expect([isPlace(machine, project, place), isPlace(machine, other, place)]).toEqual([true, false])
  withoutGit()
  expect([isPlace(machine, project, place), isPlace(machine, other, place)]).toEqual([true, false])
  // The other project moves to the same path.
  rmSync(project, { recursive: true })
  renameSync(other, project)
  expect(isPlace(machine, project, place)).toBe(false)
})

/** No program is found until the test ends. */
function withoutGit(): void {
  const { PATH } = process.env
  process.env.PATH = '/nowhere'
  onTestFinished(() => {
    process.env.PATH = PATH
  })
}
