import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { CLI, makeFolder, type Run } from '../cli/run.ts'

export interface ManyRun extends Run {
  args: string[]
  /** The programs that were started. */
  started: string[]
  /** CPU time in milliseconds: a busy machine does not change it. */
  took: number
}

/** Words, or words and where they are said. */
export type Words = readonly string[] | { args: readonly string[]; cwd: string; home: string }

export interface ManyOptions {
  cwd: string
  home: string
  /** Folders that are put back before every run. */
  kept?: readonly string[]
  env?: Record<string, string>
}

/** Runs the built program once for each list of words, in one process, each on the same files. */
export function runMany(runs: readonly Words[], { cwd, home, kept = [], env }: ManyOptions): ManyRun[] {
  const { stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'run-many.cjs')], {
    // run-many.cjs compiles the program itself.
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: makeFolder(), NODE_DISABLE_COMPILE_CACHE: '1', ...env },
    input: JSON.stringify({ cli: CLI, runs, cwd, kept, milliseconds: 60_000 }),
    encoding: 'utf8',
    maxBuffer: 1 << 29,
    timeout: 280_000,
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}
