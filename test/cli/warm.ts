import { spawn, spawnSync } from 'node:child_process'
import { openSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathWithAgents } from '../installed-agents.ts'
import { BOUND } from '../rights.ts'
import { CLI, MOST_MILLISECONDS, makeFolder, type Run, type RunOptions, runLoadout } from './run.ts'

export interface WarmRun extends Run {
  args: readonly string[]
  /** The programs that were started. */
  started: string[]
}

export interface WarmOptions extends Pick<RunOptions, 'cwd' | 'home' | 'stdin' | 'env' | 'isBound'> {
  /** Folders that are put back before each run as they were when they were first named. */
  kept?: readonly string[]
}

/** Runs the built program in a process that has run it before: for tables of runs, where the start is not the point. */
export function runWarm(args: readonly string[], options: RunOptions = {}): Run {
  // A hook ends the process itself.
  const isAlone = options.isAlone || options.env?.NODE_OPTIONS !== undefined || args[0] === 'hook'
  if (isAlone) return runLoadout(args, options)
  const { code, stdout, stderr } = ask(args, options)
  return { code, stdout, stderr }
}

/** Words, or words and where they are said. */
export type Words = readonly string[] | { args: readonly string[]; cwd: string; home: string }

/** One run for each list of words, each on the same files. */
export function runMany(runs: readonly Words[], options: WarmOptions): WarmRun[] {
  return runs.map((words) => {
    const { args, ...place } = 'args' in words ? words : { args: words }
    return ask(args, { ...options, ...place })
  })
}

function ask(args: readonly string[], options: WarmOptions): WarmRun {
  const { cwd = makeFolder(), home = makeFolder(), stdin = '', kept = [] } = options
  // It compiles the program itself, once for all runs.
  const env = { PATH: pathWithAgents(), HOME: home, NODE_DISABLE_COMPILE_CACHE: '1', ...options.env }
  const input = Buffer.from(stdin).toString('base64')
  const { asked, answered } = program(options.isBound === true)
  writeFileSync(asked, `${JSON.stringify({ args, cwd, env, kept, stdin: input, milliseconds: MOST_MILLISECONDS })}\n`)
  return { args, ...JSON.parse(readLine(answered)) }
}

interface Program {
  asked: number
  answered: number
}

/** One that is bound by file permissions, and one that is not. */
const running = new Map<boolean, Program>()

/** Ends with the test file that started it: then nobody can ask any more. */
function program(isBound: boolean): Program {
  const known = running.get(isBound)
  if (known !== undefined) return known
  const folder = makeFolder()
  const [requests, answers] = ['requests', 'answers'].map((name) => join(folder, name)) as [string, string]
  spawnSync('mkfifo', ['-m', '666', requests, answers])
  // Room for what a run leaves: collecting it after every few runs took a sixth of the time.
  const node = [process.execPath, '--max-semi-space-size=64']
  const words = [...node, join(import.meta.dirname, 'warm-program.cjs'), CLI, requests, answers, folder]
  // The shell opens both pipes as well: if the program cannot start, they end with it and nobody waits. A run that never
  // ends is killed by the CPU time that it takes.
  const script = `exec 3<'${requests}' 4>'${answers}'; ulimit -t 280; "$@" 3<&- 4>&-`
  const child = spawn('sh', ['-c', script, 'sh', ...(isBound ? BOUND : []), ...words], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  child.unref()
  const started = { asked: openSync(requests, 'w'), answered: openSync(answers, 'r') }
  running.set(isBound, started)
  return started
}

function readLine(file: number): string {
  const chunks: Buffer[] = []
  for (const chunk = Buffer.alloc(1 << 16); ; ) {
    const size = readSync(file, chunk)
    if (size === 0) throw new Error('the program ended in the middle of a run')
    chunks.push(Buffer.from(chunk.subarray(0, size)))
    if (chunk[size - 1] === 10) return Buffer.concat(chunks).toString('utf8')
  }
}
