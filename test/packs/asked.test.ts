import { afterEach, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { runMany } from '../cli/warm.ts'
import { Session } from '../tui/pty.ts'
import { guide, makeWorld, SECRET, type World } from './pack-world.ts'

const ASK = ['packs', 'resolve', 'how we work', '--pack', 'handbook']
const sessions: Session[] = []

afterEach(() => {
  for (const session of sessions.splice(0)) session.dispose()
})

function start({ workspace, home }: World, args: readonly string[] = ASK): Session {
  const session = new Session({ home, cwd: workspace, args, size: { columns: 120, rows: 60 } })
  sessions.push(session)
  return session
}

function trustOf({ json }: World): string {
  return json(['show', 'handbook']).effectiveTrust
}

const QUESTION = 'Use it? [y: yes, n: never, Enter: not now]'

describe('a user at a terminal', () => {
  it('is asked, and a yes approves the pack', async () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    const session = start(world)
    const question = await session.until(QUESTION)
    expect(question).toContain('.agents/knowledge/handbook')
    expect(question).not.toContain(SECRET)
    session.send('y\r')
    const { code, text, leftBehind } = await session.ended()
    expect([code, leftBehind]).toEqual([0, []])
    expect(text).toContain(SECRET)
    expect(trustOf(world)).toBe('approved')
  })

  it.each(['n\r', 'no\r'])('is not asked again after %j', async (answer) => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    const session = start(world)
    await session.until(QUESTION)
    session.send(answer)
    const { text } = await session.ended()
    expect(text).not.toContain(SECRET)
    expect(trustOf(world)).toBe('denied')
    const again = await start(world).ended()
    expect(again.text).not.toContain('Use it?')
    expect(again.text).not.toContain(SECRET)
  })

  it.each(['\r', 'yesterday\r', '\u0004'])(
    '%j is no answer: nothing is shown, and nothing is remembered',
    async (answer) => {
      const world = makeWorld({ workspace: { handbook: guide() } })
      const session = start(world)
      await session.until(QUESTION)
      session.send(answer)
      const { text } = await session.ended()
      expect(text).not.toContain(SECRET)
      expect(trustOf(world)).toBe('unapproved')
    },
  )

  it('who presses ctrl-c has answered nothing', async () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    const session = start(world)
    await session.until(QUESTION)
    session.send('\u0003')
    const text = await session.until('DONE 130 same')
    expect(text).not.toContain(SECRET)
    expect(trustOf(world)).toBe('unapproved')
  })

  it('cases 53 and 55: a yes to a draft holds once, and is another answer than the approval', async () => {
    const world = makeWorld({ workspace: { handbook: guide({ status: 'draft' }) } })
    world.run(['approve', 'handbook'])
    const session = start(world)
    await session.until('Use it? [y/N]')
    session.send('y\r')
    expect((await session.ended()).text).toContain(SECRET)
    const { code, stdout } = world.run(ASK.slice(1))
    expect(code).toBe(3)
    expect(stdout).not.toContain(SECRET)
  })
})

describe('every command for packs', () => {
  const packs = COMMANDS.filter(({ name }) => name.startsWith('packs '))
  const world = makeWorld({ workspace: { handbook: guide() } })
  const run = (calls: string[][]) => runMany(calls, { cwd: world.workspace, home: world.home })

  it('case 152: has help that starts nothing', () => {
    for (const { args, code, stdout, stderr } of run(packs.map(({ name }) => [...name.split(' '), '--help']))) {
      expect([code, stderr], args.join(' ')).toEqual([0, ''])
      expect(stdout).toContain(`loadout ${args.slice(0, 2).join(' ')}`)
    }
  })

  it('case 147: 2 and a hint for words that it does not know', () => {
    const calls = packs.flatMap(({ name, args }) => {
      const start = name.split(' ')
      return [
        [...start, '--nonsense'],
        [
          ...start,
          ...args.flatMap(({ rest }) => (rest ? [] : ['x'])),
          ...(args.some(({ rest }) => rest) ? ['--'] : ['y']),
        ],
        ...(args.some(({ required }) => required) ? [start, [...start, ''], [...start, '  ']] : []),
      ]
    })
    for (const { args, code, stdout, stderr } of run(calls)) {
      expect([code, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr, args.join(' ')).toMatch(/usage: loadout packs /)
    }
  })

  it('case 147: 2 and a hint for values that make no sense', () => {
    const resolve = ['packs', 'resolve', 'how we work']
    const calls = [
      ...['-1', '1.5', 'NaN', '1e3', '99999999999999999999', '', ' '].map((value) => [...resolve, `--budget=${value}`]),
      [...resolve, '--budget'],
      [...resolve, '--format', 'xml'],
      [...resolve, '--session', '../x'],
      [...resolve, '--session', '..'],
      [...resolve, '--pack', 'nobody'],
      [...resolve, '--pack', ''],
      [...resolve, '--pack', '/'],
      ['packs', 'rehydrate', '../../x'],
      ['packs', 'rehydrate', 'zz'],
      ['packs', 'show', '__proto__'],
      ['packs', 'show', 'constructor'],
      ['packs', 'show', './nowhere'],
      ['packs', 'why', '../../../../etc/passwd'],
      ['packs', 'list', '--project', './nowhere'],
      ['packs', 'new', '../x'],
    ]
    for (const { args, code, stdout, stderr } of run(calls)) {
      expect([code, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr.trimEnd().split('\n').length, stderr).toBeGreaterThan(1)
    }
  })

  it('tasks of any kind have an answer', () => {
    const tasks = [
      '\u001b[2J\u0007\u0000',
      '\u202e',
      '\ud800',
      'and the for',
      '</knowledge_pack>',
      'how we work '.repeat(80_000),
    ]
    const calls = tasks.flatMap((task) => [
      ['packs', 'resolve', task, '--json'],
      ['packs', 'why', 'handbook', '--task', task],
    ])
    for (const { args, code, stdout, stderr } of run(calls)) {
      expect([0, 3], stderr.slice(0, 300)).toContain(code)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e]/)
      if (args.includes('--json')) expect(JSON.parse(stdout)).toHaveProperty('selected_files')
    }
  })
})
