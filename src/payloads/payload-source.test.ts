import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Machine } from '../machine/machine.ts'
import { rebuildIndex } from './index-build.ts'
import { Planner } from './plan.ts'

const home = mkdtempSync(join(tmpdir(), 'loadout-ranking-'))
afterAll(() => rmSync(home, { recursive: true }))

// A second ahead: every file is old enough to be believed.
const now = () => new Date(Date.now() + 1000)

function makeProject(name: string, size: number) {
  const project = join(home, name)
  const payloads = join(project, '.claude/loadout')
  mkdirSync(payloads, { recursive: true })
  const pathOf = (at: number) => join(payloads, `entry-${at}.md`)
  const write = (at: number, body: string) =>
    writeFileSync(pathOf(at), `---\nid: entry-${at}\nkeywords: [word${at}]\nsummary: Summary ${at}.\n---\n${body}\n`)
  for (let at = 0; at < size; at++) write(at, `About thing${at}.`)
  const machine = new Machine({ cwd: project, home, env: {}, now })
  rebuildIndex(machine, {})
  const plan = async (task: string) => {
    const { value } = await new Planner(machine).plan({ task, layers: { projectRoot: project } })
    return value.onDemand.map(({ entry }) => entry.id)
  }
  return { machine, pathOf, write, plan }
}

test('an edit of any payload counts at once', async () => {
  const { write, plan } = makeProject('small', 5)
  expect(await plan('turbine blades')).toEqual([])
  expect(await plan('about thing3')).toEqual(['entry-3'])
  write(3, '# Turbine blades\n\nThe blades of the turbine.')
  expect(await plan('turbine blades')).toEqual(['entry-3'])
})

test('in a large library an edit of what was chosen counts at once, and any other with its folder or its index', async () => {
  const { machine, pathOf, write, plan } = makeProject('large', 501)
  expect(await plan('turbine blades')).toEqual([])
  expect(await plan('word7 thing7')).toEqual(['entry-7'])
  write(7, 'About other matters.')
  expect(await plan('thing7')).toEqual([])

  write(8, '# Turbine blades\n\nThe blades of the turbine.')
  rebuildIndex(machine, {})
  expect(await plan('turbine blades')).toEqual(['entry-8'])

  // The index stays the same: only what was compiled from it is forgotten.
  write(10, 'About rotor10.')
  expect(await plan('rotor10')).toEqual([])
  rebuildIndex(machine, {})
  expect(await plan('rotor10')).toEqual(['entry-10'])

  writeFileSync(
    `${pathOf(9)}.new`,
    readFileSync(pathOf(9), 'utf8').replace('thing9', 'propeller shaft propeller shaft'),
  )
  renameSync(`${pathOf(9)}.new`, pathOf(9))
  expect(await plan('propeller shaft')).toEqual(['entry-9'])
})
