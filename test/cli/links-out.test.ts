import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectCivil, treeOf } from './civil.ts'
import { makeFolder, makeProject } from './run.ts'
import { runWarm } from './warm.ts'

const PAYLOAD = '---\nid: a\nsummary: A thing\nkeywords: [alpha]\n---\n\nalpha\n'
const LONG = `# Rules\n\n${'## Part\n\nOne sentence about deploying things to the staging machine, and another.\n\n'.repeat(40)}`
const PACK = '---\nname: birds\ndescription: Birds.\ntype: domain-reference\nstatus: ready\n---\n\n# Birds\n'
const SKILL = JSON.stringify({ name: 'tidy', description: 'Tidies up.', targets: ['claude'] })

const HOME = {
  '.config/loadout/config.json': JSON.stringify({ repo_path: '~/library' }),
  '.claude/settings.json': '{}\n',
  'library/skills/tidy/skill.json': SKILL,
  'library/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies up.\n---\n\nTidy.\n',
}

// What a project plants, and the command that would write there. `out` is a folder outside of it that holds
// `file`, `rows.jsonl` and `folder/`.
const ROWS: [name: string, link: string, to: string, args: string[]][] = [
  ['index build', '.claude/loadout/index.json', 'file', ['index', 'build']],
  ['index build, a dry run', '.claude/loadout/index.json', 'file', ['index', 'build', '--dry-run']],
  ['index build, the folder', '.claude/loadout', 'payloads', ['index', 'build']],
  ['index migrate, the file', 'CLAUDE.md', 'long.md', ['index', 'migrate', 'CLAUDE.md', '--write']],
  ['index migrate, its folder', 'docs', 'folder', ['index', 'migrate', 'docs/long.md', '--write']],
  ['index migrate, the index', '.claude/loadout/index.json', 'file', ['index', 'migrate', 'LONG.md', '--write']],
  ['index migrate --into', 'parts', 'folder', ['index', 'migrate', 'LONG.md', '--write', '--into', 'parts']],
  ['agents-md', 'AGENTS.md', 'file', ['agents-md', '--write']],
  ['agents-md, a named file', 'docs', 'folder', ['agents-md', '--write', 'docs/new.md']],
  ['hooks install', '.claude/settings.json', 'settings.json', ['hooks', 'install', 'claude', '--project', '.']],
  ['hooks install, the folder', '.claude', 'folder', ['hooks', 'install', 'claude', '--project', '.']],
  ['hooks remove', '.claude/settings.json', 'settings.json', ['hooks', 'remove', 'claude', '--project', '.']],
  ['equip', '.claude/skills', 'folder', ['equip', 'tidy', '--project', '.']],
  ['equip, a dry run', '.claude/skills', 'folder', ['equip', 'tidy', '--project', '.', '--dry-run']],
  ['unequip', '.claude/skills', 'folder', ['unequip', 'tidy', '--project', '.']],
  ['sync', '.claude/skills', 'folder', ['sync', '--project', '.']],
  ['context --out', 'bundle.md', 'file', ['context', 'alpha', '--out', 'bundle.md']],
  ['context --out, the folder', 'made', 'folder', ['context', 'alpha', '--out', 'made/sub/bundle.md']],
  ['note add', 'notes.jsonl', 'rows.jsonl', ['note', 'add', 'remember this']],
  ['note prune', 'notes.jsonl', 'rows.jsonl', ['note', 'prune']],
  ['packs new', '.agents/knowledge', 'folder', ['packs', 'new', 'birds']],
  ['share --out', 'made', 'folder', ['share', 'tidy', '--out', 'made/tidy.tar.gz']],
]

describe('a link of a project that leads out: nothing is written, and the message names it', () => {
  let home = ''
  beforeAll(() => {
    home = makeProject(HOME)
    const library = join(home, 'library')
    const git = (...args: string[]) => execFileSync('git', ['-C', library, ...args], { env: GIT, stdio: 'ignore' })
    git('init', '-q')
    git('add', '-A')
    git('commit', '-qm', 'x')
  })

  it.each(ROWS)('%s', (_, link, to, args) => {
    const out = makeProject({
      file: 'alias ll="ls -l"\n',
      'rows.jsonl': '{"id":"x"}\n',
      'settings.json': '{}\n',
      'long.md': LONG,
      'folder/long.md': LONG,
      'payloads/a.md': PAYLOAD,
    })
    const project = makeProject({
      'loadout.json': JSON.stringify({ tactical: { path: 'notes.jsonl' } }),
      'LONG.md': LONG,
      ...(link.startsWith('.agents') ? {} : { '.agents/knowledge/birds/KNOWLEDGE.md': PACK }),
      ...(link === '.claude' || link === '.claude/loadout' ? {} : { '.claude/loadout/a.md': PAYLOAD }),
    })
    mkdirSync(join(project, '.git'))
    mkdirSync(dirname(join(project, link)), { recursive: true })
    symlinkSync(join(out, to), join(project, link))
    const before = [treeOf(out), treeOf(project), treeOf(join(home, '.claude'))]
    const run = runWarm(args, { cwd: project, home })
    expectCivil(run)
    expect.soft([treeOf(out), treeOf(project), treeOf(join(home, '.claude'))]).toEqual(before)
    expect.soft(run.code).toBe(2)
    expect.soft(run.stderr).toContain('link')
    expect.soft(run.stderr).toContain(link)
  })
})

it('a library whose folder of skills leads out: no skill is made there', () => {
  const out = makeProject({ 'drafts/delta/SKILL.md': '---\nname: delta\ndescription: A draft.\n---\n# Delta\n' })
  const home = makeProject({ '.config/loadout/config.json': '{"repo_path":"~/library"}', 'library/README.md': 'x' })
  symlinkSync(out, join(home, 'library/skills'))
  for (const words of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'x'],
  ]) {
    execFileSync('git', ['-C', join(home, 'library'), ...words], { env: GIT, stdio: 'ignore' })
  }
  const before = treeOf(out)
  for (const args of [
    ['new', 'fresh'],
    ['import', join(out, 'drafts/delta'), '--targets', 'claude'],
  ]) {
    const run = runWarm(args, { home, cwd: home })
    expectCivil(run)
    expect.soft([run.code, run.stderr]).toEqual([2, expect.stringContaining('is a link that leads out')])
  }
  expect(treeOf(out)).toEqual(before)
})

it('a folder of a project that is swapped for a link while a skill is being installed', () => {
  const home = makeProject({
    '.config/loadout/config.json': JSON.stringify({ repo_path: '~/library' }),
    'library/skills/tidy/skill.json': JSON.stringify({ name: 'tidy', description: 'Tidies.', targets: ['claude'] }),
    'library/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies.\n---\n\n# Tidy\n',
  })
  for (const words of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'x'],
  ]) {
    execFileSync('git', ['-C', join(home, 'library'), ...words], { env: GIT, stdio: 'ignore' })
  }
  const [project, out] = [makeProject({ '.claude/skills/mine/SKILL.md': '# Mine\n' }), makeFolder()]
  execFileSync('git', ['init', '--quiet', '--template=', project])
  const agent = join(project, '.claude')
  const swap = `const fs = require('node:fs'), make = fs.mkdirSync
    fs.mkdirSync = (path, ...rest) => {
      if (/tidy\\.[^/]*\\.new$/.test(path) && !fs.existsSync('${agent}/kept')) {
        fs.renameSync('${agent}/skills', '${agent}/kept')
        fs.symlinkSync('${out}', '${agent}/skills')
      }
      return make(path, ...rest)
    }`
  const preload = join(makeProject({ 'swap.cjs': swap }), 'swap.cjs')
  const env = { NODE_OPTIONS: `--require ${preload}` }
  expectCivil(runWarm(['equip', 'tidy', '--project', project], { home, cwd: project, env }))
  expect(treeOf(out)).toEqual([])
  expect(treeOf(join(agent, 'kept')).join('\n')).toContain('# Tidy')
})

describe('links that may be written through', () => {
  it('one that stays inside its project keeps its place, and the file its mode', () => {
    const project = makeProject({ '.claude/loadout/a.md': PAYLOAD, 'real.json': '{}' })
    execFileSync('chmod', ['600', join(project, 'real.json')])
    symlinkSync('../../real.json', join(project, '.claude/loadout/index.json'))
    const run = runWarm(['index', 'build'], { cwd: project })
    expect([run.code, run.stderr]).toEqual([0, ''])
    const tree = treeOf(project).join('\n')
    expect(tree).toContain('index.json -> ../../real.json')
    expect(tree).toMatch(/real\.json \{\n {2}"version"/)
    expect(execFileSync('stat', ['-c', '%a', join(project, 'real.json')], { encoding: 'utf8' })).toBe('600\n')
  })

  it('one that leads nowhere is replaced', () => {
    const project = makeProject({ '.claude/loadout/a.md': PAYLOAD })
    symlinkSync(join(project, '..', 'nowhere', 'at-all'), join(project, '.claude/loadout/index.json'))
    expect(runWarm(['index', 'build'], { cwd: project }).code).toBe(0)
    expect(treeOf(project).join('\n')).toMatch(/index\.json \{\n/)
  })

  it("the user's own settings, which a dotfile manager keeps elsewhere", () => {
    const home = makeProject({ 'dotfiles/settings.json': '{}\n', '.claude/x': '' })
    symlinkSync('../dotfiles/settings.json', join(home, '.claude/settings.json'))
    expect(runWarm(['hooks', 'install', 'claude'], { cwd: home, home }).code).toBe(0)
    expect(treeOf(home).join('\n')).toMatch(/dotfiles\/settings\.json \{.*hook/s)
  })

  it('a file outside the project that the user named', () => {
    const [project, out] = [makeProject({ 'AGENTS.md': 'Be kind.\n' }), makeProject({ 'real.md': 'x' })]
    symlinkSync(join(out, 'real.md'), join(out, 'linked.md'))
    writeFileSync(join(project, 'loadout.json'), '{}')
    const run = runWarm(['context', 'kind', '--out', join(out, 'linked.md')], { cwd: project })
    expect([run.code, treeOf(out).join('\n')]).toEqual([0, expect.stringContaining('Be kind.')])
  })
})

const GIT = {
  PATH: process.env.PATH,
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
}
