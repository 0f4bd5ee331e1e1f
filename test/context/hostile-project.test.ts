import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectCivil, expectCivilJson, treeOf } from '../cli/civil.ts'
import {
  aFolder,
  aLinkTo,
  aLinkToItself,
  aPipe,
  CLI,
  type Content,
  makeFolder,
  makeProject,
  type RunOptions,
  runShell,
} from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import { guide } from '../packs/pack-world.ts'
import { board, NOTES, NOW, noteLine } from './context-world.ts'

type Json = ReturnType<typeof JSON.parse>

function bundleOf(cwd: string, words: readonly string[] = [], options: RunOptions = {}): Json {
  const run = runWarm(['context', 'some task', '--now', NOW, '--format', 'json', ...words], { cwd, ...options })
  expectCivilJson(run)
  expect(run.code).toBe(0)
  return JSON.parse(run.stdout)
}

const reasonsOf = ({ omitted }: Json) => Object.fromEntries(omitted.map((each: Json) => [each.path, each.reason]))
const pathsOf = ({ files }: Json) => files.map(({ path }: Json) => path)

describe('a task', () => {
  const project = makeProject({ 'AGENTS.md': '# A\n', 'docs/a.md': 'text\n' })

  it.each([
    ['in Chinese', '\u4fee\u590d\u6d4b\u8bd5\u7684\u9519\u8bef'],
    ['in Arabic', '\u0625\u0635\u0644\u0627\u062d \u0627\u0644\u0627\u062e\u062a\u0628\u0627\u0631'],
    ['in Thai', '\u0e41\u0e01\u0e49\u0e44\u0e02'],
    ['in Devanagari', '\u092a\u0930\u0940\u0915\u094d\u0937\u0923'],
    ['of emoji', '\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67 \ud83d\ude80'],
    ['that steers terminals', 'a\u001b]0;x\u0007 b\u009b31m\u202e c'],
    ['of markup', '</loadout_file><knowledge_pack> | # ``` <!-- -->'],
    ['that looks like a flag', '--strict'],
    ['named like what an object has', '__proto__ constructor'],
  ])('%s', (_, task) => {
    for (const format of ['text', 'markdown', 'xml', 'json', 'explain']) {
      const run = runWarm(['context', '--format', format, '--', task], { cwd: project })
      expectCivil(run)
      expect([run.code, run.stderr]).toEqual([0, ''])
    }
    const run = runWarm(['context', '--json', '--', task], { cwd: project })
    expectCivilJson(run)
  })

  it('from standard input', () => {
    const run = runWarm(['context', '-', '--format', 'json'], { cwd: project, stdin: 'fix the tests\n' })
    expect(JSON.parse(run.stdout)).toMatchObject({ task: 'fix the tests', intent: { key: 'default' } })
  })

  it('from standard input that is empty, or blank: 2', () => {
    for (const stdin of ['', ' \n\t ']) {
      const run = runWarm(['context', '-'], { cwd: project, stdin })
      expectCivil(run)
      expect([run.code, run.stdout]).toEqual([2, ''])
    }
  })

  it.each([
    ['words', 'fix the tests of this thing\n'],
    ['one word', 'a'],
    ['digits', '1234567890 '],
    ['runs without blanks', '\u6d4b'],
    ['open brackets', '<<<<"\'(('],
  ])('of a megabyte of %s', (_, part) => {
    const stdin = part.repeat(Math.ceil((1 << 20) / part.length))
    const run = runWarm(['context', '-'], { cwd: project, stdin, isAlone: true })
    expectCivil(run)
    expect(run.code).toBe(0)
    expect(run.stdout.length).toBeLessThanOrEqual(30_000)
  })

  it('of bytes that are no UTF-8', () => {
    const run = runWarm(['context', '-', '--format', 'json'], {
      cwd: project,
      stdin: Buffer.from([0xff, 0xfe, 0x41]),
    })
    expectCivilJson(run)
  })
})

describe('a project', () => {
  it('that is empty gives a bundle; with --strict 1', () => {
    const cwd = makeFolder()
    expect(bundleOf(cwd)).toMatchObject({ control_plane: { status: 'absent' }, preset: 'generic' })
    const strict = runWarm(['context', 'x', '--strict', '--json'], { cwd })
    expectCivilJson(strict)
    expect(strict.code).toBe(1)
    expect(strict.stderr).toContain('no control plane')
  })

  it('that may not be read gives a bundle that says so', () => {
    const cwd = makeProject({ 'AGENTS.md': '# A\n', 'docs/a.md': 'text\n' })
    chmodSync(join(cwd, 'docs'), 0)
    const home = makeFolder()
    chmodSync(home, 0o777)
    const bundle = bundleOf(cwd, [], { isBound: true, home })
    expect(bundle.warnings.join()).toContain('docs')
    chmodSync(cwd, 0)
    const run = runWarm(['context', 'x', '--project', cwd], { isBound: true, home, cwd: '/' })
    expectCivil(run)
    chmodSync(cwd, 0o755)
  })
})

describe('settings', () => {
  it('that match very much take what has a place, and say how much is left out', () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d${at % 7}/f${at}.txt`, `text ${at}\n`]))
    const settings = {
      controlPlane: ['**/f1*.txt'],
      intents: { default: { include: ['**/*.{txt,md,json}', 'd*/**', '*'] } },
    }
    const cwd = makeProject({ ...files, 'loadout.json': JSON.stringify(settings), '.git/HEAD': 'ref\n' })
    const bundle = bundleOf(cwd)
    // With the restricted limits, the control plane took all places.
    expect([bundle.fallback.level, bundle.files.length]).toEqual(['relaxed', 24])
    expect(pathsOf(bundle)).not.toContain('.git/HEAD')
    const named = new Set([...pathsOf(bundle), ...bundle.omitted.map(({ path }: Json) => path)])
    for (const path of Object.keys(files)) expect(named).toContain(path)
  })
})

describe('candidates', () => {
  const settings = { controlPlane: ['AGENTS.md', 'plane'], intents: { default: { include: ['docs/*', 'dev/*'] } } }
  const inProject = (files: Record<string, Content>) =>
    makeProject({ 'AGENTS.md': '# A\n', 'loadout.json': JSON.stringify(settings), ...files })

  it('that are no text, no files or not inside are left out, each with its reason', () => {
    const outside = makeProject({ 'secret.md': 'not of this project' })
    const cwd = inProject({
      'docs/binary': Buffer.from([1, 0, 2]),
      'docs/bytes': Buffer.from([0xff, 0xfe, 0x41]),
      'docs/empty': '',
      'docs/fine.md': 'fine\n',
      'docs/inside': aLinkTo('../other.md'),
      'docs/loop': aLinkToItself,
      'docs/nowhere': aLinkTo('gone.md'),
      'docs/outside': aLinkTo(join(outside, 'secret.md')),
      'docs/pipe': aPipe,
      'docs/zero': aLinkTo('/dev/zero'),
      'other.md': 'other\n',
      plane: aPipe,
    })
    const bundle = bundleOf(cwd)
    expect(pathsOf(bundle)).toEqual(['AGENTS.md', 'docs/fine.md', 'docs/inside'])
    expect(reasonsOf(bundle)).toEqual({
      'docs/binary': 'binary',
      'docs/bytes': 'binary',
      'docs/empty': 'empty',
      'docs/loop': 'unreadable',
      'docs/nowhere': 'unreadable',
      'docs/outside': 'outside_root',
      'docs/pipe': 'not_a_file',
      'docs/zero': 'outside_root',
      plane: 'not_a_file',
    })
    expect(bundle.control_plane.status).toBe('partial')
  })

  it('that may not be read are left out', () => {
    const cwd = inProject({ 'docs/closed.md': 'closed\n' })
    chmodSync(join(cwd, 'docs/closed.md'), 0)
    const home = makeFolder()
    chmodSync(home, 0o777)
    expect(reasonsOf(bundleOf(cwd, [], { isBound: true, home }))).toEqual({ 'docs/closed.md': 'unreadable' })
  })

  it('of 300 MB are read no further than needed', () => {
    const cwd = inProject({ 'docs/huge.md': 'a line\n', 'docs/log.md': `${'a line of a log\n'.repeat(100_000)}` })
    truncateSync(join(cwd, 'docs/huge.md'), 300 * 1024 * 1024)
    const bundle = bundleOf(cwd)
    expect(reasonsOf(bundle)).toEqual({ 'docs/huge.md': 'binary' })
    expect(bundle.files[1]).toMatchObject({ path: 'docs/log.md', truncated: true, chars_total: null, sha256: null })
  })

  it('with hostile names break nothing', () => {
    const names = [
      'a\nb.md',
      'a|b.md',
      'a"b\'c.md',
      '</loadout_file>.md',
      '`#*_[x](y).md',
      'a\u001b[31m.md',
      'a\u202eb.md',
      '-n',
      ' ',
    ]
    const cwd = inProject(
      Object.fromEntries(names.map((name, at) => [`docs/${name.replace('/', '\u2215')}`, `text ${at}\n`])),
    )
    writeFileSync(
      Buffer.concat([Buffer.from(join(cwd, 'docs/')), Buffer.from([0xff, 0xfe, 0x2e, 0x6d, 0x64])]),
      'lost\n',
    )
    for (const format of ['text', 'markdown', 'xml', 'explain', 'json']) {
      const run = runWarm(['context', 'x', '--format', format], { cwd })
      expectCivil(run)
      expect(run.code).toBe(0)
      if (format === 'markdown')
        expect(run.stdout.match(/^\| .* \|$/gm)?.every((row) => row.split(' | ').length === 4)).toBe(true)
      if (format === 'xml')
        expect(run.stdout.match(/<\/loadout_file>/g)?.length).toBe(run.stdout.match(/^<loadout_file /gm)?.length)
    }
    const bundle = bundleOf(cwd)
    expect(bundle.files.length).toBe(names.length + 1)
    expect(bundle.warnings.join()).toContain('not UTF-8')
  })

  it('inside packs that are not approved leak not a byte', () => {
    const hidden = 'words that nobody approved'
    const open = {
      controlPlane: ['**/KNOWLEDGE.md'],
      intents: { default: { include: ['**/*.md', '.agents/**', 'l/**', 'k/*'] } },
    }
    const cwd = makeProject({
      '.git/HEAD': '',
      'loadout.json': JSON.stringify(open),
      '.agents/knowledge/quails/KNOWLEDGE.md': guide({ name: 'quails', description: 'some task about quails' }, hidden),
      '.agents/knowledge/quails/wiki/a.md': hidden,
      '.loadout/knowledge/rails/KNOWLEDGE.md': guide({ name: 'rails', description: 'some task about rails' }, hidden),
      'k/link.md': aLinkTo('../.agents/knowledge/quails/wiki/a.md'),
      l: aLinkTo('.agents/knowledge'),
    })
    for (const format of ['text', 'markdown', 'xml', 'json', 'explain']) {
      const run = runWarm(['context', 'some task', '--format', format], { cwd })
      expectCivil(run)
      expect(run.stdout + run.stderr).not.toContain(hidden)
    }
    expect(reasonsOf(bundleOf(cwd))).toMatchObject({
      '.agents/knowledge/quails/KNOWLEDGE.md': 'gate',
      '.agents/knowledge/quails/wiki/a.md': 'gate',
      'k/link.md': 'gate',
    })
  })
})

describe('--out', () => {
  const files = { 'AGENTS.md': '# A\n', 'docs/a.md': 'text\n' }

  it('onto a full disk: 2, and the old content stays', () => {
    const cwd = makeProject({ ...files, 'old.md': 'old\n' })
    const run = runShell('ulimit -f 1; trap "" XFSZ; loadout context x --chars 30000 --out old.md', {
      cwd: makeProject({ ...files, 'docs/b.md': 'a long line\n'.repeat(400), 'old.md': 'old\n' }),
    })
    expectCivil(run)
    expect(run.code).toBe(2)
    expect(readdirSync(cwd).sort()).toEqual(['AGENTS.md', 'docs', 'old.md'])
    expect(readFileSync(join(cwd, 'old.md'), 'utf8')).toBe('old\n')
  })

  it.each([
    ['by its path', 'docs/out.md'],
    ['by another spelling', './docs/../docs/out.md'],
    ['through a link to its folder', 'link/out.md'],
    ['through a link to it', 'docs/latest.md'],
  ])('inside a pattern is no source of itself, %s', (_, out) => {
    const cwd = makeProject({ ...files, link: aLinkTo('docs') })
    symlinkSync('target.md', join(cwd, 'docs/latest.md'))
    writeFileSync(join(cwd, 'docs/target.md'), '')
    const once = () => {
      expect(runWarm(['context', 'x', '--out', out], { cwd }).code).toBe(0)
      return readFileSync(join(cwd, out), 'utf8')
    }
    const first = once()
    expect(once()).toBe(first)
    expect(first).toContain('docs/a.md')
    expect(first).not.toMatch(/path="docs\/(?:out|target|latest)/)
  })
})

function aSparseGigabyte(path: string): void {
  writeFileSync(path, '{')
  truncateSync(path, 1 << 30)
}

describe('adapters', () => {
  const node = process.execPath
  const notes = { [NOTES]: `${noteLine('A note that stays.')}\n` }

  function projectWith(adapter: object, more: Record<string, Content> = {}): string {
    const settings = { tactical: { path: NOTES }, adapters: [{ id: 'board', timeoutMs: 1500, ...adapter }] }
    return makeProject({
      'AGENTS.md': '# A\n',
      'docs/a.md': 'text\n',
      ...notes,
      'loadout.json': JSON.stringify(settings),
      ...more,
    })
  }

  const others = (bundle: Json) => JSON.stringify(bundle.files.filter((each: Json) => each.source_class !== 'adapter'))
  const empty = { file: 'board.json' }
  let expected = ''
  beforeAll(() => {
    const cwd = projectWith(empty, { 'board.json': board([]) })
    const { stdout } = runWarm(['context', 'some task', '--now', NOW, '--format', 'json'], { cwd })
    expected = others(JSON.parse(stdout))
  })

  it.each<[string, object, Record<string, Content>]>([
    ['a file that is missing', { file: 'gone.json' }, {}],
    ['a file that is a pipe', { file: 'board.json' }, { 'board.json': aPipe }],
    ['a file that leads out', { file: 'board.json' }, { 'board.json': aLinkTo('/etc/hostname') }],
    ['a file of a gigabyte', { file: 'board.json' }, { 'board.json': aSparseGigabyte }],
    ['bad JSON', { file: 'board.json' }, { 'board.json': '{"items": [' }],
    ['no UTF-8', { file: 'board.json' }, { 'board.json': Buffer.from([0xff]) }],
    ['deep JSON', { file: 'board.json' }, { 'board.json': `${'['.repeat(100_000)}${']'.repeat(100_000)}` }],
    ['the wrong shape', { file: 'board.json' }, { 'board.json': '{"items": {"a": 1}}' }],
    ['a timeout', { command: [node, 'tool.js'], timeoutMs: 500 }, { 'tool.js': 'setTimeout(() => {}, 1e6)' }],
    ['a crash', { command: [node, 'tool.js'] }, { 'tool.js': 'process.exit(3)' }],
    ['a program that is not there', { command: ['./gone'] }, {}],
    ['bad JSON of a command', { command: ['echo', '{'] }, {}],
    ['a flood', { command: ['sh', 'tool.sh'] }, { 'tool.sh': 'yes' }],
  ])('%s: degraded, and no other slice changes', (_, adapter, more) => {
    const cwd = projectWith(adapter, more)
    const home = makeFolder()
    if ('command' in adapter) expect(runWarm(['adapters', 'allow'], { cwd, home }).code).toBe(0)
    const run = runWarm(['context', 'some task', '--now', NOW, '--format', 'json'], { cwd, home })
    expectCivilJson(run)
    expect(run.code).toBe(0)
    const bundle = JSON.parse(run.stdout)
    expect(bundle.degraded).toMatchObject([{ source: 'adapter:board' }])
    expect(bundle.warnings.join()).toContain('board')
    expect(run.stderr).toContain('adapter:board')
    expect(others(bundle)).toBe(expected)
    const strict = runWarm(['context', 'some task', '--now', NOW, '--strict'], { cwd, home })
    expectCivil(strict)
    expect(strict.code).toBe(1)
    expect(strict.stdout).toContain('AGENTS.md')
  })

  it('a command that is not approved does not run', () => {
    const marker = join(makeFolder(), 'ran')
    const cwd = projectWith({ command: ['touch', marker] })
    const bundle = bundleOf(cwd)
    expect(bundle.degraded).toMatchObject([{ source: 'adapter:board', code: 'ADAPTER_NOT_ALLOWED' }])
    expect(others(bundle)).toBe(expected)
    expect(existsSync(marker)).toBe(false)
  })

  it('huge numbers and texts of items cost no more than their place', () => {
    const items = [{ id: 'a', priority: 1e308, title: 'x'.repeat(100_000), summary: 'y\n'.repeat(50_000), tags: [] }]
    const bundle = bundleOf(projectWith(empty, { 'board.json': board(items) }))
    expect(others(bundle)).toBe(expected)
    expect(bundle.estimate.chars).toBeLessThanOrEqual(30_000)
  })
})

describe('notes', () => {
  const settings = JSON.stringify({ tactical: { path: NOTES } })

  it.each<[string, Content, boolean]>([
    ['lines that are none', `{\n${noteLine('A note that stays.')}\n\u0000\n[]\n{"record_id": 7}\n`, false],
    ['bytes', Buffer.from([0xff, 0xfe, 0x0a]), true],
    ['a folder', aFolder, true],
    ['a pipe', aPipe, true],
    ['a link that leads out', aLinkTo('/etc/hostname'), true],
  ])('%s: said, and the bundle is made', (_, content, isDegraded) => {
    const cwd = makeProject({ 'AGENTS.md': '# A\n', 'loadout.json': settings, [NOTES]: content })
    const bundle = bundleOf(cwd)
    expect(bundle.warnings.length).toBeGreaterThan(0)
    expect(bundle.degraded.length > 0).toBe(isDegraded)
    expect(pathsOf(bundle)[0]).toBe('AGENTS.md')
    expect(runWarm(['context', 'some task', '--strict'], { cwd }).code).toBe(isDegraded ? 1 : 0)
  })

  it('that are not there yet are no trouble', () => {
    const cwd = makeProject({ 'AGENTS.md': '# A\n', 'loadout.json': settings })
    expect(bundleOf(cwd)).toMatchObject({ warnings: [], degraded: [] })
  })
})

describe('the records', () => {
  const files = { 'AGENTS.md': '# A\n', 'docs/a.md': 'text\n' }

  it('that cannot be written cost a warning, not the bundle', () => {
    const cwd = makeProject(files)
    const expected = runWarm(['context', 'x'], { cwd }).stdout
    const readOnly = makeFolder()
    chmodSync(readOnly, 0o555)
    const inTheWay = makeProject({ '.local/state/loadout/audit': 'a file' })
    for (const home of [readOnly, inTheWay]) {
      const run = runWarm(['context', 'x'], { cwd, home, isBound: true })
      expectCivil(run)
      expect([run.code, run.stdout]).toEqual([0, expected])
      expect(run.stderr).toContain('could not be recorded')
    }
  })

  it('are readable only for their owner', () => {
    const home = makeFolder()
    runWarm(['context', 'x'], { cwd: makeProject(files), home })
    const folder = join(home, '.local/state/loadout/audit')
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  it('of contexts at the same time are all whole', async () => {
    const cwd = makeProject(files)
    const home = makeFolder()
    const one = () =>
      new Promise<string>((done) => {
        const child = spawn(process.execPath, [CLI, 'context', 'x', '--out', 'docs/out.md'], {
          cwd,
          env: { PATH: process.env.PATH, HOME: home },
        })
        let said = ''
        child.stderr.on('data', (data) => (said += data))
        child.on('close', (code) => done(`${code} ${said}`))
      })
    expect(await Promise.all(Array.from({ length: 6 }, one))).toEqual(Array(6).fill('0 '))
    const folder = join(home, '.local/state/loadout/audit')
    const [name = '', ...more] = readdirSync(folder)
    expect(more).toEqual([])
    expect(runWarm(['replay', name.slice(0, 16)], { home }).stdout).toBe(readFileSync(join(cwd, 'docs/out.md'), 'utf8'))
    expect(readdirSync(join(cwd, 'docs')).sort()).toEqual(['a.md', 'out.md'])
  })
})

describe('what is written', () => {
  it('--json and --format json are the same bundle', () => {
    const cwd = makeProject({ 'AGENTS.md': '# A\n' })
    const { findings, ...bundle } = JSON.parse(runWarm(['context', 'x', '--json'], { cwd }).stdout)
    expect(findings).toEqual([])
    expect(bundle).toEqual(JSON.parse(runWarm(['context', 'x', '--format', 'json'], { cwd }).stdout))
  })

  it('never has more characters than asked for', () => {
    const text = '\u0007\u009b\u202e bell\n'.repeat(2000)
    const cwd = makeProject({ 'AGENTS.md': text, 'docs/a.md': text, 'docs/\u001b\u001b.md': text })
    for (const chars of [0, 1, 100, 1000, 5000]) {
      for (const format of ['text', 'markdown', 'xml']) {
        const run = runWarm(['context', 'x\u0007y\u202e', '--chars', String(chars), '--format', format], { cwd })
        expectCivil(run)
        expect(run.stdout.length).toBeLessThanOrEqual(chars)
      }
    }
  })

  it('nothing goes into the project', () => {
    const cwd = makeProject({ 'AGENTS.md': '# A\n', 'docs/a.md': 'text\n' })
    mkdirSync(join(cwd, '.git'))
    const before = treeOf(cwd)
    runWarm(['context', 'x'], { cwd })
    expect(treeOf(cwd)).toEqual(before)
  })
})
