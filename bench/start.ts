import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { eventOf } from './hook.ts'
import { benchEnvironment, type Child, ms, printTable, processTimes, ratio } from './measure.ts'
import { sampleProject } from './plan.ts'
import { sampleIndex, TASK } from './sample-index.ts'

const BARE = 'node -e 0'

/** Processor time of whole calls beside bare Node, for this Node and for each that `--nodes <path> …` names. */
export async function benchStart(): Promise<void> {
  const at = process.argv.indexOf('--nodes')
  const others = at === -1 ? [] : process.argv.slice(at + 1)
  for (const node of [process.execPath, ...others]) await benchNode(resolve(node))
}

async function benchNode(node: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  const env = benchEnvironment(join(folder, 'home'))
  const [few, many] = [20, 10_000].map((size) => sampleProject(folder, size, 20)) as [string, string]
  for (const { id, path } of sampleIndex(20, 20).entries) {
    writeFileSync(join(few, path), `# ${id}\n\n${`A sentence about ${id}. `.repeat(20)}\n`)
  }
  const cli = [node, resolve('dist/cli.cjs')]
  const children: Child[] = [
    { name: BARE, command: [node, '-e', '0'], cwd: folder },
    {
      name: 'hook, 20 entries',
      command: [...cli, 'hook', 'claude', 'UserPromptSubmit'],
      cwd: few,
      stdin: eventOf(few, TASK),
    },
    { name: 'plan, 20 entries', command: [...cli, 'plan', TASK], cwd: few },
    { name: 'status', command: [...cli, 'status'], cwd: few },
    { name: 'plan, 10,000 entries, 20 hits', command: [...cli, 'plan', TASK], cwd: many },
  ]
  // A fresh file could change again within its time stamp; only a settled one is remembered.
  await new Promise((done) => setTimeout(done, 300))
  processTimes(children, env, 1)
  const times = processTimes(children, env)
  const bare = times.get(BARE) ?? Number.NaN
  const rows = [...times].map(([name, time]) => [name, ms(time), ratio(time, bare)])
  const version = execFileSync(node, ['--version'], { encoding: 'utf8', env }).trim()
  printTable(`Start-up on Node ${version}: processor time, user and system`, [['', 'ms', 'of bare Node'], ...rows])
  rmSync(folder, { recursive: true })
}
