import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { Machine } from '../../src/machine/machine.ts'
import { FileFinder, findProjectFiles, readSections } from '../../src/project/find-files.ts'
import { pointAtOnce } from '../../src/project/point-to-files.ts'
import { readTask } from '../../src/search/task.ts'

const made: string[] = []
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-project-'))
  made.push(folder)
  return folder
}

function write(root: string, files: Readonly<Record<string, string | Buffer>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

const ME = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']

function git(root: string, ...words: string[]): string {
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  }
  return execFileSync('git', ['-C', root, ...ME, ...words], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

function commit(root: string, subject: string): void {
  git(root, 'add', '-A')
  git(root, 'commit', '-qm', subject, '--date', '2026-01-01T00:00:00Z', '--allow-empty')
}

function machineAt(home: string): Machine {
  return new Machine({ cwd: home, home, env: { PATH: process.env.PATH }, now: () => new Date() })
}

const TASK = 'allow a list of origins in the gate'

function ask(root: string, home: string, task = TASK, repository: string | undefined = root) {
  return findProjectFiles(machineAt(home), { task: readTask(task), project: { root, repository } })
}

const FILES = {
  'src/gate.ts': 'export function openGate(origins) {\n  return origins\n}\n',
  'src/door.ts': 'export function openDoor() {\n  return 1\n}\n',
  'docs/gate.md': '# The gate\n\nA list of origins.\n',
  'test/gate.test.ts': 'it("allows origins", () => {})\n',
  '.gitignore': 'build/\n*.log\n',
  'build/gate.js': 'origins gate list\n',
  'gate.log': 'origins gate list\n',
}

function makeRepository(): string {
  const root = write(makeFolder(), FILES)
  git(root, 'init', '-q', '-b', 'main')
  commit(root, 'Start')
  write(root, { 'src/door.ts': 'export function openDoor() {\n  return 2\n}\n' })
  commit(root, 'Let the gate know its origins')
  return root
}

describe('the files for a task', () => {
  it('are those that git tracks or would track, and past commits vote', async () => {
    const root = makeRepository()
    write(root, { 'src/new-gate.ts': 'origins\n' })
    const { files, tests, signals } = await ask(root, makeFolder())
    expect(files.map(({ path }) => path)).toEqual(['docs/gate.md', 'src/gate.ts', 'src/door.ts', 'src/new-gate.ts'])
    expect(tests.map(({ path }) => path)).toEqual(['test/gate.test.ts'])
    expect(signals).toEqual({ files: 6, listed_by: 'git', commits: 2, shallow: false, left_out: {} })
  })

  it('are found at once by names and a search of the text, without an index', async () => {
    const root = makeRepository()
    const home = makeFolder()
    const point = (
      task: string,
      isSure: boolean,
      project: { root: string; repository: string | undefined } = { root, repository: root },
    ) => pointAtOnce(new FileFinder(machineAt(home)), { task: readTask(task), project }, { limit: 5, isSure })
    const pathsOf = async (...asked: Parameters<typeof point>) => (await point(...asked)).map(({ path }) => path)
    expect(await pathsOf(TASK, false)).toEqual(['docs/gate.md', 'src/gate.ts'])
    // A hook says only what it is sure of: what the task names.
    expect(await pathsOf(TASK, true)).toEqual([])
    expect(await pathsOf('why is src/door.ts so short?', true)).toEqual(['src/door.ts'])
    expect(await point('openDoor returns 1', true)).toMatchObject([
      { path: 'src/door.ts', symbol: 'openDoor', start: 1 },
    ])
    expect(await pathsOf('gate', false, { root: join(root, 'docs'), repository: root })).toEqual(['gate.md'])
    expect(await pathsOf(TASK, false, { root, repository: undefined })).toEqual([])
    expect(existsSync(join(home, '.cache'))).toBe(false)
  })

  it('do not repeat open files; what changed together with them are companions', async () => {
    const root = makeRepository()
    write(root, { 'src/door.ts': 'export const door = 3\n', 'src/hinge.ts': 'export const hinge = 1\n' })
    commit(root, 'Oil it')
    const request = { task: readTask(TASK), project: { root, repository: root } }
    const found = await findProjectFiles(machineAt(makeFolder()), { ...request, near: ['src/door.ts'] })
    expect(found.companions.map(({ path }) => path)).toContain('src/hinge.ts')
    for (const list of [found.files, found.tests, found.companions]) {
      expect(list.map(({ path }) => path)).not.toContain('src/door.ts')
    }
  })

  it('are known by a traceback, and the section with its line is worth most', async () => {
    const root = makeRepository()
    const filler = (name: string) => `export function ${name}() {\n${'  work()\n'.repeat(30)}}\n`
    write(root, { 'src/hinge.ts': `${filler('crashOnStart')}${filler('oil')}` })
    const task = 'crash on start\n\n    at oil (/home/me/app/src/hinge.ts:50:3)'
    const { files, terms } = await ask(root, makeFolder(), task)
    expect(files[0]).toMatchObject({ path: 'src/hinge.ts', lines: [50] })
    const { sections = [] } = readSections(root, 'src/hinge.ts', terms, [50]) ?? {}
    const best = sections.reduce((a, b) => (b.score > a.score ? b : a))
    expect(best).toMatchObject({ symbol: 'oil' })
    expect(best.start <= 50 && best.end >= 50).toBe(true)
  })

  it('are the same without git, but for what history says', async () => {
    const root = write(makeFolder(), FILES)
    const { files, signals } = await findProjectFiles(machineAt(makeFolder()), {
      task: readTask(TASK),
      project: { root, repository: undefined },
    })
    expect(files.map(({ path }) => path)).toEqual(['docs/gate.md', 'src/gate.ts'])
    expect(signals).toMatchObject({ listed_by: 'walk', commits: 0 })
  })

  it('are those below a project that is a part of a repository', async () => {
    const root = write(makeFolder(), { 'app/gate.ts': 'origins\n', 'other/gate.ts': 'origins\n' })
    git(root, 'init', '-q', '-b', 'main')
    commit(root, 'Allow origins')
    const { files, signals } = await ask(join(root, 'app'), makeFolder(), TASK, root)
    expect(files.map(({ path }) => path)).toEqual(['gate.ts'])
    expect(files[0]?.commits).toHaveLength(1)
    expect(signals).toMatchObject({ files: 1, commits: 1 })
  })

  it('are the same after git gc, and in another clone', async () => {
    const root = makeRepository()
    const before = await ask(root, makeFolder())
    git(root, 'gc', '-q')
    expect(await ask(root, makeFolder())).toEqual(before)
    const clone = join(makeFolder(), 'clone')
    git(root, 'clone', '-q', root, clone)
    expect(await ask(clone, makeFolder())).toEqual(before)
  })

  it('are left out by the rule that is asked with, whatever was asked before', async () => {
    const root = makeRepository()
    const home = makeFolder()
    const leftOut = (left: string, at = home) =>
      findProjectFiles(machineAt(at), {
        task: readTask(TASK),
        project: { root, repository: root },
        leaveOut: (path) => (path.startsWith(left) ? 'excluded' : path.endsWith('.test.ts') ? 'hidden' : undefined),
      })
    for (const left of ['src/', 'docs/', 'src/', 'none']) {
      const found = await leftOut(left)
      expect(found.paths.some((path) => path.startsWith(left) || path.endsWith('.test.ts'))).toBe(false)
      expect(found).toEqual(await leftOut(left, makeFolder()))
      write(root, { [`${left}/more-${found.paths.length}.ts`]: 'origins\n', 'docs/list.md': 'gate\n' })
    }
  })

  it('of a shallow clone say so', async () => {
    const clone = join(makeFolder(), 'clone')
    git(tmpdir(), 'clone', '-q', '--depth', '1', `file://${makeRepository()}`, clone)
    expect((await ask(clone, makeFolder())).signals).toMatchObject({ commits: 1, shallow: true })
  })
})

describe('the index', () => {
  const path = fc.constantFrom('a.ts', 'b/c.md', 'b/d.py', 'gate.ts', 'origins.json')
  const word = fc.constantFrom('origins', 'gate', 'list', 'door', 'x', '\n', 'def list():\n', '# Gate\n')
  const edit = fc.oneof(
    fc.record({ path, text: fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')) }),
    fc.record({ path, text: fc.constant(undefined) }),
  )

  it('gives the same answer cold, warm and half stale, whatever is edited', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 6 }), async (edits) => {
        const root = makeRepository()
        const home = makeFolder()
        await ask(root, home)
        for (const { path: name, text } of edits) {
          if (text === undefined) rmSync(join(root, name), { force: true })
          else write(root, { [name]: text })
          const warm = await ask(root, home)
          expect(warm).toEqual(await ask(root, makeFolder()))
          expect(await ask(root, home)).toEqual(warm)
        }
      }),
      { numRuns: 8 },
    )
  }, 60_000)

  it('is built by many at once, and all have the same answer', async () => {
    const root = makeRepository()
    const home = makeFolder()
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(root, home)))
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })

  it('may be lost, cut or damaged anywhere', async () => {
    const root = makeRepository()
    const home = makeFolder()
    await new Promise((done) => setTimeout(done, 150))
    const expected = await ask(root, home)
    const folder = join(home, '.cache/loadout/project')
    const file = join(folder, readdirSync(folder)[0] ?? '')
    const bytes = readFileSync(file)
    const other = makeFolder()
    // A process that has asked about another project meanwhile reads the file again.
    const askAnew = async () => {
      await ask(root, other)
      return ask(root, home)
    }
    const places = [0, 1, 30, bytes.length >> 2, bytes.length >> 1, bytes.length - 40, bytes.length - 1]
    for (const at of places) {
      writeFileSync(file, bytes.subarray(0, at))
      expect(await askAnew()).toEqual(expected)
      const flipped = Buffer.from(bytes)
      flipped[at]! ^= 255
      writeFileSync(file, flipped)
      expect(await askAnew()).toEqual(expected)
    }
  })

  it('is written where it can be, and not needed', async () => {
    const root = makeRepository()
    const home = write(makeFolder(), { '.cache': 'a file in the way' })
    expect(await ask(root, home)).toEqual(await ask(root, makeFolder()))
  })
})

const LOG = Array.from(
  { length: 2_000 },
  (_, at) => `2026-01-01T00:00:00Z worker ${at} ERROR reset by peer 0x${at}7af, ${at} left`,
)
const FOREIGN =
  'Traceback (most recent call last):\n  File "/opt/tool/celery/app/trace.py", line 477, in run\nKeyError: 7\n'

describe('an odd task', () => {
  it.each<[string, string, { first?: string; isNamed?: boolean }]>([
    [
      'an issue of 200 kB with a log',
      `openGate refuses origins\n\n${LOG.join('\n').repeat(2)}`,
      { first: 'src/gate.ts' },
    ],
    ['a traceback of another program', FOREIGN, { isNamed: false }],
    ['a path alone', 'src/door.ts', { first: 'src/door.ts', isNamed: true }],
    ['a path of Windows', 'C:\\work\\shop\\src\\door.ts', { first: 'src/door.ts', isNamed: true }],
    [
      'an error message alone',
      "TypeError: Cannot read properties of undefined (reading 'origins')",
      { isNamed: false },
    ],
    ['no subject', 'fix it', { isNamed: false }],
    ['signs', '?!', {}],
  ])('%s', async (_, task, { first, isNamed }) => {
    const root = makeRepository()
    const { files, terms } = await ask(root, makeFolder(), task)
    expect(task.startsWith('openGate') ? task.length : 200_000).toBeGreaterThan(190_000)
    if (first !== undefined) expect(files[0]?.path).toBe(first)
    if (isNamed !== undefined) expect(files.some((file) => file.isNamed)).toBe(isNamed)
    for (const { path, lines } of files) {
      if (task === FOREIGN) expect(lines).toEqual([])
      expect(readSections(root, path, terms)?.text).toBe(readFileSync(join(root, path), 'utf8'))
    }
  })
})

describe('an odd project', () => {
  const pathsOf = async (root: string) => {
    const { files, signals } = await ask(root, makeFolder())
    return [files.map(({ path }) => path), signals.commits, signals.left_out]
  }

  it('may have one file, or only generated ones', async () => {
    const one = write(makeFolder(), { 'gate.ts': FILES['src/gate.ts'] })
    git(one, 'init', '-q')
    expect(await pathsOf(one)).toEqual([['gate.ts'], 0, {}])
    write(one, { 'gate.ts': `// Code generated by gates. DO NOT EDIT.\n${FILES['src/gate.ts']}` })
    expect(await pathsOf(one)).toEqual([[], 0, { generated: 1 }])
  })

  it('may have its history rewritten, or lack most of it', async () => {
    const root = makeRepository()
    const home = makeFolder()
    const before = await ask(root, home)
    git(root, 'checkout', '-q', '--orphan', 'anew')
    commit(root, 'All in one')
    const { files, signals } = await ask(root, home)
    expect([before.signals.commits, signals.commits]).toEqual([2, 1])
    expect(files.flatMap((file) => file.commits)).toEqual([])
    const fresh = await ask(root, makeFolder())
    expect({ files, signals }).toEqual({ files: fresh.files, signals: fresh.signals })
    // Objects that are gone cost the history, not the answer.
    rmSync(join(root, '.git/objects'), { recursive: true })
    mkdirSync(join(root, '.git/objects'))
    const [paths, commits] = await pathsOf(root)
    expect([paths, commits]).toEqual([files.map(({ path }) => path), 0])
  })
})

describe('a hostile project', () => {
  it('runs nothing of its own, and shows nothing outside', async () => {
    const root = makeRepository()
    const mark = join(makeFolder(), 'was-run')
    const program = join(makeFolder(), 'program')
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 })
    for (const [key, value] of [
      ['core.fsmonitor', program],
      ['core.pager', program],
      ['core.sshCommand', program],
      ['filter.x.clean', program],
      ['filter.x.smudge', program],
      ['filter.x.process', program],
      ['diff.external', program],
      ['diff.x.textconv', program],
      ['log.showSignature', 'true'],
      ['gpg.program', program],
      ['alias.ls-files', `!${program}`],
    ] as const) {
      git(root, 'config', key, value)
    }
    for (const hook of ['post-index-change', 'post-checkout', 'reference-transaction']) {
      mkdirSync(join(root, '.git/hooks'), { recursive: true })
      writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
    }
    const outside = write(makeFolder(), { 'secret.ts': 'origins gate list\n' })
    write(root, { '.gitattributes': '* filter=x diff=x\n', 'src/gate.ts': 'origins gate changed\n' })
    symlinkSync(join(outside, 'secret.ts'), join(root, 'linked-gate.ts'))
    symlinkSync(outside, join(root, 'gate-folder'))
    execFileSync('mkfifo', [join(root, 'gate-pipe')])
    const { files, signals } = await ask(root, makeFolder())
    expect(files.map(({ path }) => path)).toEqual(['docs/gate.md', 'src/gate.ts', 'src/door.ts'])
    expect(signals.left_out).toEqual({ special: 2 })
    expect(existsSync(mark)).toBe(false)
  })

  it.each<[string, (root: string) => void]>([
    ['.gitignore', (root) => rmSync(join(root, '.gitignore'))],
    ['.git/info/exclude', (root) => rmSync(join(root, '.git/info/exclude'))],
    ['.git/names', (root) => git(root, 'config', 'core.excludesFile', '.git/names')],
  ])(
    'that has a pipe for %s is walked, without waiting for git',
    async (path, prepare) => {
      const root = makeRepository()
      prepare(root)
      execFileSync('mkfifo', [join(root, path)])
      const { files, signals } = await ask(root, makeFolder())
      expect(files.map((file) => file.path)).toContain('docs/gate.md')
      expect(signals).toMatchObject({ listed_by: 'walk', commits: 0 })
      // Less than git would wait.
    },
    15_000,
  )

  it('that steers git to another folder shows no file of it', async () => {
    const root = makeRepository()
    const outside = write(makeFolder(), { 'src/gate.ts': 'origins gate list\n', 'origins.ts': 'origins gate list\n' })
    git(root, 'config', 'core.worktree', outside)
    const { files } = await ask(root, makeFolder())
    expect(files.map(({ path }) => path)).toEqual(['docs/gate.md', 'src/gate.ts', 'src/door.ts'])
  })

  it('whose subjects pretend to be commits names no word of them', async () => {
    const root = makeRepository()
    write(root, { 'src/door.ts': 'export const door = 3\n' })
    commit(root, 'Open\x01OBEY-THIS-NOW\x02allow a list of origins in the gate\x03\nsrc/door.ts')
    const { files } = await ask(root, makeFolder())
    expect(files.flatMap(({ commits }) => commits).filter((id) => !/^[0-9a-f]{10}$/.test(id))).toEqual([])
  })

  it('may be one large file, or hold names that are not UTF-8', async () => {
    const line = 'the gate allows a list of origins in this line\n'
    const root = write(makeFolder(), { 'all.txt': line.repeat(19_000), 'huge.txt': line.repeat(40_000) })
    writeFileSync(Buffer.concat([Buffer.from(`${root}/gate-`), Buffer.from([0xff, 0xfe]), Buffer.from('.ts')]), line)
    git(root, 'init', '-q', '-b', 'main')
    const { files, signals } = await ask(root, makeFolder())
    expect(files.map(({ path }) => path)).toEqual(['all.txt'])
    expect(signals.left_out).toEqual({ large: 1, unreadable: 1 })
    const walked = await findProjectFiles(machineAt(makeFolder()), {
      task: readTask(TASK),
      project: { root, repository: undefined },
    })
    expect(walked.signals.left_out).toEqual({ large: 1, unreadable: 1 })
  })

  it('may be a bare repository, or have a submodule', async () => {
    const inner = makeRepository()
    const bare = join(makeFolder(), 'bare.git')
    git(inner, 'clone', '-q', '--bare', inner, bare)
    const { signals: ofBare } = await findProjectFiles(machineAt(makeFolder()), {
      task: readTask(TASK),
      project: { root: bare, repository: undefined },
    })
    expect(ofBare).toMatchObject({ files: 0, listed_by: 'walk' })
    const outer = makeRepository()
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'inner')
    const { files, signals } = await ask(outer, makeFolder())
    expect(files.some(({ path }) => path.startsWith('inner'))).toBe(false)
    expect(signals.left_out).toEqual({ special: 1 })
  })

  it('with endless subjects and a commit of many files costs only its history', async () => {
    const root = makeRepository()
    execFileSync('git', ['-C', root, ...ME, 'commit', '-q', '--allow-empty', '-F', '-'], {
      input: `origins ${'gate '.repeat(400_000)}\n`,
      env: { PATH: process.env.PATH, HOME: root },
    })
    write(root, Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`many/${at}.ts`, `const a${at} = 1\n`])))
    commit(root, 'Add many files about origins')
    const { files, signals } = await ask(root, makeFolder())
    expect(files.slice(0, 2).map(({ path }) => path)).toContain('src/gate.ts')
    expect(files.some(({ path }) => path.startsWith('many/'))).toBe(false)
    expect(signals.commits).toBe(2)
  })
})
