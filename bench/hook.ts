import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { HOOK_HOSTS } from '../src/agents/rules/hook-hosts.ts'
import { benchEnvironment, type Child, ms, printTable, processTimes, ratio } from './measure.ts'
import { sampleProject } from './plan.ts'
import { sampleIndex, TASK } from './sample-index.ts'

const CALL = [process.execPath, resolve('dist/cli.cjs'), 'hook']
const HOOK = [...CALL, 'claude', 'UserPromptSubmit']
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
      children.push({ name: `${what}, ${size} entries`, command: HOOK, cwd: project, stdin: eventOf(project, prompt) })
    }
  }
  const project = children[1]?.cwd ?? folder
  for (const { agent, events } of HOOK_HOSTS) {
    const command = [...CALL, agent, events.UserPromptSubmit]
    children.push({ name: `matching, ${agent}`, command, cwd: project, stdin: anyEventOf(project, TASK) })
  }
  // A fresh file could change again within its time stamp; only a settled one is remembered.
  await new Promise((done) => setTimeout(done, 300))
  processTimes(children, env, 1)
  const times = processTimes(children, env)
  const bare = times.get('node -e 0') ?? Number.NaN
  const rows = [...times].map(([name, time]) => [name, ms(time), ratio(time, bare)])
  printTable('loadout hook: processor time, user and system', [['', 'ms', 'of bare Node'], ...rows])
  rmSync(folder, { recursive: true })
}

/** A prompt in the words of every agent at once. */
function anyEventOf(project: string, prompt: string): string {
  const session = { session_id: 'SESSION', sessionId: 'SESSION', conversation_id: 'SESSION' }
  return inSession(JSON.stringify({ ...session, cwd: project, workspace_roots: [project], prompt }))
}

/** Every call in a session of its own, so that each is given what it needs. */
export function eventOf(project: string, prompt: string): string {
  const event = { session_id: 'SESSION', cwd: project, hook_event_name: 'UserPromptSubmit', prompt }
  return inSession(JSON.stringify(event))
}

function inSession(event: string): string {
  return `<<< '${event.replaceAll('SESSION', "'$$-$RANDOM-$i'")}'`
}
