import { describe, expect, it } from 'vitest'
import { cacheFolder, configFolder, stateFolder } from './machine.ts'
import { childOptions, flushFlags, isTaken, move, sameName } from './platform.ts'

const failing = (code: string, times: number) => {
  const calls: [string, string][] = []
  const rename = (from: string | URL | Buffer, to: string | URL | Buffer) => {
    calls.push([String(from), String(to)])
    if (calls.length <= times) throw Object.assign(new Error(code), { code })
  }
  return { calls, rename }
}

describe('a rename', () => {
  const rows: [platform: NodeJS.Platform, code: string, failures: number, tries: number, outcome: 'done' | 'fails'][] =
    [
      ['linux', 'EPERM', 0, 1, 'done'],
      ['linux', 'EPERM', 1, 1, 'fails'],
      ['darwin', 'EBUSY', 1, 1, 'fails'],
      ['win32', 'EPERM', 0, 1, 'done'],
      ['win32', 'EPERM', 2, 3, 'done'],
      ['win32', 'EACCES', 3, 4, 'done'],
      ['win32', 'EBUSY', 1, 2, 'done'],
      ['win32', 'ENOENT', 1, 1, 'fails'],
      ['win32', 'EPERM', 99, 8, 'fails'],
    ]
  it.each(rows)(
    'on %s, refused with %s %i times, is tried %i times: %s',
    (platform, code, failures, tries, outcome) => {
      const { calls, rename } = failing(code, failures)
      const run = () => move('a', 'b', rename, platform)
      if (outcome === 'done') run()
      else expect(run).toThrow(code)
      expect(calls).toEqual(Array.from({ length: tries }, () => ['a', 'b']))
    },
  )

  const taken: [platform: NodeJS.Platform, code: string, isIt: boolean][] = [
    ['linux', 'ENOTEMPTY', true],
    ['linux', 'EEXIST', true],
    ['linux', 'EPERM', false],
    ['win32', 'EPERM', true],
    ['win32', 'ENOSPC', false],
  ]
  it.each(taken)('on %s that fails with %s: a folder is in its place: %s', (platform, code, isIt) => {
    expect(isTaken(Object.assign(new Error(code), { code }), platform)).toBe(isIt)
  })
})

it.each([
  [['Release-Notes', 'other'], 'release-notes', 'Release-Notes'],
  [['release-notes'], 'release-notes', undefined],
  [['caf\u0065\u0301'], 'caf\u00e9', 'caf\u0065\u0301'],
  [['release-notes-2'], 'release-notes', undefined],
])('among %j, macOS and Windows take for %s: %s', (names, name, same) => {
  expect(sameName(names, name)).toBe(same)
})

it('children have a group of their own where there are groups, and never a window', () => {
  expect(childOptions('linux')).toEqual({ detached: true, windowsHide: true })
  expect(childOptions('win32')).toEqual({ detached: false, windowsHide: true })
})

it('Windows flushes only what is open for writing', () => {
  expect([flushFlags('linux'), flushFlags('darwin'), flushFlags('win32')]).toEqual(['r', 'r', 'r+'])
})

describe('the folders of the program', () => {
  const home = '/home/me'
  const windows = { APPDATA: '/roaming', LOCALAPPDATA: '/local' }
  const rows: [string, NodeJS.Platform, Record<string, string>, string[]][] = [
    ['Linux', 'linux', {}, ['/home/me/.config/loadout', '/home/me/.local/state/loadout', '/home/me/.cache/loadout']],
    [
      'Linux ignores the variables of Windows',
      'linux',
      windows,
      ['/home/me/.config/loadout', '/home/me/.local/state/loadout', '/home/me/.cache/loadout'],
    ],
    ['Windows', 'win32', windows, ['/roaming/loadout', '/local/loadout', '/local/cache/loadout']],
    [
      'Windows without its variables',
      'win32',
      {},
      ['/home/me/.config/loadout', '/home/me/.local/state/loadout', '/home/me/.cache/loadout'],
    ],
    [
      'Windows, named by XDG',
      'win32',
      { ...windows, XDG_CONFIG_HOME: '/x' },
      ['/x/loadout', '/local/loadout', '/local/cache/loadout'],
    ],
  ]
  it.each(rows)('%s', (_, platform, env, expected) => {
    expect([configFolder, stateFolder, cacheFolder].map((folder) => folder({ env, home }, platform))).toEqual(expected)
  })
})
