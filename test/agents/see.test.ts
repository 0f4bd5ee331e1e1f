import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { SeenByAgent } from '../../src/loadout.ts'
import { expectCivil } from '../cli/civil.ts'
import { aFolder, aLinkTo, aLinkToItself, aPipe, type Content, makeProject } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

const document = (description: string, more = '') => `---\nname: x\ndescription: ${description}\n${more}---\n\n# Text\n`

/** A skill, named as its folder is, in every folder of a list. */
const skills = (root: string, named: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(named).map(([name, text]) => [`${root}/${name}/SKILL.md`, text.replace('name: x', `name: ${name}`)]),
  )

/** A model with little room. */
const SMALL = ['--model', 'claude-haiku-4-5']

const run = (agent: string, home: string, args: string[] = [], env = {}) => {
  const result = runWarm(['see', agent, ...args], { home, cwd: home, env })
  expectCivil(result)
  for (const line of result.stdout.split('\n')) expect.soft(line.length, line).toBeLessThanOrEqual(80)
  return result
}

const see = (agent: string, home: string, args: string[] = [], env = {}): SeenByAgent =>
  JSON.parse(runWarm(['see', agent, '--json', ...args], { home, cwd: home, env }).stdout)

const fatesOf = ({ skills: seen }: SeenByAgent) =>
  Object.fromEntries(seen.map(({ name, path, fate }) => [path.includes('/proj/') ? `project ${name}` : name, fate]))

/** Names of one skill each that no agent must stumble over. */
const hostile = (root: string): Record<string, Content> => ({
  ...skills(root, {
    bomb: document(
      `&a ["x"]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c]`,
    ),
    steer: document('"red \\u001b[31m alert \\u202e"'),
    huge: `${document('Too much.')}${'x'.repeat(1_100_000)}`,
  }),
  [`${root}/pipe/SKILL.md`]: aPipe,
  [`${root}/folder/SKILL.md`]: aFolder,
  [`${root}/circle/SKILL.md`]: aLinkToItself,
  [`${root}/nowhere/SKILL.md`]: aLinkTo('/nothing/here'),
  [`${root}/gone`]: aLinkTo('/nothing/here'),
  [`${root}/lower/skill.md`]: document('Not read.'),
  [`${root}/empty/notes.md`]: 'no skill',
  [`${root}/file`]: 'no folder',
})

describe('a machine where much is wrong', () => {
  let home: string
  beforeAll(() => {
    home = makeProject({
      ...hostile('.claude/skills'),
      ...hostile('.agents/skills'),
      ...skills('.claude/skills', {
        both: document('The user’s.'),
        wordy: document('w'.repeat(1_600)),
        alone: document('Fine.', 'disable-model-invocation: true\n'),
      }),
      ...skills('.agents/skills', {
        both: document('The user’s.'),
        wordy: document('w'.repeat(1_600)),
        alone: document('Fine.'),
      }),
      '.agents/skills/alone/agents/openai.yaml': 'policy:\n  allow_implicit_invocation: false\n',
      ...skills('proj/.claude/skills', { both: document('The project’s.') }),
      ...skills('proj/.agents/skills', { both: document('The project’s.') }),
      ...skills('elsewhere', { linked: document('Behind a link.') }),
      '.claude/skills/linked': aLinkTo('../../elsewhere/linked'),
      '.claude/skills/again': aLinkTo('../../elsewhere/linked'),
      '.agents/skills/linked': aLinkTo('../../elsewhere/linked'),
      '.agents/skills/file-link/SKILL.md': aLinkTo('../../../elsewhere/linked/SKILL.md'),
      '.agents/skills/up': aLinkTo('..'),
      '.codex/AGENTS.md': 'mine',
      'proj/AGENTS.md': 'a'.repeat(20_000),
      'proj/deep/AGENTS.override.md': 'b'.repeat(20_000),
      'proj/deep/AGENTS.md': 'c',
    })
    mkdirSync(join(home, 'proj/.git'))
  })

  it('every skill of Claude Code has its fate', () => {
    const fates = fatesOf(see('claude', home, ['--project', './proj']))
    expect(fates).toEqual({
      both: 'visible',
      'project both': 'shadowed',
      wordy: 'cut',
      alone: 'hidden',
      bomb: 'undescribed',
      steer: 'visible',
      again: 'visible',
      linked: 'shadowed',
      huge: 'unreadable',
      pipe: 'unreadable',
      folder: 'unreadable',
      circle: 'unreadable',
      nowhere: 'unreadable',
      gone: 'unreadable',
      lower: 'unreadable',
    })
  })

  it('every skill of Codex has its fate', () => {
    const sight = see('codex', home, ['--project', 'proj/deep'])
    expect(fatesOf(sight)).toEqual({
      both: 'ambiguous',
      'project both': 'ambiguous',
      wordy: 'cut',
      alone: 'hidden',
      bomb: 'unreadable',
      steer: 'visible',
      linked: 'visible',
      'file-link': 'unreadable',
      huge: 'visible',
      pipe: 'unreadable',
      folder: 'unreadable',
      circle: 'unreadable',
      nowhere: 'unreadable',
      gone: 'unreadable',
      lower: 'unreadable',
    })
    expect(sight.instructions.map(({ state, read }) => `${state} ${read}`)).toEqual([
      'whole 4',
      'whole 20000',
      'cut 12768',
      'replaced 0',
    ])
  })

  it('is reported on one screen, with the reason for each', async () => {
    const claude = run('claude', home, ['--project', './proj'])
    expect(claude.code).toBe(1)
    await expect(claude.stdout).toMatchFileSnapshot('golden/see-claude.txt')
    const codex = run('codex', home, ['--project', 'proj/deep'])
    expect(codex.code).toBe(1)
    await expect(codex.stdout).toMatchFileSnapshot('golden/see-codex.txt')
  })
})

describe('too many skills', () => {
  const many = (root: string) =>
    skills(root, Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`s${at}`, document('d'.repeat(400 + at))])))

  it.each([
    ['claude', '.claude/skills', 8_000, SMALL],
    ['codex', '.codex/skills', 5_440, []],
  ])('%s: what is listed adds up to what it may take', (agent, root, limit, args) => {
    const { skills: seen, own, used = 0, budget } = see(agent, makeProject(many(root)), args)
    expect(budget?.budget).toBe(limit)
    const cost = (skill: (typeof seen)[number]) => (budget?.unit === 'tokens' ? skill.tokens : skill.characters.line)
    // Two line ends in a description of Claude Code’s own take no column.
    const ends = agent === 'claude' ? 2 : 0
    expect(seen.reduce((total, skill) => total + cost(skill), own.characters) - ends).toBe(used)
    expect(used).toBeLessThanOrEqual(limit)
    expect(seen.every(({ fate }) => fate !== 'unreadable')).toBe(true)
    expect(seen.filter(({ fate }) => fate === (agent === 'claude' ? 'dropped' : 'cut')).length).toBeGreaterThan(80)
  })

  it('a larger window, the settings and what was used change who is seen', () => {
    const home = makeProject({
      ...many('.claude/skills'),
      '.claude.json': JSON.stringify({ skillUsage: { s89: { usageCount: 3, lastUsedAt: Date.now() } } }),
    })
    const visible = (args: string[], env = {}) =>
      see('claude', home, args, env).skills.flatMap(({ name, fate }) => (fate === 'visible' ? [name] : []))
    expect(visible(SMALL)).toEqual(['s0', 's1', 's89'])
    expect(visible([...SMALL, '--window', '1000000']).length).toBeGreaterThan(60)
    expect(visible([], { ANTHROPIC_MODEL: 'claude-haiku-4-5' })).toEqual(visible(SMALL))
    expect(visible([], { CLAUDE_CONFIG_DIR: join(home, 'none') })).toEqual([])
    const settings = makeProject({
      ...many('.claude/skills'),
      '.claude/settings.json': '{"skillListingBudgetFraction": 0.5}',
    })
    expect(run('claude', settings).code).toBe(0)
  })
})

it('workflows of Claude Code share the list with skills', () => {
  const workflow = (name: string, more: string) => `export const meta = {\n  name: '${name}',\n  ${more}\n}\nreturn 1\n`
  const home = makeProject({
    ...skills('.claude/skills', { taken: document('A skill.') }),
    '.claude/workflows/file.js': workflow('named', "description: 'It\\'s one.',\n  whenToUse: \"When it rains.\","),
    '.claude/workflows/taken.js': workflow('taken', "description: 'A workflow.',"),
    '.claude/workflows/sum.js': workflow('sum', "description: 'a' + 'b',"),
    '.claude/workflows/module.mjs': workflow('module', "description: 'Not read.',"),
    '.claude/workflows/deep/deep.js': workflow('deep', "description: 'Not read.',"),
  })
  const { skills: seen } = see('claude', home)
  expect(seen.map(({ name, fate, characters }) => `${name} ${fate} ${characters.shown}`)).toEqual([
    'taken visible 8',
    'named visible 26',
    'taken shadowed 0',
    'sum unreadable 0',
  ])
})

it('skills of plugins are there when the plugin is switched on', () => {
  const home = makeProject({
    ...skills('plug/skills', { lint: document('From a plugin.') }),
    ...skills('off/skills', { never: document('Switched off.') }),
    '.claude/settings.json': JSON.stringify({ enabledPlugins: { 'plug@shop': true, 'off@shop': false } }),
  })
  const at = (name: string) => [{ scope: 'user', installPath: join(home, name) }]
  mkdirSync(join(home, '.claude/plugins'))
  const installed = { version: 2, plugins: { 'plug@shop': at('plug'), 'off@shop': at('off') } }
  writeFileSync(join(home, '.claude/plugins/installed_plugins.json'), JSON.stringify(installed))
  expect(fatesOf(see('claude', home))).toEqual({ 'plug:lint': 'visible' })
})

it('an agent with a quiet machine says so, and one of which little is known says that', () => {
  const home = makeProject(skills('.roo/skills', { one: document('Fine.') }))
  expect(run('claude', home).code).toBe(0)
  const roo = run('roo', home)
  expect(roo.code).toBe(0)
  expect(roo.stdout).toMatch(/reads 1 folder\. Its limit is not known\./)
  expect(run('claude', home, ['--longest']).stdout).toContain('no skill')
  expect(runWarm(['see', 'cladue'], { home }).stderr).toContain('did you mean claude?')
})

it('Gemini CLI reads four folders, the later before the earlier, and cuts nothing', () => {
  const home = makeProject({
    ...skills('.gemini/skills', { one: document('First.'), two: document('d'.repeat(5_000)), '.dot': document('No.') }),
    ...skills('.agents/skills', { one: document('Second.'), mute: '---\nname: x\n---\n', deep: '' }),
    '.agents/skills/nameless/SKILL.md': '---\ndescription: Silent about its name.\n---\n',
    '.agents/skills/linked': aLinkTo('../../elsewhere/linked'),
    ...skills('elsewhere', { linked: document('Behind a link.') }),
    ...skills('.agents/skills/deep', { nested: document('Not read.') }),
    ...skills('proj/.gemini/skills', { two: document('Of the root: not read from below.') }),
    ...skills('proj/sub/.gemini/skills', { one: document('Third.') }),
    ...skills('proj/sub/.agents/skills', { one: document('Fourth.') }),
  })
  mkdirSync(join(home, 'proj/.git'))
  const { skills: seen } = see('gemini', home, ['--project', 'proj/sub'])
  const place = (path: string) => path.replace(`${home}/`, '').replace(/\/[^/]+\/SKILL\.md$/, '')
  expect(seen.map(({ name, path, fate, why }) => `${place(path)} ${name} ${fate} ${place(why)}`.trim())).toEqual([
    '.gemini/skills one shadowed proj/sub/.agents/skills/one is read later, and replaces it',
    '.gemini/skills two visible',
    '.agents/skills linked visible',
    '.agents/skills one shadowed proj/sub/.agents/skills/one is read later, and replaces it',
    'proj/sub/.gemini/skills one shadowed proj/sub/.agents/skills/one is read later, and replaces it',
    'proj/sub/.agents/skills one visible',
    '.agents/skills deep unreadable it has no frontmatter',
    '.agents/skills mute unreadable it has no description',
    '.agents/skills nameless unreadable it has no name',
  ])
  const { stdout } = run('gemini', home, ['--project', 'proj/sub'])
  expect(stdout).toMatch(/reads 4 folders and lists all skills in full:\nit has no limit\./)
  expect(stdout).toMatch(/only where you have said that you\ntrust it/)
})

it('folders and files that may not be read are reported', () => {
  const home = makeProject(skills('.claude/skills', { shut: document('Shut.'), closed: document('Closed.') }))
  chmodSync(join(home, '.claude/skills/shut/SKILL.md'), 0)
  chmodSync(join(home, '.claude/skills/closed'), 0)
  mkdirSync(join(home, '.codex'))
  symlinkSync('/nothing/here', join(home, '.codex/skills'))
  const bound = (agent: string) => runWarm(['see', agent], { home, cwd: home, isBound: true })
  expect(bound('claude').stdout).toMatch(/closed +SKILL\.md is not readable\n.*shut +SKILL\.md is not readable/)
  expect(bound('codex').stdout).toContain('it is a broken link')
  expect(bound('codex').code).toBe(1)
  chmodSync(join(home, '.claude/skills'), 0)
  expect(bound('claude')).toMatchObject({ code: 1, stdout: expect.stringContaining('it is not readable') })
  chmodSync(join(home, '.claude/skills'), 0o755)
  chmodSync(join(home, '.claude/skills/closed'), 0o755)
})
