import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { expectCivil, treeOf } from './civil.ts'
import { aLinkToItself, aPipe, makeFolder, makeProject } from './run.ts'
import { runWarm } from './warm.ts'

// Every command of the table, with a place that it cannot work in: it ends with one clear message and writes nothing.

/** What a command needs besides its name; every required argument of another is a word. */
const WORDS: Record<string, string> = {
  install: '--all',
  remove: '--all',
  targets: '--all --add codex',
  update: '--all',
  'agents enable': 'codex',
  'agents disable': 'codex',
  'packs new': 'birds',
  approve: 'pack:birds',
  deny: 'pack:birds',
  revoke: 'pack:birds',
  teach: 'payload:a alpha',
  import: 'drafts',
  'rules migrate': 'AGENTS.md',
  'packs example': 'birds KNOWLEDGE.md:1',
  see: 'claude',
  connect: 'claude',
  'hooks remove': 'claude',
  hook: 'claude UserPromptSubmit',
  completion: 'bash',
  usage: '--dead',
}
const ALL = COMMANDS.map(({ name, args, flags }) => {
  const needed = args.filter(({ required }) => required).map(() => 'tidy')
  const words = WORDS[name]?.split(' ') ?? needed
  return { name, words: [...name.split(' '), ...words], takesProject: 'project' in flags }
})

const PROJECT = {
  'loadout.json': '{}',
  '.claude/loadout/a.md': '---\nid: a\nsummary: A thing\nkeywords: [alpha]\n---\n\nalpha\n',
  'AGENTS.md': '# Rules\n\nBe kind.\n',
}
/** The first place is tried with every command, each other one with every third of them: one check refuses them all. */
const triedWith = <T>(commands: readonly T[], place: number): T[] =>
  commands.filter((_, at) => place === 0 || at % 3 === place % 3 || process.env.LOADOUT_TEST_ALL !== undefined)

/** These serve, and end when they are told to. */
const isServer = (name: string) => name === 'mcp' || name === 'web'

describe('a project that cannot be one', () => {
  it.each<[what: string, place: number, make: () => string, message: string]>([
    ['missing', 0, () => join(makeFolder(), 'gone'), 'does not exist'],
    ['a file', 1, () => join(makeProject({ file: '' }), 'file'), 'is not a folder'],
    ['a pipe', 2, () => join(makeProject({ pipe: aPipe }), 'pipe'), 'is not a folder'],
    ['unreadable', 3, () => withMode(makeProject(PROJECT), 0), 'is not readable'],
    ['a link to itself', 4, () => join(makeProject({ link: aLinkToItself }), 'link'), 'link'],
  ])('%s', (_, place, make, message) => {
    const [cwd, home, project] = [makeProject(PROJECT), makeHome(), make()]
    const before = [treeOf(cwd), treeOf(home)]
    const commands = ALL.filter(({ takesProject }) => takesProject)
    for (const { name, words } of triedWith(commands, place)) {
      const options = { cwd, home, isBound: true, isAlone: isServer(name) }
      const done = runWarm([...words, '--project', project], options)
      expectCivil(done)
      expect.soft([name, done.code, done.stderr]).toEqual([name, 2, expect.stringContaining(message)])
    }
    expect([treeOf(cwd), treeOf(home)]).toEqual(before)
  })
})

describe('a home that is none', () => {
  it.each<[what: string, place: number, make: () => string]>([
    ['read-only', 0, () => withMode(makeFolder(), 0o555)],
    ['empty', 1, () => ''],
    ['a device', 2, () => '/dev/null'],
    ['below /proc', 3, () => '/proc'],
    ['unreadable', 4, () => withMode(makeFolder(), 0)],
  ])('%s', (_, place, make) => {
    const [cwd, home] = [makeProject(PROJECT), make()]
    execFileSync('chmod', ['-R', 'a-w', cwd])
    const before = treeOf(cwd)
    const commands = ALL.filter(({ name }) => !isServer(name))
    for (const { name, words } of triedWith(commands, place)) {
      const done = runWarm(words, { cwd, home, isBound: true })
      expectCivil(done)
      expect.soft([name, done.code]).toEqual([name, expect.any(Number)])
    }
    expect(treeOf(cwd)).toEqual(before)
  })
})

it('both settings files broken: every command ends clearly, and neither file is changed', () => {
  const cwd = makeProject({ ...PROJECT, 'loadout.json': '{' })
  const home = makeProject({ '.config/loadout/config.json': '[' })
  for (const { name, words } of ALL.filter(({ name }) => !isServer(name))) {
    const done = runWarm(words, { cwd, home })
    expectCivil(done)
    expect.soft([name, done.code]).toEqual([name, expect.any(Number)])
  }
  expect(readFileSync(join(cwd, 'loadout.json'), 'utf8')).toBe('{')
  expect(readFileSync(join(home, '.config/loadout/config.json'), 'utf8')).toBe('[')
})

/** A library with one skill. */
function makeHome(): string {
  const home = makeProject({
    '.config/loadout/config.json': JSON.stringify({ repo_path: '~/library' }),
    'library/skills/tidy/skill.json': JSON.stringify({ name: 'tidy', description: 'Tidies.', targets: ['claude'] }),
    'library/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies.\n---\n\n# Tidy\n',
  })
  const git = (...words: string[]) => execFileSync('git', ['-C', join(home, 'library'), ...words])
  git('init', '--quiet', '--template=')
  git('add', '--all')
  git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '--quiet', '--message', 'x')
  return home
}

function withMode(folder: string, mode: number): string {
  chmodSync(folder, mode)
  return folder
}
