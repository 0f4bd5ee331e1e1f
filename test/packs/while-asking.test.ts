import { execFile } from 'node:child_process'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { approve } from '../../src/answer/approve.ts'
import { Machine } from '../../src/machine/machine.ts'
import { Packs } from '../../src/packs/catalog.ts'
import { askPack, resolvePacks } from '../../src/packs/resolve.ts'
import { admit } from '../../src/packs/rules/gates/trust.ts'
import { newWrappers } from '../../src/packs/rules/resolve/pack-context.ts'
import { openSections } from '../../src/packs/sections.ts'
import { readTask } from '../../src/search/task.ts'
import { makeFolder, makeProject } from '../cli/run.ts'
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
  return newWrappers(resolvePacks(machine, { task: TASK, isRecorded: false })).map(({ text }) => text)
}

it('a damaged index of sections is built again, and the answer is the same', async () => {
  const machine = await quails()
  const before = textsOf(machine)
  expect(before.join()).toContain('nine grams')
  const stored = readdirSync(machine.home, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.includes('pack-sections'))
    .map((path) => join(machine.home, path))
    .filter((path) => statSync(path).isFile())
  expect(stored.length).toBeGreaterThan(0)
  for (const damage of ['', 'x'.repeat(5000)]) {
    for (const path of stored) writeFileSync(path, damage)
    expect(textsOf(machine)).toEqual(before)
  }
})

it('a pack that vanishes after its sections were found gives nothing, and nothing breaks', async () => {
  const machine = await quails()
  const pack = new Packs(machine, {}).catalog.all.find(({ manifest }) => manifest.name === 'quails')!
  const sections = openSections(machine, [pack])
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
  const ask = () => resolvePacks(machine, { task: TASK, session: 'one' })
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

it('two processes that build the same index at once give the same answer', async () => {
  const { cwd, home } = await quails()
  const program = join(import.meta.dirname, '../../dist/cli.cjs')
  const ask = () =>
    promisify(execFile)(process.execPath, [program, 'packs', 'resolve', TASK, '--json'], {
      cwd,
      env: { HOME: home, PATH: process.env.PATH },
    })
  const [one, two] = await Promise.all([ask(), ask()])
  expect(one.stdout).toContain('nine grams')
  expect(two.stdout).toBe(one.stdout)
})
