import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aLinkTo, makeFolder, makeProject } from '../../test/cli/run.ts'
import { Machine } from './machine.ts'
import { openProject } from './open-project.ts'

const outer = makeProject({
  'loadout.json': '{}',
  'repo/.git/HEAD': '',
  'repo/loadout.json': '{ "payloads": ["docs/*.md"] }',
  'repo/part/.claude/loadout/index.json': '{}',
  'repo/part/deep/x': '',
  'repo/other/x': '',
  'bare/.git/HEAD': '',
  'bare/deep/x': '',
  'plain/.claude/loadout/a.md': '',
  'plain/deep/x': '',
  'other/x': '',
  'a file': '',
  'a link to nowhere': aLinkTo('/nowhere/at/all'),
})
const at = (path: string) => join(outer, path)
const machineAt = (cwd: string) => new Machine({ cwd: at(cwd), home: makeFolder(), env: {}, now: () => new Date() })

describe('which folder is the project', () => {
  it.each([
    ['its index', 'repo/part', undefined, 'repo/part', 'repo'],
    ['the nearest one upwards', 'repo/part/deep', undefined, 'repo/part', 'repo'],
    ['its settings', 'repo/other', undefined, 'repo', 'repo'],
    ['else the repository', 'bare/deep', undefined, 'bare', 'bare'],
    ['the nearest one upwards, also without a repository', 'plain/deep', undefined, 'plain', undefined],
    ['its settings, also without a repository', 'other', undefined, '', undefined],
    ['a named folder exactly', 'plain', '../repo/part/deep', 'repo/part/deep', 'repo'],
    ['also the working folder', 'bare/deep', '.', 'bare/deep', 'bare'],
  ])('%s', (_, cwd, named, root, repository) => {
    const project = openProject(machineAt(cwd), named)
    expect(project.root).toBe(at(root))
    expect(project.repository).toBe(repository && at(repository))
    expect(project.place).toBe(named === undefined ? at(cwd) : at(root))
  })

  it('goes no further up than the home, or a folder that others may write to', () => {
    const machine = new Machine({ ...machineAt('plain/deep'), home: at('plain') })
    expect(machine.openProject().root).toBe(at('plain/deep'))
    const shared = makeProject({ 'loadout.json': '{}', 'deep/x': '' })
    chmodSync(shared, 0o777)
    expect(openProject(new Machine({ ...machine, cwd: join(shared, 'deep') })).root).toBe(join(shared, 'deep'))
    expect(openProject(new Machine({ ...machine, cwd: shared })).root).toBe(shared)
  })

  it('takes ~ for the home folder', () => {
    const machine = machineAt('plain')
    mkdirSync(join(machine.home, 'x'))
    expect(machine.openProject('~/x').root).toBe(join(machine.home, 'x'))
  })

  it('hands on what is open already', () => {
    const project = openProject(machineAt('repo'))
    expect(openProject(machineAt('plain'), project)).toBe(project)
  })

  it('reads the settings when they are first needed', () => {
    expect(openProject(machineAt('repo/other')).settings.payloads).toEqual(['docs/*.md'])
    const broken = openProject(machineAt('repo/part'), makeProject({ 'loadout.json': '{' }))
    expect(() => broken.settings).toThrowError(expect.objectContaining({ code: 'BAD_JSON' }))
  })

  it.each([
    ['nowhere', 'does not exist'],
    ['a link to nowhere', 'does not exist'],
    ['a file', 'is not a folder'],
    ['a file/below', 'does not exist'],
  ])('%s is refused with its path', (named, problem) => {
    const refused = { code: 'NOT_A_FOLDER', message: `${at(named)} ${problem}` }
    expect(() => openProject(machineAt('.'), named)).toThrowError(expect.objectContaining(refused))
  })

  it('an empty name is refused', () => {
    expect(() => openProject(machineAt('.'), '')).toThrowError(expect.objectContaining({ code: 'USAGE' }))
  })
})
