import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { benchEnvironment, median, ms, printTable, ratio, timeOnce } from './measure.ts'

/** Until the times of what was written tell of every change. */
const SETTLING_MS = 300
const cli = resolve('dist/cli.cjs')

/**
 * What a task gets of a project's files: the first question, the next, and after changes. Tasks are the subjects of its
 * commits. `PROJECTS=<git folder>,…` measures others than this repository.
 */
export async function benchProject(): Promise<void> {
  const rows: string[][] = []
  const calls: string[][] = []
  for (const source of process.env.PROJECTS?.split(',') ?? ['.']) {
    const folder = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
    try {
      const world = cloneProject(folder, resolve(source))
      rows.push(await measure(world, folder))
      calls.push([world.paths.length.toLocaleString('en'), ...(await measureServer(world))])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const columns = ['files', 'text', 'index', 'node -e 0', 'first', 'wall', 'again', 'edited', 'other commit', 'memory']
  printTable('project: loadout context, processor time in ms, and as a multiple of bare Node', [columns, ...rows])
  printTable('project: a running MCP server, calls of load_context a second (processor time of one)', [
    ['files', 'new tasks', 'the same tasks', 'a file edited before each'],
    ...calls,
  ])
}

interface World {
  project: string
  env: NodeJS.ProcessEnv
  /** Of all tracked files. */
  paths: string[]
  bytes: number
  tasks: string[]
}

/** Asked in one round. In the first, files are met for the first time. */
const TASKS = 40

async function measure({ project, env, paths, bytes, tasks }: World, scratch: string): Promise<string[]> {
  const command = [process.execPath, cli, 'context', tasks[0] ?? '']
  const other = [process.execPath, cli, 'context', tasks[1] ?? '']
  const bare = best(() => timeOnce([process.execPath, '-e', '0'], project, env).cpu)
  // The code of the program is cached before: every project has that.
  const empty = join(scratch, 'empty')
  mkdirSync(empty)
  timeOnce(command, empty, env)
  await settle()
  const first = timeOnce(command, project, env)
  await settle()
  timeOnce(command, project, env)
  const again = best(() => timeOnce(other, project, env).cpu)
  appendFileSync(join(project, sourceOf(paths, 7)), `${tasks[0]}\n`)
  await settle()
  const changed = best(() => timeOnce(command, project, env).cpu)
  git(project, 'checkout', '-q', '.')
  git(project, 'checkout', '-q', 'HEAD~20')
  await settle()
  const switched = timeOnce(command, project, env).cpu
  const index = sizeOf(join(env.HOME ?? '', '.cache/loadout'), /^project/)
  const memory = memoryOf(command, project, env, scratch)
  const timed = (time: number) => `${ms(time)} ${ratio(time, bare)}`
  return [
    paths.length.toLocaleString('en'),
    mib(bytes),
    mib(index),
    ms(bare),
    timed(first.cpu),
    ms(first.wall),
    timed(again),
    timed(changed),
    timed(switched),
    mib(memory * 1024),
  ]
}

const settle = () => new Promise((done) => setTimeout(done, SETTLING_MS))

function best(run: () => number): number {
  return Math.min(run(), run(), run())
}

/** A real client, one call after the other. The first round compiles and is not counted. */
async function measureServer({ project, env, paths, tasks }: World): Promise<string[]> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const options = { command: process.execPath, args: [cli, 'mcp'], cwd: project, env: env as Record<string, string> }
  const transport = new StdioClientTransport({ ...options, stderr: 'ignore' })
  await client.connect(transport)
  const time = async (asked: readonly string[], before = (_: number) => {}) => {
    const [start, spent] = [performance.now(), cpuOf(transport.pid)]
    for (const [at, task] of asked.entries()) {
      before(at)
      await client.callTool({ name: 'load_context', arguments: { task } })
    }
    const wall = performance.now() - start
    return { rate: asked.length / (wall / 1000), cpu: (cpuOf(transport.pid) - spent) / asked.length }
  }
  const news = (round: number) => tasks.slice(round * TASKS, (round + 1) * TASKS)
  await time(news(0))
  const fresh = [await time(news(1)), await time(news(2)), await time(news(3))]
  const same = [await time(news(1)), await time(news(1)), await time(news(1))]
  const edited = await time(news(4), (at) => appendFileSync(join(project, sourceOf(paths, at % 10)), '\n'))
  await client.close()
  const told = (rounds: { rate: number; cpu: number }[]) =>
    `${median(rounds.map(({ rate }) => rate)).toFixed(0)} (${ms(median(rounds.map(({ cpu }) => cpu)))} ms)`
  return [told(fresh), told(same), told([edited])]
}

const TICK_MS = 10

/** Milliseconds that a process has spent so far; not a number where the system does not say. */
function cpuOf(pid: number | null): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
    return (Number(user) + Number(system)) * TICK_MS
  } catch {
    return Number.NaN
  }
}

function cloneProject(folder: string, source: string): World {
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(home)
  git(folder, 'clone', '-q', '--shared', source, project)
  const paths = git(project, 'ls-files', '-z').split('\0').filter(Boolean)
  const sizes = paths.map((path) => statSync(join(project, path), { throwIfNoEntry: false })?.size ?? 0)
  const subjects = git(project, 'log', '--no-merges', '-n', String(TASKS * 5), '--format=%s')
    .trim()
    .split('\n')
  return { project, env: benchEnvironment(home), paths, bytes: sizes.reduce((a, b) => a + b, 0), tasks: subjects }
}

/** One of its files with code. */
function sourceOf(paths: readonly string[], at: number): string {
  const sources = paths.filter((path) => /\.(?:ts|js|py|go|rs|java)$/.test(path))
  return sources[at % sources.length] ?? 'new.ts'
}

function git(cwd: string, ...words: string[]): string {
  return execFileSync('git', ['-c', 'gc.auto=0', ...words], { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 })
}

function sizeOf(folder: string, kinds: RegExp): number {
  return readdirSync(folder)
    .filter((kind) => kinds.test(kind))
    .flatMap((kind) => readdirSync(join(folder, kind)).map((name) => statSync(join(folder, kind, name)).size))
    .reduce((sum, size) => sum + size, 0)
}

/** The largest resident size of a first question, in kilobytes, told by the process itself. */
function memoryOf(
  [node = '', ...words]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  scratch: string,
): number {
  rmSync(join(env.HOME ?? '', '.cache'), { recursive: true, force: true })
  const preload = join(scratch, 'memory.cjs')
  writeFileSync(preload, `process.on('exit', () => process._rawDebug(process.resourceUsage().maxRSS))`)
  const { stderr } = spawnSync(node, ['--require', preload, ...words], { cwd, env, encoding: 'utf8' })
  return Number(stderr.trim().split('\n').at(-1))
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
