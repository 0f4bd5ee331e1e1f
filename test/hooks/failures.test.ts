import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { aFolder, aLinkTo, aLinkToItself, aPipe, type RunOptions, runLoadout, runShell } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import {
  contextOf,
  eventOf,
  type Fields,
  type HookWorld,
  logOf,
  makeHookWorld,
  prompt,
  runHook,
  sessionPath,
  start,
} from './hook-world.ts'

const PAYLOADS = {
  rules: { priority: 'core' as const, text: '# Rules\n\nRun the tests.\n' },
  release: { keywords: ['release'], text: '# Release\n\nTag, then push.\n' },
}
const WORDS = 'cut the zanzibar release'

type Break = (world: HookWorld) => Options
type Options = Partial<RunOptions> & { fields?: Record<string, unknown> | string }

const spoil =
  (path: (world: HookWorld) => string, make: (path: string) => void): Break =>
  (world) => {
    const place = path(world)
    mkdirSync(dirname(place), { recursive: true })
    rmSync(place, { recursive: true, force: true })
    make(place)
    return {}
  }
const index = ({ project }: HookWorld) => join(project, '.claude/loadout/index.json')
const write = (text: string | Uint8Array) => (path: string) => writeFileSync(path, text)
const said = (fields: Options['fields']): Break => {
  return () => ({ fields })
}

/** Whatever is wrong, and for every event. */
const BROKEN: [what: string, make: Break][] = [
  ['no event at all', said('')],
  ['no JSON', said(`{"prompt":"${WORDS}`)],
  ['JSON of another kind', said(`["${WORDS}"]`)],
  ['not even text', () => ({ stdin: Buffer.from([0xff, 0, 0xfe]) })],
  ['no session', said({ session_id: undefined })],
  ['a session that is no text', said({ session_id: 7 })],
  ['no working folder', said({ cwd: undefined })],
  ['a working folder that is gone', said({ cwd: '/nowhere/at/all' })],
  ['another event', said({ hook_event_name: 'Stop' })],
  ['a damaged state', spoil(sessionPath, write('{"by":"1","parts":[{"form":"te'))],
  ['a state of another kind', spoil(sessionPath, write('{"by":"1","parts":[{"form":"song"}]}\n'))],
  ['a state that is a folder', spoil(sessionPath, aFolder)],
  ['a state that is a pipe', spoil(sessionPath, aPipe)],
  ['a state that is a link to itself', spoil(sessionPath, aLinkToItself)],
  ['an index that is no JSON', spoil(index, write('{ "entries": ['))],
  ['an index of another kind', spoil(index, write('{ "entries": 7 }'))],
  ['an index that is a folder', spoil(index, aFolder)],
  ['an index that is a link to itself', spoil(index, aLinkToItself)],
  ['no home', () => ({ env: { HOME: 'nowhere' } })],
  ['a state folder that is a file', spoil(({ state }) => state, write(''))],
]

const FIELDS: Record<string, Fields> = {
  SessionStart: { source: 'resume' },
  PostToolUse: { tool_name: 'Read', tool_input: { file_path: '/README.md' } },
  UserPromptSubmit: { prompt: WORDS },
}

it.each(BROKEN)('%s: ends well, says nothing, and no word of the prompt is logged', (what, make) => {
  const world = makeHookWorld(PAYLOADS)
  const { fields = {}, ...options } = make(world)
  for (const [event, own] of Object.entries(FIELDS)) {
    const input = typeof fields === 'string' ? fields : JSON.stringify({ ...eventOf(world, event, own), ...fields })
    const { code, stdout, stderr } = runHook(world, event, input, options)
    expect([event, code, stdout, stderr]).toEqual([event, 0, '', ''])
  }
  if (what === 'no home' || what.startsWith('a state folder')) return
  const lines = logOf(world).filter((line) => line.includes(' UserPromptSubmit: '))
  expect(lines).toEqual([expect.stringMatching(/^\d{4}-\S+Z claude UserPromptSubmit: (?!.*zanzibar)\S/)])
  expect(statSync(join(world.state, 'hooks.log')).mode & 0o777).toBe(0o600)
})

it('an unknown agent or event', () => {
  const world = makeHookWorld(PAYLOADS)
  const event = JSON.stringify(eventOf(world, 'UserPromptSubmit', { prompt: WORDS }))
  for (const words of [['gemini', 'UserPromptSubmit'], ['claude', 'Stop'], ['claude'], ['claude', WORDS]]) {
    const run = runLoadout(['hook', ...words], { home: world.home, stdin: event })
    expect([run.code, run.stdout, run.stderr]).toEqual([0, '', ''])
  }
  expect(logOf(world)).toHaveLength(4)
  expect(logOf(world).join()).not.toContain('zanzibar')
})

it('a prompt of a megabyte is data: no answer', () => {
  const world = makeHookWorld(PAYLOADS)
  start(world, 'startup')
  const run = runHook(world, 'UserPromptSubmit', { prompt: `${WORDS} `.repeat(40_000) })
  expect([run.code, run.stdout, run.stderr]).toEqual([0, '', ''])
  expect(logOf(world)).toHaveLength(1)
})

it('standard input that is closed, and an output without a reader', () => {
  const world = makeHookWorld(PAYLOADS)
  const shell = (line: string) => runShell(line, { home: world.home, cwd: world.project })
  const event = JSON.stringify(eventOf(world, 'UserPromptSubmit', { prompt: WORDS }))
  const lines = [
    'loadout hook claude UserPromptSubmit <&-',
    `printf '%s' '${event}' | loadout hook claude UserPromptSubmit >&-`,
  ]
  for (const line of lines) expect(shell(line)).toEqual({ code: 0, stdout: '', stderr: '' })
})

it('a full disk: nothing is said that could not be noted, and the session is silent until its context is empty', () => {
  const world = makeHookWorld(PAYLOADS)
  const first = start(world, 'startup')
  const event = JSON.stringify(eventOf(world, 'UserPromptSubmit', { prompt: WORDS }))
  const { length } = readFileSync(sessionPath(world))
  // Files may grow to the next full kilobyte, then writing fails as on a full disk.
  appendFileSync(sessionPath(world), '\n'.repeat(1024 - (length % 1024) - 10))
  const blocks = Math.ceil(length / 1024)
  const run = runShell(
    `trap '' XFSZ; ulimit -f ${blocks}; printf '%s' '${event}' | loadout hook claude UserPromptSubmit`,
    {
      home: world.home,
    },
  )
  expect([run.code, run.stdout]).toEqual([0, ''])
  expect(prompt(world, WORDS)).toBe('')
  expect(start(world, 'compact')).toBe('')
  expect(prompt(world, WORDS)).toContain('Tag, then push.')
  expect(start(world, 'clear')).toBe(first)
})

it('a state folder that may not be written: nothing is said', () => {
  const world = makeHookWorld(PAYLOADS)
  mkdirSync(dirname(sessionPath(world)), { recursive: true })
  for (const folder of [dirname(sessionPath(world)), world.state]) chmodSync(folder, 0o555)
  const run = runHook(world, 'UserPromptSubmit', { prompt: WORDS }, { isBound: true })
  expect([run.code, run.stdout, run.stderr]).toEqual([0, '', ''])
})

it('a damaged state is left behind when the context is empty', () => {
  const world = makeHookWorld(PAYLOADS)
  const first = start(world, 'startup')
  const text = prompt(world, WORDS)
  appendFileSync(sessionPath(world), 'not a line of ours')
  expect(prompt(world, WORDS)).toBe('')
  expect(start(world, 'resume')).toBe('')
  expect(start(world, 'clear')).toBe(first)
  expect(prompt(world, WORDS)).toBe(text)
})

it('a payload that cannot be read costs itself, and a line in the log', () => {
  const world = makeHookWorld({ ...PAYLOADS, tag: { keywords: ['zanzibar'], text: 'More.\n' } })
  rmSync(join(world.project, '.claude/loadout/tag.md'))
  expect(prompt(world, WORDS)).toContain('Tag, then push.')
  expect(logOf(world)).toEqual([expect.stringContaining('left out: tag is ranked without its text')])
})

/** What may stand where a layer is read, and what the log says of it. */
const BAD_LAYERS: [what: string, make: (path: string) => void, logged: RegExp][] = [
  ['no JSON', write('{ "entries": ['), /org layer .*line 1, column 15/],
  ['another kind of JSON', write('{ "entries": 7 }'), /org layer .*"entries" must be a list/],
  ['a folder', aFolder, /org layer .*is a folder/],
  ['a pipe', aPipe, /org layer .*not a regular file/],
  ['a device', aLinkTo('/dev/zero'), /org layer .*not a regular file/],
  ['a link to itself', aLinkToItself, /org layer .*is a link to itself/],
  ['five megabytes of brackets', write('['.repeat(5 << 20)), /org layer .*nested deeper than 64 levels/],
  ['more than a hook reads', write(`{"entries":[],"x":"${'x'.repeat(9 << 20)}"}`), /org layer .*more than the limit/],
]

it.each(BAD_LAYERS)('a layer that is %s costs only itself, and a line in the log', (_, make, logged) => {
  const world = makeHookWorld(PAYLOADS)
  const org = join(world.home, 'org.json')
  make(org)
  const options = { env: { AI_LOADOUT_ORG: org } }
  const answer = (event: string, fields: Fields) => contextOf(runHook(world, event, fields, options), event)
  expect(answer('SessionStart', { source: 'startup' })).toContain('Run the tests.')
  expect(answer('UserPromptSubmit', { prompt: WORDS })).toContain('Tag, then push.')
  expect(logOf(world)).toEqual([expect.stringMatching(logged), expect.stringMatching(logged)])
  const status = runWarm(['hooks', 'status', '--json'], { home: world.home, cwd: world.project, ...options })
  expect(status.code).toBe(1)
  expect(JSON.parse(status.stdout).findings).toMatchObject([{ message: expect.stringMatching(logged), subject: org }])
})

it('an index that is too large for a hook is not read, although another command reads it', () => {
  const world = makeHookWorld(PAYLOADS)
  const json = JSON.parse(readFileSync(index(world), 'utf8'))
  writeFileSync(index(world), JSON.stringify({ ...json, filler: 'x'.repeat(9 << 20) }))
  runShell('sleep 0.2')
  expect(runWarm(['plan', WORDS], { home: world.home, cwd: world.project }).stdout).toContain('release')
  expect(prompt(world, WORDS)).toBe('')
  expect(logOf(world)).toEqual([expect.stringContaining('the project layer is not used')])
})

it('wrong settings cost what they configure, and a line in the log', () => {
  const world = makeHookWorld(PAYLOADS)
  writeFileSync(join(world.project, 'loadout.json'), '{ "routing": 7, "preset": 8 }')
  expect(start(world, 'startup')).toContain('Run the tests.')
  expect(prompt(world, WORDS)).toContain('Tag, then push.')
  expect(logOf(world)).toEqual([
    expect.stringMatching(/SessionStart: .*loadout\.json/),
    expect.stringMatching(/UserPromptSubmit: .*loadout\.json/),
  ])
})

const STATE = '.local/state/loadout'
/** Everything that a hook opens besides the layers: where a pipe stands in its place, below the home or the project. */
const OPENED: [what: string, paths: string[]][] = [
  ['settings', ['home/.config/loadout/config.json', 'project/loadout.json', 'project/.git']],
  ['the state', [`home/${STATE}/hooks/sessions/claude.one.jsonl`]],
  ['logs and approvals', [`home/${STATE}/hooks.log`, `home/${STATE}/usage.jsonl`, `home/${STATE}/approvals.json`]],
  ['payloads', ['project/.claude/loadout/release.md', 'project/.claude/loadout/rules.md', 'home/transcript.jsonl']],
  [
    'skills, packs and control files',
    [
      'home/.claude/skills/a/SKILL.md',
      'home/.agents/knowledge/a/KNOWLEDGE.md',
      'project/.claude/skills/a/SKILL.md',
      'project/.agents/knowledge/a/KNOWLEDGE.md',
      'project/AGENTS.md',
    ],
  ],
]

it.each(OPENED)('pipes in the place of %s hold nothing up', (_, paths) => {
  const world = makeHookWorld(PAYLOADS)
  for (const path of paths) spoil(() => join(dirname(world.project), path), aPipe)(world)
  for (const [event, fields] of Object.entries(FIELDS)) {
    const asked = { ...fields, transcript_path: join(world.home, 'transcript.jsonl') }
    const { code, stderr } = runHook(world, event, asked)
    expect([event, code, stderr]).toEqual([event, 0, ''])
  }
})

it('the log stays small', () => {
  const world = makeHookWorld(PAYLOADS)
  mkdirSync(world.state, { recursive: true })
  const path = join(world.state, 'hooks.log')
  writeFileSync(path, 'x'.repeat(80_000))
  runHook(world, 'UserPromptSubmit', '')
  expect(statSync(path).size).toBeLessThan(1_000)
  expect(statSync(`${path}.1`).size).toBe(80_000)
})

it('parts that cannot be loaded end as well', () => {
  const world = makeHookWorld(PAYLOADS)
  const event = JSON.stringify(eventOf(world, 'SessionStart', { source: 'startup' }))
  const dist = join(world.home, 'dist')
  const install = (without: string) =>
    runShell(`cp -r "${join(import.meta.dirname, '..', '..', 'dist')}" "${dist}" && rm "${dist}"/${without}`)
  for (const part of ['hook-session-*.cjs', 'hook.cjs']) {
    rmSync(dist, { recursive: true, force: true })
    expect(install(part)).toEqual({ code: 0, stdout: '', stderr: '' })
    const script = `printf '%s' '${event}' | "${process.execPath}" "${dist}/cli.cjs" hook claude SessionStart 2>/dev/null`
    expect(runShell(script, { home: world.home })).toEqual({ code: 0, stdout: '', stderr: '' })
  }
  expect(contextOf(runHook(world, 'SessionStart', event), 'SessionStart')).toContain('Run the tests.')
})
