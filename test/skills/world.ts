import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { CLI, CODE_CACHE, makeFolder, type Run } from '../cli/run.ts'
import { fillFrom } from '../run-folder.ts'

/** A home folder with everything in it that the program reads and writes, so that a copy of it works as well. */
export interface World {
  home: string
  library: string
}

export const AGENT_FOLDERS = ['.claude/skills', '.codex/skills']

// The same commits in every copy.
const WHEN = '2026-01-02T03:04:05Z'

/** What the program and git find around them there. */
export function envOf({ home }: World): Record<string, string | undefined> {
  const dates = { GIT_AUTHOR_DATE: WHEN, GIT_COMMITTER_DATE: WHEN }
  return {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    GIT_CONFIG_NOSYSTEM: '1',
    ...CODE_CACHE,
    ...dates,
  }
}

/** A library of some skills, each with its files, and nothing installed. */
export function makeWorld(skills: Record<string, Record<string, string>>): World {
  const home = makeFolder()
  fillFrom(`world ${JSON.stringify(skills)}`, home, (folder) => fillWorld(folder, skills))
  return { home, library: join(home, 'library') }
}

function fillWorld(home: string, skills: Record<string, Record<string, string>>): void {
  const world = { home, library: join(home, 'library') }
  write(home, {
    '.gitconfig': '[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n',
    '.config/loadout/config.json': '{ "repo_path": "~/library" }\n',
    'tmp/.keep': '',
    'library/README.md': 'Skills.\n',
  })
  git(world, 'init', '--quiet', '--template=')
  for (const [name, files] of Object.entries(skills)) write(join(world.library, 'skills', name), files)
  commitAll(world, 'first')
}

/** What makes a skill, for both agents. */
export function skillFiles(name: string, body = `# ${name}\n`): Record<string, string> {
  const json = { name, description: `About ${name}.`, targets: ['claude', 'codex'] }
  return { 'skill.json': `${JSON.stringify(json, null, 2)}\n`, 'SKILL.md': body }
}

/** A copy whose files are no longer so new that the program would not trust their times. */
export async function copyWorld({ home }: World): Promise<World> {
  const copy = makeFolder()
  spawnSync('cp', ['-a', `${home}/.`, copy])
  await new Promise((wake) => setTimeout(wake, 120))
  return { home: copy, library: join(copy, 'library') }
}

/** Files named by their slash-separated paths; those that end in `.sh` can be run. */
export function write(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
    if (name.endsWith('.sh')) chmodSync(join(folder, name), 0o755)
  }
}

/** Git as a person runs it. */
export function git(world: World, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', ['-C', world.library, ...args], {
    env: envOf(world),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

export function commitAll(world: World, message: string): void {
  git(world, 'add', '--all')
  git(world, 'commit', '--quiet', '--message', message)
}

/** Runs the built program in a world, beside others; through another program if one is named. */
export function loadout(
  world: World,
  args: readonly string[],
  env: Record<string, string> = {},
  through: readonly string[] = [],
): Promise<Run> {
  return new Promise((settle) => {
    const options = { cwd: world.home, env: { ...envOf(world), ...env }, timeout: 60_000 }
    const [program = '', ...words] = [...through, process.execPath, CLI, ...args]
    const child = spawn(program, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    const run = { code: null as number | null, stdout: '', stderr: '' }
    child.stdout.on('data', (bytes) => {
      run.stdout += bytes
    })
    child.stderr.on('data', (bytes) => {
      run.stderr += bytes
    })
    child.once('close', (code) => settle({ ...run, code }))
  })
}

/** One that has to work, for preparing. */
export async function loadoutOk(world: World, ...args: string[]): Promise<Run> {
  const run = await loadout(world, args)
  if (run.code !== 0) throw new Error(`loadout ${args.join(' ')}: ${run.code} ${run.stderr} ${run.stdout}`)
  return run
}

/** Does something for each, a few at once. */
export async function forEachAtOnce<T>(items: readonly T[], act: (item: T) => Promise<void>, width = lanes()) {
  const rest = [...items].reverse()
  const lane = async () => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await act(item)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

function lanes(): number {
  return availableParallelism() + 1
}

/** Everything below a folder, files with their content and whether they can be run; undefined for a folder that is not there. */
export function readTree(folder: string, isLeftOut = (_path: string) => false): Record<string, string> | undefined {
  if (!existsSync(folder)) return undefined
  const tree: Record<string, string> = {}
  const visit = (below: string) => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = join(below, entry.name)
      if (isLeftOut(path)) continue
      if (entry.isSymbolicLink()) tree[path] = `link ${readlinkSync(join(folder, path))}`
      else if (entry.isDirectory()) {
        tree[`${path}/`] = ''
        visit(path)
      } else {
        const canBeRun = (statSync(join(folder, path)).mode & 0o111) !== 0
        tree[path] = `${canBeRun ? 'x' : '-'} ${readFileSync(join(folder, path), 'utf8')}`
      }
    }
  }
  visit('')
  return Object.fromEntries(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1)))
}

// A lock, a stage, something replaced or to be deleted, a file in the making, a note of what was about to be committed.
const LEFTOVER = /loadout-work|loadout-intent|\.tmp$|\.partial$|\.lock$|\.old$|\.new$|\.gone$/

/** What work leaves behind when it stops before its end. */
export function leftoversIn({ home }: World): string[] {
  const found = spawnSync('find', ['.', '-path', './library/.git/objects', '-prune', '-o', '-print'], { cwd: home })
  return found.stdout
    .toString()
    .split('\n')
    .filter((path) => LEFTOVER.test(path))
}
