import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CacheKey } from '../../src/machine/cache.ts'
import { Machine } from '../../src/machine/machine.ts'
import { hashTree, listTree } from '../../src/skills/disk/tree.ts'
import { type FolderState, readFolders, TreeCache, writeFolders } from '../../src/skills/disk/tree-cache.ts'
import { makeFolder } from '../cli/run.ts'

/** So late that everything counts as settled, unless a test is about that. */
const LATER = 60_000

function makeMachine(ahead = LATER): Machine {
  const home = makeFolder()
  return new Machine({ cwd: home, home, env: {}, now: () => new Date(Date.now() + ahead) })
}

function makeSkill(): string {
  const folder = join(makeFolder(), 'skill')
  mkdirSync(join(folder, 'scripts', 'deep'), { recursive: true })
  writeFileSync(join(folder, 'skill.json'), '{"name":"a"}')
  writeFileSync(join(folder, 'SKILL.md'), 'text')
  writeFileSync(join(folder, 'scripts', 'run.sh'), 'run')
  writeFileSync(join(folder, 'scripts', 'deep', 'x'), 'x')
  return folder
}

function readOnce(machine: Machine, folder: string): FolderState {
  const cache = new TreeCache(machine)
  const state = cache.read(folder)
  cache.save()
  return state
}

/** What a process without any memory says. */
function readAnew(folder: string): FolderState {
  return new TreeCache(makeMachine()).read(folder)
}

const KEY: CacheKey = { kind: 'trees', version: 4, name: [] }
const putCache = (machine: Machine, text: string) => machine.cache.write(KEY, Buffer.from(text, 'latin1'))

/** A hash that is only in the cache shows that nothing was read. */
function changeHash(machine: Machine, hash: string): void {
  const { folders = new Map(), rest } = readFolders(machine.cache, KEY) ?? {}
  writeFolders(machine.cache, KEY, folders, JSON.parse(JSON.stringify(rest).replace(hash, 'remembered')))
}

describe('a folder that was read before', () => {
  it('is known by its times alone', () => {
    const [machine, folder] = [makeMachine(), makeSkill()]
    const first = readOnce(machine, folder)
    const files = ['SKILL.md', 'scripts', 'scripts/deep/x', 'scripts/run.sh', 'skill.json']
    expect(files.map((path) => first.kindOf(path))).toEqual(['file', undefined, 'file', 'file', 'file'])
    expect(first).toEqual(readAnew(folder))
    changeHash(machine, first.hash)
    expect(readOnce(machine, folder)).toMatchObject({ label: first.label, hash: 'remembered' })
  })

  const keepTimes = (path: string, change: () => void) => {
    const { atime, mtime } = statSync(path)
    change()
    utimesSync(path, atime, mtime)
  }
  const changes: [what: string, change: (folder: string) => void][] = [
    ['another text', (folder) => writeFileSync(join(folder, 'SKILL.md'), 'other text')],
    [
      'a text of the same size and times',
      (folder) => keepTimes(join(folder, 'SKILL.md'), () => writeFileSync(join(folder, 'SKILL.md'), 'tezt')),
    ],
    ['a file more', (folder) => writeFileSync(join(folder, 'new.md'), '')],
    ['a file more, deep inside', (folder) => writeFileSync(join(folder, 'scripts', 'deep', 'y'), '')],
    [
      'a file more in a folder whose times were put back',
      (folder) => keepTimes(join(folder, 'scripts'), () => writeFileSync(join(folder, 'scripts', 'y'), '')),
    ],
    ['a file less', (folder) => rmSync(join(folder, 'scripts', 'run.sh'))],
    ['another name', (folder) => renameSync(join(folder, 'scripts', 'run.sh'), join(folder, 'scripts', 'go.sh'))],
    ['another name of a folder', (folder) => renameSync(join(folder, 'scripts'), join(folder, 'bin'))],
    ['a folder less', (folder) => rmSync(join(folder, 'scripts'), { recursive: true })],
    ['a folder more, with a file', (folder) => makeWith(join(folder, 'more'), 'y')],
    ['an executable bit', (folder) => chmodSync(join(folder, 'scripts', 'run.sh'), 0o755)],
    ['a link for a file', (folder) => linkInstead(join(folder, 'SKILL.md'), 'skill.json')],
    ['another description', (folder) => writeFileSync(join(folder, 'skill.json'), '{"name":"b"}')],
    ['a marker', (folder) => writeFileSync(join(folder, '.loadout'), '{}')],
    ['a folder in its place', (folder) => [rmSync(folder, { recursive: true }), makeWith(folder, 'skill.json')]],
  ]
  it.each(changes)('is read again after %s', (_, change) => {
    const [machine, folder] = [makeMachine(), makeSkill()]
    const before = readOnce(machine, folder)
    change(folder)
    const after = readOnce(machine, folder)
    expect(after).not.toEqual(before)
    expect(after).toEqual(readAnew(folder))
    expect(after.hash).toBe(hashTree(folder, listTree(folder).files))
    expect(readOnce(machine, folder)).toEqual(after)
  })

  it('keeps its hash when only its marker is new', () => {
    const [machine, folder] = [makeMachine(), makeSkill()]
    writeFileSync(join(folder, '.loadout'), 'one')
    const { hash } = readOnce(machine, folder)
    changeHash(machine, hash)
    writeFileSync(join(folder, 'stage'), 'two')
    renameSync(join(folder, 'stage'), join(folder, '.loadout'))
    expect(readOnce(machine, folder)).toMatchObject({
      hash: 'remembered',
      label: { text: 'two' },
    })
    rmSync(join(folder, '.loadout'))
    expect(readOnce(machine, folder)).toMatchObject({
      hash: 'remembered',
      label: { json: { name: 'a' } },
    })
  })

  it('through a link follows where the link leads now', () => {
    const machine = makeMachine()
    const [one, two, link] = [makeSkill(), makeSkill(), join(makeFolder(), 'link')]
    writeFileSync(join(two, 'SKILL.md'), 'two')
    symlinkSync(one, link)
    expect(readOnce(machine, link).hash).toBe(readAnew(one).hash)
    linkInstead(link, two)
    expect(readOnce(machine, link).hash).toBe(readAnew(two).hash)
  })

  it('is an error when it is gone', () => {
    const [machine, folder] = [makeMachine(), makeSkill()]
    readOnce(machine, folder)
    rmSync(folder, { recursive: true })
    expect(() => readOnce(machine, folder)).toThrow(`${folder} does not exist`)
  })
})

it('what is so fresh that its times may not tell the next change is not remembered', () => {
  const [machine, folder] = [makeMachine(0), makeSkill()]
  readOnce(machine, folder)
  expect(readFolders(machine.cache, KEY)).toBeUndefined()
  utimesSync(join(folder, 'SKILL.md'), 1, 1)
  readOnce(machine, folder)
  expect(readFolders(machine.cache, KEY)).toBeUndefined()
})

it.each([
  '',
  '{}',
  '[1]',
  '[["x"]]',
  '[["FOLDER",["h",null,[]]]]',
  '[["FOLDER",["h",null,[1,2]]]]',
  '[["FOLDER",["h","l",["../x",1]]]]',
])('a cache that holds %j is as good as none', (text) => {
  const [machine, folder] = [makeMachine(), makeSkill()]
  putCache(machine, text.replace('FOLDER', folder))
  expect(readOnce(machine, folder)).toEqual(readAnew(folder))
})

it('a damaged cache is as good as none, wherever the damage is', () => {
  const [machine, folder] = [makeMachine(), makeSkill()]
  const sound = readOnce(machine, folder)
  const path = join(machine.home, '.cache', 'loadout', 'trees')
  const file = join(path, readdirSync(path)[0] ?? '')
  const bytes = readFileSync(file)
  for (let at = 0; at < bytes.length; at += 13) {
    const damaged = Buffer.from(bytes)
    damaged[at] = (bytes[at] ?? 0) ^ 0xff
    writeFileSync(file, damaged)
    expect(new TreeCache(machine).read(folder)).toEqual(sound)
  }
})

function makeWith(folder: string, file: string): void {
  mkdirSync(folder)
  writeFileSync(join(folder, file), 'y')
}

function linkInstead(path: string, target: string): void {
  rmSync(path)
  symlinkSync(target, path)
}

it('on a disk that calls every file executable, a copy has the hash of what was written', () => {
  const folder = makeSkill()
  const marker = join(folder, '.loadout')
  writeFileSync(marker, '{}')
  const before = readAnew(folder).hash
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) chmodSync(join(folder, path), 0o777)
  expect(readAnew(folder).hash).toBe(before)
  chmodSync(marker, 0o666)
  expect(readAnew(folder).hash).not.toBe(before)
})
