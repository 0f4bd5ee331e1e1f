import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { approve, deny } from '../../src/answer/approve.ts'
import { answerFromPacks } from '../../src/answer/packs.ts'
import { Machine } from '../../src/machine/machine.ts'
import { Packs } from '../../src/packs/catalog.ts'
import { askPack, resolvePacks } from '../../src/packs/resolve.ts'
import { admit } from '../../src/packs/rules/gates/trust.ts'
import { newWrappers } from '../../src/packs/rules/resolve/pack-context.ts'
import { SectionIndexes } from '../../src/packs/sections.ts'
import { readTask } from '../../src/search/task.ts'
import { expectCivil } from '../cli/civil.ts'
import { makeFolder, makeProject, type Run } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import { quailPack } from './resolving.ts'

const TASK = 'how much do quail eggs weigh'

/** A machine whose project has the approved pack about quails, with files old enough to be cached. */
async function quails(): Promise<Machine> {
  const files = Object.entries(quailPack()).map(([path, text]) => [`.agents/knowledge/quails/${path}`, text])
  const cwd = makeProject({ '.git/HEAD': '', ...Object.fromEntries(files) })
  const machine: Machine = new Machine({ cwd, home: makeFolder(), env: {}, now: () => new Date(Date.now() + 60_000) })
  await approve(machine, { what: 'pack:quails' })
  return machine
}

function textsOf(machine: Machine): string[] {
  return newWrappers(resolvePacks(machine, { task: TASK })).map(({ text }) => text)
}

it('a pack that vanishes after its sections were found gives nothing, and nothing breaks', async () => {
  const machine = await quails()
  const pack = new Packs(machine, {}).catalog.all.find(({ manifest }) => manifest.name === 'quails')!
  const sections = new SectionIndexes(machine).open([pack])
  const task = readTask(TASK)
  const hits = sections.rank(task)
  expect(hits.length).toBeGreaterThan(0)
  rmSync(pack.root, { recursive: true })
  const admission = admit(pack, { isExplicit: true, isConfirmed: false })
  expect(askPack(machine, { pack, admission }, { task }, hits, sections)).toMatchObject({ choices: [], missing: [] })
  expect(textsOf(machine)).toEqual([])
})

it('a pack that changes during a session is given as it was approved, until that is approved or lost', async () => {
  const machine = await quails()
  const ask = () => answerFromPacks(machine, { task: TASK, session: 'one' })
  expect(newWrappers(ask())).toHaveLength(1)
  const tell = () => {
    const { active, refused } = resolvePacks(machine, { task: TASK })
    return { text: active[0]?.presented.wrapper, refused: refused.map(({ reason }) => reason) }
  }
  writeFileSync(
    join(machine.cwd, '.agents/knowledge/quails/compiled/facts.md'),
    '# Facts\n\n- Quail eggs weigh a ton.\n',
  )
  expect(tell()).toMatchObject({ refused: [], text: expect.stringContaining('nine grams') })
  expect(tell().text).toContain('these changes wait for approval: compiled/facts.md changed')
  const [copies] = readdirSync(join(machine.stateFolder, 'approved-packs'))
  for (const copy of readdirSync(join(machine.stateFolder, 'approved-packs', copies!))) {
    writeFileSync(join(machine.stateFolder, 'approved-packs', copies!, copy), 'Eggs weigh an ounce.')
  }
  expect(tell().text).not.toMatch(/a ton|an ounce/)
  rmSync(join(machine.stateFolder, 'approved-packs'), { recursive: true })
  expect(tell()).toEqual({ text: undefined, refused: ['approval-needed'] })
  await approve(machine, { what: 'pack:quails' })
  expect(newWrappers(ask()).map(({ text }) => text.includes('a ton'))).toEqual([true])
})

/** Everybody who may tell an agent what a task needs, by the words on the command line, or a hook. */
const CALLERS: Record<string, readonly string[]> = {
  context: ['context', '--json', '--', 'TASK'],
  'packs resolve': ['packs', 'resolve', 'TASK', '--json'],
  search: ['search', '--json', '--', 'TASK'],
  plan: ['plan', '--json', '--', 'TASK'],
  explain: ['explain', 'pack:quails', '--task', 'TASK', '--json'],
  lookup: ['lookup', 'pack:quails/compiled/facts.md', '--load', '--json'],
  hook: [],
}

type Place = Pick<Machine, 'cwd' | 'home'>

function ask({ cwd, home }: Place, caller: string, task = TASK, session = 'one'): Run {
  const args = CALLERS[caller]!.map((word) => (word === 'TASK' ? task : word))
  if (args.length > 0) return runWarm(args, { cwd, home })
  const event = { session_id: session, cwd, prompt: task, hook_event_name: 'UserPromptSubmit' }
  return runWarm(['hook', 'claude', 'UserPromptSubmit'], { cwd, home, stdin: JSON.stringify(event) })
}

/** Without what differs between two runs: the record of each. */
const told = ({ code, stdout }: Run) => [code, stdout.replace(/"audit": ?"[^"]*"/g, '')]

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())

describe('every caller', () => {
  it('answers as before when each file of the cache is damaged in turn, and then all of them', async () => {
    const machine = await quails()
    const callers = Object.keys(CALLERS)
    const answers = (session: string) => callers.map((caller) => told(ask(machine, caller, TASK, session)))
    answers('warm')
    const before = answers('first')
    expect(before.flat().join()).toContain('nine grams')
    const stored = filesBelow(join(machine.home, '.cache', 'loadout')).filter((path) => !path.includes('/code/'))
    expect(stored.length).toBeGreaterThan(callers.length)
    const spoil = (path: string, at: number) => {
      const bytes = readFileSync(path)
      bytes.fill(0x58, Math.min(at * 40, bytes.length >> 1))
      writeFileSync(path, bytes)
    }
    stored.forEach(spoil)
    expect(answers('damaged')).toEqual(before)
    for (const path of filesBelow(join(machine.home, '.cache', 'loadout'))) writeFileSync(path, '')
    expect(answers('empty')).toEqual(before)
  })

  it('gives the same answer to two processes that build the same indexes at once', async () => {
    const { cwd, home } = await quails()
    rmSync(join(home, '.cache'), { recursive: true })
    const program = join(import.meta.dirname, '../../dist/cli.cjs')
    const runs = Object.values(CALLERS).flatMap((words) => {
      const args = words.map((word) => (word === 'TASK' ? TASK : word))
      const run = () =>
        promisify(execFile)(process.execPath, [program, ...args], { cwd, env: { HOME: home, PATH: process.env.PATH } })
      return words.length === 0 ? [] : [run(), run()]
    })
    const done = (await Promise.all(runs)).map(({ stdout }) => told({ code: 0, stdout, stderr: '' }))
    for (let at = 0; at < done.length; at += 2) expect(done[at]).toEqual(done[at + 1])
    expect(done.flat().join()).toContain('nine grams')
  })

  it.each([
    ['it vanishes', (machine: Machine) => rmSync(packOf(machine), { recursive: true })],
    ['it is denied', (machine: Machine) => deny(machine, { what: 'pack:quails' })],
    ['its metadata is lost', (machine: Machine) => writeFileSync(join(packOf(machine), 'KNOWLEDGE.md'), 'x')],
  ])('says nothing more of a pack from the moment at which %s', async (_, act) => {
    const machine = await quails()
    const callers = Object.keys(CALLERS)
    const given = callers.map((caller) => ask(machine, caller).stdout).join()
    expect(given).toContain('nine grams')
    expect(given).toContain('pack quails')
    await act(machine)
    for (const caller of callers) {
      const run = ask(machine, caller, TASK, 'two')
      expectCivil(run)
      expect.soft(run.stdout, caller).not.toMatch(/nine grams|speckled|pack quails: /)
    }
  })

  it('gives nothing of a file that changed since its pack was approved', async () => {
    const machine = await quails()
    for (const caller of Object.keys(CALLERS)) ask(machine, caller)
    for (const path of ['compiled/facts.md', 'wiki/concepts/eggs.md']) {
      writeFileSync(join(packOf(machine), path), '# Eggs\n\nQuail eggs weigh a ton.\n')
    }
    for (const caller of Object.keys(CALLERS)) {
      const run = ask(machine, caller, TASK, 'two')
      expectCivil(run)
      expect.soft(run.stdout, caller).not.toContain('a ton')
    }
  })

  describe('with 10,000 entries that score alike', () => {
    const entry = (at: number) => `---\nid: e${at}\nkeywords: [quail]\nsummary: About a quail.\n---\n\nA quail.\n`
    const files = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`rules/e${at}.md`, entry(at)]))
    const place = { cwd: '', home: '' }
    beforeAll(() => {
      place.cwd = makeProject({ '.git/HEAD': '', 'loadout.json': '{"payloads":["rules/*.md"]}', ...files })
      place.home = makeFolder()
      expect(runWarm(['index', 'build'], place).code).toBe(0)
    })

    it.each([
      ['one word', 'quail'],
      ['no word', '?'],
      ['20,000 characters', 'the quail of the field sings all night. '.repeat(500)],
      ['Chinese', '\u9e4c\u9e51\u5728\u7530\u91ce\u91cc\u5531\u6b4c'],
      ['code only', 'if (quail.isUp()) { quail.sing(hours => hours + 1) }'],
    ])('ends within its limits, one word with the same answer again: %s', (_, task) => {
      for (const caller of ['context', 'search', 'plan', 'packs resolve', 'hook']) {
        const run = ask(place, caller, task, 'one')
        expectCivil(run)
        const most = { plan: 20_000_000, context: 120_000 }[caller] ?? 40_000
        expect.soft(run.stdout.length, caller).toBeLessThan(most)
        if (task === 'quail') expect.soft(told(ask(place, caller, task, 'two')), caller).toEqual(told(run))
      }
    })
  })
})

function packOf({ cwd }: Machine): string {
  return join(cwd, '.agents/knowledge/quails')
}
