import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { aLinkTo, makeFolder, makeProject, type RunOptions, runLoadout, runShell } from '../cli/run.ts'
import { type ContextWorld, FULL_PROJECT, makeContextWorld, NOW, TASK } from './context-world.ts'

const FORMATS = ['json', 'markdown', 'xml', 'text'] as const

function inEveryFormat(world: ContextWorld, options?: RunOptions): string[] {
  return FORMATS.map((format) => {
    const { code, stdout, stderr } = world.context(['--format', format], options)
    expect(stderr).toBe('')
    expect(code).toBe(0)
    return stdout
  })
}

const first = makeContextWorld()
const expected = inEveryFormat(first)

describe('the bundle of a full project', () => {
  const bundle = JSON.parse(expected[0] ?? '')

  it('has something of every kind', () => {
    expect(bundle.files.map(({ path }: { path: string }) => path)).toEqual([
      'AGENTS.md',
      'payload:house',
      'docs/gauge.md',
      'payload:flood',
      'pack:water',
      'README.md',
      expect.stringMatching(/^note:/),
      expect.stringMatching(/^note:/),
      'board:T-1',
      'board:T-2',
    ])
    expect(bundle.omitted).toContainEqual({
      path: 'pack:closed',
      source_class: 'task',
      reason: 'gate',
      detail: expect.any(String),
    })
  })

  it('names no place and no time of this machine', () => {
    const all = expected.join('')
    expect(all).not.toContain(first.project)
    expect(all).not.toContain(first.home)
    expect(all).not.toContain(tmpdir())
    expect(all).not.toContain(join(import.meta.dirname, '..', '..'))
    expect(all).not.toContain(new Date().toISOString().slice(0, 10))
    expect(bundle.now).toBe(NOW)
  })

  it('has sorted keys at every level', () => {
    const sorted = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(sorted)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .map(([key, each]) => [key, sorted(each)])
                .sort(),
            )
          : value
    expect(expected[0]).toBe(`${JSON.stringify(sorted(bundle))}\n`)
  })
})

describe('the same bytes', () => {
  it('in another clone, of which the files were written in another order', () => {
    const reversed = Object.fromEntries(Object.entries(FULL_PROJECT).reverse())
    const longer = join(makeFolder(), 'a much longer name', 'of the \u00e4 same [project]')
    mkdirSync(longer, { recursive: true })
    expect(inEveryFormat(makeContextWorld(reversed, { project: longer }))).toEqual(expected)
  })

  it('in a clone that is reached through a link', () => {
    const world = makeContextWorld()
    const link = join(makeFolder(), 'link')
    symlinkSync(world.project, link)
    expect(inEveryFormat(world, { cwd: link })).toEqual(expected)
    expect(inEveryFormat(world, { cwd: makeFolder(), env: { PWD: link } }).length).toBe(FORMATS.length)
    const named = world.context(['--format', 'json', '--project', link], { cwd: makeFolder() })
    expect(named.stdout).toBe(expected[0])
  })

  it.each([
    ['LC_ALL C', { LC_ALL: 'C', LANG: 'C' }],
    ['Turkish', { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' }],
    ['Chinese', { LC_ALL: 'zh_CN.GB18030', LANG: 'zh_CN.GB18030' }],
    ['the time zone of Kathmandu', { TZ: 'Asia/Kathmandu' }],
    ['the time zone of Apia', { TZ: 'Pacific/Apia' }],
    ['colours', { FORCE_COLOR: '3', CLICOLOR_FORCE: '1' }],
    ['no colours', { NO_COLOR: '1', TERM: 'dumb', COLUMNS: '20' }],
  ])('under %s', (_, env) => {
    expect(inEveryFormat(first, { env })).toEqual(expected)
  })

  it('from a folder inside the project', () => {
    expect(inEveryFormat(first, { cwd: join(first.project, 'docs', 'z') })).toEqual(expected)
  })

  it('under every umask', () => {
    for (const umask of ['000', '077', '027']) {
      const { code, stdout } = runShell(`umask ${umask}; loadout context "${TASK}" --now ${NOW} --format json`, {
        cwd: first.project,
        home: first.home,
      })
      expect([umask, code, stdout]).toEqual([umask, 0, expected[0]])
    }
  })

  it('by another user with the same approvals', () => {
    const home = makeFolder()
    cpSync(first.home, home, { recursive: true })
    runShell(`chmod -R a+rwX "${home}"`)
    expect(inEveryFormat(first, { home, isBound: true })).toEqual(expected)
  })

  it('with or without what a first run leaves behind', () => {
    expect(inEveryFormat(first)).toEqual(expected)
    rmSync(join(first.home, '.cache'), { recursive: true, force: true })
    expect(inEveryFormat(first)).toEqual(expected)
  })

  it('in a file as on standard output', () => {
    for (const [at, format] of FORMATS.entries()) {
      const file = join(makeFolder(), 'out')
      const { code, stdout } = first.context(['--format', format, '--out', file])
      expect([code, stdout]).toEqual([0, `${file}\n`])
      expect(readFileSync(file, 'utf8')).toBe(expected[at])
    }
  })
})

describe('names of machines in what is reported', () => {
  it('a home that begins like the project is not cut out of other names', () => {
    const parent = makeFolder()
    const project = join(parent, 'work-of-all')
    mkdirSync(project)
    const text = `see ${join(parent, 'work-of-all-others')}/x`
    writeFileSync(join(project, 'AGENTS.md'), text)
    const home = join(parent, 'work')
    mkdirSync(home)
    const { stdout } = runLoadout(['context', 'anything', '--format', 'json'], { cwd: project, home })
    expect(JSON.parse(stdout).files[0].excerpt).toBe(text)
  })

  it('a home at the root of everything changes no warning', () => {
    const files = { 'loadout.json': '{"controlPlane": ["docs/a/b.md"]}', 'anything.md': '# Anything\n' }
    const [one, other] = [makeFolder(), '/'].map((home) =>
      runLoadout(['context', 'anything', '--format', 'json'], {
        cwd: makeProject(files),
        home,
        env: { XDG_STATE_HOME: makeFolder(), XDG_CACHE_HOME: makeFolder() },
      }),
    )
    expect(JSON.parse(one?.stdout ?? '').warnings).toEqual(['the control plane lacks docs/a/b.md'])
    expect(other?.stdout).toBe(one?.stdout)
  })
})

describe('replay', () => {
  const idOf = (text: string) => JSON.parse(text).digest.slice(0, 16)

  it('gives the same bytes in every format, from anywhere', () => {
    const id = idOf(expected[0] ?? '')
    FORMATS.forEach((format, at) => {
      const run = runLoadout(['replay', id.slice(0, 8), '--format', format], { home: first.home })
      expect([run.code, run.stdout, run.stderr]).toEqual([0, expected[at], ''])
    })
    const json = JSON.parse(first.run(['replay', id, '--json']).stdout)
    expect([json.changes, json.bundle]).toEqual([[], JSON.parse(expected[0] ?? '')])
  })

  it('gives the same text after commits about other things, and says so when the choice is another', () => {
    const root = makeProject({
      'src/gate.ts': 'export const gate = "origins"\n',
      'docs/gate.md': '# Gate\n\nOrigins.\n',
    })
    const home = makeFolder()
    const commit = (subject: string) => {
      execFileSync('git', ['add', '-A'], { cwd: root })
      const me = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
      execFileSync('git', [...me, 'commit', '-qm', subject], { cwd: root })
    }
    rmSync(join(root, '.git'), { recursive: true, force: true })
    execFileSync('git', ['init', '-q'], { cwd: root })
    commit('Let the gate know its origins')
    const run = (...words: string[]) => runLoadout(words, { cwd: root, home })
    const { stdout } = run('context', 'which origins does the gate allow', '--format', 'markdown')
    const id = idOf(run('context', 'which origins does the gate allow', '--json').stdout)
    writeFileSync(join(root, 'src/door.ts'), 'export const door = 1\n')
    commit('Add a door')
    expect(run('replay', id, '--format', 'markdown')).toMatchObject({ code: 0, stdout })
    writeFileSync(join(root, 'src/origins.ts'), 'export const origins = ["gate"]\n')
    expect(run('replay', id)).toMatchObject({ code: 1, stderr: expect.stringContaining('src/origins.ts is new in it') })
  })

  it('gives the bundle that was written into the project itself', () => {
    const world = makeContextWorld()
    const { stdout } = world.context(['--json', '--out', 'docs/bundle.md'])
    const { code, stderr } = world.run(['replay', idOf(stdout)])
    expect([code, stderr]).toEqual([0, ''])
  })

  it.each<[string, string, (project: string) => void]>([
    [
      'a file that has changed',
      'docs/gauge.md has changed',
      (p) => writeFileSync(join(p, 'docs/gauge.md'), 'Another gauge.\n'),
    ],
    ['a file that is gone', 'docs/gauge.md is no longer in it', (p) => rmSync(join(p, 'docs/gauge.md'))],
    ['a file that is new', 'docs/A.md is new in it', (p) => writeFileSync(join(p, 'docs/A.md'), 'A gauge.\n')],
    ['another payload', 'payload:flood has changed', (p) => writeFileSync(join(p, 'rules/flood.md'), 'other\n')],
    [
      'other settings',
      'settings',
      (p) =>
        writeFileSync(
          join(p, 'loadout.json'),
          (FULL_PROJECT['loadout.json'] ?? '').replace('{', '{"budget":{"maxChars":29000},'),
        ),
    ],
  ])('%s: says so, and gives not a byte of the bundle', (_, said, change) => {
    const world = makeContextWorld()
    const id = idOf(world.context(['--format', 'json']).stdout)
    change(world.project)
    const run = world.run(['replay', id])
    expect([run.code, run.stdout]).toEqual([1, ''])
    expect(run.stderr).toContain(said)
    const json = JSON.parse(world.run(['replay', id, '--json']).stdout)
    expect(json.bundle).toBeUndefined()
    expect(json.changes.join()).toContain(said)
  })

  it('of a project that is gone: 2', () => {
    const world = makeContextWorld()
    const id = idOf(world.context(['--format', 'json']).stdout)
    rmSync(world.project, { recursive: true })
    const run = world.run(['replay', id], { cwd: makeFolder() })
    expect([run.code, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toContain('gone')
  })

  it.each([
    ['nothing', 'zz'],
    ['what is in every name', ''],
    ['a path', '../usage'],
  ])('of %s: 2', (_, id) => {
    const run = first.run(['replay', id])
    expect([run.code, run.stdout]).toEqual([2, ''])
  })

  it.each([
    ['{'],
    ['[]'],
    ['{}'],
    ['"x"'],
    ['{"format": 1, "digest": "0123456789abcdef", "root": "/", "request": {"task": "x"}, "files": []}'],
    ['{"format": 1, "digest": "0123456789abcdef", "root": "/", "request": {"task": "x", "without": 3}, "files": [3]}'],
    ['{"format": 1, "digest": "0123456789abcdef", "root": 7, "request": null, "files": null}'],
    ['\u0000\u0000'],
  ])('of a record that holds %j: 2, and what to do', (content) => {
    const home = makeProject({ '.local/state/loadout/audit/0123456789abcdef.json': content })
    const run = runLoadout(['replay', '0123'], { home, cwd: makeFolder() })
    expect([run.code, run.stdout]).toEqual([2, ''])
    expect(run.stderr).not.toContain('should not')
    expect(run.stderr).toMatch(/^error: .*0123456789abcdef\.json.*\n {2}\S/)
  })

  it('of a record that was changed by hand builds nothing else', () => {
    const world = makeContextWorld()
    const id = idOf(world.context(['--format', 'json']).stdout)
    const path = join(world.home, '.local/state/loadout/audit', `${id}.json`)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"task":"', '"task":"not '))
    const run = world.run(['replay', id])
    expect([run.code, run.stdout]).toEqual([2, ''])
  })

  it('of a record that cannot be read: 2', () => {
    const home = makeProject({ '.local/state/loadout/audit/0123456789abcdef.json': aLinkTo('/nowhere') })
    expect(runLoadout(['replay', '0123'], { home }).code).toBe(2)
    const other = makeProject({ '.local/state/loadout/audit/0123456789abcdef.json': '{}' })
    chmodSync(join(other, '.local/state/loadout/audit/0123456789abcdef.json'), 0)
    expect(runLoadout(['replay', '0123'], { home: other, isBound: true }).code).toBe(2)
  })
})

const own: string[] = []
afterAll(() => {
  for (const folder of own) rmSync(folder, { recursive: true, force: true })
})

it('a project in the folder for temporary files is like any other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'x'))
  own.push(folder)
  expect(inEveryFormat(makeContextWorld(FULL_PROJECT, { project: folder }))).toEqual(expected)
})
