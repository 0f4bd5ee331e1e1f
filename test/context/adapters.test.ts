import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listAdapters, readAdapterSlice } from '../../src/answer/adapters.ts'
import { approve, deny, revoke } from '../../src/answer/approve.ts'
import { type Fetched, fetchAdapter, LARGEST_PAYLOAD } from '../../src/answer/disk/run-adapter.ts'
import type { Trail } from '../../src/answer/rules/bundle.ts'
import type { AdapterSettings } from '../../src/answer/settings.ts'
import { Machine } from '../../src/machine/machine.ts'
import { aFolder, aLinkTo, aLinkToItself, aPipe, type Content, makeFolder, makeProject } from '../cli/run.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const PAYLOAD = {
  adapter_id: 'work',
  fetched_at: '2026-03-01T11:59:00Z',
  items: [
    { id: 'W-1', state: 'open', priority: 1, title: 'Login loops', summary: 'The session is lost.', tags: ['auth'] },
  ],
}

const SHORT = 500

function machineAt(cwd: string, env: Record<string, string> = {}): Machine {
  return new Machine({ cwd, home: makeFolder(), env: { PATH: process.env.PATH, ...env }, now: () => NOW })
}

function adapterOf(fields: Partial<AdapterSettings>): AdapterSettings {
  const defaults = { id: 'work', file: undefined, command: undefined, maxItems: 10 }
  return { ...defaults, staleAfterSeconds: 3600, timeoutMs: 10_000, ...fields }
}

/** Fetches, and returns which of the recorded processes still run. */
async function fetchIn(
  project: string,
  fields: Partial<AdapterSettings>,
  env: Record<string, string> = {},
): Promise<Fetched & { left: number[] }> {
  const fetched = await fetchAdapter(machineAt(project, env), project, adapterOf(fields))
  return { ...fetched, left: await survivors(project) }
}

/** The system kills a process a moment after the request. */
async function survivors(project: string): Promise<number[]> {
  const pids = join(project, 'pids')
  if (!existsSync(pids)) return []
  const all = readFileSync(pids, 'utf8').trim().split(/\s+/).map(Number)
  for (let look = 0; look < 500 && all.some(isRunning); look++) await new Promise((wake) => setTimeout(wake, 10))
  return all.filter(isRunning)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

const script = (text: string) => makeProject({ 'tool.sh': text, 'payload.json': JSON.stringify(PAYLOAD) })
const SH = ['sh', 'tool.sh']

describe('a file', () => {
  it('is read', async () => {
    const project = makeProject({ 'work.json': `\ufeff${JSON.stringify(PAYLOAD)}` })
    expect(await fetchIn(project, { file: 'work.json' })).toMatchObject({ payload: PAYLOAD })
  })

  const outside = makeProject({ 'work.json': JSON.stringify(PAYLOAD) })
  const huge = (path: string) => {
    writeFileSync(path, '')
    truncateSync(path, 300 * 1024 * 1024)
  }
  const rows: [what: string, content: Content | undefined, code: string][] = [
    ['missing', undefined, 'FILE_NOT_FOUND'],
    ['a folder', aFolder, 'NOT_A_FILE'],
    ['a pipe', aPipe, 'NOT_A_FILE'],
    ['a link to itself', aLinkToItself, 'FILE_UNREADABLE'],
    ['a link out of the project', aLinkTo(join(outside, 'work.json')), 'PATH_ESCAPE'],
    ['a link to a device', aLinkTo('/dev/zero'), 'PATH_ESCAPE'],
    ['300 MB', huge, 'FILE_TOO_LARGE'],
    ['one byte too large', ' '.repeat(LARGEST_PAYLOAD + 1), 'FILE_TOO_LARGE'],
    ['empty', '', 'BAD_JSON'],
    ['cut off', '{"adapter_id": "wo', 'BAD_JSON'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 'NOT_TEXT'],
    ['deep', '['.repeat(200_000), 'BAD_JSON'],
  ]
  it.each(rows)('that is %s', async (_, content, code) => {
    const project = makeProject(content === undefined ? {} : { 'work.json': content })
    const { failure } = await fetchIn(project, { file: 'work.json' })
    expect(failure).toMatchObject({ code })
    expect(failure?.message).not.toContain(project)
  })

  it.each(['../work.json', '/etc/hosts', 'a\0b', ''])('the path %j is refused', async (file) => {
    expect((await fetchIn(makeFolder(), { file })).failure).toMatchObject({ code: 'PATH_ESCAPE' })
  })
})

describe('a command', () => {
  it('is run in the project, without a shell, and its output read', async () => {
    const project = script('')
    const command = [process.execPath, '-p', 'require("fs").readFileSync(process.argv[1], "utf8")', 'payload.json']
    expect(await fetchIn(project, { command })).toMatchObject({ payload: PAYLOAD })
    const literal = ['printf', '%s', '{"a": "$(touch made) `touch made` ; touch made"}']
    expect(await fetchIn(project, { command: literal })).toMatchObject({
      payload: { a: '$(touch made) `touch made` ; touch made' },
    })
    expect(existsSync(join(project, 'made'))).toBe(false)
  })

  it('sees a bare environment and no input', async () => {
    const project = script(
      'printf \'{"env": "%s", "input": "%s"}\' "$(env | cut -d= -f1 | sort | tr "\\n" " ")" "$(cat)"',
    )
    const secret = {
      AWS_SECRET_ACCESS_KEY: 'x',
      GITHUB_TOKEN: 'y',
      NODE_OPTIONS: '--require=./evil.js',
      SSH_AUTH_SOCK: 'z',
    }
    const { payload } = await fetchIn(project, { command: SH }, secret)
    const { env, input } = payload as { env: string; input: string }
    expect(input).toBe('')
    // The shell adds PWD and the like by itself.
    const known = ['HOME', 'LANG', 'LOADOUT_ADAPTER_RUN', 'OLDPWD', 'PATH', 'PWD', 'SHLVL', '_']
    expect(
      env
        .trim()
        .split(' ')
        .filter((name) => !known.includes(name)),
    ).toEqual([])
    expect(env).toContain('HOME LANG')
  })

  it('is not looked for in the project, whatever PATH says', async () => {
    const project = makeProject({ 'planted-tool': '#!/bin/sh\necho 1\n' })
    chmodSync(join(project, 'planted-tool'), 0o755)
    const { failure } = await fetchIn(project, { command: ['planted-tool'] }, { PATH: `.::bin:${process.env.PATH}` })
    expect(failure).toMatchObject({ code: 'ENTRY_NOT_FOUND' })
  })

  const failing: [what: string, text: string, code: string, says: RegExp][] = [
    ['exits with 3', 'cat payload.json; echo secret-word >&2; exit 3', 'ADAPTER_FAILED', /exit code 3/],
    ['is ended by a signal', 'kill -KILL $$', 'ADAPTER_FAILED', /SIGKILL/],
    ['prints nothing', 'true', 'BAD_JSON', /empty/],
    ['prints no JSON', 'echo "secret-word {"', 'BAD_JSON', /line 1, column 1/],
    ['prints half of it', 'printf \'{"items": [\'', 'BAD_JSON', /not valid JSON/],
    ['prints too deep JSON', 'head -c 500000 /dev/zero | tr "\\0" "["', 'BAD_JSON', /nested deeper/],
    ['prints a byte too much', `head -c ${LARGEST_PAYLOAD + 1} /dev/zero`, 'ADAPTER_FAILED', /more than 1048576 bytes/],
    ['prints what is not UTF-8', 'printf "\\"\\377\\376\\""', 'NOT_TEXT', /UTF-8/],
  ]
  it.each(failing)('that %s', async (_, text, code, says) => {
    const { failure } = await fetchIn(script(text), { command: SH })
    expect(failure).toMatchObject({ code, message: expect.stringMatching(says) })
    expect(failure?.message).not.toContain('secret-word')
  })

  it('that does not exist, may not be executed, or is no command at all', async () => {
    const project = makeProject({ 'plain.txt': 'x' })
    // Root enters it all the same.
    const closed = makeFolder()
    chmodSync(closed, 0)
    const PATH = `${closed}:${process.env.PATH}`
    const failureOf = async (command: string[]) => (await fetchIn(project, { command }, { PATH })).failure?.code
    expect(await failureOf(['no-such-program-anywhere'])).toBe('ENTRY_NOT_FOUND')
    expect(await failureOf(['./no-such-script'])).toBe('ENTRY_NOT_FOUND')
    expect(await failureOf(['./plain.txt'])).toBe('ADAPTER_FAILED')
    expect(await failureOf(['.'])).toBe('ADAPTER_FAILED')
    expect(await failureOf([])).toBe('ADAPTER_FAILED')
    expect(await failureOf([''])).toBe('ADAPTER_FAILED')
    expect(await failureOf(['echo', 'a\0b'])).toBe('ADAPTER_FAILED')
  })

  const GRANDCHILDREN = `
    sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 0.1; done' &
    (trap "" TERM HUP; sh -c 'echo $$ >> pids; exec sleep 600') &
    nohup sleep 600 >/dev/null 2>&1 & echo $! >> pids
    while [ "$(wc -l < pids)" -lt 4 ]; do sleep 0.02; done`
  const DETACHED = `
    const { spawn } = require('node:child_process')
    const { appendFileSync } = require('node:fs')
    for (const stdio of ['ignore', 'inherit']) {
      const child = spawn('sleep', ['600'], { detached: true, stdio })
      appendFileSync('pids', child.pid + '\\n')
      child.unref()
    }`
  const LATE = 'took longer than'
  const FLOOD = 'printed more than'
  const stubborn: [what: string, text: string, why: typeof LATE | typeof FLOOD][] = [
    ['takes too long', 'echo $$ >> pids; sleep 600', LATE],
    ['ignores SIGTERM', 'trap "" TERM; echo $$ >> pids; while :; do sleep 0.1; done', LATE],
    ['is stopped', 'echo $$ >> pids; kill -STOP $$', LATE],
    ['forks children that ignore SIGTERM, and waits', `echo $$ >> pids; ${GRANDCHILDREN}; wait`, LATE],
    ['closes its output and goes on', 'echo $$ >> pids; exec >&-; sleep 600', LATE],
    ['floods its output', 'echo $$ >> pids; exec yes', FLOOD],
    [
      'floods its output and ignores every polite word',
      'trap "" TERM PIPE; echo $$ >> pids; line=$(printf %08000d 0); while :; do echo $line; done',
      FLOOD,
    ],
    ['prints a gigabyte', 'echo $$ >> pids; head -c 1000000000 /dev/zero', FLOOD],
    ['floods its errors', 'echo $$ >> pids; exec yes >&2', LATE],
  ]
  it.each(stubborn)('that %s is ended, with all it has started', async (_, text, why) => {
    const before = process.memoryUsage.rss()
    // A flood is noticed by its size, however long it takes to come.
    const timeoutMs = why === FLOOD ? 60_000 : SHORT * 3
    const { failure, left } = await fetchIn(script(text), { command: SH, timeoutMs })
    expect(failure).toMatchObject({ code: 'ADAPTER_FAILED', message: expect.stringContaining(why) })
    expect(left).toEqual([])
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024)
  })

  it('that ends well leaves nothing running, and need not wait for what it started', async () => {
    const project = script(`echo $$ >> pids; ${GRANDCHILDREN}; cat payload.json`)
    const { payload, left } = await fetchIn(project, { command: SH, timeoutMs: 60_000 })
    expect(payload).toEqual(PAYLOAD)
    expect(left).toEqual([])
    expect(readFileSync(join(project, 'pids'), 'utf8').trim().split('\n')).toHaveLength(4)
  })

  it.runIf(existsSync('/proc/self/environ'))('cannot leave a process behind in a group of its own', async () => {
    const project = makeProject({
      'tool.cjs': `${DETACHED}\nconsole.log('{}')`,
      'slow.cjs': `${DETACHED}\nsetInterval(() => {}, 1000)`,
    })
    const quick = await fetchIn(project, { command: [process.execPath, 'tool.cjs'] })
    expect(quick).toMatchObject({ payload: {}, left: [] })
    rmSync(join(project, 'pids'))
    const slow = await fetchIn(project, { command: [process.execPath, 'slow.cjs'], timeoutMs: SHORT * 3 })
    expect(slow).toMatchObject({
      failure: { code: 'ADAPTER_FAILED', message: expect.stringContaining(LATE) },
      left: [],
    })
  })

  it('that was in time is heard, however busy the program was meanwhile', async () => {
    const payload = JSON.stringify({ ...PAYLOAD, filling: 'x'.repeat(60_000) })
    const project = makeProject({ 'payload.json': payload, 'tool.sh': 'cat payload.json; echo $$ > done' })
    const fetching = fetchIn(project, { command: SH, timeoutMs: SHORT })
    const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    while (!existsSync(join(project, 'done'))) sleep(20)
    sleep(SHORT)
    expect((await fetching).payload).toMatchObject(PAYLOAD)
  })

  it('is ended when the caller gives up', async () => {
    const project = script('echo $$ >> pids; sleep 600')
    const controller = new AbortController()
    const options = controller.signal
    const fetching = fetchAdapter(machineAt(project), project, adapterOf({ command: SH }), options)
    await expect.poll(() => existsSync(join(project, 'pids'))).toBe(true)
    controller.abort()
    expect(await fetching).toMatchObject({ failure: { code: 'ADAPTER_FAILED' } })
    expect(await survivors(project)).toEqual([])
  })
})

/** A project whose settings name these adapters, and a machine whose user may have allowed them. */
/** The items for a task, and what is said about them. */
async function sliceOf(machine: Machine, project: string, adapters: Partial<AdapterSettings>[]) {
  const trail: Trail = { omitted: [], warnings: [], adviceWarnings: [], degraded: [], missing: [], sourceAnchors: [] }
  const asked = { project, adapters: adapters.map(adapterOf), task: 'repair the login', now: NOW }
  return { candidates: await readAdapterSlice(machine, asked, trail), ...trail }
}

function projectWith(adapters: Partial<AdapterSettings>[], files: Record<string, Content> = {}) {
  const project = makeProject({ 'loadout.json': JSON.stringify({ adapters }), ...files })
  const machine = machineAt(project)
  const read = () => sliceOf(machine, project, adapters)
  return { project, machine, read }
}

describe('consent', () => {
  const command = [process.execPath, 'tool.cjs']
  const files = {
    // Split, because an approval covers every file that a script names.
    'tool.cjs': `require('node:fs').writeFileSync('ra' + 'n', ''); console.log(${JSON.stringify(JSON.stringify(PAYLOAD))})`,
  }

  it('nothing runs before a person has allowed it, nor after they took it back', async () => {
    const { project, machine, read } = projectWith([{ id: 'work', command }], files)
    const refused = await read()
    expect(refused.candidates).toEqual([])
    expect(refused.degraded).toMatchObject([{ source: 'adapter:work', code: 'ADAPTER_NOT_ALLOWED' }])
    expect(refused.adviceWarnings).toEqual([expect.stringMatching(/: loadout approve adapter:work$/)])
    expect(existsSync(join(project, 'ran'))).toBe(false)

    await approve(machine, { kind: 'adapter' })
    expect((await read()).candidates.map(({ path }) => path)).toEqual(['work:W-1'])
    expect(listAdapters(machine, {}).adapters).toMatchObject([{ id: 'work', trust: 'allowed' }])

    await revoke(machine, { kind: 'adapter' })
    expect((await read()).degraded).toMatchObject([{ code: 'ADAPTER_NOT_ALLOWED' }])
  })

  it('holds for this machine, this folder, these commands and these scripts', async () => {
    const { project, machine, read } = projectWith([{ id: 'work', command }], files)
    await approve(machine, { kind: 'adapter' })
    expect((await read()).degraded).toEqual([])
    const asked = (projectRoot: string, argv: string[], who = machine) => sliceOf(who, projectRoot, [{ command: argv }])
    const codes = async (slice: ReturnType<typeof sliceOf>) => (await slice).degraded.map(({ code }) => code)
    expect(await codes(asked(project, command, machineAt(project)))).toEqual(['ADAPTER_NOT_ALLOWED'])
    expect(await codes(asked(makeProject(files), command))).toEqual(['ADAPTER_NOT_ALLOWED'])
    expect(await codes(asked(project, [...command, 'more']))).toEqual(['ADAPTER_NOT_ALLOWED'])
    writeFileSync(join(project, 'tool.cjs'), 'console.log(1)')
    expect((await read()).degraded).toMatchObject([{ reason: expect.stringContaining('has changed') }])
  })

  it('a record that cannot be understood allows nothing, and is left as it is', async () => {
    const { machine, read } = projectWith([{ id: 'work', command }], files)
    await approve(machine, { kind: 'adapter' })
    const path = machine.records.path('approvals.json')
    for (const text of ['', '{"version":2}', readFileSync(path, 'utf8').replace('"root"', '"other"')]) {
      writeFileSync(path, text)
      expect((await read()).degraded).toMatchObject([{ code: 'ADAPTER_NOT_ALLOWED' }])
      await expect(approve(machine, { kind: 'adapter' })).rejects.toMatchObject({ code: 'BAD_APPROVALS' })
      expect(readFileSync(path, 'utf8')).toBe(text)
    }
  })

  it('is for one adapter, or all of them; a denial holds', async () => {
    const { project, machine, read } = projectWith(
      [
        { id: 'work', command },
        { id: 'other', command },
      ],
      files,
    )
    await approve(machine, { what: 'adapter:work' })
    const trusts = () => listAdapters(machine, {}).adapters.map(({ trust }) => trust)
    expect(trusts()).toEqual(['allowed', 'unknown'])
    await deny(machine, { what: 'work' })
    expect(trusts()).toEqual(['denied', 'unknown'])
    rmSync(join(project, 'ran'), { force: true })
    expect((await read()).degraded).toMatchObject([{ reason: 'its command was denied' }, {}])
    expect(existsSync(join(project, 'ran'))).toBe(false)
    await revoke(machine, { what: 'work' })
    expect(trusts()).toEqual(['unknown', 'unknown'])
    await expect(approve(machine, { what: 'adapter:gone' })).rejects.toMatchObject({ code: 'ENTRY_NOT_FOUND' })
  })

  it('another project at the same path inherits nothing', async () => {
    const { project, machine, read } = projectWith([{ id: 'work', command }], files)
    await approve(machine, { what: 'work' })
    cpSync(project, `${project}-other`, { recursive: true })
    rmSync(project, { recursive: true })
    renameSync(`${project}-other`, project)
    expect((await read()).degraded).toMatchObject([{ reason: expect.stringContaining('another project') }])
  })

  it('a project without commands has nothing to allow', async () => {
    const { machine } = projectWith([{ id: 'work', file: 'work.json' }])
    await expect(approve(machine, { kind: 'adapter' })).rejects.toMatchObject({ code: 'ENTRY_NOT_FOUND' })
    expect(listAdapters(machine, {}).adapters).toEqual([{ id: 'work', file: 'work.json', trust: 'allowed' }])
  })
})

describe('an allowed command never runs code that was changed later', () => {
  const HARMLESS = `console.log(${JSON.stringify(JSON.stringify(PAYLOAD))})\n`
  const EVIL = "require('node:fs').writeFileSync('evil', '')\n"
  const FAKE = 'touch evil; echo {}\n'
  const outside = makeProject({ 'out.js': HARMLESS })
  const node = process.execPath
  const PYTHON = "import helper\nprint('{}')\n"

  /** `asked`: approved, and needs another approval after the change. `refused`: cannot be approved. */
  type Form = [form: string, command: string[], expected: 'asked' | 'refused', more?: Partial<Setup>]
  interface Setup {
    files: Record<string, Content>
    change: (project: string) => void
  }
  const write = (path: string, text: string) => (project: string) => {
    mkdirSync(join(project, path, '..'), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  const imports = (text: string, changed = 'tools/lib.cjs', planted = EVIL): Partial<Setup> => ({
    files: { 'tools/imp.cjs': `${text}\n${HARMLESS}`, [changed]: '' },
    change: write(changed, planted),
  })
  const shell = (text: string, changed = 'tools/lib.sh', planted = FAKE): Partial<Setup> => ({
    files: { 'tools/run.sh': `${text}\ncat payload.json\n`, [changed]: 'true\n' },
    change: write(changed, planted),
  })
  const IMP = [node, 'tools/imp.cjs']
  const RUN = ['sh', 'tools/run.sh']
  const FORMS: Form[] = [
    ['the exact path', [node, 'tools/tickets.js'], 'asked'],
    ['./', [node, './tools/tickets.js'], 'asked'],
    ['a/../a', [node, 'tools/../tools/tickets.js'], 'asked'],
    ['-r ./x', [node, '-r', './tools/tickets.js', 'tools/idle.js'], 'asked'],
    ['a link inside', [node, 'tools/link.js'], 'asked', { files: { 'tools/link.js': aLinkTo('tickets.js') } }],
    ['a file that did not exist yet', [node, 'tools/new.js'], 'asked', { change: write('tools/new.js', EVIL) }],
    ['no extension', [node, 'tools/tickets'], 'asked'],
    ['a folder', [node, 'tools'], 'refused', { change: write('tools/index.js', EVIL) }],
    ['--require=', [node, '--require=./tools/tickets.js', '-e', '0'], 'refused'],
    ['--require= and a script', [node, '--require=./tools/tickets.js', 'tools/idle.js'], 'asked'],
    [
      'more than 4 MB',
      [node, 'tools/big.js'],
      'refused',
      { files: { 'tools/big.js': `//${' '.repeat(4 << 20)}\n${HARMLESS}` }, change: write('tools/big.js', EVIL) },
    ],
    [
      'a link that leaves the project',
      [node, 'tools/out.js'],
      'refused',
      { files: { 'tools/out.js': aLinkTo(join(outside, 'out.js')) }, change: () => write('out.js', EVIL)(outside) },
    ],
    ['a shell with a program as a word', ['sh', '-c', 'node tools/tickets.js'], 'refused'],
    ['an imported file', IMP, 'asked', imports("require('./lib.cjs')")],
    // Beyond the thirteen.
    ['an imported file without extension', IMP, 'asked', imports("require('./lib')", 'tools/lib.js')],
    [
      'an import that is shadowed later',
      IMP,
      'asked',
      { ...imports("require('./lib')"), change: write('tools/lib', EVIL) },
    ],
    ['an imported folder', IMP, 'refused', imports("require('./lib')", 'tools/lib/index.js')],
    [
      'an import of an import',
      IMP,
      'asked',
      {
        files: {
          'tools/imp.cjs': `require('./a.cjs')\n${HARMLESS}`,
          'tools/a.cjs': "require('../b.cjs')",
          'b.cjs': '',
        },
        change: write('b.cjs', EVIL),
      },
    ],
    ['a late import', IMP, 'asked', imports("import('./lib.cjs')")],
    ['a computed import', IMP, 'refused', imports("require('./l' + 'ib.cjs')")],
    ['an import of a template', IMP, 'refused', imports('import(`./lib.cjs$' + '{process.pid}`).catch(() => {})')],
    ['a renamed require', IMP, 'refused', imports("const r = require;\nr('./li' + 'b.cjs')")],
    ['a package', IMP, 'refused', imports("require('left')", 'node_modules/left/index.js')],
    [
      'code from a text',
      IMP,
      'refused',
      imports("eval(require('fs').readFileSync('tools/lib.txt', 'utf8'))", 'tools/lib.txt'),
    ],
    ['a file run by a script', IMP, 'asked', imports("require('child_process').execSync('node tools/lib.cjs')")],
    [
      'a joined path',
      IMP,
      'asked',
      imports(
        "require('child_process').execFileSync('node', [require('path').join(__dirname, '..', 'tools', 'lib.cjs')])",
      ),
    ],
    [
      'a script of npm run by a script',
      IMP,
      'refused',
      imports("require('child_process').execSync('npm run -s x')", 'package.json', '{"scripts":{"x":"touch evil"}}'),
    ],
    ['a sourced file', RUN, 'asked', shell('. tools/lib.sh')],
    ['a file called by a shell script', RUN, 'asked', shell('sh tools/lib.sh >/dev/null')],
    ['a file behind a variable', RUN, 'refused', shell('d=tools; . $d/lib.sh')],
    [
      'a makefile',
      ['make', '-s'],
      'refused',
      { files: { Makefile: 'all:\n\t@true\n' }, change: write('Makefile', 'all:\n\t@touch evil\n') },
    ],
    ['npm', ['npm', 'run', 'x'], 'refused'],
    ['env', ['env', 'node', 'tools/tickets.js'], 'refused'],
    ['an unknown program', ['some-runner', 'tickets'], 'refused'],
    ['an alias of git', ['git', '-c', 'alias.x=!touch evil', 'x'], 'refused'],
    [
      'a program of the project',
      ['./tools/own'],
      'asked',
      { files: { 'tools/own': `#!/usr/bin/env node\n${HARMLESS}` }, change: write('tools/own', `#!/bin/sh\n${FAKE}`) },
    ],
    [
      'Python',
      ['python3', 'tools/p.py'],
      'refused',
      {
        files: { 'tools/p.py': PYTHON, 'tools/helper.py': '' },
        change: write('tools/helper.py', "open('evil', 'w')\n"),
      },
    ],
    [
      'Python that is shut off',
      ['python3', '-I', 'tools/p.py'],
      'asked',
      { files: { 'tools/p.py': "print('{}')\n" }, change: write('tools/p.py', "open('evil', 'w')\n") },
    ],
    [
      'a way up behind a link',
      ['sh', 'tools/deep/../run.sh'],
      'asked',
      {
        files: {
          'other/in/x': '',
          'other/run.sh': 'cat payload.json\n',
          'tools/deep': aLinkTo('../other/in'),
          'tools/run.sh': 'true',
        },
        change: write('other/run.sh', FAKE),
      },
    ],
  ]
  it.each(FORMS)('%s', async (_, command, expected, { files = {}, change = write('tools/tickets.js', EVIL) } = {}) => {
    const base = { 'tools/tickets.js': HARMLESS, 'tools/idle.js': '', 'payload.json': JSON.stringify(PAYLOAD) }
    const { project, machine, read } = projectWith([{ id: 'work', command }], { ...base, ...files })
    if (existsSync(join(project, 'tools/own'))) chmodSync(join(project, 'tools/own'), 0o755)
    const refused = await approve(machine, { kind: 'adapter' }).then(
      () => undefined,
      ({ code }) => code,
    )
    expect(refused).toBe(expected === 'refused' ? 'ADAPTER_NOT_ALLOWED' : undefined)
    change(project)
    expect((await read()).degraded).toMatchObject([{ code: 'ADAPTER_NOT_ALLOWED' }])
    expect(existsSync(join(project, 'evil'))).toBe(false)
  })

  it('an allowed command runs, and says which files were allowed', async () => {
    const { machine, read } = projectWith(
      [
        { id: 'work', command: IMP },
        { id: 'late', command: ['npm', 'run', 'x'] },
      ],
      {
        'tools/imp.cjs': `require('./lib.cjs')\n${HARMLESS}`,
        'tools/lib.cjs': '',
      },
    )
    const { value, findings } = await machine.collect((listening) => approve(listening, { kind: 'adapter' }))
    expect(value).toMatchObject([{ name: 'work', decision: 'approved', files: ['tools/imp.cjs', 'tools/lib.cjs'] }])
    expect(listAdapters(machine, {}).adapters).toMatchObject([
      { trust: 'allowed', files: ['tools/imp.cjs', 'tools/lib.cjs'] },
      { trust: 'unpinnable', problems: ['Loadout does not know which files npm runs'] },
    ])
    expect(findings).toMatchObject([{ code: 'ADAPTER_NOT_ALLOWED', subject: 'late' }])
    const { candidates, degraded } = await read()
    expect(candidates.map(({ path }) => path)).toEqual(['work:W-1'])
    expect(degraded).toMatchObject([{ source: 'adapter:late', reason: expect.stringContaining('npm') }])
  })
})

describe('several adapters', () => {
  it('run at the same time, answer in their order, and fail alone', async () => {
    const slow = (id: string) => ({ id, command: ['sh', `${id}.sh`] })
    const payload = (id: string) => JSON.stringify({ ...PAYLOAD, adapter_id: id })
    const { machine, read } = projectWith(
      [
        slow('one'),
        { id: 'gone', file: 'gone.json' },
        { id: 'odd', file: 'odd.json' },
        slow('two'),
        { id: 'three', file: 'three.json' },
      ],
      {
        // Each waits until the other one runs.
        'one.sh': 'touch one.runs; until [ -e two.runs ]; do sleep 0.02; done; cat one.json',
        'two.sh': 'touch two.runs; until [ -e one.runs ]; do sleep 0.02; done; cat two.json',
        'one.json': payload('one'),
        'two.json': payload('two'),
        'three.json': payload('three'),
        'odd.json': '{"items": 3}',
      },
    )
    await approve(machine, { kind: 'adapter' })
    const { candidates, degraded, adviceWarnings } = await read()
    expect(candidates.map(({ path }) => path)).toEqual(['one:W-1', 'two:W-1', 'three:W-1'])
    expect(degraded).toEqual([
      { source: 'adapter:gone', code: 'FILE_NOT_FOUND', reason: 'gone.json does not exist' },
      { source: 'adapter:odd', code: 'ADAPTER_FAILED', reason: expect.stringContaining('"adapter_id" is not a text') },
    ])
    expect(adviceWarnings.map((line) => line.split(':')[0])).toEqual(['the adapter gone', 'the adapter odd'])
  })

  it('a number too huge for anything refuses its payload', async () => {
    const huge = '{"adapter_id":"work","items":[{"id":"a","priority":1e999}]}'
    const { read } = projectWith([{ id: 'work', file: 'work.json' }], { 'work.json': huge })
    expect((await read()).degraded).toMatchObject([{ code: 'ADAPTER_FAILED' }])
  })
})
