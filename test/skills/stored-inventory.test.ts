import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLoadout } from '../../src/loadout.ts'
import { copyTree } from '../../src/skills/disk/tree.ts'
import { envOf, makeWorld, skillFiles, type World } from './world.ts'

// An inventory that is taken again is mostly the stored one. It must be what a process without memory says.

const LATER = 60_000
const scripts = { 'scripts/run.sh': 'run\n' }
const world = makeWorld({ alpha: { ...skillFiles('alpha'), ...scripts }, beta: skillFiles('beta') })
const machine = {
  home: world.home,
  cwd: world.home,
  env: envOf(world),
  now: () => new Date(Date.now() + LATER),
  report: () => {},
}
const calls = createLoadout({ ...machine, persist: true })
await calls.skills.equip({ names: ['alpha'] })
await calls.skills.inventory({})

async function takeAnew() {
  rmSync(join(world.home, '.cache'), { recursive: true })
  return calls.skills.inventory({})
}

const CLAUDE = '.claude/skills/alpha'
const LIBRARY = 'library/skills/alpha'

const at = (path: string) => join(world.home, path)
const edit = (path: string) => (to: World) => {
  const file = join(to.home, path)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[a-z]/, 'z'))
}
const keepTimes = (path: string, change: (to: World) => void) => (to: World) => {
  const { atime, mtime } = statSync(at(path))
  change(to)
  utimesSync(at(path), atime, mtime)
}

// Each row is left to the next ones: what is stored is always of a world that was changed before.
const CHANGES: [what: string, change: (to: World) => unknown][] = [
  ['nothing', () => {}],
  ['a file of an installed copy, in place', edit(`${CLAUDE}/SKILL.md`)],
  [
    'one of the same size, with its time put back',
    keepTimes(`${CLAUDE}/scripts/run.sh`, edit(`${CLAUDE}/scripts/run.sh`)),
  ],
  ['a file more, deep inside', () => writeFileSync(at(`${CLAUDE}/scripts/more`), '')],
  ['a marker, in place', () => writeFileSync(at('.codex/skills/alpha/.loadout'), '{}')],
  ['a copy that is gone', () => rmSync(at(CLAUDE), { recursive: true })],
  ['a file of the library, in place', edit(`${LIBRARY}/SKILL.md`)],
  ['a description, in place', edit('library/skills/beta/skill.json')],
  ['a skill of the library that is gone', () => renameSync(at(LIBRARY), at('library/skills/gamma'))],
  ['a loose folder', () => copyTree(at('library/skills/beta'), at('.codex/skills/loose'))],
  ['a link to a folder', () => symlinkSync(at('library/skills/beta'), at('.codex/skills/linked'))],
  ['a link that leads nowhere now', () => renameSync(at('library/skills/beta'), at('library/skills/beta-two'))],
  ['a root that is gone', () => rmSync(at('.codex'), { recursive: true })],
  ['a root that is there again', () => mkdirSync(at('.codex/skills/new'), { recursive: true })],
  [
    'another agent',
    () =>
      writeFileSync(
        at('.config/loadout/config.json'),
        '{"repo_path":"~/library","targets":{"cursor":{"enabled":true}}}',
      ),
  ],
]

it.each(CHANGES)('after %s, an inventory is what a process without memory says', async (_, change) => {
  await calls.skills.inventory({})
  change(world)
  const again = await calls.skills.inventory({})
  expect(JSON.stringify(again)).toBe(JSON.stringify(await calls.skills.inventory({})))
  expect(JSON.stringify(again)).toBe(JSON.stringify(await takeAnew()))
})

it('an inventory is the stored one as long as nothing changed', async () => {
  const fresh = makeWorld({ alpha: { ...skillFiles('alpha'), ...scripts } })
  const own = createLoadout({ persist: true, ...machine, home: fresh.home, cwd: fresh.home, env: envOf(fresh) })
  await own.skills.equip({ names: ['alpha'] })
  const first = await own.skills.inventory({})
  // Without the hashes nothing could be judged anew but by reading everything.
  const trees = join(fresh.home, '.cache', 'loadout', 'trees')
  rmSync(trees, { recursive: true })
  expect(await own.skills.inventory({})).toEqual(first)
  expect(() => statSync(trees)).toThrow('ENOENT')
})
