import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { event } from '../../src/usage/rules/event.fixture.ts'
import type { UsageEvent } from '../../src/usage/rules/usage-event.ts'
import { guide } from '../packs/pack-world.ts'
import { Session } from '../tui/pty.ts'
import { makeFolder, makeProject } from './run.ts'
import { runWarm } from './warm.ts'

const payload = (id: string, keywords: string, body: string, extra = '') =>
  `---\nid: ${id}\nkeywords: [${keywords}]\n${extra}---\n\n${body}\n`

const RULES = '.claude/loadout/rules.md'
const RELEASE = '.claude/loadout/release.md'
const INDEX = '.claude/loadout/index.json'
const FILES = {
  [RULES]: payload('rules', '', 'Always be careful.', 'priority: core\n'),
  [RELEASE]: payload('release', 'release, tag', '# Release\n\nTag first. Then publish.'),
  '.claude/loadout/docs.md': payload('docs', 'docs', 'Docs are built last.'),
}

/** A project with a built index and a home with one knowledge pack. */
function makeMachine(files: Record<string, string> = FILES) {
  const pack = guide({ description: 'How releases are published and tagged' }, 'A release is tagged and published.')
  const place = {
    cwd: makeProject({ '.git/HEAD': '', ...files }),
    home: makeProject({ '.agents/knowledge/handbook/KNOWLEDGE.md': pack }),
  }
  const log = join(place.home, '.local/state/loadout/usage.jsonl')
  const run = (...args: string[]) => runWarm(args, place)
  expect(run('index', 'build')).toMatchObject({ code: 0, stderr: '' })
  return {
    ...place,
    log,
    run,
    json: (...args: string[]) => JSON.parse(run(...args, '--json').stdout),
    text: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
    /** `planned rules` for every event, in order; packs with their kind. */
    told() {
      const events: UsageEvent[] = this.text()
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
      return events.map(({ stage, kind, entryId }) => [stage, kind, entryId].filter(Boolean).join(' '))
    },
  }
}

describe('what is recorded', () => {
  const rows: [what: string, command: string[], told: string[]][] = [
    ['a plan', ['plan', 'cut a release'], ['planned rules', 'planned release']],
    [
      'a plan with its texts',
      ['plan', 'cut a release', '--load', '--budget', '80'],
      ['planned rules', 'planned release', 'delivered rules'],
    ],
    [
      'a bundle',
      ['context', 'publish a release'],
      [
        'planned rules',
        'planned release',
        'planned pack handbook',
        'delivered rules',
        'delivered release',
        'delivered pack handbook',
      ],
    ],
    [
      'a bundle without room for the pack',
      ['context', 'publish a release', '--chars', '900'],
      ['planned rules', 'planned release', 'planned pack handbook', 'delivered rules', 'delivered release'],
    ],
    ['packs for a task', ['packs', 'resolve', 'how is a release published'], ['delivered pack handbook']],
    ['a guide', ['packs', 'guide', 'handbook'], ['used pack handbook']],
    ['a text that was asked for', ['lookup', 'docs', '--load'], ['used docs']],
    ['a lookup without its text', ['lookup', 'docs'], []],
    ['an explanation', ['explain', 'docs', '--task', 'the docs'], []],
    ['a search', ['search', 'release'], []],
  ]
  it.each(rows)('%s', (_, command, told) => {
    const machine = makeMachine()
    machine.run(...command)
    expect(machine.told()).toEqual(told)
    const events = machine
      .text()
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    expect(new Set(events.map(({ taskHash, timestamp }) => `${taskHash} ${timestamp}`)).size).toBe(
      told.length > 0 ? 1 : 0,
    )
    expect(machine.text()).not.toMatch(/cut a release|publish a release/)
  })

  it('not a replay; what a session has already is planned again, and delivered once', () => {
    const machine = makeMachine()
    machine.run('context', 'cut a release')
    const [, digest = ''] =
      /replay (\w+)/.exec(machine.run('context', 'cut a release', '--format', 'explain').stdout) ?? []
    const before = machine.told().length
    expect(machine.run('replay', digest)).toMatchObject({ code: 0 })
    expect(machine.told()).toHaveLength(before)
    const resolve = () => machine.run('packs', 'resolve', 'how is a release published', '--session', 's1')
    resolve()
    resolve()
    const stages = machine.told().slice(before)
    expect(stages.map((line) => line.split(' ')[0])).toEqual(['delivered', 'planned'])
  })

  it('plans are no loads for dead, budget and index build', () => {
    const machine = makeMachine()
    const index = readFileSync(join(machine.cwd, INDEX), 'utf8')
    machine.run('plan', 'cut a release and write docs')
    expect(machine.json('dead').map(({ id }: { id: string }) => id)).toEqual(['release', 'docs'])
    expect(machine.json('budget')).toMatchObject({ tasks: 0, observedPerTask: null })
    expect(machine.run('index', 'build').stdout).toContain('unchanged')
    expect(readFileSync(join(machine.cwd, INDEX), 'utf8')).toBe(index)
    machine.run('plan', 'cut a release', '--load')
    expect(machine.json('dead').map(({ id }: { id: string }) => id)).toEqual(['docs'])
    expect(machine.json('budget')).toMatchObject({ tasks: 1, observedPerTask: expect.any(Number) })
  })

  it('a home that cannot be written costs a note after a plan, a warning after a load, never the answer', () => {
    const { cwd } = makeMachine()
    const home = makeFolder()
    chmodSync(home, 0o555)
    const [plan, load] = [[], ['--load']].map((more) =>
      runWarm(['plan', 'cut a release', ...more], { cwd, home, isBound: true }),
    )
    expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining('keywords [release]') })
    expect(plan?.stderr).toMatch(/^note: the use was not recorded.*\n.*\n$/)
    expect(load).toMatchObject({ code: 0, stderr: expect.stringMatching(/^warning: the use was not recorded/) })
  })
})

describe('the words of tasks', () => {
  it('are kept when the user says so, without secrets, beside how they were asked', () => {
    const machine = makeMachine()
    const config = join(machine.home, '.config/loadout/config.json')
    mkdirSync(join(machine.home, '.config/loadout'), { recursive: true })
    writeFileSync(config, '{"repo_path":"~/lib","mine":[1,{"a":2}]}')
    expect(machine.run('usage', '--keep-tasks', 'on')).toMatchObject({ code: 1 })
    expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({
      repo_path: '~/lib',
      mine: [1, { a: 2 }],
      usage: { keep_tasks: true },
    })
    machine.run('plan', 'cut a release, password=correct-horse-7', '--phase', 'plan', '--budget', '500')
    machine.run('context', 'publish the docs with AKIAIOSFODNN7EXAMPLA')
    machine.run('plan', 'which wine')
    machine.run('plan', 'x'.repeat(9000))
    machine.run('packs', 'resolve', 'private words')
    machine.run('lookup', 'docs', '--load')
    const kept = machine
      .text()
      .trim()
      .split('\n')
      .flatMap((line) => (JSON.parse(line).task === undefined ? [] : [JSON.parse(line)]))
    const project = machine.cwd
    expect(kept.map(({ task, asked, stage }) => ({ task, asked, stage }))).toEqual([
      {
        task: 'cut a release, password=[masked: credential password]',
        asked: { project, strategy: 'ranked', phase: 'plan', budget: 500 },
        stage: 'planned',
      },
      {
        task: expect.stringMatching(/^publish the docs with \[masked: /),
        asked: { project, strategy: 'ranked' },
        stage: 'planned',
      },
      { task: 'which wine', asked: { project, strategy: 'ranked' }, stage: 'planned' },
    ])
    expect(machine.text()).not.toMatch(/correct-horse|AKIA|private words|xxx/)
    machine.run('usage', '--keep-tasks', 'off')
    machine.run('plan', 'never mind this')
    expect(machine.text()).not.toContain('never mind this')
  })

  it.each(['{"usage":', '{"usage":{"keep_tasks":"yes"}}', '[]'])(
    'are not kept when the setting is broken: %s',
    (text) => {
      const machine = makeMachine()
      mkdirSync(join(machine.home, '.config/loadout'), { recursive: true })
      writeFileSync(join(machine.home, '.config/loadout/config.json'), text)
      expect(machine.run('plan', 'cut a release')).toMatchObject({ code: 0, stderr: '' })
      expect(machine.text()).not.toContain('cut a release')
      expect(machine.run('usage', '--keep-tasks', 'on')).toMatchObject({ code: 2 })
      expect(readFileSync(join(machine.home, '.config/loadout/config.json'), 'utf8')).toBe(text)
    },
  )
})

describe('erasing', () => {
  const sessions: Session[] = []
  afterEach(() => {
    for (const session of sessions.splice(0)) session.dispose()
  })

  it('needs a yes, and a terminal to ask at', async () => {
    const machine = makeMachine()
    expect(machine.run('usage', '--erase')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing to erase'),
    })
    machine.run('plan', 'cut a release')
    const before = machine.text()
    expect(machine.run('usage', '--erase')).toMatchObject({ code: 3, stderr: expect.stringContaining('--yes') })
    expect(machine.run('usage', machine.log, '--erase', '--yes')).toMatchObject({ code: 2 })
    const ask = async (answer: string) => {
      const session = new Session({ ...machine, args: ['usage', '--erase'], size: { columns: 120, rows: 20 } })
      sessions.push(session)
      await session.until('[y/N]')
      session.send(answer)
      return await session.ended()
    }
    expect(await ask('\r')).toMatchObject({ code: 2 })
    expect(machine.text()).toBe(before)
    expect(await ask('y\r')).toMatchObject({ code: 0 })
    expect(existsSync(machine.log)).toBe(false)
  })

  it('leaves nothing behind a link', () => {
    const machine = makeMachine()
    const kept = join(makeFolder(), 'usage.jsonl')
    mkdirSync(join(machine.home, '.local/state/loadout'), { recursive: true })
    writeFileSync(kept, '')
    symlinkSync(kept, machine.log)
    machine.run('plan', 'cut a release')
    expect(readFileSync(kept, 'utf8')).toContain('planned')
    expect(machine.run('usage', '--erase', '--yes').code).toBe(0)
    expect([existsSync(kept), existsSync(machine.log)]).toEqual([false, false])
  })
})

describe('usage', () => {
  const conversation = (session: string, stage: UsageEvent['stage'], id: string, more: Partial<UsageEvent> = {}) =>
    event(id, { session, via: 'claude', taskHash: session, ...(stage === undefined ? {} : { stage }), ...more })
  const events = [
    ...['1', '2', '3', '4', '5'].map((session) => conversation(session, 'planned', `pointer-${'x'.repeat(90)}`)),
    conversation('5', 'used', 'unplanned', { kind: 'skill', timestamp: '2026-02-02T00:00:00.000Z' }),
    event('old'),
  ]

  it('draws conclusions, in 80 columns', () => {
    const cwd = makeProject({ 'log.jsonl': events.map((each) => `${JSON.stringify(each)}\n`).join('') })
    const { code, stdout, stderr } = runWarm(['usage', 'log.jsonl'], { cwd })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^3 entries · 2 loads · 200 tokens\n/)
    expect(stdout).toMatch(/Offered, and never used\n {2}pointer-x+…:\s+in 5 conversations\n/)
    expect(stdout).toMatch(/Used, though not planned\n {2}unplanned \(skill\): in 1 conversation\n/)
    expect(stdout).toMatch(/loadout explain .*\n$/)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    const since = JSON.parse(runWarm(['usage', 'log.jsonl', '--since', '2026-02-01', '--json'], { cwd }).stdout)
    expect(since).toMatchObject([{ entryId: 'unplanned', kind: 'skill', used: 1, usedUnplanned: 1 }])
    expect(since).toHaveLength(1)
  })
})

describe('test --past', () => {
  /** With tasks planned by keywords, by rank, in a bundle, and one twice. */
  function withTasks() {
    const machine = makeMachine()
    machine.run('usage', '--keep-tasks', 'on')
    machine.run('plan', 'cut a release', '--strategy', 'keywords')
    machine.run('plan', 'announce it to the world', '--strategy', 'keywords')
    machine.run('plan', 'publish what was tagged')
    machine.run('plan', 'cut a release', '--load', '--strategy', 'keywords')
    machine.run('context', 'write the docs', '--chars', '900')
    return machine
  }

  it('says nothing has changed when nothing has', () => {
    const machine = withTasks()
    expect(machine.run('test', '--past')).toMatchObject({
      code: 0,
      stdout: 'All 4 tasks choose the same entries as before.\n',
      stderr: '',
    })
    expect(machine.json('test', '--past', '--strategy', 'ranked')).toMatchObject({ tasks: 4 })
  })

  it('names what is newly chosen and what no longer, the newest first', () => {
    const machine = withTasks()
    const changed = join(makeFolder(), 'index.json')
    const index = readFileSync(join(machine.cwd, INDEX), 'utf8')
    writeFileSync(changed, index.replace('"release",\n        "tag"', '"announce"'))
    expect(readFileSync(changed, 'utf8')).not.toBe(index)
    const value = {
      tasks: 4,
      changes: [
        { query: 'cut a release', before: ['rules', 'release'], after: ['rules'] },
        { query: 'announce it to the world', before: ['rules'], after: ['rules', 'release'] },
      ],
    }
    const run = machine.run('test', '--past', '--index', changed)
    expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: 2 of 4 tasks choose/) })
    expect(run.stdout).toMatch(/^ {2}cut a release\n {4}rules, release {2}→ {2}rules\n/)
    expect(machine.json('test', '--past', '--index', changed)).toMatchObject(value)
    writeFileSync(join(machine.cwd, INDEX), readFileSync(changed))
    expect(machine.json('test', '--past', machine.log)).toMatchObject(value)
  })

  it.each([
    ['a b;$(c)', 'tag it', `loadout explain 'a b;$(c)' --task 'tag it'\n`],
    ['a', 'x'.repeat(60), 'loadout explain a --task "<task>"\n'],
    ['y'.repeat(300), 'tag it', `loadout explain <id> --task 'tag it'\n`],
  ])('ends with a command that can be typed: %s', (id, task, command) => {
    const machine = makeMachine()
    const gone = event(id, { stage: 'planned', task })
    const events = [gone, ...['rules', 'release'].map((other) => event(other, { stage: 'planned' }))]
    const log = join(
      makeProject({ 'log.jsonl': events.map((each) => `${JSON.stringify(each)}\n`).join('') }),
      'log.jsonl',
    )
    const { code, stdout } = machine.run('test', '--past', log)
    expect(code).toBe(1)
    expect(stdout.slice(stdout.lastIndexOf('loadout explain'))).toBe(command)
  })

  it('compares what a hook was asked, as far as it gives it', () => {
    const machine = makeMachine()
    machine.run('usage', '--keep-tasks', 'on')
    const hook = (event: string, more: object) =>
      runWarm(['hook', 'claude', event], {
        ...machine,
        stdin: JSON.stringify({ session_id: 's', cwd: machine.cwd, hook_event_name: event, ...more }),
      })
    hook('SessionStart', { source: 'startup' })
    for (const prompt of ['cut a release, password=correct-horse-7', 'which wine']) {
      hook('UserPromptSubmit', { source: 'user', prompt })
    }
    const kept = machine
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ task }) => task !== undefined)
    expect(kept).toMatchObject([
      {
        entryId: 'release',
        via: 'claude',
        session: 's',
        task: expect.stringMatching(/^cut a release, password=\[masked/),
      },
      { entryId: '', via: 'claude', session: 's', task: 'which wine' },
    ])
    expect(machine.run('test', '--past')).toMatchObject({ code: 0, stdout: expect.stringContaining('All 2 tasks') })
  })

  it('compares only tasks of this project, unless it is told to', () => {
    const machine = withTasks()
    const cwd = makeProject({ '.git/HEAD': '', ...FILES })
    runWarm(['index', 'build'], { cwd, home: machine.home })
    const run = (...args: string[]) => runWarm(['test', '--past', ...args], { cwd, home: machine.home })
    expect(run()).toMatchObject({ code: 2, stderr: expect.stringContaining('--all-projects') })
    expect(run('--all-projects')).toMatchObject({ code: 0, stdout: expect.stringContaining('All 4 tasks') })
    runWarm(['plan', 'tag it'], { cwd, home: machine.home })
    expect(run().stdout).toBe('The task chooses the same entries as before.\n4 tasks of other projects skipped.\n')
  })

  const bad: [what: string, args: string[], message: string][] = [
    ['no words in the log', [], '--keep-tasks on'],
    ['no such log', ['missing.jsonl'], 'missing.jsonl'],
  ]
  it.each(bad)('cannot run: %s', (_, args, message) => {
    const machine = makeMachine()
    machine.run('plan', 'cut a release')
    expect(machine.run('test', '--past', ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })

  it.each(['missing.json', 'broken.json'])('an index that is named must be in order: %s', (index) => {
    const machine = withTasks()
    writeFileSync(join(machine.cwd, 'broken.json'), '{"entries":7}')
    expect(machine.run('test', '--past', '--index', index)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(index),
    })
  })
})
