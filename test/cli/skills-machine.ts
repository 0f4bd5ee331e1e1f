import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { fillFrom } from '../run-folder.ts'
import { expectCivil, expectCivilJson, treeOf } from './civil.ts'
import { type Content, makeFolder, type Run, type RunOptions } from './run.ts'
import { runWarm } from './warm.ts'

/** A person's computer: a home with a configuration, and a library of skills. */
export interface TestMachine {
  home: string
  library: string
  /** Runs the program here, and looks that it behaved. */
  run(...args: string[]): Run
  /** The same with --json: what it printed, parsed. */
  json<Shape = unknown>(...args: string[]): Shape
  runWith(options: RunOptions, ...args: string[]): Run
  path(...parts: string[]): string
  read(...parts: string[]): string
  write(path: string, content: Content): string
  git(...args: string[]): string
  /** Everything in the home but what can be rebuilt. */
  tree(): string[]
}

export interface MachineOptions {
  home?: string
  /** Below `skills` in the library; committed. */
  skills?: Record<string, Content>
  /** More keys for config.json; false for no configuration. */
  config?: object | false
  env?: Record<string, string | undefined>
}

export function makeMachine({
  home = makeFolder(),
  skills = {},
  config = {},
  env = {},
}: MachineOptions = {}): TestMachine {
  const library = join(home, 'library')
  const machine: TestMachine = {
    home,
    library,
    run: (...args) => machine.runWith({}, ...args),
    runWith: (options, ...args) => {
      const merged = { home, cwd: home, ...options, env: { ...env, ...options.env } }
      const run = runWarm(args, merged)
      if (args.includes('--json')) expectCivilJson(run)
      else expectCivil(run)
      return run
    },
    json: (...args) => JSON.parse(machine.run(...args, '--json').stdout),
    path: (...parts) => join(home, ...parts),
    read: (...parts) => readFileSync(join(home, ...parts), 'utf8'),
    write: (path, content) => put(join(home, path), content),
    git: (...args) => git(library, ...args),
    tree: () => treeOf(home).filter((row) => !row.startsWith('.cache')),
  }
  if (config !== false) machine.write('.config/loadout/config.json', JSON.stringify({ repo_path: library, ...config }))
  if (Object.keys(skills).length > 0 || config !== false) {
    const fill = (folder: string) => {
      makeRepository(folder)
      putAll(join(folder, 'skills'), skills)
      commitAll(folder, 'Start')
    }
    // What a function makes may be about its place.
    if (Object.values(skills).some((content) => typeof content !== 'string')) fill(library)
    else fillFrom(`library ${JSON.stringify(skills)}`, library, fill)
  }
  return machine
}

export function put(path: string, content: Content): string {
  mkdirSync(dirname(path), { recursive: true })
  if (typeof content === 'function') content(path)
  else writeFileSync(path, content)
  return path
}

export function putAll(folder: string, files: Record<string, Content>): void {
  for (const [name, content] of Object.entries(files)) put(join(folder, name), content)
}

/** The files of a skill, by their paths below the folder of skills. */
export function skill(
  name: string,
  fields: Record<string, unknown> = {},
  body = `# ${name}\n\nThe text of ${name}.\n`,
) {
  const json = { name, description: `Does ${name}`, targets: ['claude', 'codex'], ...fields }
  return { [`${name}/skill.json`]: JSON.stringify(json), [`${name}/SKILL.md`]: body }
}

const IDENTITY = ['-c', 'user.name=Tester', '-c', 'user.email=tester@localhost', '-c', 'init.defaultBranch=main']

export function git(folder: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: '/nowhere', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' }
  const output = execFileSync('git', [...IDENTITY, '-c', 'safe.directory=*', '-C', folder, ...args], {
    env,
    stdio: 'pipe',
  })
  return String(output).trimEnd()
}

export function makeRepository(folder: string, ...flags: string[]): string {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '--quiet', '--template=', ...flags)
  return folder
}

export function commitAll(repo: string, message: string): string {
  git(repo, 'add', '--all')
  git(repo, 'commit', '--quiet', '--allow-empty', '--message', message)
  return git(repo, 'rev-parse', 'HEAD')
}

/** A program that leaves a file when it is run. */
export function makeTrap(): { program: string; isSprung(): boolean } {
  const folder = makeFolder()
  const program = put(join(folder, 'trap'), `#!/bin/sh\ntouch "${join(folder, 'sprung')}"\ncat\n`)
  chmodSync(program, 0o755)
  return { program, isSprung: () => treeOf(folder).some((row) => row.startsWith('sprung')) }
}

/** No line that people read is wider than a terminal, except where a path makes it so. */
export function expectNarrow(text: string): void {
  const wide = text.split('\n').filter((line) => [...line].length > 80 && !/\/\S*\//.test(line))
  expect.soft(wide, 'lines of more than 80 columns').toEqual([])
}
