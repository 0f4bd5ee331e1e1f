import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { benchEnvironment, ms, printTable, processTimes, ratio } from './measure.ts'
import { sampleProject } from './plan.ts'
import { TASK } from './sample-index.ts'

/** Processor time of the whole program beside bare Node. */
export async function benchStart(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  const env = benchEnvironment(join(folder, 'home'))
  const cli = resolve('dist/cli.js')
  const plan = (size: number) => ({
    name: `plan, ${size} entries`,
    command: [process.execPath, cli, 'plan', TASK],
    cwd: sampleProject(folder, size, Math.min(size, 20)),
  })
  const children = [{ name: 'node -e 0', command: [process.execPath, '-e', '0'], cwd: folder }, plan(20), plan(10_000)]
  await new Promise((done) => setTimeout(done, 300))
  for (const { command, cwd } of children) execFileSync(command[0]!, command.slice(1), { cwd, env, stdio: 'ignore' })
  const times = processTimes(children, env)
  const bare = times.get('node -e 0') ?? Number.NaN
  const rows = [...times].map(([name, time]) => [name, ms(time), ratio(time, bare)])
  printTable('The command line: processor time, user and system', [['', 'ms', 'of bare Node'], ...rows])
  rmSync(folder, { recursive: true })
}
