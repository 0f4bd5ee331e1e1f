import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { aLinkTo, makeFolder, makeProject, runLoadout } from './cli/run.ts'
import { FULL_PROJECT, NOW } from './context/context-world.ts'

// The built file, as whoever installs the package gets it.
const { createLoadout, LoadoutError } = (await import(resolve('dist/api.js'))) as typeof import('../src/api.ts')

const TASK = 'repair the flood gauge'

it('the API gives a program the same bytes as the command line gives a person', async () => {
  const cwd = makeProject(FULL_PROJECT)
  const home = makeFolder()
  expect(runLoadout(['index', 'build'], { cwd, home }).code).toBe(0)
  const loadout = createLoadout({ cwd, home, env: {}, now: () => new Date(NOW) })
  const { value } = await loadout.context.build({ task: TASK, isRecorded: false })
  const { stdout } = runLoadout(['context', TASK, '--now', NOW, '--format', 'markdown'], { cwd, home })
  expect(value.renderings.markdown).toContain('The body of flood.')
  expect(value.renderings.markdown).toBe(stdout)
})

it('throws what a program can tell apart', async () => {
  const loadout = createLoadout({ cwd: makeFolder(), home: makeFolder(), env: {} })
  const attempt = loadout.knowledge.openGuide({ pack: 'nowhere' })
  await expect(attempt).rejects.toBeInstanceOf(LoadoutError)
  await expect(attempt).rejects.toMatchObject({ code: 'PACK_NOT_FOUND' })
})

it('the API refuses a working folder that does not exist', async () => {
  const missing = join(makeFolder(), 'missing')
  const loadout = createLoadout({ cwd: missing, home: makeFolder(), env: {} })
  const refused = { code: 'NOT_A_FOLDER', message: `the working folder ${missing} does not exist` }
  await expect(loadout.context.build({ task: TASK, isRecorded: false })).rejects.toMatchObject(refused)
  await expect(loadout.context.plan({ task: TASK })).rejects.toMatchObject(refused)
})

const { knowledge, skills, context } = createLoadout({ cwd: makeFolder(), home: makeFolder(), env: {} })

it.each(
  Object.entries({
    'knowledge.plan': knowledge.plan,
    'knowledge.loadPlan': knowledge.loadPlan,
    'knowledge.resolvePacks': knowledge.resolvePacks,
    'skills.suggest': skills.suggest,
    'context.build': context.build,
    'context.plan': context.plan,
  }),
)('%s refuses a request without a task', async (_, ask) => {
  for (const request of [{ task: '' }, { task: ' \n' }, {}, { task: 7 }, undefined]) {
    const attempt = async () => ask(request as { task: string })
    await expect(attempt()).rejects.toMatchObject({ code: 'USAGE', message: 'there is no task' })
    await expect(attempt()).rejects.toBeInstanceOf(LoadoutError)
  }
})

it('the API writes nothing below the home folder that was not asked for', async () => {
  const cwd = makeProject(FULL_PROJECT)
  expect(runLoadout(['index', 'build'], { cwd, home: makeFolder() }).code).toBe(0)
  const home = makeFolder()
  const ask = async (persist?: boolean) => {
    const loadout = createLoadout({ cwd, home, env: {}, now: () => new Date(NOW), persist })
    const layers = loadout.knowledge.nameLayers({})
    await loadout.context.build({ task: TASK })
    await loadout.context.search({ query: TASK, layers })
    await loadout.context.explain({ id: 'flood', layers, task: TASK })
    await loadout.context.lookUp({ id: 'flood' })
    await loadout.knowledge.loadPlan({ task: TASK })
    await loadout.knowledge.resolvePacks({ task: TASK })
    await loadout.knowledge.listPacks({})
    await loadout.knowledge.usage({})
    await loadout.agents.status({})
    await loadout.agents.list({})
    await loadout.agents.see({ agent: 'claude' })
    return readdirSync(home)
  }
  expect(await ask()).toEqual([])
  expect(await ask(true)).toEqual(['.cache', '.local'])
})

it('the API needs a home only for what lies there', async () => {
  const loadout = createLoadout({ cwd: makeFolder(), env: {} })
  const { value } = await loadout.knowledge.plan({ task: TASK, layers: { globalDir: '' } })
  expect(value.knownEntries).toBe(0)
})

it('plans a task and loads what the plan chose, in another process too', async () => {
  const cwd = makeProject(FULL_PROJECT)
  const home = makeFolder()
  expect(runLoadout(['index', 'build'], { cwd, home }).code).toBe(0)
  const loadout = createLoadout({ cwd, home, env: {}, now: () => new Date(NOW) })
  const { value: plan } = await loadout.knowledge.plan({ task: TASK })
  const { contents, findings } = loadout.knowledge.load(JSON.parse(JSON.stringify(plan)))
  expect(findings).toEqual([])
  const chosen = [...plan.preload, ...plan.onDemand]
  expect(chosen.length).toBeGreaterThan(0)
  expect(contents.map(({ id, path }) => [id, path])).toEqual(chosen.map(({ entry }) => [entry.id, entry.path]))
  expect(plan.roots).toEqual({ project: cwd })
  rmSync(join(cwd, chosen[0]!.entry.path))
  const again = loadout.knowledge.load(plan, { budget: 0, isRecorded: false })
  expect(again.contents).toEqual([])
  expect(again.findings[0]).toMatchObject({ code: 'FILE_UNREADABLE', subject: chosen[0]!.entry.id })
})

it('the API has types that a strict program under nodenext can use', () => {
  const cwd = makeProject({
    'package.json': '{ "type": "module" }',
    'program.ts': `import { createLoadout, type LoadedPayload } from 'loadout/api'
      import { planLoad } from 'loadout'
      const loadout = createLoadout({ cwd: '.' })
      const { value: plan, findings } = await loadout.knowledge.plan({ task: 'cut a release' })
      const contents: LoadedPayload[] = loadout.knowledge.load(plan, { budget: 500 }).contents
      export const texts: string[] = [...contents, ...loadout.knowledge.load(planLoad('x')).contents].map(({ text }) => text)
      export const root: string | undefined = plan.roots.project
      export const problems: string[] = findings.map(({ message }) => message)
      await loadout.context.lookUp({ id: 'x' })
      loadout.knowledge.resolve()
      // @ts-expect-error a plan needs a task
      await loadout.knowledge.plan({})`,
    'node_modules/loadout': aLinkTo(resolve('.')),
  })
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', '']
  const tsc = spawnSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...options, 'program.ts'], {
    cwd,
    encoding: 'utf8',
  })
  expect(tsc.stdout + tsc.stderr).toBe('')
})

it('every method has a sentence that editors show', () => {
  const types = readFileSync('dist/api.d.ts', 'utf8')
  const door = types.slice(types.indexOf('declare function createLoadout'))
  const names = Object.entries(createLoadout()).flatMap(([group, methods]) => [group, ...Object.keys(methods)])
  expect(names.filter((name) => !new RegExp(`\\*/\\n +${name}: `).test(door))).toEqual([])
})
