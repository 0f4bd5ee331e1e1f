import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textWidth } from '../../src/text/text-width.ts'
import { makeFolder } from '../cli/run.ts'
import { git, write } from './machine.ts'
import { CTRL_C, ESC, makePerson, open } from './open.ts'
import type { Session } from './pty.ts'

/** For sessions that only look. */
const person = makePerson()

describe('ctrl-c leaves at once, and the terminal as it was', () => {
  const modes: [mode: string, keys: string, shown: string | RegExp][] = [
    ['the inventory', '', 'Skills 4'],
    ['the details', 'l', 'not equipped'],
    ['the filter', '/rel', 'Skills 1/4 /rel▏'],
    ['the palette', ':', 'Actions'],
    ['the agents', 't', 'Equip api-review for…'],
    ['import', 'i', 'The folders of the agents hold'],
    ['sync', 's', 'everything is as the library has it'],
    ['doctor', 'd', 'nothing needs action'],
    ['profiles', 'P', 'No profile yet.'],
    ['the name of a profile', 'Pn', 'Name of the profile'],
    ['settings', 'p', /● on +claude/],
    ['the difference', 'e', 'No installed copy differs'],
    ['help', '?', 'Equip for Claude'],
  ]
  it.each(modes)('in %s', async (_, keys, shown) => {
    const session = open(person)
    await session.until('Skills 4')
    session.send(keys)
    await session.until(shown)
    session.send(CTRL_C)
    expect(await session.ended()).toEqual({ code: 0, leftBehind: [], text: expect.stringMatching(/^DONE 0 same\s*$/) })
  })

  it('in setup', async () => {
    const session = open({ home: makeFolder() })
    await session.until('Make a new library')
    session.send(CTRL_C)
    expect(await session.ended()).toMatchObject({ code: 0, leftBehind: [] })
  })

  it('while work runs', async () => {
    const { home, library } = makePerson()
    const ssh = join(makeFolder(), 'ssh')
    write(ssh, '#!/bin/sh\nexec sleep 600\n')
    git(library, 'remote', 'add', 'origin', 'ssh://host/skills.git')
    git(library, 'config', 'branch.main.remote', 'origin')
    git(library, 'config', 'branch.main.merge', 'refs/heads/main')
    const session = open({ home, env: { GIT_SSH_COMMAND: `sh ${ssh}` } })
    await session.until('Skills 4')
    session.send('s')
    await session.until('esc stops')
    session.send(CTRL_C)
    expect(await session.ended()).toMatchObject({ code: 0, leftBehind: [] })
    expect(spawnSync('pgrep', ['-f', ssh]).stdout.toString()).toBe('')
  })

  it('before the interface has loaded', async () => {
    const session = open(person)
    await session.until(() => session.isOn(1049))
    session.send(CTRL_C)
    expect((await session.ended()).leftBehind).toEqual([])
  })
})

describe('the system ends it, and the terminal is as it was', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('%s', async (signal, code) => {
    const session = open(person)
    await session.until('Skills 4')
    await session.kill(signal)
    expect(await session.ended()).toMatchObject({ code, leftBehind: [] })
  })

  it('at the first sign of life', async () => {
    const session = open(person)
    await session.until(() => session.isOn(1049))
    await session.kill('SIGTERM')
    expect(await session.ended()).toMatchObject({ code: 143, leftBehind: [] })
  })
})

describe('a defect of ours ends it, and the terminal is as it was', () => {
  const crash = (thread: string, how: string) => {
    const folder = makeFolder()
    const trigger = join(folder, 'now')
    const path = join(folder, 'plant.cjs')
    write(
      path,
      `const { isMainThread } = require('node:worker_threads')
const { existsSync } = require('node:fs')
if (${thread}) {
  const timer = setInterval(() => {
    if (!existsSync(${JSON.stringify(trigger)})) return
    clearInterval(timer)
    ${how}
  }, 20)
  timer.unref()
}`,
    )
    return { env: { NODE_OPTIONS: `--require ${path}` }, pull: () => write(trigger, '') }
  }
  it.each([
    ['an exception', 'isMainThread', "throw new Error('planted')"],
    ['a rejection', 'isMainThread', "Promise.reject(new Error('planted'))"],
    ['an exception in the worker', '!isMainThread', "throw new Error('planted')"],
    ['a rejection in the worker', '!isMainThread', "Promise.reject(new Error('planted'))"],
  ])('%s', async (_, thread, how) => {
    const { env, pull } = crash(thread, how)
    const session = open({ ...person, env })
    await session.until('Skills 4')
    pull()
    const { code, leftBehind, text } = await session.ended()
    expect({ code, leftBehind }).toEqual({ code: 2, leftBehind: [] })
    expect(text).toContain('error: Unexpected error: planted. This is a bug in Loadout.')
  })

  it('a worker that just ends', async () => {
    const { env, pull } = crash('!isMainThread', 'process.exit(3)')
    const session = open({ ...person, env })
    await session.until('Skills 4')
    pull()
    const { code, leftBehind } = await session.ended()
    expect({ code, leftBehind }).toEqual({ code: 2, leftBehind: [] })
  })
})

describe('sizes', () => {
  const fits = (session: Session) => {
    const lines = session.screen().split('\n')
    const { cols, rows } = session.terminal
    expect(lines.length).toBe(rows)
    expect(lines.filter((line) => textWidth(line) > cols)).toEqual([])
    expect(lines[0]).toMatch(/^ Loadout/)
  }

  it('changes while it is open, with wide and combining characters', async () => {
    const skills = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`skill-${at}`, { description: `技能 ${at} e\u0301 👩‍👩‍👧 🇩🇪 مرحبا` }]),
    )
    const session = open({ ...makePerson([], skills), size: { columns: 40, rows: 10 } })
    await session.until('▸ skill-0')
    fits(session)
    session.resize(200, 60)
    await session.until((screen) => /skill-50/.test(screen) && /╮$/m.test(screen))
    fits(session)
    session.resize(20, 5)
    await session.until((screen) => screen.startsWith(' Loadout') && screen.endsWith(' q quit'))
    fits(session)
    session.send('j')
    await session.until('▸ skill-1')
    session.resize(80, 24)
    await session.until((screen) => screen.includes('技能 1 ') && screen.includes('skill-24'))
    fits(session)
    for (const [columns, rows] of [
      [3, 2],
      [1, 1],
      [80, 1],
      [80, 24],
    ] as const) {
      session.resize(columns, rows)
      await session.quiet()
    }
    await session.until('▸ skill-1')
    session.send('q')
    expect(await session.ended()).toMatchObject({ code: 0, leftBehind: [] })
  })

  it('every screen fits twenty columns, and forty', async () => {
    const session = open({ ...makePerson(), size: { columns: 20, rows: 5 } })
    for (const key of ['i', 'd', 'p', 'P', '?', 's', 'e', ':', 't', 'U', 'm', 'b', 'f', 'D', '\r']) {
      await session.until('▸ api-revi')
      session.send(key)
      await session.quiet()
      fits(session)
      session.resize(40, 10)
      await session.quiet()
      fits(session)
      session.send(ESC)
      session.resize(20, 5)
    }
    session.send(CTRL_C)
    expect(await session.ended()).toMatchObject({ code: 0, leftBehind: [] })
  })
})

describe('colours', () => {
  const colours = (session: Session) => {
    const kinds = new Set<string>()
    const { active } = session.terminal.buffer
    for (let row = 0; row < session.terminal.rows; row++) {
      for (let column = 0; column < session.terminal.cols; column++) {
        const cell = active.getLine(row)?.getCell(column)
        if (cell?.isFgRGB()) kinds.add('all')
        else if (cell?.isFgPalette()) kinds.add(cell.getFgColor() < 16 ? '16' : '256')
      }
    }
    return [...kinds].join()
  }
  it.each([
    ['none with NO_COLOR', { NO_COLOR: '1', COLORTERM: 'truecolor' }, ''],
    ['none on a dumb terminal', { TERM: 'dumb' }, ''],
    ['sixteen', { TERM: 'xterm' }, '16'],
    ['256', { TERM: 'xterm-256color' }, '256'],
    ['all', { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 'all'],
  ])('%s', async (_, env, expected) => {
    const session = open({ ...person, env })
    await session.until('Skills 4')
    await session.until('api-review')
    expect(colours(session)).toBe(expected)
    // The chosen row stands out without colour too.
    expect(session.terminal.buffer.active.getLine(4)?.getCell(3)?.isInverse()).toBeTruthy()
    session.send('q')
    expect(await session.ended()).toMatchObject({ code: 0, leftBehind: [] })
  })
})
