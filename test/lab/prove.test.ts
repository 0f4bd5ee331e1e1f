import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OfflineReport, TestPlan, TestReport } from '../../src/loadout.ts'
import { aLinkTo, CLI, makeFolder, makeProject, runLoadout } from '../cli/run.ts'
import { makeMachine } from '../cli/skills-machine.ts'

const canClose = spawnSync('unshare', ['--map-root-user', '--mount', '--pid', '--fork', 'true']).status === 0

/** What the model does for a prompt that contains `when`; `times` limits how often. */
interface Row {
  when: string
  calls?: string
  /** It calls it only if the description says this. */
  needs?: string
  times?: number
  tools?: string[]
  /** A command that it runs. */
  runs?: string
  says?: string
  /** What it says if it has this skill. */
  with?: [skill: string, says: string]
  /** Code that the client runs. */
  act?: string
  dollars?: number
  hangs?: boolean
  fails?: string
}

/** A model on loopback that does what a table says. A process of its own, because the tests wait for the command. */
const MODEL = `
const rows = JSON.parse(process.argv[1])
require('node:http').createServer((request, response) => {
  let text = ''
  request.on('data', (part) => (text += part)).on('end', () => {
    const { prompt } = JSON.parse(text)
    const row = rows.find(({ when }) => prompt.includes(when)) ?? {}
    const isLeft = row.times === undefined || row.times-- > 0
    response.end(JSON.stringify(isLeft ? row : { ...row, calls: undefined }))
  })
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

/** A client that prints lines as Claude Code did when it was recorded, calls the hooks of its user, and does what the model says. */
const CLIENT = `#!/usr/bin/env node
const fs = require('node:fs')
const home = require('node:os').homedir()
const prompt = process.argv[process.argv.indexOf('-p') + 1]
const print = (value) => console.log(JSON.stringify(value))
let answers = 0
const say = (...content) => print({ type: 'assistant', message: { id: 'm' + answers++, role: 'assistant', content } })
const skills = fs.existsSync(home + '/.claude/skills') ? fs.readdirSync(home + '/.claude/skills') : []
print({ type: 'system', subtype: 'init', model: 'scripted-1' })
const settings = JSON.parse(fs.readFileSync(home + '/.claude/settings.json', 'utf8'))
for (const { hooks } of settings.hooks?.UserPromptSubmit ?? []) for (const { command } of hooks) {
  const input = JSON.stringify({ session_id: 's', cwd: process.cwd(), hook_event_name: 'UserPromptSubmit', prompt })
  require('node:child_process').execSync(command, { input })
}
const describes = (name, words) => fs.readFileSync(home + '/.claude/skills/' + name + '/SKILL.md', 'utf8').includes(words)
fetch(process.env.ANTHROPIC_BASE_URL, { method: 'POST', body: JSON.stringify({ prompt }) }).then((r) => r.json()).then((row) => {
  const ends = (result, more) => print({ type: 'result', is_error: false, result, total_cost_usd: row.dollars ?? 0.01, usage: { input_tokens: 90, output_tokens: 10 }, ...more })
  if (row.hangs) return setInterval(() => {}, 1000)
  if (row.fails) return ends(row.fails, { is_error: true })
  const said = row.act ? String(eval(row.act)) : ''
  if (skills.includes(row.calls) && (!row.needs || describes(row.calls, row.needs))) say({ type: 'tool_use', id: 'c', name: 'Skill', input: { skill: row.calls } })
  if (row.runs) say({ type: 'tool_use', id: 'r', name: 'Bash', input: { command: row.runs } })
  for (const tool of row.tools ?? []) say({ type: 'tool_use', id: tool, name: tool.replace(/\\d+$/, ''), input: {} })
  const answer = row.with && skills.includes(row.with[0]) ? row.with[1] : (row.says ?? said)
  say({ type: 'text', text: answer })
  ends(answer)
})`

const PACKAGE = 'lib/node_modules/@anthropic-ai/claude-code'
const skill = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\nText\n`

/** A home with a client in a version, a login and settings, and a folder with two skills and these tests of the first. */
function world(tests: unknown, version = '2.1.326') {
  const home = makeProject({
    [`${PACKAGE}/package.json`]: JSON.stringify({ name: '@anthropic-ai/claude-code', version }),
    [`${PACKAGE}/cli.js`]: CLIENT,
    'bin/claude': aLinkTo(`../${PACKAGE}/cli.js`),
    '.claude/skills/mine/SKILL.md': skill('mine', 'Not part of the test.'),
    '.claude/.credentials.json': '{"key":"canary-key"}',
    '.claude/settings.json': '{"hooks":{"SessionStart":[]},"env":{"ANTHROPIC_X":"1","OTHER":"2"},"model":"opus"}',
  })
  chmodSync(join(home, PACKAGE, 'cli.js'), 0o755)
  const folder = makeProject({
    'skills/tide/SKILL.md': skill('tide', 'Reads tide tables.'),
    'skills/tide/evals/trigger-eval.json': JSON.stringify(tests),
    'skills/weir/SKILL.md': skill('weir', 'Opens weirs.'),
  })
  return { home, folder }
}

const models: ReturnType<typeof spawn>[] = []
afterAll(() => {
  for (const model of models) model.kill()
})

async function serve(rows: readonly Row[]): Promise<string> {
  const model = spawn(process.execPath, ['-e', MODEL, JSON.stringify(rows)], { stdio: ['ignore', 'pipe', 'inherit'] })
  models.push(model)
  const port = await new Promise<string>((done) => model.stdout!.once('data', (text) => done(String(text).trim())))
  return `http://127.0.0.1:${port}`
}

function run(home: string, address: string, words: readonly string[], options: { cwd?: string; stdin?: string } = {}) {
  const { PATH = '' } = process.env
  const env = { PATH: `${join(home, 'bin')}:${PATH}`, ANTHROPIC_BASE_URL: address }
  return runLoadout(['test', ...words, '--agent', 'claude'], { home, env, ...options })
}

/** Every file of a home, without what Loadout keeps of its own. */
function snapshot(home: string): Record<string, string> {
  const files: Record<string, string> = {}
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !/\/\.(?:cache|local)\//.test(path)) files[path] = readFileSync(path, 'utf8')
  }
  return files
}

const fires = (query: string) => ({ query, should_trigger: true })
const quiet = (query: string) => ({ query, should_trigger: false })

describe.runIf(canClose)('test with an agent', () => {
  const TABLE: readonly (readonly [test: object, row: Omit<Row, 'when'>, verdict: object])[] = [
    [fires('high water'), { calls: 'tide' }, { verdict: 'fired', fired: 5, isRight: true, isFlaky: false }],
    [fires('the ebb'), { calls: 'weir' }, { verdict: 'another fired', fired: 0, others: { weir: 5 }, isRight: false }],
    [fires('how deep'), {}, { verdict: 'not fired', fired: 0, isRight: false, interval: [0, 0.43] }],
    [fires('spring tide'), { calls: 'tide', times: 3 }, { verdict: 'fired', fired: 3, isRight: true, isFlaky: true }],
    [
      fires('neap tide'),
      { calls: 'tide', times: 2 },
      { verdict: 'not fired', fired: 2, isRight: false, isFlaky: true },
    ],
    [quiet('a joke'), {}, { verdict: 'not fired', fired: 0, isRight: true }],
    [quiet('a boat'), { calls: 'tide' }, { verdict: 'fired', fired: 5, isRight: false }],
    [quiet('a lock'), { calls: 'weir' }, { verdict: 'another fired', fired: 0, isRight: true }],
  ]
  const rows = TABLE.map(([test, row]) => ({ when: (test as { query: string }).query, ...row }))
  let report: TestReport
  let code: number | null
  let untouched: boolean
  beforeAll(async () => {
    const { home, folder } = world(TABLE.map(([test]) => test))
    const before = snapshot(home)
    const ran = run(home, await serve(rows), [folder, '--times', '5', '--yes', '--json', '--jobs', '4'])
    report = JSON.parse(ran.stdout)
    code = ran.code
    untouched = JSON.stringify(snapshot(home)) === JSON.stringify(before)
  })

  it.each(TABLE)('judges %j', (test, _, verdict) => {
    const found = report.cases.find(({ prompt }) => prompt === (test as { query: string }).query)
    expect(found).toMatchObject({ skill: 'tide', version: '2.1.326', model: 'scripted-1', of: 5, ...verdict })
  })

  it('exits with 1, says what it cost, and leaves the home as it was', () => {
    expect(code).toBe(1)
    expect(report.spent).toEqual({ runs: 40, tokens: expect.any(Number), dollars: expect.any(Number) })
    expect(untouched).toBe(true)
  })

  it('traces the list, the calls and what was opened', () => {
    const [found] = report.cases
    expect(found).toMatchObject({ listed: 'visible' })
    const other = report.cases.find(({ prompt }) => prompt === 'the ebb')
    expect(other?.runs[0]).toMatchObject({ calls: ['Skill {"skill":"weir"}'], opened: ['weir'], ended: 'answer' })
  })

  it('gives the client the login and the model, and nothing else of the home', async () => {
    const look = `JSON.stringify({
      files: fs.readdirSync(home + '/.claude').sort(), skills, key: fs.readFileSync(home + '/.claude/.credentials.json', 'utf8'),
      settings: JSON.parse(fs.readFileSync(home + '/.claude/settings.json', 'utf8')), cwd: fs.readdirSync('.').sort(),
      writes: [process.env.REAL, '/var/tmp', __filename].map((at) => { try { fs.appendFileSync(fs.statSync(at).isDirectory() ? at + '/x' : at, ''); return true } catch (error) { return error.code } }),
    })`
    const { home, folder } = world([fires('look')])
    const address = await serve([{ when: 'look', act: look.replace('process.env.REAL', JSON.stringify(home)) }])
    writeFileSync(
      join(folder, 'skills/tide/evals/evals.json'),
      JSON.stringify({
        skill_name: 'tide',
        evals: [
          {
            prompt: 'look',
            assertions: [
              { type: 'content_contains', value: '"key":"{\\"key\\":\\"canary-key\\"}"' },
              { type: 'content_contains', value: '"skills":["tide","weir"]' },
              { type: 'content_contains', value: '"files":[".credentials.json","settings.json","skills"]' },
              { type: 'content_contains', value: '"settings":{"model":"opus","env":{"anthropic_x":"1"}}' },
              { type: 'content_contains', value: '"cwd":[".git"]' },
              { type: 'content_contains', value: '"writes":["erofs","erofs","erofs"]' },
            ],
          },
        ],
      }),
    )
    const { stdout: told, stderr } = run(home, address, [folder, '--helps', '--yes', '--json'])
    expect(stderr).not.toContain('error')
    expect((JSON.parse(told) as TestReport).tasks[0]?.with).toMatchObject({ held: 6, of: 6 })
  })

  it('asks first, with what it would run and cost', () => {
    const { home, folder } = world([fires('high water'), quiet('a joke')])
    const waiting = run(home, 'http://127.0.0.1:9', [folder])
    expect(waiting).toMatchObject({ code: 3, stdout: expect.stringContaining('1 should open a skill, 1 should not') })
    expect(waiting.stdout).toContain('it ends at 5 US dollars')
    const { stdout } = run(home, 'http://127.0.0.1:9', [folder, '--dry-run', '--json', '--times', '3'])
    expect(JSON.parse(stdout) as TestPlan).toMatchObject({ runs: 6, estimate: { tokens: 240_000 } })
  })

  it.each([
    ['has no login', { fails: 'Not logged in. Please run /login' }, [], /no result for 3 cases: Not logged in/],
    ['hangs', { hangs: true }, ['--seconds', '1'], /it was stopped after 1 seconds/],
    [
      'spends too much',
      { dollars: 3, says: 'x' },
      ['--max-cost', '2', '--jobs', '1'],
      /the limit of 2 US dollars was reached/,
    ],
  ] as const)('says so of a client that %s', async (_, row, flags, told) => {
    const { home, folder } = world([fires('one'), fires('two'), fires('three')])
    const { code, stdout, stderr } = run(home, await serve([{ when: '', ...row }]), [folder, '--yes', ...flags])
    expect(stdout + stderr).toMatch(told)
    expect(code).not.toBe(0)
  })

  it('stops a model that goes on calling tools, and counts a question as no call of the skill', async () => {
    const { home, folder } = world([fires('on and on'), fires('which one'), fires('the same again')])
    const tools = Array.from({ length: 9 }, (_, at) => `Read${at}`)
    const rows = [
      { when: 'on and', tools },
      { when: 'which', tools: ['AskUserQuestion'] },
      { when: 'the same', tools: tools.map(() => 'Read') },
    ]
    const { stdout } = run(home, await serve(rows), [folder, '--yes', '--json', '--turns', '3'])
    const { cases } = JSON.parse(stdout) as TestReport
    expect(cases.map(({ verdict, runs }) => [verdict, runs[0]?.ended])).toEqual([
      ['not fired', 'turns'],
      ['not fired', 'answer'],
      ['not fired', 'turns'],
    ])
  })

  it.each([
    ['its folder is made', ''],
    ['the client runs', 'ready'],
  ])('leaves nothing behind when it is killed as soon as %s', async (_, made) => {
    const { home, folder } = world([fires('one')])
    const address = await serve([{ when: 'one', hangs: true }])
    const temporary = makeFolder()
    const { PATH = '' } = process.env
    const env = { PATH: `${join(home, 'bin')}:${PATH}`, HOME: home, TMPDIR: temporary, ANTHROPIC_BASE_URL: address }
    const command = spawn(process.execPath, [CLI, 'test', folder, '--agent', 'claude', '--yes'], {
      env,
      stdio: 'ignore',
    })
    const until = async (isDone: () => boolean) => {
      while (!isDone()) {
        if (command.exitCode !== null) throw new Error(`loadout ended by itself with ${command.exitCode}`)
        await new Promise((done) => setTimeout(done, 20))
      }
    }
    const scratch = () => readdirSync(temporary).filter((name) => name.startsWith('loadout.'))
    await until(() => scratch().some((name) => existsSync(join(temporary, name, made))))
    command.kill('SIGKILL')
    await until(() => scratch().length === 0)
    expect(readdirSync(temporary)).toEqual([])
  })
})

describe.runIf(canClose)('test --helps', () => {
  const task = (assertions: unknown[]) => [
    { skill_name: 'tide', evals: [{ id: 1, prompt: 'high water', files: ['table.csv'], assertions, fixture: 'x' }] },
  ]

  it('compares a task without and with the skill, and never claims more than the runs show', async () => {
    const { home, folder } = world(
      task([
        { type: 'content_contains', value: 'At NINE' },
        'It names a time.',
        { type: 'file', path: 'table.csv' },
      ])[0],
    )
    writeFileSync(join(folder, 'skills/tide/evals/table.csv'), 'a,b\n')
    const judge = `JSON.stringify({ true: [/<answer>\\s*at nine/i.test(prompt)] })`
    const rows: Row[] = [
      { when: 'Judge a piece of work', act: judge },
      { when: 'high water', with: ['tide', 'At nine.'], says: 'No idea.' },
    ]
    const few = run(home, await serve(rows), [folder, '--helps', '--yes', '--json'])
    const [once] = (JSON.parse(few.stdout) as TestReport).tasks
    expect(once).toMatchObject({ without: { held: 1, of: 3 }, with: { held: 3, of: 3 }, shows: 'nothing' })
    expect(once?.unchecked).toContain('fixture')
    const { stdout, code } = run(home, await serve(rows), [folder, '--helps', '--yes', '--times', '4'])
    expect(stdout).toMatch(/without\s+4 of 12/)
    expect(stdout).toMatch(/with\s+12 of 12/)
    expect(stdout).toContain('it helped in these runs')
    expect(code).toBe(0)
  })

  it('runs commands of a skill from outside only when they are allowed, without network and outside of the project', async () => {
    const mark = join(makeFolder(), 'mark')
    const { home, folder } = world(task([{ type: 'command', run: `touch ${mark}; test -f made.txt` }])[0])
    const address = await serve([{ when: 'high water', act: `fs.writeFileSync('made.txt', '')` }])
    const { stdout } = run(home, address, [folder, '--helps', '--yes'])
    expect(stdout).toContain('Not checked: commands of a skill from outside')
    const allowed = run(home, address, [folder, '--helps', '--yes', '--allow-commands', '--json'])
    expect((JSON.parse(allowed.stdout) as TestReport).tasks[0]?.with).toMatchObject({ held: 1, of: 1 })
    expect(existsSync(mark)).toBe(false)
  })

  it('copies files that a test names from its own folder only, and only into the folder of the run', async () => {
    const secret = join(makeProject({ 'secret.csv': 'a' }), 'secret.csv')
    const seen = '[[".git","table.csv","weir"],["home","ready","tmp","work"]]'
    const { home, folder } = world([])
    const files = ['table.csv', 'x/../../weir/SKILL.md', relative(join(folder, 'skills/tide'), secret), secret]
    const evals = [{ prompt: 'high water', files, assertions: [{ type: 'content_contains', value: seen }] }]
    writeFileSync(join(folder, 'skills/tide/evals/evals.json'), JSON.stringify({ skill_name: 'tide', evals }))
    writeFileSync(join(folder, 'skills/tide/evals/table.csv'), 'a,b\n')
    const act = `JSON.stringify(['.', '..'].map((at) => fs.readdirSync(at).sort()))`
    const { stdout } = run(home, await serve([{ when: 'high water', act }]), [folder, '--helps', '--yes', '--json'])
    const [compared] = (JSON.parse(stdout) as TestReport).tasks
    expect(compared).toMatchObject({ without: { held: 1, of: 1 }, with: { held: 1, of: 1 } })
  })

  it('runs a client also where the current folder holds the temporary one', async () => {
    const { home, folder } = world(task([{ type: 'content_contains', value: 'noon' }])[0])
    const address = await serve([{ when: 'high water', says: 'At noon.' }])
    const { stdout } = run(home, address, [folder, '--helps', '--yes', '--json'], { cwd: '/tmp' })
    expect((JSON.parse(stdout) as TestReport).tasks[0]?.with).toMatchObject({ held: 1, of: 1 })
  })
})

describe.runIf(canClose)('test of rules and packs', () => {
  it('gives the hooks of Loadout to the run, and says what these gave, what they named and what was asked for', async () => {
    const { home } = world([])
    const pack = '.agents/knowledge/quails'
    const cases = [
      { id: 'a', prompt: 'how are quails fed and housed in winter', expected: 'select' },
      { id: 'b', prompt: 'are quails fed and housed by hand', expected: 'select' },
    ]
    const suite = [
      { query: 'tide table of the harbour: when is high water', relevant: ['tides'] },
      { query: 'sing a song', relevant: [], not: ['tides'] },
    ]
    const project = makeProject({
      '.git/HEAD': '',
      '.claude/loadout/tides.md':
        '---\nid: tides\nkeywords: [tide, harbour, high water]\npriority: domain\n---\n# Tides\nAdd two hours.\n',
      '.claude/loadout/evals/own.jsonl': suite.map((each) => `${JSON.stringify(each)}\n`).join(''),
      [`${pack}/KNOWLEDGE.md`]:
        '---\nname: quails\ndescription: How quails are fed and housed in winter.\ntype: domain-reference\nprofile: wiki-first\nstatus: ready\n---\n# Quails\n',
      [`${pack}/wiki/food.md`]: '# Food\n\nQuails eat twenty grams of seed a day in winter.\n',
      [`${pack}/evals/discovery.json`]: JSON.stringify({ pack_name: 'quails', cases }),
    })
    runLoadout(['rules', 'build'], { home, cwd: project })
    const address = await serve([{ when: 'by hand', runs: 'loadout packs resolve "hand" --pack quails' }])
    const what = ['rule:tides', 'pack:quails', '--yes', '--json']
    expect(run(home, address, what, { cwd: project }).stderr).toContain('loadout approve')
    runLoadout(['approve', 'pack:quails', '--yes'], { home, cwd: project })
    const before = snapshot(home)
    const { stdout, code } = run(home, address, what, { cwd: project })
    const { cases: rows } = JSON.parse(stdout) as TestReport
    const shown = rows.map(({ skill, prompt, verdict, runs }) => [skill, prompt, verdict, runs[0]?.pointers])
    expect(shown).toEqual([
      ['quails', cases[0]!.prompt, 'not fired', ['pack:quails']],
      ['quails', cases[1]!.prompt, 'fired', ['pack:quails']],
      ['tides', suite[0]!.query, 'fired', []],
      ['tides', 'sing a song', 'not fired', []],
    ])
    expect(code).toBe(1)
    expect(snapshot(home)).toEqual(before)
  })
})

describe.runIf(canClose)('what a test proposes', () => {
  it('keeps a description that the agent wrote if more prompts are as expected with it', async () => {
    const { home, folder } = world([fires('high water'), quiet('a joke')])
    const better = 'Reads tide tables, for any question about high or low water.'
    const rows = [
      { when: 'Write a better description', says: JSON.stringify({ description: better }) },
      { when: 'high water', calls: 'tide', needs: 'low water' },
    ]
    const text = () => readFileSync(join(folder, 'skills/tide/SKILL.md'), 'utf8')
    const improve = async (answers: Row[]) =>
      run(home, await serve(answers), [join(folder, 'skills/tide'), '--improve', '--yes']).stdout
    const worse = await improve([{ ...rows[0]!, says: '{"description": "Tides."}' }, rows[1]!])
    expect(worse).toContain('It is not better.')
    expect(text()).toContain('Reads tide tables.')
    const told = await improve(rows)
    expect(told).toContain('1 of 2 prompts as expected now, 2 with the proposed description')
    expect(text()).toContain(better)
  })

  it.runIf(spawnSync('script', ['--version']).status === 0)(
    'makes a missed prompt an example with one key',
    async () => {
      const { home } = world([])
      const label = JSON.stringify({ name: 'tide', description: 'Reads tide tables.', targets: ['claude'] })
      const machine = makeMachine({
        home,
        skills: { 'tide/skill.json': label, 'tide/SKILL.md': '# Tide\n\nRead it.\n' },
      })
      machine.run('test', 'tide', '--new', 'when can we sail')
      const words = [process.execPath, CLI, 'test', 'tide', '--agent', 'claude'].map((word) => `'${word}'`).join(' ')
      const env = { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home, ANTHROPIC_BASE_URL: await serve([]) }
      const { stdout } = spawnSync('script', ['-qec', words, '/dev/null'], { env, input: 'y\ny\n', encoding: 'utf8' })
      expect(stdout).toContain('tide was not opened for: when can we sail')
      expect(readFileSync(join(machine.library, 'examples/tide.jsonl'), 'utf8')).toContain('when can we sail')
    },
  )
})

it('reads a file of very many tests in bounds, and says how many it leaves out', () => {
  const { home, folder } = world(Array.from({ length: 200_000 }, (_, at) => fires(`high water number ${at}`)))
  const { stdout, stderr } = run(home, 'http://127.0.0.1:9', [folder, '--dry-run', '--limit', '3'])
  expect(stdout).toContain('3 should open a skill')
  expect(stderr).toContain('199997 cases of tide were left out')
})

describe.runIf(canClose)('results', () => {
  it('tell since which version of the client a prompt no longer opens its skill', async () => {
    const { home, folder } = world([fires('high water'), quiet('a joke')], '2.1.197')
    const good = await serve([{ when: 'high water', calls: 'tide' }])
    expect(run(home, good, [folder, '--yes', '--keep']).code).toBe(0)
    const kept = () => readFileSync(join(folder, 'results/tide.json'), 'utf8')
    const before = kept()
    expect(run(home, good, [folder, '--yes', '--keep', '--changed']).stdout).toContain('Nothing has changed')
    expect(run(home, good, [folder, '--yes', '--keep']).code).toBe(0)
    expect(kept()).toBe(before)
    const manifest = { name: '@anthropic-ai/claude-code', version: '2.1.326' }
    writeFileSync(join(home, PACKAGE, 'package.json'), JSON.stringify(manifest))
    const bad = await serve([])
    const { code, stdout } = run(home, bad, [folder, '--yes', '--keep', '--changed'])
    expect(code).toBe(1)
    expect(stdout).toContain('Regressed: tide in claude since 2.1.326 (as expected with 2.1.197): high water')
    expect(run(home, bad, [folder, '--yes', '--junit']).stdout).toContain(
      '<testcase classname="tide claude 2.1.326" name="high water"><failure message="should fire, not fired (0 of 1)"/>',
    )
    expect(run(home, bad, [folder, '--yes', '--github']).stdout).toContain('::error title=tide in claude::should fire')
  })
})

describe.runIf(canClose)('test --offline', () => {
  it('names the prompts that fired with another version of the client, whose list has the skill no longer', async () => {
    const { home } = world([], '2.1.326')
    const words = 'harbour lantern gravel meadow copper'.split(' ')
    const names = Array.from({ length: 12 }, (_, at) => `s${String(at).padStart(2, '0')}`)
    const skills = names.map((name, at) => {
      const description = `Handles ${words[at % 5]} work number ${at}. ${'Use it for such work. '.repeat(9)}`
      return [`skills/${name}/skill.json`, JSON.stringify({ name, description, targets: ['claude'] })] as const
    })
    const machine = makeMachine({
      home,
      skills: Object.fromEntries(
        skills.flatMap(([path, label]) => [
          [path.slice(7), label],
          [path.slice(7).replace('skill.json', 'SKILL.md'), '# Work\n\nDo it.\n'],
        ]),
      ),
    })
    const env = { PATH: `${join(home, 'bin')}:${process.env.PATH}` }
    machine.runWith({ env }, 'equip', '--all', '--agent', 'claude')
    const seen = (): Map<string, string> => {
      const { skills: all } = JSON.parse(machine.runWith({ env }, 'see', 'claude', '--json').stdout) as {
        skills: { name: string; fate: string }[]
      }
      return new Map(all.map(({ name, fate }) => [name, fate]))
    }
    const isA = seen()
    const setVersion = (version: string) =>
      writeFileSync(join(home, PACKAGE, 'package.json'), JSON.stringify({ name: '@anthropic-ai/claude-code', version }))
    setVersion('2.1.197')
    const isB = seen()
    const lost = names.find((name) => isA.get(name) === 'visible' && isB.get(name) === 'dropped')
    expect(lost, JSON.stringify([[...isA], [...isB]])).toBeDefined()
    setVersion('2.1.326')
    const name = lost ?? ''
    machine.runWith({ env }, 'test', name, '--new', 'polish the brass')
    const model = await serve([{ when: 'polish', calls: name }])
    expect(run(home, model, [name, '--yes']).code).toBe(0)
    expect(machine.git('log', '-1', '--format=%s').trim()).toBe(`Keep results of ${name}`)
    const offline = () => run(home, 'http://127.0.0.1:9', [name, '--offline', '--json'])
    expect(offline().code).toBe(0)
    setVersion('2.1.197')
    const { code, stdout, stderr } = offline()
    const [found] = (JSON.parse(stdout) as OfflineReport).cases
    expect(found?.listed).toMatchObject([{ agent: 'claude', state: 'dropped', canFire: false, firedBefore: '2.1.326' }])
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('with 2.1.326 it fired for: polish the brass')
    expect(code).toBe(1)
    const bad = await serve([])
    expect(run(home, bad, [name, '--yes']).code).toBe(1)
    const { stdout: status } = machine.runWith({ env }, 'status')
    expect(status).toContain(`${name} fails 1 prompt since claude 2.1.197`)
  })
})
