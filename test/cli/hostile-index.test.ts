import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { otherUser } from '../rights.ts'
import { expectCivil, expectCivilJson, treeOf } from './civil.ts'
import { aFolder, aLinkTo, aLinkToItself, aPipe, CLI, type Content, makeFolder, makeProject, runShell } from './run.ts'
import { runWarm } from './warm.ts'

const INDEX = '.claude/loadout/index.json'

const entry = {
  id: 'alpha-one',
  path: 'a.md',
  keywords: ['alpha'],
  patterns: [],
  priority: 'domain',
  summary: 'About alpha',
  triggers: { task: true, plan: true, edit: false },
  tokens_est: 10,
  lines: 1,
}

function indexOf(...entries: unknown[]): string {
  return JSON.stringify({ version: '1.0.0', generated: '2026-01-01T00:00:00.000Z', entries, budget: {} })
}

function payload(id: string, keyword = id): string {
  return `---\nid: ${id}\nkeywords: [${keyword}]\n---\nThe body of ${id}.\n`
}

function sections(...headings: string[]): string {
  return headings.map((heading) => `# ${heading}\n${`a line about ${heading} and more\n`.repeat(20)}`).join('')
}

/** A table is stored only for an index that is old enough for its times to be trusted. */
function settle(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250)
}

describe('messages', () => {
  it('do not claim that there is no index when there is a broken one', () => {
    const run = runWarm(['plan', 'x'], { cwd: makeProject({ [INDEX]: '{' }) })
    expect(run.stdout).not.toContain('no index was found')
  })

  it('say that a dry run wrote nothing', () => {
    const cwd = makeProject({ '.claude/loadout/a.md': payload('note') })
    expect(runWarm(['index', 'build', '--dry-run'], { cwd }).stdout).not.toMatch(/^written/)
  })
})

describe('malformed entries are reported and skipped, and the rest works', () => {
  const good = { ...entry, id: 'good', keywords: ['beta'] }
  it.each<[string, unknown]>([
    ['null', null],
    ['a number', 5],
    ['a text', 'x'],
    ['a list', []],
    ['without id', { ...entry, id: undefined }],
    ['a number as id', { ...entry, id: 5 }],
    ['without keywords', { ...entry, keywords: undefined }],
    ['numbers as keywords', { ...entry, keywords: [1] }],
    ['a text as keywords', { ...entry, keywords: 'alpha' }],
    ['a number as patterns', { ...entry, patterns: 5 }],
  ])('%s', (_, malformed) => {
    const cwd = makeProject({ [INDEX]: indexOf(malformed, good), 'a.md': 'Text' })
    const plan = runWarm(['plan', 'beta', '--json'], { cwd })
    expectCivilJson(plan)
    expect(plan.code).toBe(1)
    expect(JSON.parse(plan.stdout).onDemand).toHaveLength(1)
    expect(plan.stderr).toContain('entry 1')
    for (const command of ['overlaps', 'dead']) {
      const run = runWarm([command, INDEX], { cwd })
      expectCivil(run)
      expect.soft(run.stderr, command).toContain('entry 1')
    }
  })

  it.each([null, { id: 'x', keywords: 5 }])('index check finds %j', (malformed) => {
    const cwd = makeProject({ '.claude/loadout/a.md': payload('note') })
    runWarm(['index', 'build'], { cwd })
    const path = join(cwd, INDEX)
    const index = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...index, entries: [...index.entries, malformed] }))
    const run = runWarm(['index', 'check'], { cwd })
    expectCivil(run)
    expect(run.code).toBe(1)
    expect(run.stdout).toContain('INVALID_INDEX')
  })
})

describe('odd but usable entries', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const withRaw = (key: string, raw: string) =>
    indexOf({ ...entry, [key]: 'RAW' }).replace(`"${key}":"RAW"`, `"${key}":${raw}`)
  it.each<[string, string]>([
    ['no priority', indexOf({ ...entry, priority: undefined })],
    ['a number as priority', indexOf({ ...entry, priority: 5 })],
    ['a list as summary', indexOf({ ...entry, summary: ['é'] })],
    ['null as summary', indexOf({ ...entry, summary: null })],
    ['a list as path', indexOf({ ...entry, path: ['a.md'] })],
    ['no path', indexOf({ ...entry, path: undefined })],
    ['a text as tokens', indexOf({ ...entry, tokens_est: '\u001b[31m' })],
    ['null as triggers', indexOf({ ...entry, triggers: null })],
    ['a deep summary', withRaw('summary', deep)],
    ['a deep extra field', withRaw('extra', deep)],
    [
      'steering texts',
      indexOf({ ...entry, summary: 'a\u001b[31m\u009b1m', patterns: ['p\u001b[1m'], path: '\u001b.md' }),
    ],
  ])('%s', (_, index) => {
    const cwd = makeProject({ [INDEX]: index, 'a.md': 'Text', undefined: 'not a payload' })
    expectCivil(runWarm(['lookup', 'alpha-one'], { cwd }))
    expectCivil(runWarm(['explain', 'alpha-one', '--task', 'alpha', '--phase', 'plan'], { cwd }))
    expectCivil(runWarm(['dead'], { cwd }))
    expectCivil(runWarm(['resolve'], { cwd }))
    expectCivilJson(runWarm(['plan', 'alpha', '--load', '--json'], { cwd }))
  })

  it.each(['__proto__', 'constructor', 'toString'])('%s is an ordinary id', (id) => {
    const text = indexOf({ ...entry, id: 'RAW' }).replace('RAW', id)
    const cwd = makeProject({ [INDEX]: text, 'a.md': 'Text' })
    const plan = runWarm(['plan', 'alpha', '--load', '--json'], { cwd })
    expectCivilJson(plan)
    expect(plan.code).toBe(0)
    expect(Object.entries(JSON.parse(plan.stdout).provenance)).toEqual([[id, 'project']])
    for (const args of [['lookup', id], ['explain', id, '--task', 'alpha'], ['resolve'], ['dead'], ['budget']]) {
      const run = runWarm(args, { cwd })
      expectCivil(run)
      expect.soft(run).toMatchObject({ code: 0, stderr: '' })
    }
  })

  it('a byte order mark is accepted', () => {
    const cwd = makeProject({ [INDEX]: `\ufeff${indexOf(entry)}`, 'a.md': 'Alpha.' })
    expect(runWarm(['plan', 'alpha'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('payload paths stay inside the root of their layer', () => {
  it.each([
    '/etc/hostname',
    '../secret.md',
    'x/../../secret.md',
    'link.md',
    'folder/secret.md',
    '~/x.md',
    'a\0b',
    'C:\\x.md',
  ])('%j', (path) => {
    const parent = makeProject({
      'secret.md': 'SECRET',
      [`root/${INDEX}`]: indexOf({ ...entry, path }),
      'root/link.md': aLinkTo('../secret.md'),
      'root/folder': aLinkTo('..'),
    })
    for (const args of [
      ['plan', 'alpha', '--load'],
      ['lookup', 'alpha-one', '--load'],
      ['index', 'check'],
    ]) {
      const run = runWarm(args, { cwd: join(parent, 'root') })
      expectCivil(run)
      expect(run.code).toBe(args[0] === 'lookup' ? 2 : 1)
      expect(run.stdout + run.stderr).not.toContain('SECRET')
      if (args[0] !== 'index') expect(run.stderr).toContain(args[0] === 'lookup' ? 'is refused' : 'PATH_ESCAPE')
    }
  })
})

describe('control characters', () => {
  const STEERING = 'x\u001b[31m\u009b1m\nerror: fake'

  it.each([
    ['index', 'build'],
    ['index', 'check'],
    ['validate'],
    ['validate', '.'],
    ['resolve'],
    ['index', 'migrate', 'CLAUDE.md'],
    ['index', 'migrate', 'CLAUDE.md', '--write'],
  ])('in the name of the working folder: %s %s', (...args) => {
    const files = { [INDEX]: indexOf(), '.claude/loadout/a.md': payload('note'), 'CLAUDE.md': sections('One', 'Two') }
    const named = Object.entries(files).map(([path, content]) => [`${STEERING}/${path}`, content])
    const cwd = join(makeProject(Object.fromEntries(named)), STEERING)
    const run = runWarm(args, { cwd })
    expectCivil(run)
    expect(run.stdout + run.stderr, 'one name, one line').not.toMatch(/^error: fake/m)
  })

  it.each([
    ['lookup', STEERING],
    ['lookup', STEERING, '--load'],
    ['explain', STEERING, '--task', 'alpha'],
    ['plan', 'alpha'],
    ['plan', 'alpha', '--load'],
    ['plan', 'alpha', '--json'],
    ['lookup', STEERING, '--json'],
    ['overlaps'],
    ['budget'],
    ['validate'],
    ['index', 'check'],
  ])('in the texts of an index: %s %j %s', (...args) => {
    const hostile = { ...entry, id: STEERING, summary: STEERING, keywords: ['alpha', STEERING], path: `${STEERING}.md` }
    const cwd = makeProject({ [INDEX]: indexOf(hostile, { ...hostile, keywords: 5 }, { ...entry, id: 'b' }) })
    const run = runWarm(args, { cwd })
    expectCivil(run)
    expect(run.stdout + run.stderr, 'one name, one line').not.toMatch(/^error: fake/m)
  })

  it('in a payload, its name and its frontmatter', () => {
    const text = `---\nid: "a\\u001b[31m"\nkeywords: [alpha]\nodd \u001b[31m\n---\nBody \u001b[31m\u009b1m\u202e.\n`
    const cwd = makeProject({ [`.claude/loadout/${STEERING.replace('\n', '')}.md`]: text })
    for (const args of [
      ['index', 'build'],
      ['plan', 'alpha', '--load'],
      ['plan', 'alpha', '--load', '--json'],
    ]) {
      const run = runWarm(args, { cwd })
      expectCivil(run)
      expect(run.code).toBe(0)
    }
  })

  it('in a usage log', () => {
    const event = {
      timestamp: STEERING,
      taskHash: 'h',
      entryId: STEERING,
      trigger: STEERING,
      mode: 'lazy',
      tokensEst: 1,
    }
    const run = runWarm(['usage', 'log.jsonl'], { cwd: makeProject({ 'log.jsonl': JSON.stringify(event) }) })
    expectCivil(run)
    expect(run).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('streams', () => {
  const cwd = () => makeProject({ [INDEX]: indexOf(entry), 'a.md': 'Alpha.' })

  it.each(['loadout plan - </dev/null', 'loadout plan - <&-', 'echo | loadout plan -'])('no task: %s', (line) => {
    const run = runShell(line, { cwd: cwd() })
    expectCivil(run)
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('standard input')
  })

  it('a folder as standard input', () => {
    const run = runShell('loadout plan - </', { cwd: cwd() })
    expectCivil(run)
    expect(run.code).toBe(2)
  })

  it.each([
    ['words', `alpha ${'word '.repeat(210_000)}`],
    ['one word', 'a'.repeat(1 << 20)],
    ['Chinese', `alpha ${'发布流程的文档'.repeat(50_000)}`],
    ['bytes', new Uint8Array(1 << 20).map((_, at) => (at * 2654435761) >>> 24)],
  ])('a task of 1 MB: %s', (_, stdin) => {
    const chinese = { ...entry, id: 'b', keywords: ['部署流程文档', '测试环境配置'] }
    const project = makeProject({ [INDEX]: indexOf(entry, chinese), 'a.md': 'Alpha.' })
    const run = runWarm(['plan', '-'], { cwd: project, stdin })
    expectCivil(run)
    expect(run).toMatchObject({ code: 0, stderr: '' })
  })

  it('a writer that is slow, on a pipe that does not block', () => {
    const script = `const { spawn } = require('node:child_process')
      const child = spawn('bash', ['-c', process.argv[1]], { stdio: ['pipe', 'inherit', 'inherit'] })
      setTimeout(() => child.stdin.end('alpha'), 300)`
    const unblock = `python3 -c 'import fcntl, os; fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)'; loadout plan -`
    const run = runShell(`export -f loadout; node -e "$SCRIPT" "$UNBLOCK"`, {
      cwd: cwd(),
      env: { SCRIPT: script, UNBLOCK: unblock },
    })
    expectCivil(run)
    expect(run.stdout).toContain('keywords [alpha]')
  })

  it.each([
    'loadout plan alpha >&-',
    'loadout plan alpha --json >&-',
    'loadout plna 2>&-; test $? = 2',
    'set -o pipefail; loadout help | head -1 >/dev/null',
  ])('without a reader: %s', (line) => {
    const run = runShell(line, { cwd: cwd() })
    expectCivil(run)
    expect(run).toMatchObject({ code: 0, stderr: '' })
  })

  it.each(['loadout plan alpha', 'loadout plan alpha --json', 'loadout plna --json'])(
    'output that is full: %s',
    (line) => {
      const run = runShell(`${line} >/dev/full`, { cwd: cwd() })
      expectCivil(run)
      expect(run.code).toBe(2)
    },
  )

  it('nothing but text reaches a pipe, in any locale, zone or colour setting', () => {
    const project = cwd()
    const settings: Record<string, string>[] = [
      {},
      { LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Tokyo' },
      { LANG: 'C', TZ: 'America/St_Johns' },
      { TERM: 'xterm-256color', COLORTERM: 'truecolor', FORCE_COLOR: '3' },
      { NO_COLOR: '1' },
    ]
    const outputs = settings.map((env) => runWarm(['plan', 'ALPHA ıİ'], { cwd: project, env }).stdout)
    expect(new Set(outputs).size).toBe(1)
    expect(outputs[0]).not.toContain('\u001b')
  })
})

describe('permissions', () => {
  it.each(['usage', 'budget', 'dead', 'index build --dry-run'])('a state folder that is locked: %s', (line) => {
    const cwd = makeProject({ [INDEX]: indexOf(entry), '.claude/loadout/a.md': payload('note') })
    const home = makeProject({ '.local/state/loadout/usage.jsonl': '{}\n' })
    chmodSync(join(home, '.local/state/loadout'), 0o000)
    expectCivil(runWarm(line.split(' '), { cwd, home, isBound: true }))
  })
})

describe('the usage log never costs the answer', () => {
  it.each<[string, Content]>([
    ['a folder', aFolder],
    ['a pipe', aPipe],
    ['a link to itself', aLinkToItself],
    ['torn', '{"timestamp":'],
    ['binary', new Uint8Array([0, 10, 255, 10, 0])],
  ])('%s', (_, content) => {
    const cwd = makeProject({ '.claude/loadout/a.md': payload('note', 'alpha') })
    const home = makeProject({ '.local/state/loadout/usage.jsonl': content })
    const build = runWarm(['index', 'build'], { cwd, home })
    expectCivil(build)
    expect(build.code, 'a build needs no log').toBe(0)
    const load = runWarm(['plan', 'alpha', '--load'], { cwd, home })
    expectCivil(load)
    expect(load.code).toBe(0)
    expect(load.stdout).toContain('The body of note.')
    expectCivilJson(runWarm(['usage', '--json'], { cwd, home }))
  })
})

describe('surroundings', () => {
  const cwd = () => makeProject({ [INDEX]: indexOf({ ...entry, path: 'a.md' }), 'a.md': 'Text' })
  const load = ['plan', 'alpha', '--load', '--json']

  it('a folder for the state that is a file', () => {
    const state = join(makeProject({ f: '' }), 'f')
    const env = { XDG_STATE_HOME: state, XDG_CACHE_HOME: state }
    expectCivilJson(runWarm(load, { cwd: cwd(), env }))
    expectCivilJson(runWarm(['usage', '--json'], { cwd: cwd(), env }))
  })

  it.each<[string, Record<string, string>]>([
    ['HOME is empty', { HOME: '' }],
    ['HOME is relative', { HOME: 'rel' }],
    ['XDG folders are relative', { XDG_STATE_HOME: 'rel', XDG_CACHE_HOME: 'rel', HOME: makeFolder() }],
  ])('%s: nothing is written into the working folder', (_, env) => {
    const project = cwd()
    const before = treeOf(project)
    expectCivilJson(runWarm(load, { cwd: project, env }))
    expect(treeOf(project)).toEqual(before)
  })

  it.skipIf(process.getuid?.() !== 0)('no HOME and no user entry', () => {
    const line = `exec ${otherUser(54321).join(' ')} env -u HOME "$NODE" "$CLI" plan alpha --json`
    expectCivilJson(runShell(line, { cwd: cwd(), env: { NODE: process.execPath, CLI } }))
  })

  it.each(['plan alpha', 'index build', 'validate x.json', 'try', 'completion bash', 'help'])(
    'a deleted working folder: %s',
    (line) => {
      expectCivil(runShell(`mkdir x && cd x && rmdir ../x && loadout ${line} >/dev/null`))
    },
  )
})

describe('a migration takes another name when one is taken', () => {
  it.each<[string, Record<string, Content>, string]>([
    ['for a payload', { '.claude/loadout/two.md': aFolder }, '.claude/loadout/two-2.md'],
    ['for the backup', { 'CLAUDE.md.before-loadout': aFolder }, 'CLAUDE.md.before-loadout-2'],
  ])('%s', (_, files, expected) => {
    const cwd = makeProject({ 'CLAUDE.md': sections('One', 'Two', 'Three'), ...files })
    expect(runWarm(['index', 'migrate', 'CLAUDE.md', '--write'], { cwd })).toMatchObject({ code: 0, stderr: '' })
    expect(treeOf(cwd).map(String).join()).toContain(expected)
  })
})

describe('a migration that cannot be finished changes nothing', () => {
  const original = sections('One', 'Two', 'Three')
  it('a name that leaves no room for the backup', () => {
    const name = `${'C'.repeat(240)}.md`
    const cwd = makeProject({ [name]: original })
    const before = treeOf(cwd)
    const run = runWarm(['index', 'migrate', name, '--write'], { cwd })
    expectCivil(run)
    expect(run.code).toBe(2)
    expect(treeOf(cwd)).toEqual(before)
  })

  it('keeps every byte of a file that is not UTF-8', () => {
    const bytes = Buffer.from(original.replaceAll('line', 'caf\xe9'), 'latin1')
    const cwd = makeProject({ 'CLAUDE.md': bytes })
    expectCivil(runWarm(['index', 'migrate', 'CLAUDE.md', '--write'], { cwd }))
    const kept = readdirSync(cwd).filter((name) => name.startsWith('CLAUDE.md'))
    expect(kept.some((name) => readFileSync(join(cwd, name)).equals(bytes))).toBe(true)
  })

  it('does not split what it wrote itself', () => {
    const cwd = makeProject({ 'CLAUDE.md': original })
    runWarm(['index', 'migrate', 'CLAUDE.md', '--write'], { cwd })
    const before = treeOf(cwd)
    const again = runWarm(['index', 'migrate', 'CLAUDE.md', '--write'], { cwd })
    expectCivil(again)
    expect(again.stderr).toContain('no section worth moving')
    expect(treeOf(cwd)).toEqual(before)
  })
})

describe('an index that is broken can be rebuilt', () => {
  it.each<[string, Content]>([
    ['binary', new Uint8Array([0, 1, 2])],
    ['empty', ''],
    ['null', 'null'],
    ['a dangling link', aLinkTo('elsewhere.json')],
  ])('%s', (_, content) => {
    const cwd = makeProject({ [INDEX]: content, '.claude/loadout/a.md': payload('note') })
    const run = runWarm(['index', 'build'], { cwd })
    expectCivil(run)
    expect(run.code).toBe(0)
    expect(runWarm(['index', 'check'], { cwd }).code).toBe(0)
  })
})

describe('hostile sizes come to an end', () => {
  const many = indexOf(...Array.from({ length: 5000 }, (_, at) => ({ ...entry, id: `entry-number-${at}` })))
  const same = `## Same\n${'some words of the section here '.repeat(9)}\n`
  it.each<[string, Record<string, Content>, string[]]>([
    ['an id of 100 KB', { [INDEX]: many }, ['lookup', 'x'.repeat(100_000)]],
    ['digits as tokens', { [INDEX]: indexOf({ ...entry, tokens_est: '1'.repeat(200_000) }) }, ['lookup', 'alpha-one']],
    [
      'a heading of blanks',
      { 'f.md': `${sections('One', 'Two')}#${' '.repeat(4000)}\rx\n` },
      ['index', 'migrate', 'f.md'],
    ],
    ['1,000 equal headings', { 'f.md': same.repeat(1000) }, ['index', 'migrate', 'f.md']],
  ])('%s', (_, files, args) => {
    expectCivil(runWarm(args, { cwd: makeProject(files) }))
  })

  it('a Chinese task of 1 MB against a large Chinese index', () => {
    const sign = (at: number) => String.fromCharCode(0x4e00 + at)
    const entries = Array.from({ length: 1000 }, (_, at) => ({
      ...entry,
      id: `e-${at}`,
      keywords: [`${sign(at)}署流程部署流程文档`],
    }))
    const cwd = makeProject({ [INDEX]: indexOf(...entries) })
    const home = makeFolder()
    settle()
    for (const stdin of ['发布', '发布流程的文档'.repeat(50_000)]) {
      expectCivil(runWarm(['plan', '-'], { cwd, home, stdin }))
    }
  })
})

describe('a stored ranker that is damaged', () => {
  const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)
  const zeroes = (bytes: Buffer) => Buffer.concat([half(bytes), Buffer.alloc(bytes.length / 2)])
  it.each([
    ['cut off', half],
    ['overwritten', zeroes],
  ])('%s: the plan is the same', (_, damage) => {
    const entries = Array.from({ length: 2000 }, (_, at) => ({ ...entry, id: `e-${at}`, keywords: [`k${at}`, 'beta'] }))
    const cwd = makeProject({ [INDEX]: indexOf(...entries), 'a.md': 'Alpha.' })
    const home = makeFolder()
    const plan = () => runWarm(['plan', 'k7 beta'], { cwd, home })
    settle()
    const first = plan()
    const folder = join(home, '.cache/loadout/payloads')
    const [name] = readdirSync(folder)
    expect(name).toBeDefined()
    expect(plan().stdout, 'a stored ranker gives the same bytes').toBe(first.stdout)
    const path = join(folder, String(name))
    writeFileSync(path, damage(readFileSync(path)))
    const after = plan()
    expectCivil(after)
    expect(after.stdout).toBe(first.stdout)
  })
})
