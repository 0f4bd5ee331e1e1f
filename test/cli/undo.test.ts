import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commitAll, connect, equip, git, makeLibrary, write } from '../tui/machine.ts'
import { makeFolder } from './run.ts'
import { runWarm } from './warm.ts'

/** A library with one imported skill, installed for an agent, and updated from its source. */
function updated() {
  const home = makeFolder()
  const source = join(home, 'source')
  const offer = (text: string) =>
    write(join(source, 'skills/plan/SKILL.md'), `---\nname: plan\ndescription: Plans.\n---\n# Plan\n\n${text}\n`)
  offer('Old')
  git(source, 'init', '-q')
  commitAll(source, 'Start')
  const library = makeLibrary(join(home, 'skills'))
  connect(home, library)
  const run = (...words: string[]) => runWarm(words, { home, cwd: home })
  expect(run('import', source, '--all').code).toBe(0)
  equip(home, 'plan', 'claude')
  offer('New')
  commitAll(source, 'News')
  const result = JSON.parse(run('update', 'plan', '--yes', '--json').stdout)
  const read = (...place: string[]) => readFileSync(join(home, ...place, 'plan/SKILL.md'), 'utf8')
  expect(read('.claude/skills')).toContain('New')
  return { home, library, run, read, commit: String(result.commit) }
}

it('an update is taken back as a commit, with its copies, and the undo is taken back as well', () => {
  const { library, run, read, commit } = updated()
  const head = () => git(library, 'rev-parse', 'HEAD').trim()
  const planned = run('undo', commit, '--dry-run')
  expect([planned.stderr, planned.stdout]).toEqual(['', expect.stringContaining('-New')])
  expect([head(), read('.claude/skills')]).toEqual([commit, expect.stringContaining('New')])
  const undone = JSON.parse(run('undo', commit.slice(0, 7), '--json').stdout)
  expect(undone).toMatchObject({ undone: commit, names: ['plan'], commit: head() })
  expect([read('skills/skills'), read('.claude/skills')].map((text) => text.includes('Old'))).toEqual([true, true])
  expect(git(library, 'status', '--porcelain')).toBe('')
  expect(run('undo').code).toBe(0)
  expect(read('.claude/skills')).toContain('New')
})

it('a skill that has changed since is a conflict, committed or not, and nothing is changed', () => {
  const { library, run, read, commit } = updated()
  const file = join(library, 'skills/plan/SKILL.md')
  writeFileSync(file, `${readFileSync(file, 'utf8')}Mine\n`)
  for (const step of ['edited', 'committed']) {
    if (step === 'committed') commitAll(library, 'Mine')
    const before = git(library, 'rev-parse', 'HEAD')
    const { code, stderr } = run('undo', commit)
    expect([code, stderr]).toEqual([2, expect.stringContaining('skills/plan has changed since')])
    expect([git(library, 'rev-parse', 'HEAD'), read('skills/skills').includes('Mine')]).toEqual([before, true])
  }
})

it.each([
  ['a commit that is not there', 'abcdef1', 'has no commit'],
  ['a word of git', '--all', 'Unknown flag'],
  ['a name that is no commit', 'HEAD~1', 'has no commit'],
])('%s is refused', (_, named, says) => {
  const home = makeFolder()
  connect(home, makeLibrary(join(home, 'skills')))
  const { code, stderr } = runWarm(['undo', named], { home, cwd: home })
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
})
