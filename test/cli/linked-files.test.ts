import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git } from '../tui/machine.ts'
import { makeFolder } from './run.ts'
import { runWarm } from './warm.ts'

const DOCUMENT = '---\nname: linked\ndescription: Text about links.\n---\n# Linked\n'

/** A source with one skill in it and a file beside the skill, with links by path and target. */
function makeSource(links: Readonly<Record<string, string>>): { home: string; source: string } {
  const home = makeFolder()
  const source = join(home, 'source')
  const skill = join(source, 'skills/linked')
  for (const [path, text] of Object.entries({
    'SKILL.md': DOCUMENT,
    'AGENTS.md': 'Rules.\n',
    'references/one.md': 'One.\n',
    '../beside.md': 'Beside.\n',
  })) {
    mkdirSync(dirname(join(skill, path)), { recursive: true })
    writeFileSync(join(skill, path), text)
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(skill, path))
  mkdirSync(join(home, '.claude'))
  const made = runWarm(['init', '--new', join(home, 'library')], { cwd: home, home })
  expect(made.code, made.stderr).toBe(0)
  return { home, source }
}

const WAYS: Record<string, (source: string) => string> = {
  'a folder': (source) => source,
  'a git repository': (source) => {
    git(source, 'init', '-q')
    git(source, 'add', '-A')
    git(source, 'commit', '-q', '-m', 'Add a skill')
    return `file://${source}`
  },
  'an archive': (source) => {
    execFileSync('tar', ['-czf', `${source}.tar.gz`, '-C', source, 'skills'])
    return `${source}.tar.gz`
  },
}

describe.each(Object.entries(WAYS))('a skill from %s', (_, prepare) => {
  it('has its links to files of its own as files, in the library and where it is installed', () => {
    const { home, source } = makeSource({ 'CLAUDE.md': 'AGENTS.md', 'references/all.md': '../AGENTS.md' })
    const imported = runWarm(['import', prepare(source), '--all', '--targets', 'claude'], { cwd: home, home })
    expect(imported.code, imported.stdout + imported.stderr).toBe(0)
    const installed = runWarm(['equip', 'linked'], { cwd: home, home })
    expect(installed.code, installed.stderr).toBe(0)
    for (const folder of ['library/skills/linked', '.claude/skills/linked']) {
      for (const path of ['CLAUDE.md', 'references/all.md']) {
        const place = join(home, folder, path)
        expect([place, lstatSync(place).isFile(), readFileSync(place, 'utf8')]).toEqual([place, true, 'Rules.\n'])
      }
    }
  })

  it.each([
    ['leads out of it', '../beside.md'],
    ['leads to a file of the machine', '/etc/passwd'],
    ['leads nowhere', 'missing.md'],
    ['leads to itself', 'link.md'],
    ['leads to a folder', 'references'],
  ])('is refused with the path of a link that %s', (_why, target) => {
    const { home, source } = makeSource({ 'link.md': target })
    const { code, stdout, stderr } = runWarm(['import', prepare(source), '--all', '--targets', 'claude'], {
      cwd: home,
      home,
    })
    expect([code, /link\.md is a symbolic link that leads to no file/.test(stderr)], stdout + stderr).toEqual([2, true])
  })
})
