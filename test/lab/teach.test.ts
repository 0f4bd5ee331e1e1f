import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLoadout } from '../../src/loadout.ts'
import { entryOf, indexOf } from '../../src/payloads/rules/entry.fixture.ts'
import { makeProject } from '../cli/run.ts'
import { makeMachine } from '../cli/skills-machine.ts'

const skill = (name: string, description: string) => ({
  [`${name}/skill.json`]: JSON.stringify({ name, description, targets: ['claude'] }),
  [`${name}/SKILL.md`]: `# ${name}\n`,
})
const pack = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\ntype: domain-reference\nstatus: ready\n---\n\n# P\n`

/**
 * A library with two skills, a project with a payload and a pack, and a pack of the user. Calls the library, not the
 * binary: fast.
 */
function makeWorld() {
  const machine = makeMachine({
    skills: { ...skill('notes', 'Drafts release notes.'), ...skill('deploy', 'Ships a build to production.') },
  })
  machine.write('.agents/knowledge/taxes/KNOWLEDGE.md', pack('taxes', 'Rates of value added tax.'))
  const project = makeProject({
    '.git/HEAD': '',
    'loadout.json': JSON.stringify({ routing: { strategy: 'ranked' } }),
    '.claude/loadout/index.json': JSON.stringify(
      indexOf([entryOf({ id: 'steps', path: 'steps.md', summary: 'How a release is cut.', keywords: ['release'] })]),
    ),
    'steps.md': 'Tag it.\n',
    '.agents/knowledge/water/KNOWLEDGE.md': pack('water', 'How tides move.'),
  })
  const { home } = machine
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  const loadout = createLoadout({ persist: true, home, cwd: project, env })
  const layers = loadout.knowledge.nameLayers({})
  const hand = (id: string, prompts: string[], negatives: string[] = []) =>
    loadout.knowledge.teach({ layers, items: [{ id, prompts, negatives }], origin: 'hand' })
  const linesIn = (path: string) =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  return { ...machine, project, loadout, layers, hand, linesIn, state: join(home, '.local/state/loadout') }
}

const codesOf = ({ findings }: { findings: { code: string }[] }) => findings.map(({ code }) => code)

describe('where examples go', () => {
  it('beside what they describe, committed with the library; what belongs to others stays on the machine', async () => {
    const { library, project, state, git, hand, linesIn } = makeWorld()
    const { value } = await hand('skill:notes', ['what is new since friday?'], ['tag a release'])
    expect(value.commit).toBe(git('rev-parse', 'HEAD').trim())
    expect(git('status', '--short')).toBe('')
    expect(linesIn(join(library, 'examples/notes.jsonl'))).toMatchObject([
      { id: 'notes', kind: 'skill', prompt: 'what is new since friday?', origin: 'hand' },
      { prompt: 'tag a release', not: true },
    ])
    await hand('steps', ['put version two out'])
    await hand('water', ['when is high tide'])
    await hand('taxes', ['what goes onto the bill of a customer'])
    const own = linesIn(join(project, '.claude/loadout/examples.jsonl'))
    expect(own.map(({ kind, id }) => `${kind}:${id}`)).toEqual(['payload:steps', 'pack:water'])
    const taught = join(state, 'examples/taught.jsonl')
    expect(linesIn(taught)).toMatchObject([{ kind: 'pack', id: 'taxes' }])
    expect(statSync(taught).mode & 0o777).toBe(0o600)
  })

  it('a dry run writes nothing', async () => {
    const { library, loadout, layers, git } = makeWorld()
    const head = git('rev-parse', 'HEAD')
    const items = [{ id: 'notes', prompts: ['what is new since friday?'], negatives: [] }]
    const { value } = await loadout.knowledge.teach({ layers, items, origin: 'hand', dryRun: true })
    expect(value).toMatchObject({ isDryRun: true, taught: [{ id: 'skill:notes' }] })
    expect([git('rev-parse', 'HEAD'), existsSync(join(library, 'examples'))]).toEqual([head, false])
  })
})

describe('what is refused', () => {
  it.each([
    ['a secret', 'notes', 'deploy with ghp_0123456789abcdefghijABCDEFGHIJ012345 please', 'EXAMPLE_REFUSED'],
    ['no words', 'notes', '!!! 123', 'EXAMPLE_REFUSED'],
    ['an entry that is not there', 'note', 'what is new?', 'ENTRY_NOT_FOUND'],
    ['an example of another entry', 'deploy', 'WHAT is new since friday', 'EXAMPLE_REFUSED'],
    ['what is known', 'notes', 'what is new since friday', 'EXAMPLE_REFUSED'],
  ])('%s', async (_, id, prompt, code) => {
    const { library, hand } = makeWorld()
    await hand('notes', ['what is new since friday?'])
    const before = readFileSync(join(library, 'examples/notes.jsonl'), 'utf8')
    const report = await hand(id, [prompt])
    expect([report.value.taught, codesOf(report)]).toEqual([[], [code]])
    expect(JSON.stringify(report)).not.toContain('ghp_')
    expect(readFileSync(join(library, 'examples/notes.jsonl'), 'utf8')).toBe(before)
    expect(existsSync(join(library, 'examples/deploy.jsonl'))).toBe(false)
  })
})

describe('a file of examples', () => {
  it('keeps lines that are none, and says so', async () => {
    const { library, loadout, layers, hand } = makeWorld()
    const path = join(library, 'examples/notes.jsonl')
    mkdirSync(dirname(path))
    writeFileSync(path, '{"torn\n\n{"id":"deploy","kind":"skill","prompt":"a b","digest":"x","origin":"hand"}')
    await hand('notes', ['what is new since friday?'])
    expect(readFileSync(path, 'utf8')).toMatch(/^\{"torn\n\{"id":"deploy".*\n\{"id":"notes".*\n$/)
    const status = await loadout.knowledge.teachStatus({ layers })
    expect(status.findings).toMatchObject([{ code: 'FILE_UNREADABLE', line: 1 }])
    expect(status.value.entries.find(({ id }) => id === 'skill:notes')).toMatchObject({ written: 1 })
  })

  it('names what is stale, renews it, and names what lost its entry', async () => {
    const { library, loadout, layers, hand } = makeWorld()
    await hand('notes', ['what is new since friday?'])
    const label = join(library, 'skills/notes/skill.json')
    writeFileSync(label, readFileSync(label, 'utf8').replace('Drafts', 'Writes'))
    writeFileSync(
      join(library, 'examples/gone.jsonl'),
      '{"id":"gone","kind":"skill","prompt":"a b","digest":"x","origin":"hand"}\n',
    )
    const search = async () =>
      (await loadout.context.search({ query: 'anything new since friday', layers, kinds: ['skill'] })).value.hits
    const status = async () => {
      const report = await loadout.knowledge.teachStatus({ layers })
      return [codesOf(report), report.value.entries.find(({ id }) => id === 'skill:notes')]
    }
    expect(await status()).toMatchObject([['EXAMPLE_REFUSED', 'EXAMPLE_REFUSED'], { written: 0, stale: 1 }])
    expect(await search()).toEqual([])
    expect((await loadout.knowledge.renewTeaching({ layers, ids: ['notes'] })).value.taught).toHaveLength(1)
    expect(await status()).toMatchObject([['EXAMPLE_REFUSED'], { written: 1, stale: 0 }])
    expect(await search()).toMatchObject([{ id: 'skill:notes' }])
  })
})

describe('who learns from what', () => {
  const PROMPT = 'when does the moon pull'

  it('a project teaches its own packs and payloads, and nothing about the user’s', async () => {
    const { project, loadout, layers, hand } = makeWorld()
    await hand('water', [PROMPT])
    await hand('steps', ['put version two out'])
    const path = join(project, '.claude/loadout/examples.jsonl')
    const digest = (await import('../../src/examples/rules/example.ts')).descriptionDigest('Rates of value added tax.')
    const foreign = { id: 'taxes', kind: 'pack', prompt: 'where do whales sleep', digest, origin: 'hand' }
    appendFileSync(path, `${JSON.stringify(foreign)}\n`)
    const search = async (query: string) =>
      (await loadout.context.search({ query, layers })).value.hits.map(({ id }) => id)
    expect(await search(PROMPT)).toEqual(['pack:water'])
    expect(await search('where do whales sleep')).toEqual([])
    const { value } = await loadout.knowledge.plan({ task: 'put version two out', layers })
    expect(value.onDemand.map(({ entry }) => entry.id)).toEqual(['steps'])
  })

  it('what only this machine was taught counts for no plan, bundle or search', async () => {
    const { loadout, layers, hand } = makeWorld()
    const before = (await loadout.context.build({ task: 'what goes onto the bill of a customer' })).value.renderings
      .markdown
    await hand('taxes', ['what goes onto the bill of a customer'])
    expect(
      (await loadout.context.search({ query: 'what goes onto the bill of a customer', layers })).value.hits,
    ).toEqual([])
    expect(
      (await loadout.context.build({ task: 'what goes onto the bill of a customer' })).value.renderings.markdown,
    ).toBe(before)
  })

  it('tasks that led to a skill are learned where tasks are kept, masked, and erased with the log', async () => {
    const { home, state, loadout, layers, linesIn, write } = makeWorld()
    const config = JSON.parse(readFileSync(join(home, '.config/loadout/config.json'), 'utf8'))
    const log = join(state, 'usage.jsonl')
    const line = (stage: string, id: string, extra = {}) =>
      `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', taskHash: stage, entryId: id, trigger: 'x', mode: 'lazy', tokensEst: 1, stage, kind: 'skill', session: 's', ...extra })}\n`
    mkdirSync(state, { recursive: true })
    writeFileSync(log, line('planned', 'deploy', { task: 'throw it over the fence' }) + line('used', 'deploy'))
    const suggest = async () =>
      (await loadout.skills.suggest({ task: 'over the fence' })).value.skills.map(({ name }) => name)
    expect(await suggest()).toEqual([])
    write('.config/loadout/config.json', JSON.stringify({ ...config, usage: { keep_tasks: true } }))
    expect(await suggest()).toEqual(['deploy'])
    const learned = join(state, 'examples/from-use.jsonl')
    expect(linesIn(learned)).toMatchObject([{ id: 'deploy', prompt: 'throw it over the fence', origin: 'use' }])
    expect((await loadout.context.search({ query: 'over the fence', layers })).value.hits).toEqual([])
    expect((await loadout.knowledge.eraseUsage({})).value).toMatchObject({ isErased: true, learned })
    expect([existsSync(learned), await suggest()]).toEqual([false, []])
  })
})

describe('an answer of an agent', () => {
  it('is taken as far as it can be, and nothing of the rest is silent', async () => {
    const { loadout, layers } = makeWorld()
    const text = [
      'Of course! Here you go:',
      '```json',
      '{"id":"skill:notes","prompts":["what is new since friday?","summarise the last sprint"]}',
      '{"id":"skill:nothing","prompts":["what else is there"]}',
      '{"id":"deploy, "prompts":["x y"]}',
      '```',
    ].join('\n')
    const report = await loadout.knowledge.importTeaching({ layers, text })
    expect(report.value.taught).toMatchObject([{ id: 'skill:notes', prompts: { length: 2 } }])
    expect(codesOf(report)).toEqual(['BAD_JSON', 'ENTRY_NOT_FOUND'])
    const prose = await loadout.knowledge.importTeaching({ layers, text: 'I would rather not.' })
    expect([prose.value.taught, codesOf(prose)]).toEqual([[], ['NOTHING_TO_DO']])
  })

  it('the file that asks for it names what lacks examples, and is no answer itself', async () => {
    const { loadout, layers } = makeWorld()
    const { value } = await loadout.knowledge.exportTeaching({ layers })
    expect(value.tasks.map(({ id }) => id)).toEqual([
      'payload:steps',
      'pack:taxes',
      'pack:water',
      'skill:deploy',
      'skill:notes',
    ])
    const report = await loadout.knowledge.importTeaching({ layers, text: value.text.replace(/^\{"id": .*$/m, '') })
    expect(report.value.taught).toEqual([])
  })
})

describe('eval', () => {
  it('asks a library its own examples, each while it is left out, and the tests beside skills', async () => {
    const { library, loadout, layers, hand } = makeWorld()
    await hand('notes', ['which fixes went out on friday?', 'which fixes went out last month?'])
    mkdirSync(join(library, 'skills/deploy/evals'))
    writeFileSync(
      join(library, 'skills/deploy/evals/trigger.json'),
      JSON.stringify([{ query: 'ship the build to production', should_trigger: true }]),
    )
    const { value, findings } = await loadout.knowledge.evaluate({ suite: library, layers, min: 100 })
    expect(value).toMatchObject({ documents: 2, heldOut: 2, figures: { positives: 3, r1: 100 }, takers: [] })
    expect(value.withoutExamples?.r1).toBeCloseTo(33.3, 1)
    expect(findings).toEqual([])
  })

  it('asks everything here where the project has no suite', async () => {
    const { loadout, layers, hand } = makeWorld()
    await hand('water', ['when does the moon pull', 'how strong does the moon pull'])
    const { value } = await loadout.knowledge.evaluate({ layers })
    expect(value).toMatchObject({ suite: 'everything here', heldOut: 2, figures: { r1: 100 } })
  })

  it('ends with an error below a limit', async () => {
    const { loadout, layers, hand } = makeWorld()
    await hand('water', ['when does the moon pull'])
    const report = await loadout.knowledge.evaluate({ layers, min: 50 })
    expect(report.findings).toMatchObject([{ severity: 'error', code: 'BELOW_THRESHOLD' }])
  })
})
