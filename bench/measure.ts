import { execFileSync, spawnSync } from 'node:child_process'

/** The median time of a call in milliseconds, over at least `budget` milliseconds. */
export function medianTime(call: () => unknown, budget = 400): number {
  const times: number[] = []
  for (const end = performance.now() + budget; performance.now() < end || times.length < 5; ) {
    const start = performance.now()
    call()
    times.push(performance.now() - start)
  }
  return median(times)
}

/**
 * The processor time of a call in milliseconds, user and system: the median over batches that are long enough to be
 * measured. Other programs on a busy machine change it little.
 */
export function processorTime(call: () => unknown, budget = 300): number {
  const spent = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  let calls = 1
  const times: number[] = []
  for (const end = spent() + budget; spent() < end || times.length < 5; ) {
    const start = spent()
    for (let n = 0; n < calls; n++) call()
    const time = spent() - start
    if (time < 5) calls *= 2
    else times.push(time / calls)
  }
  return median(times)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export interface Child {
  name: string
  command: readonly string[]
  cwd: string
  /** What bash writes behind the command to give it a standard input. */
  stdin?: string
}

/** Processor time of whole processes, user and system, in milliseconds each; taken in turns, so that noise hits all alike. */
export function processTimes(children: readonly Child[], env: NodeJS.ProcessEnv, rounds = 12): Map<string, number> {
  const times = new Map<string, number[]>(children.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const child of children) times.get(child.name)?.push(timeFive(child, env))
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]))
}

/** What a process took, in milliseconds. */
export interface Spent {
  wall: number
  /** User and system, with the processes that it started. */
  cpu: number
}

/** One run of a command that must succeed. */
export function timeOnce(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Spent {
  const start = performance.now()
  const cpu = childTime(`${quote(command)} >/dev/null || exit 1; times`, cwd, env)
  return { wall: performance.now() - start, cpu }
}

function timeFive({ command, cwd, stdin = '' }: Child, env: NodeJS.ProcessEnv): number {
  return childTime(`for i in 1 2 3 4 5; do ${quote(command)} >/dev/null 2>&1 ${stdin}; done; times`, cwd, env) / 5
}

function quote(command: readonly string[]): string {
  return command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
}

/** bash's `times` gives the processor time of finished children to the millisecond. */
function childTime(script: string, cwd: string, env: NodeJS.ProcessEnv): number {
  const output = execFileSync('bash', ['-c', script], { cwd, env, encoding: 'utf8' })
  const children = output.trim().split('\n').at(-1) ?? ''
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  return seconds.reduce((sum, value) => sum + value, 0) * 1000
}

/** Runs a module in a fresh process and gives the JSON it prints: for first calls, where nothing may be warm. */
export function inFreshProcess(source: string): Record<string, number> {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

export function benchEnvironment(home: string): NodeJS.ProcessEnv {
  // Extra certificates add tens of milliseconds to every start of Node and would flatter every ratio.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  return { ...env, HOME: home, XDG_CACHE_HOME: '', XDG_STATE_HOME: '', AI_LOADOUT_ORG: '', AI_LOADOUT_SESSION: '' }
}

export function printTable(title: string, rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  console.log(`\n${title}\n`)
  for (const row of rows) console.log(`  ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('   ')}`)
}

export const ms = (time: number) => (time < 1 ? time.toFixed(3) : time.toFixed(1))
export const ratio = (a: number, b: number) => `${(a / b).toFixed(a / b < 10 ? 2 : 0)}×`
