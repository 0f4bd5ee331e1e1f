import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder, makeProject } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

it('notes are added, listed and pruned', () => {
  const cwd = makeFolder()
  const run = (...args: string[]) => runWarm(['note', ...args], { cwd })
  const added = run('add', 'The', 'release', 'waits.', '--tag', 'release', '--class', 'blocker', '--ttl', '2d')
  expect(added).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^added note [0-9a-f]{16} to \.loadout\/notes\.jsonl/),
  })
  expect(added.stderr).toContain('until loadout.json names their file')

  const old = { record_id: 'old', captured_at: '2020-01-01', policy: { ttl_expires_at: '2020-01-02' }, source: 'ci' }
  const content = { text: 'Long gone \u001b[31mred', class: 'note', tags: [] }
  appendFileSync(join(cwd, '.loadout/notes.jsonl'), `${JSON.stringify({ ...old, content })}\nno note\n`)
  const listed = run('list')
  expect(listed.stdout).toMatch(
    /blocker {2}until .*#release\n {2}The release waits\.\n1 note expired: loadout note list --all/,
  )
  expect(listed.stderr).toContain('line 3 is not a note (it is not valid JSON)')
  expect(run('list', '--all').stdout).toContain('  Long gone [31mred\n')

  expect(run('prune', '--dry-run').stdout).toMatch(/^Nothing was changed/)
  expect(run('prune')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 note expired, 1 note kept') })
  expect(readFileSync(join(cwd, '.loadout/notes.jsonl.corrupt'), 'utf8')).toBe('no note\n')
  expect(run('list', '--all')).toMatchObject({ stdout: expect.not.stringContaining('Long gone') })
})

it('a note that cannot be written down says why', () => {
  const cwd = makeFolder()
  expect(runWarm(['note', 'add', 'a', '--ttl', 'soon'], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('use 90m, 12h'),
  })
  expect(runWarm(['note', 'add'], { cwd })).toMatchObject({ code: 2 })
  expect(runWarm(['note', 'list', '--project=gone'], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('/gone does not exist'),
  })
  expect(existsSync(join(cwd, '.loadout'))).toBe(false)
})

it('commands of a project are shown before they are allowed, as they would be typed', () => {
  const adapters = [
    { id: 'work', command: ['echo', 'a \u001b[2J'] },
    { id: 'ci', file: 'ci.json' },
  ]
  const cwd = makeProject({ 'loadout.json': JSON.stringify({ adapters }) })
  const home = makeFolder()
  const run = (...args: string[]) => runWarm(['adapters', ...args], { cwd, home })
  expect(run('list').stdout).toBe(
    "work  not approved  runs echo 'a \\u001b[2J'\nci    file          reads ci.json\nto allow one: loadout approve adapter:<name>\n",
  )
  expect(run('allow')).toMatchObject({ code: 0, stdout: expect.stringContaining('The adapter work may run') })
  expect(run('list').stdout).toContain('work  approved')
  expect(run('revoke').code).toBe(0)
  expect(run('list').stdout).toContain('work  not approved')
})
