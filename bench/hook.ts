import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { benchEnvironment, type Child, ms, printTable, processTimes, ratio } from './measure.ts'
import { sampleProject } from './plan.ts'
import { sampleIndex, TASK } from './sample-index.ts'

const MISS = 'what will the weather be like tomorrow'

/** What a person waits for at every prompt, beside bare Node: processor time of the whole process. */
export async function benchHook(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  const env = benchEnvironment(join(folder, 'home'))
  const children: Child[] = [{ name: 'node -e 0', command: [process.execPath, '-e', '0'], cwd: folder }]
  for (const size of [20, 10_000]) {
    const hits = Math.min(size, 20)
    const project = sampleProject(folder, size, hits)
    for (const { id, path } of sampleIndex(size, hits).entries) {
      writeFileSync(join(project, path), `# ${id}\n\n${`A sentence about ${id}. `.repeat(20)}\n`)
    }
    for (const [what, prompt] of [
      ['matching', TASK],
      ['no match', MISS],
    ] as const) {
      children.push({ name: `${what}, ${size} entries`, command: hookCommand(project, prompt), cwd: project })
    }
  }
  // A fresh file could change again within its time stamp; only a settled one is remembered.
  await new Promise((done) => setTimeout(done, 300))
  for (const { command, cwd } of children) execFileSync(command[0]!, command.slice(1), { cwd, env, stdio: 'ignore' })
  const times = processTimes(children, env)
  const bare = times.get('node -e 0') ?? Number.NaN
  const rows = [...times].map(([name, time]) => [name, ms(time), ratio(time, bare)])
  printTable('loadout hook claude UserPromptSubmit: processor time, user and system', [
    ['', 'ms', 'of bare Node'],
    ...rows,
  ])
  rmSync(folder, { recursive: true })
}

/** Every call in a session of its own, so that each is given what it needs. The shell takes the place of the agent. */
function hookCommand(project: string, prompt: string): string[] {
  const event = JSON.stringify({ session_id: 'SESSION', cwd: project, hook_event_name: 'UserPromptSubmit', prompt })
  const script = `event='${event}'; exec "$1" "$2" hook claude UserPromptSubmit <<< "\${event/SESSION/$$}"`
  return ['bash', '-c', script, 'bash', process.execPath, resolve('dist/cli.cjs')]
}
