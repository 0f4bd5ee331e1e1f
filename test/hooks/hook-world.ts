import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CLI, CODE_CACHE, makeProject, type Run, type RunOptions, runLoadout } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

const RECORDED = join(import.meta.dirname, 'recorded')

/** A project with payloads and an index of them, and the home of somebody who works on it. */
export interface HookWorld {
  project: string
  home: string
  state: string
}

export interface Payload {
  keywords?: string[]
  priority?: 'core' | 'domain' | 'manual'
  text: string
}

export function makeHookWorld(payloads: Record<string, Payload>, files: Record<string, string> = {}): HookWorld {
  const folder = makeProject({
    'home/.keep': '',
    'project/.git/HEAD': 'ref: refs/heads/main\n',
    'project/README.md': '# Project\n',
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`project/${path}`, text])),
  })
  const home = join(folder, 'home')
  const world = { project: join(folder, 'project'), home, state: join(home, '.local', 'state', 'loadout') }
  for (const [id, payload] of Object.entries(payloads)) writePayload(world, id, payload)
  if (Object.keys({ ...payloads, ...files }).length > 0) indexOnce(world, JSON.stringify([payloads, files]))
  return world
}

const indexes = new Map<string, string>()

/** Worlds that are made alike have the same index. */
function indexOnce(world: HookWorld, key: string): void {
  const path = join(world.project, '.claude', 'loadout', 'index.json')
  const known = indexes.get(key)
  if (known === undefined) {
    buildIndex(world)
    indexes.set(key, readFileSync(path, 'utf8'))
  } else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, known)
  }
}

export function writePayload(
  { project }: HookWorld,
  id: string,
  { keywords = [], priority = 'domain', text }: Payload,
) {
  const head = `---\nid: ${id}\nkeywords: [${keywords.join(', ')}]\npriority: ${priority}\n---\n`
  const path = join(project, '.claude', 'loadout', `${id}.md`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, head + text)
}

export function buildIndex({ project, home }: HookWorld): void {
  const { code, stderr } = runWarm(['index', 'build'], { cwd: project, home })
  if (code !== 0) throw new Error(stderr)
}

export type Fields = Record<string, unknown>

/** An event as its agent writes it, about this world. */
export function eventOf({ project }: HookWorld, event: string, fields: Fields = {}): Fields {
  return { session_id: 'one', cwd: project, hook_event_name: event, ...fields }
}

/** What the hook says to an event. */
export function runHook(
  world: HookWorld,
  event: string,
  fields: Fields | string = {},
  { agent = 'claude', ...options }: RunOptions & { agent?: string } = {},
): Run {
  const stdin = typeof fields === 'string' ? fields : JSON.stringify(eventOf(world, event, fields))
  return runLoadout(['hook', agent, event], { cwd: world.home, home: world.home, stdin, ...options })
}

/** The context of a reply; empty for an empty one. Anything but a reply in the agreed shape is an error. */
export function contextOf({ code, stdout, stderr }: Run, event: string): string {
  if (code !== 0 || stderr !== '') throw new Error(`${code} ${stderr}`)
  if (stdout === '') return ''
  const { hookSpecificOutput, ...others } = JSON.parse(stdout)
  const { hookEventName, additionalContext, ...more } = hookSpecificOutput
  if (hookEventName !== event || Object.keys({ ...others, ...more }).length > 0) throw new Error(stdout)
  return additionalContext
}

export function start(world: HookWorld, source: string, fields: Fields = {}, agent = 'claude'): string {
  return contextOf(runHook(world, 'SessionStart', { source, ...fields }, { agent }), 'SessionStart')
}

export function prompt(world: HookWorld, words: string, fields: Fields = {}, agent = 'claude'): string {
  return contextOf(runHook(world, 'UserPromptSubmit', { prompt: words, ...fields }, { agent }), 'UserPromptSubmit')
}

/** Several at the very same moment. */
export function promptsAtOnce(world: HookWorld, words: readonly string[]): Promise<string[]> {
  const runs = words.map(
    (each) =>
      new Promise<string>((settle) => {
        const env = { PATH: process.env.PATH, HOME: world.home, ...CODE_CACHE }
        const child = spawn(process.execPath, [CLI, 'hook', 'claude', 'UserPromptSubmit'], { env })
        const run = { code: 0, stdout: '', stderr: '' }
        child.stdout.on('data', (bytes) => {
          run.stdout += bytes
        })
        child.once('close', () => settle(contextOf(run, 'UserPromptSubmit')))
        child.stdin.end(JSON.stringify(eventOf(world, 'UserPromptSubmit', { prompt: each })))
      }),
  )
  return Promise.all(runs)
}

export function logOf({ state }: HookWorld): string[] {
  const path = join(state, 'hooks.log')
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
}

export function usageOf({ state }: HookWorld): Record<string, string>[] {
  const path = join(state, 'usage.jsonl')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

export function sessionPath({ state }: HookWorld, session = 'one', agent = 'claude'): string {
  return join(state, 'hooks', 'sessions', `${agent}.${session}.jsonl`)
}

/** Events as agents really wrote them, moved into this world: `agent/Event-what`. */
export function recordedEvents(): string[] {
  return readdirSync(RECORDED, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replace('.json', ''))
    .sort()
}

export function recorded({ project, home }: HookWorld, name: string): string {
  const text = readFileSync(join(RECORDED, `${name}.json`), 'utf8')
  return text.replaceAll('/home/user/project', project).replaceAll('/home/user', home)
}
