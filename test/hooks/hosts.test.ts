import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { expectCivil, treeOf } from '../cli/civil.ts'
import { aLinkTo, CLI, makeFolder, makeProject, type Run } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import { type HookWorld, logOf, makeHookWorld, runHook, usageOf } from './hook-world.ts'

function hooks(home: string, ...args: string[]): Run {
  const run = runWarm(['hooks', ...args], { home, cwd: home })
  expectCivil(run)
  return run
}

const FILES: [agent: string, file: string, theirs: string, events: number][] = [
  [
    'gemini',
    '.gemini/settings.json',
    '{ // mine\n  "hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "command": "other hook BeforeAgent"}]}]}\n}\n',
    4,
  ],
  [
    'copilot',
    '.copilot/hooks/loadout.json',
    '{"hooks": {"sessionStart": [{"type":"command","bash":"other"}]}, "version": 1}',
    4,
  ],
  [
    'qwen',
    '.qwen/settings.json',
    '{ // mine\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "other"}]}]}\n}\n',
    3,
  ],
  ['droid', '.factory/settings.json', '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "other"}]}]}}', 3],
  [
    'cursor',
    '.cursor/hooks.json',
    '{\n\t"version": 1,\n\t"hooks": { "beforeSubmitPrompt": [ {"command": "other"} ] }\n}\n',
    3,
  ],
]

describe.each(FILES)('%s', (agent, file, theirs, events) => {
  it('gets its hooks beside those of others, and loses exactly them', () => {
    const home = makeProject({ [file]: theirs })
    expect(hooks(home, 'install', agent).code).toBe(0)
    const installed = readFileSync(join(home, file), 'utf8')
    expect(installed).toContain('other')
    expect(installed.split(`hook ${agent} `).length - 1).toBe(agent === 'copilot' ? 2 * events : events)
    hooks(home, 'install', agent)
    expect(readFileSync(join(home, file), 'utf8')).toBe(installed)
    expect(hooks(home, 'status', agent).code).toBe(0)
    hooks(home, 'remove', agent)
    expect(readFileSync(join(home, file), 'utf8')).toBe(theirs)
  })

  it('is silent in a project for those without the program', () => {
    const home = makeProject({ 'bin/loadout': aLinkTo(CLI), 'project/.git/HEAD': 'ref: refs/heads/main\n' })
    const project = join(home, 'project')
    const before = treeOf(project)
    expectCivil(runWarm(['hooks', 'install', agent, '--project', project], { home, cwd: home }))
    const text = readFileSync(join(project, agent === 'copilot' ? '.github/hooks/loadout.json' : file), 'utf8')
    expect(text, 'the same for everybody').not.toContain(home)
    for (const [, command = ''] of text.matchAll(/"(?:command|bash)": ("command -v.*")/g)) {
      const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`
      const run = (path: string) =>
        spawnSync('sh', ['-c', JSON.parse(command)], { env: { HOME: home, PATH: path }, input: '{' })
      for (const path of [PATH, `${join(home, 'bin')}:${PATH}`]) {
        const { status, stdout, stderr } = run(path)
        expect([status, String(stdout), String(stderr)]).toEqual([0, '', ''])
      }
    }
    expect(readFileSync(join(home, '.local/state/loadout/hooks.log'), 'utf8').match(/\n/g)).toHaveLength(events)
    runWarm(['hooks', 'remove', agent, '--project', project], { home, cwd: home })
    expect(treeOf(project)).toEqual(before)
  })
})

it('all of them come and go without a trace, and go where their agents have moved to', () => {
  const home = makeFolder()
  const env = { COPILOT_HOME: join(home, 'moved/c'), XDG_CONFIG_HOME: join(home, 'moved/x') }
  const agents = ['claude-code', 'codex', 'gemini-cli', 'github-copilot', 'cursor', 'opencode', 'qwen-code', 'kilo']
  agents.push('pi', 'kimi', 'droid')
  expectCivil(runWarm(['hooks', 'install', ...agents], { home, env }))
  for (const file of ['moved/c/hooks/loadout.json', 'moved/x/opencode/plugin/loadout.js', '.cursor/hooks.json']) {
    expect(existsSync(join(home, file)), file).toBe(true)
  }
  expectCivil(runWarm(['hooks', 'remove'], { home, env }))
  expect(treeOf(home).filter((line) => !/^\.(?:cache|local)/.test(line))).toEqual([])
})

describe('Kimi Code', () => {
  const files = [
    '',
    'model = "x"',
    'model = "x"\r\n\r\n[a]\r\nb = 1\r\n',
    '[[hooks]]\nevent = "Stop"\ncommand = "other"\n',
  ]
  it.each(files)('gets its hooks as tables behind %j, and loses exactly them', (theirs) => {
    const home = makeProject({ '.kimi-code/config.toml': theirs })
    const read = () => readFileSync(join(home, '.kimi-code/config.toml'), 'utf8')
    expect(hooks(home, 'install', 'kimi').code).toBe(0)
    const installed = read()
    expect(installed.startsWith(theirs)).toBe(true)
    expect(installed.match(/^command = .* hook kimi \w+ # loadout"\r?$/gm)).toHaveLength(2)
    hooks(home, 'install', 'kimi')
    expect(read()).toBe(installed)
    expect(hooks(home, 'status', 'kimi').code).toBe(0)
    writeFileSync(join(home, '.kimi-code/config.toml'), `${installed}[later]\nc = 1\n`)
    hooks(home, 'remove', 'kimi')
    expect(read()).toBe(`${theirs}${/[^\n]$/.test(theirs) ? '\n\n' : ''}[later]\nc = 1\n`.replace('"x"\n\n[', '"x"['))
  })
})

it('Droid ignores hooks in its settings beside a file of hooks, and status says so', () => {
  const home = makeProject({ '.factory/hooks.json': '{}' })
  hooks(home, 'install', 'droid')
  const { code, stdout } = hooks(home, 'status', 'droid')
  expect([code, stdout]).toEqual([1, expect.stringMatching(/Droid reads\s+\S*hooks\.json\s+instead/)])
})

describe('an agent without hooks', () => {
  const rule = { '.claude/loadout/a.md': '---\nid: a\nsummary: About a\nkeywords: [canal]\n---\n\ntext\n' }
  const inProject = (home: string, ...args: string[]) => {
    const run = runWarm(args, { home, cwd: join(home, 'project') })
    expectCivil(run)
    return run
  }
  it.each([undefined, '# Ours\n'])('finds what it can load in AGENTS.md (%j), until the last one leaves', (theirs) => {
    const files = {
      'project/.git/HEAD': 'ref: refs/heads/main\n',
      [`project/${Object.keys(rule)[0]}`]: rule['.claude/loadout/a.md'],
    }
    const home = makeProject(theirs === undefined ? files : { ...files, 'project/AGENTS.md': theirs })
    const path = join(home, 'project/AGENTS.md')
    const read = () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)
    inProject(home, 'index', 'build')
    expect(inProject(home, 'connect', 'grok', 'windsurf').code).toBe(0)
    expect(read()).toMatch(/^(?:# Ours\n\n)?<!-- loadout:index:start[\s\S]*- a: About a/)
    expect(readFileSync(join(home, '.grok/config.toml'), 'utf8')).toContain('[mcp_servers.loadout]')
    inProject(home, 'hooks', 'remove', 'grok')
    expect(existsSync(join(home, '.grok/config.toml'))).toBe(false)
    expect(read()).toContain('- a: About a')
    expect(inProject(home, 'hooks', 'remove', 'windsurf').stdout).toContain('AGENTS.md')
    expect(read()).toBe(theirs)
  })

  it('keeps a list that was there before', () => {
    const home = makeProject({
      'project/.git/HEAD': 'ref: refs/heads/main\n',
      'project/.claude/loadout/a.md': rule['.claude/loadout/a.md'],
    })
    inProject(home, 'index', 'build')
    inProject(home, 'agents-md', '--write')
    const before = readFileSync(join(home, 'project/AGENTS.md'), 'utf8')
    inProject(home, 'connect', 'windsurf')
    inProject(home, 'hooks', 'remove')
    expect(readFileSync(join(home, 'project/AGENTS.md'), 'utf8')).toBe(before)
  })
})

it('Copilot CLI gets a command for PowerShell beside an older hook for bash, or beside one that is only for PowerShell', () => {
  const file = '.copilot/hooks/loadout.json'
  const old = ['bash', 'powershell'].map((key) => ({ type: 'command', [key]: 'loadout hook copilot sessionStart' }))
  const mixed = { type: 'command', bash: 'loadout hook copilot sessionStart', powershell: 'greet' }
  for (const hook of old) {
    const home = makeProject({
      [file]: JSON.stringify({ version: 1, hooks: { sessionStart: [mixed, hook], stop: [] } }),
    })
    expect(hooks(home, 'status', 'copilot').stdout).toMatch(/an older form of the hook for sessionStart/)
    hooks(home, 'install', 'copilot')
    const sh = `'${process.execPath}' '${CLI}' hook copilot sessionStart # loadout`
    const written = JSON.parse(readFileSync(join(home, file), 'utf8')).hooks.sessionStart
    expect(written).toEqual([mixed, { type: 'command', bash: sh, powershell: `& ${sh}` }])
    expect(hooks(home, 'status', 'copilot').code).toBe(0)
    hooks(home, 'remove', 'copilot')
    const left = { version: 1, hooks: { sessionStart: [mixed], stop: [] } }
    expect(readFileSync(join(home, file), 'utf8'), 'what a person wrote beside ours is theirs').toBe(
      JSON.stringify(left),
    )
  }
})

it('Gemini CLI would not start with a trailing comma, and Loadout warns of one', () => {
  const settings = '{ // mine, [,]\n  "model": {\n    "name": "x", /* last */\n  }\n}\n'
  const home = makeProject({ '.gemini/settings.json': settings })
  const { code, stdout, stderr } = hooks(home, 'install', 'gemini')
  expect(code).toBe(1)
  const message =
    /Gemini CLI does not start while \S+ is as it is: trailing commas are not allowed in it: see line 4, column 3/
  for (const text of [stdout + stderr, hooks(home, 'status', 'gemini').stdout]) {
    expect(text.replace(/\s+/g, ' ')).toMatch(message)
  }
  hooks(home, 'remove', 'gemini')
  expect(readFileSync(join(home, '.gemini/settings.json'), 'utf8')).toBe(settings)
})

describe('what keeps hooks from running', () => {
  const rows: [what: string, agent: string, files: Record<string, string>, message: RegExp][] = [
    [
      'the switch',
      'gemini',
      { '.gemini/settings.json': '{"hooksConfig": {"enabled": false}}' },
      /"hooksConfig.enabled" is off/,
    ],
    [
      'one hook switched off',
      'gemini',
      { '.gemini/settings.json': '{"hooksConfig": {"disabled": ["COMMAND BeforeAgent # loadout"]}}' },
      /they are switched off in\s.*: BeforeAgent/s,
    ],
    [
      'the switch',
      'copilot',
      { '.copilot/settings.json': '// x\n{"disableAllHooks": true}' },
      /"disableAllHooks" is set/,
    ],
    ['no version', 'cursor', { '.cursor/hooks.json': '{"hooks": {}}' }, /Cursor ignores .*"version": 1/s],
  ]
  it.each(rows)('%s of %s', (_, agent, files, message) => {
    const command = `'${process.execPath}' '${CLI}' hook ${agent}`
    const texts = Object.entries(files).map(([path, text]) => [path, text.replace('COMMAND', command)])
    const home = makeProject(Object.fromEntries(texts))
    hooks(home, 'install', agent)
    const { code, stdout } = hooks(home, 'status', agent)
    expect(code).toBe(1)
    expect(stdout).toMatch(message)
  })

  it('a project that Copilot CLI does not trust', () => {
    const home = makeProject({ 'bin/loadout': aLinkTo(CLI), 'project/.git/HEAD': 'ref: refs/heads/main\n' })
    const project = join(home, 'project')
    const env = { PATH: `${join(home, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin` }
    const run = (...args: string[]) => runWarm(['hooks', ...args, 'copilot'], { home, cwd: project, env })
    expect(run('install', '--project', project).code).toBe(0)
    expect(run('status').stdout).toContain('Copilot CLI does not trust')
    mkdirSync(join(home, '.copilot'))
    writeFileSync(join(home, '.copilot/config.json'), `// managed\n{"trustedFolders": [${JSON.stringify(project)}]}`)
    expect(run('status').code).toBe(0)
  })
})

describe('the plugin of OpenCode', () => {
  const FILE = '.config/opencode/plugin/loadout.js'

  it.each([
    ['of another program', () => 'export const Mine = 1\n', /is not from Loadout/],
    ['that was changed by hand', (text: string) => text.replace('10_000', '20_000'), /was changed by hand/],
  ])('is not written over a file %s', (_, spoil, message) => {
    const home = makeFolder()
    hooks(home, 'install', 'opencode')
    const path = join(home, FILE)
    writeFileSync(path, spoil(readFileSync(path, 'utf8')))
    const { code, stderr } = hooks(home, 'install', 'opencode')
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
    hooks(home, 'remove', 'opencode')
    expect(existsSync(path)).toBe(true)
  })

  it('is brought up to date, and says when its program is gone', () => {
    const home = makeFolder()
    hooks(home, 'install', 'opencode')
    const text = readFileSync(join(home, FILE), 'utf8')
    rmSync(join(home, FILE))
    const old = spawnSync(process.execPath, ['--input-type=module', '-e', OLD_PLUGIN], { encoding: 'utf8' }).stdout
    writeFileSync(join(home, FILE), old)
    const { stdout } = hooks(home, 'status', 'opencode')
    expect(stdout).toMatch(/older form of the plugin/)
    expect(stdout).toMatch(/\/gone\/cli\.cjs, which the hooks call, is gone/)
    expect(hooks(home, 'install', 'opencode').stdout).toMatch(/^ {2}updated {2}OpenCode/m)
    expect(readFileSync(join(home, FILE), 'utf8')).toBe(text)
  })

  const PAYLOADS = {
    rules: { priority: 'core' as const, text: '# Rules\n\nRun the tests.\n' },
    release: { keywords: ['release'], text: '# Release\n\nTag, then push.\n' },
  }

  it('gives a session its start and what its prompts need, once', () => {
    const world = makeHookWorld(PAYLOADS)
    const texts = runPlugin(world, ['cut the release', 'cut the release again'])
    expect(texts[0]).toHaveLength(2)
    expect(texts[0]?.[0]).toContain('Run the tests.')
    expect(texts[0]?.[1]).toContain('Tag, then push.')
    expect(texts[1]).toEqual([])
    const stages = usageOf(world).map(({ entryId, stage, via }) => [entryId, stage, via])
    expect(stages).toContainEqual(['rules', 'delivered', 'opencode'])
    expect(runPlugin(world, ['cut the release']), 'a session that goes on').toEqual([[]])
  })

  it('is silent when anything is wrong', () => {
    const world = makeHookWorld(PAYLOADS)
    expect(runPlugin(world, ['cut the release'], (text) => text.replaceAll(CLI, '/gone.cjs'))).toEqual([[]])
    expect(runPlugin(world, ['cut the release'], (text) => text.replaceAll(process.execPath, '/gone'))).toEqual([[]])
    expect(runPlugin(world, [null])).toEqual([[]])
  })

  /** What OpenCode does with it: loads it, and hands it a message at each prompt. */
  function runPlugin(
    { home, project }: HookWorld,
    prompts: (string | null)[],
    spoil = (text: string) => text,
  ): string[][] {
    hooks(home, 'install', 'opencode')
    const file = join(makeFolder(), 'plugin.mjs')
    writeFileSync(file, spoil(readFileSync(join(home, FILE), 'utf8')))
    const script = `
      const { Loadout } = await import(${JSON.stringify(pathToFileURL(file).href)})
      const plugin = await Loadout({ directory: ${JSON.stringify(project)} })
      const all = []
      for (const prompt of ${JSON.stringify(prompts)}) {
        const parts = prompt === null ? null : [{ type: 'text', text: prompt }]
        await plugin['chat.message']({ sessionID: 'ses_1' }, { message: { id: 'msg_1' }, parts })
        all.push((parts ?? []).slice(1).map(({ text }) => text))
      }
      await plugin.event({ event: { type: 'session.idle' } })
      console.log(JSON.stringify(all))
      process.exit()`
    const env = { HOME: home, PATH: process.env.PATH }
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      env,
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    return JSON.parse(stdout)
  }
})

/** A plugin as an earlier version could have written it, with its seal. */
const OLD_PLUGIN = `
  import { createHash } from 'node:crypto'
  const body = 'const PROGRAM = ["/usr/bin/env","/gone/cli.cjs"]\\nexport const Loadout = async () => ({})\\n'
  const seal = '// Written by "loadout connect opencode", removed by "loadout hooks remove opencode". '
  process.stdout.write(seal + createHash('sha256').update(body).digest('hex').slice(0, 16) + '\\n' + body)`

const PROMPTS: [agent: string, event: string, fields: (cwd: string) => object, text: (reply: never) => string][] = [
  [
    'gemini',
    'BeforeAgent',
    (cwd) => ({ session_id: 's', cwd, prompt: '<hook_context>old\n</hook_context>\n\ncut the release' }),
    (reply: { hookSpecificOutput: { additionalContext: string } }) => reply.hookSpecificOutput.additionalContext,
  ],
  [
    'copilot',
    'userPromptSubmitted',
    (cwd) => ({ sessionId: 's', cwd, timestamp: 1, prompt: 'cut the release' }),
    (reply: { additionalContext: string }) => reply.additionalContext,
  ],
  [
    'cursor',
    'beforeSubmitPrompt',
    (cwd) => ({ conversation_id: 's', workspace_roots: [cwd], generation_id: 'g', prompt: 'cut the release' }),
    (reply: { additional_context: string }) => reply.additional_context,
  ],
  [
    'opencode',
    'UserPromptSubmit',
    (cwd) => ({ session_id: 's', cwd, prompt: 'cut the release' }),
    (reply: { additionalContext: string }) => reply.additionalContext,
  ],
]

it.each(PROMPTS)('%s: a prompt is answered once, and nothing when it comes again', (agent, event, fields, text) => {
  const world = makeHookWorld({ release: { keywords: ['release'], text: '# Release\n\nTag, then push.\n' } })
  const ask = () => runHook(world, event, JSON.stringify(fields(world.project)), { agent })
  const first = ask()
  expect([first.code, first.stderr]).toEqual([0, ''])
  expect(text(JSON.parse(first.stdout) as never)).toContain('Tag, then push.')
  expect(usageOf(world).map(({ stage, via }) => [stage, via])).toContainEqual(['planned', agent])
  expect(ask()).toMatchObject({ code: 0, stdout: '' })
  const other = { session_id: 't', sessionId: 't', conversation_id: 't' }
  for (const task of ['cut the release', 'fix the parser', '']) {
    const pasted = { ...fields(world.project), ...other, prompt: `${text(JSON.parse(first.stdout) as never)}\n${task}` }
    const run = runHook(world, event, JSON.stringify(pasted), { agent })
    expect(run, 'what a prompt holds already').toEqual({ code: 0, stdout: '', stderr: '' })
  }
  expect(logOf(world)).toEqual([])
})

it("Claude Code's hook stays silent where another agent runs it", () => {
  const world = makeHookWorld({ release: { keywords: ['release'], text: '# Release\n\nTag, then push.\n' } })
  const fields = { prompt: 'cut the release', cursor_version: '3.20.17' }
  expect(runHook(world, 'UserPromptSubmit', fields).stdout).toBe('')
  expect(usageOf(world)).toEqual([])
  expect(runHook(world, 'UserPromptSubmit', { prompt: 'cut the release' }).stdout).not.toBe('')
})
