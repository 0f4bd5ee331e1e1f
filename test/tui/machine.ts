import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const CLI = join(import.meta.dirname, '..', '..', 'dist', 'cli.cjs')

/** The label of a skill of the library. */
export interface SampleSkill {
  description: string
  tags?: string[]
  targets?: string[]
  body?: string
}

/** A small library with some of everything. */
export const SAMPLE: Record<string, SampleSkill> = {
  'api-review': { description: 'Review an API before it is published.', tags: ['review', 'api'] },
  'db-migrations': { description: 'Write database migrations that can be undone.', tags: ['database'] },
  'release-notes': {
    description: 'Draft release notes from merged changes.',
    tags: ['writing', 'release'],
    body: '# Release notes\n\n1. Collect merged changes since the last tag\n2. Group them by what a user sees\n',
  },
  sketch: { description: 'Sketch an interface as text.', targets: ['claude'] },
}

/** The same person at the same time: commits have the same ids on every run. */
export const AUTHOR = {
  GIT_AUTHOR_NAME: 'Tester',
  GIT_AUTHOR_EMAIL: 'tester@example.org',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
  GIT_COMMITTER_NAME: 'Tester',
  GIT_COMMITTER_EMAIL: 'tester@example.org',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
}

/** Runs git and returns its output; a failure fails the test. */
export function git(folder: string, ...args: string[]): string {
  const settings = ['-c', 'init.defaultBranch=main', '-c', 'commit.gpgsign=false']
  const { status, stdout, stderr } = spawnSync('git', [...settings, '-C', folder, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, ...AUTHOR },
  })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout
}

export function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** A library of these skills, as a git repository with one commit. */
export function makeLibrary(folder: string, skills: Record<string, SampleSkill> = SAMPLE): string {
  mkdirSync(join(folder, 'skills'), { recursive: true })
  git(folder, 'init', '-q')
  write(join(folder, 'README.md'), '# Skills\n')
  for (const [name, skill] of Object.entries(skills)) writeSkill(join(folder, 'skills', name), name, skill)
  commitAll(folder, 'Start')
  return folder
}

export function commitAll(folder: string, message: string): void {
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '-m', message)
}

export function writeSkill(folder: string, name: string, { body, ...skill }: SampleSkill): void {
  const json = { name, tags: [], targets: ['claude', 'codex'], ...skill }
  write(join(folder, 'skill.json'), `${JSON.stringify(json, null, 2)}\n`)
  write(join(folder, 'SKILL.md'), body ?? `# ${name}\n\n${skill.description}\n`)
}

/** Makes a folder the home of a user of this library. */
export function connect(home: string, library: string, config: Record<string, unknown> = {}): void {
  write(configFile(home), JSON.stringify({ repo_path: library, ...config }))
}

export function configFile(home: string): string {
  return join(home, '.config', 'loadout', 'config.json')
}

/** Equips a skill for an agent, or for `all`, with the built program. */
export function equip(home: string, name: string, agent: string): void {
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'equip', name, '--target', agent], {
    cwd: home,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home },
  })
  if (status !== 0) throw new Error(stderr)
}

/** The home of a user with equipped, outdated and edited skills, and skills to import. */
export function fillHome(home: string): void {
  const library = makeLibrary(join(home, 'skills'))
  connect(home, library)
  for (const name of ['api-review', 'release-notes']) equip(home, name, 'all')
  for (const name of ['db-migrations', 'sketch']) equip(home, name, 'claude')
  const installed = join(home, '.codex', 'skills', 'release-notes', 'SKILL.md')
  writeFileSync(installed, `${readFileSync(installed, 'utf8')}3. Read it aloud\n`)
  write(join(library, 'skills', 'db-migrations', 'SKILL.md'), '# Migrations\n\nOne step at a time.\n')
  writeSkill(join(library, 'skills', 'wide-角色'), 'wide', { description: 'A folder with another name.' })
  for (const name of ['house-style', 'weekly-report']) {
    writeSkill(join(home, '.claude', 'skills', name), name, { description: `Our ${name}.`, targets: ['claude'] })
  }
  write(join(home, '.claude', 'skills', 'torn', 'SKILL.md'), '# Torn\n\nOne way.\n')
  write(join(home, '.codex', 'skills', 'torn', 'SKILL.md'), '# Torn\n\nAnother way.\n')
}
