import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { libraryHashOf } from '../../src/skills/disk/library-git.ts'
import type { Run } from '../cli/run.ts'
import {
  AGENT_FOLDERS,
  commitAll,
  git,
  leftoversIn,
  loadout,
  loadoutOk,
  makeWorld,
  readTree,
  skillFiles,
  type World,
  write,
} from './world.ts'

const NAMES = ['one', 'two', 'three']
/** Races show themselves now and then: many rounds for who has changed a lock, some for everyone. */
const ROUNDS = process.env.LOADOUT_TEST_ALL === undefined ? 2 : 20

function makeLibrary(): World {
  const files = (name: string) => ({ ...skillFiles(name), 'docs/more.md': `More about ${name}.\n`, 'run.sh': 'true\n' })
  const world = makeWorld(Object.fromEntries(NAMES.map((name) => [name, files(name)])))
  write(world.library, { 'profiles/some.json': JSON.stringify({ one: ['claude'], two: ['claude', 'codex'] }) })
  commitAll(world, 'profile')
  return world
}

/** What each skill looks like when it is installed for both agents. */
async function installedTrees(): Promise<Record<string, ReturnType<typeof readTree>>> {
  const world = makeLibrary()
  await loadoutOk(world, 'equip', '--all')
  const paths = AGENT_FOLDERS.flatMap((folder) => NAMES.map((name) => join(folder, name)))
  return Object.fromEntries(paths.map((path) => [path, withoutMarker(world, path)]))
}

function withoutMarker({ home }: World, path: string): ReturnType<typeof readTree> {
  return readTree(join(home, path), (name) => name === '.loadout')
}

/** Every install is complete and current, or not there; nothing lies about. */
async function checkEnd(world: World, whole: Record<string, ReturnType<typeof readTree>>): Promise<void> {
  for (const folder of AGENT_FOLDERS.filter((each) => existsSync(join(world.home, each)))) {
    for (const name of readdirSync(join(world.home, folder))) {
      const path = join(folder, name)
      expect({ path, tree: withoutMarker(world, path) }).toEqual({ path, tree: whole[path] })
    }
  }
  expect(leftoversIn(world).join(' ')).toBe('')
  expect(await loadout(world, ['doctor'])).toMatchObject({ code: 0 })
  expect(git(world, 'status', '--porcelain')).toBe('')
}

/** The same choice in every run of the test. */
function pick<T>(items: readonly T[], seed: number): T {
  const mixed = Math.imul(seed + 1, 2654435761) >>> 8
  return items[mixed % items.length] as T
}

const WRITERS = [
  ['equip', 'one'],
  ['unequip', 'one'],
  ['equip', 'one', 'two', '--target', 'claude'],
  ['unequip', 'two'],
  ['equip', '--all'],
  ['unequip', 'three', '--target', 'codex'],
  ['unequip', '--all'],
  ['equip', 'three', '--target', 'codex'],
  ['profile', 'switch', 'some'],
]
const READERS = [
  ['inventory', '--json'],
  ['doctor', '--json'],
]

const isFine = ({ code, stderr }: Run) =>
  code === 0 || (code === 2 && /is locked by loadout \w+ \(process/.test(stderr))

describe.concurrent('twelve at once', () => {
  it(`leave every install whole or absent, ${ROUNDS} times`, { timeout: 600_000 }, async () => {
    const whole = await installedTrees()
    const world = makeLibrary()
    for (let round = 0; round < ROUNDS; round += 1) {
      const writers = Array.from({ length: 10 }, (_, at) => pick(WRITERS, round * 31 + at))
      const runs = [...writers, ...READERS].map(async (args) => ({ args, run: await loadout(world, args) }))
      const failed = (await Promise.all(runs)).filter(({ run }) => !isFine(run))
      expect(failed, `round ${round}`).toEqual([])
      await checkEnd(world, whole)
    }
  })

  it('take over the lock of a dead process, once', { timeout: 300_000 }, async () => {
    const whole = await installedTrees()
    const { pid } = spawnSync('true')
    for (let round = 0; round < Math.min(ROUNDS, 3); round += 1) {
      const world = makeLibrary()
      const locked = [join(world.library, '.git/loadout-work'), join(world.home, '.claude/skills/.loadout-work')]
      const owner = JSON.stringify({ pid, started: '1', host: hostname(), purpose: 'equip' })
      for (const folder of locked) write(folder, { 'lock/owner.json': owner })
      const commands = Array.from({ length: 12 }, (_, at) => pick([...WRITERS, ...READERS], round * 17 + at))
      const runs = await Promise.all(commands.map((args) => loadout(world, args)))
      // A doctor that comes before the writers says what is true then.
      const failed = runs.filter((run) => !isFine(run) && !/a command was interrupted/.test(run.stderr))
      expect(failed).toEqual([])
      await loadoutOk(world, 'equip', 'one')
      await checkEnd(world, whole)
    }
  })
})

/** A hook that holds every commit, and with it the lock of the library, until `letGo`; at most for two minutes. */
function holdCommits(world: World): void {
  const hook = join(world.library, '.git/hooks/pre-commit')
  mkdirSync(join(world.library, '.git/hooks'))
  const wait = 'for _ in $(seq 1200); do [ -e "$HOME/go" ] && break; sleep 0.1; done'
  writeFileSync(hook, `#!/bin/sh\ntouch "$HOME/held"\n${wait}\n`)
  chmodSync(hook, 0o755)
}

function letGo(world: World): void {
  writeFileSync(join(world.home, 'go'), '')
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((wake) => setTimeout(wake, 20))
}

const draft = (name: string) => ({
  [`drafts/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: A draft.\n---\nText\n`,
})

describe.concurrent('a lock', () => {
  it('that is held for long makes the next wait, and then say who holds it', { timeout: 180_000 }, async () => {
    const world = makeLibrary()
    write(world.home, draft('slow'))
    holdCommits(world)
    const holder = loadout(world, ['import', 'drafts/slow', '--targets', 'claude'])
    await until(() => existsSync(join(world.home, 'held')))
    const ended: string[] = []
    const run = (...args: string[]) => loadout(world, args).finally(() => ended.push(args[0]!))
    const [waiting, reader] = await Promise.all([run('equip', 'one'), run('inventory')])
    expect(waiting.code).toBe(2)
    expect(waiting.stderr).toMatch(/library\/\.git is locked by loadout import \(process \d+ on [^)]+\)/)
    expect(waiting.stderr).toContain('wait until it has finished')
    expect(ended).toEqual(['inventory', 'equip'])
    expect(reader).toMatchObject({ code: 0 })
    letGo(world)
    expect(await holder).toMatchObject({ code: 0 })
    await loadoutOk(world, 'equip', 'one')
    expect(leftoversIn(world).join(' ')).toBe('')
  })

  it('that is given back in time lets the next one in', async () => {
    const world = makeLibrary()
    write(world.home, draft('slow'))
    holdCommits(world)
    const holder = loadout(world, ['import', 'drafts/slow', '--targets', 'claude'])
    await until(() => existsSync(join(world.home, 'held')))
    setTimeout(() => letGo(world), 2000)
    expect(await loadout(world, ['equip', 'one'])).toMatchObject({ code: 0 })
    expect(await holder).toMatchObject({ code: 0 })
    expect(leftoversIn(world).join(' ')).toBe('')
  })

  it('of a process that has ended, but that its parent has not collected, is free', async () => {
    const world = makeLibrary()
    // The shell becomes a program that never asks how its child ended.
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 20'], { stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      const pid = await new Promise<number>((settle) => {
        parent.stdout.once('data', (bytes) => settle(Number(String(bytes))))
      })
      const started = spawnSync('sh', ['-c', `cut -d' ' -f22 /proc/${pid}/stat`])
        .stdout.toString()
        .trim()
      const owner = JSON.stringify({ pid, started, host: hostname(), purpose: 'equip' })
      write(join(world.library, '.git/loadout-work'), { 'lock/owner.json': owner })
      expect(await loadout(world, ['equip', 'one'])).toMatchObject({ code: 0 })
      expect(leftoversIn(world).join(' ')).toBe('')
    } finally {
      parent.kill()
    }
  })
})

describe.concurrent('side by side', () => {
  it('imports of different skills commit exactly their own', async () => {
    const world = makeLibrary()
    const names = ['four', 'five', 'six', 'seven']
    for (const name of names) write(world.home, draft(name))
    const first = git(world, 'rev-parse', 'HEAD')
    const imports = names.map((name) => loadout(world, ['import', `drafts/${name}`, '--targets', 'claude']))
    expect((await Promise.all(imports)).map(({ code }) => code)).toEqual([0, 0, 0, 0])
    const log = git(world, 'log', '--format=%s', '--name-only', '--reverse', `${first}..HEAD`).split('\n\n')
    const rows = log
      .join('\n')
      .split('\n')
      .filter((line) => line !== '')
    const expected = names.map((name) => [
      `Import skill ${name}`,
      `skills/${name}/SKILL.md`,
      `skills/${name}/skill.json`,
    ])
    const commits = Array.from({ length: 4 }, (_, at) => rows.slice(at * 3, at * 3 + 3))
    expect(commits.sort()).toEqual(expected.sort())
    expect(git(world, 'status', '--porcelain')).toBe('')
    expect(leftoversIn(world).join(' ')).toBe('')
  })

  it('updates of one skill make one commit, whoever comes second', { timeout: 180_000 }, async () => {
    const world = makeLibrary()
    const folder = join(world.library, 'skills/one')
    const source = { path: '~/upstream', folder: '', tree_hash: '0'.repeat(64), imported_at: '2026-01-02T03:04:05Z' }
    const hash = libraryHashOf(folder, 'one')
    const json = { ...JSON.parse(skillFiles('one')['skill.json'] ?? ''), source: { ...source, library_hash: hash } }
    write(folder, { 'skill.json': JSON.stringify(json) })
    commitAll(world, 'source')
    write(join(world.home, 'upstream'), { 'SKILL.md': '---\nname: one\ndescription: About one.\n---\n# New\n' })
    await loadoutOk(world, 'approve', 'skill:one')
    await loadoutOk(world, 'equip', 'one')
    const first = git(world, 'rev-parse', 'HEAD')
    const runs = await Promise.all(
      ['update', 'update', 'sync', 'update'].map((name) => loadout(world, name === 'sync' ? [name] : [name, 'one'])),
    )
    expect(runs.map(({ code }) => code).filter((code) => code !== 0 && code !== 1)).toEqual([])
    expect(git(world, 'rev-list', '--count', `${first}..HEAD`)).toBe('1')
    await loadoutOk(world, 'sync')
    for (const agent of AGENT_FOLDERS) expect(withoutMarker(world, join(agent, 'one'))?.['SKILL.md']).toContain('# New')
    expect(leftoversIn(world).join(' ')).toBe('')
    expect(git(world, 'status', '--porcelain')).toBe('')
  })

  it('a diff tells of the other copies when one that it saw is removed meanwhile', async () => {
    const world = makeLibrary()
    await loadoutOk(world, 'equip', 'one')
    for (const folder of AGENT_FOLDERS) write(join(world.home, folder, 'one'), { 'SKILL.md': '# Edited\n' })
    // The first copy is compared by git, which takes the second one away.
    const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim()
    const remove = 'case "$*" in *--no-index*) rm -rf "$HOME/.codex/skills/one" ;; esac'
    write(world.home, { 'bin/git': `#!/bin/sh\n${remove}\nexec ${real} "$@"\n` })
    chmodSync(join(world.home, 'bin/git'), 0o755)
    const PATH = `${join(world.home, 'bin')}:${process.env.PATH}`
    const { stdout, stderr } = await loadout(world, ['diff', 'one', '--json'], { PATH })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout).differences.map(({ agents }: { agents: string[] }) => agents)).toEqual([['claude']])
  })

  it('a sync and an equip end with everything current', { timeout: 180_000 }, async () => {
    const world = makeLibrary()
    await loadoutOk(world, 'equip', 'one', 'two')
    for (let round = 0; round < ROUNDS; round += 1) {
      write(join(world.library, 'skills/one'), { 'docs/more.md': `Round ${round}.\n` })
      commitAll(world, `round ${round}`)
      const commands = [['sync'], ['equip', 'three'], ['sync'], ['equip', 'one', 'two']]
      const codes = (await Promise.all(commands.map((args) => loadout(world, args)))).map(({ code }) => code)
      expect(codes).toEqual([0, 0, 0, 0])
      for (const folder of AGENT_FOLDERS) {
        expect(readTree(join(world.home, folder, 'one/docs'))).toEqual({ 'more.md': `- Round ${round}.\n` })
      }
      expect(leftoversIn(world).join(' ')).toBe('')
      expect(await loadout(world, ['doctor'])).toMatchObject({ code: 0 })
      await loadoutOk(world, 'unequip', 'three')
    }
  })
})
