import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectCivil, expectCivilJson, treeOf } from '../cli/civil.ts'
import { aLinkTo, CLI, makeFolder, makeProject, type Run } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

const SETTINGS = '.claude/settings.json'

function hooks(home: string, ...args: string[]): Run {
  const run = runWarm(['hooks', ...args], { home, cwd: home })
  expectCivil(run)
  return run
}

/** Everything but the program's compiled code, which any command may store. */
function stored(home: string): string[] {
  return treeOf(home).filter((line) => !line.startsWith('.cache'))
}

/** Everything a person can see; what we remember for ourselves is not. */
function seen(home: string): string[] {
  return stored(home).filter((line) => !line.startsWith('.local'))
}

function read(home: string, path = SETTINGS): string {
  return readFileSync(join(home, path), 'utf8')
}

const THEIRS = '{"type": "command", "command": "echo hello"}'

describe('install, then remove', () => {
  it('leaves comments, odd indentation, hooks of others and the end of the file as they were', () => {
    const text = `{ // mine\n\t "hooks": {\n   "SessionStart": [{"hooks": [${THEIRS}]},],\r\n  } /* end */}`
    const home = makeProject({ [SETTINGS]: text })
    const { code, stderr } = hooks(home, 'install', 'claude')
    expect(code, 'Claude Code would pass over such a file').toBe(1)
    expect(stderr).toMatch(/Claude Code ignores the whole file .*: see line 1, column 3/)
    expect(hooks(home, 'install', 'claude').stdout).toMatch(/^The hooks are already installed/)
    expect(hooks(home, 'remove', 'claude').code).toBe(0)
    expect(read(home)).toBe(text)
    expect(hooks(home, 'remove', 'claude').stdout).toMatch(/^No hooks of Loadout are installed/)
  })

  it.each([
    ['no file', { '.claude/other.json': '' }],
    ['no folder', {}],
  ])('leaves nothing behind where there was %s', (_, files) => {
    const home = makeProject(files)
    const before = seen(home)
    expect(hooks(home, 'install', 'claude', 'codex').code).toBe(0)
    expect(JSON.parse(read(home, '.codex/hooks.json'))).toMatchObject({ hooks: { PostToolUse: [{ matcher: 'Bash' }] } })
    hooks(home, 'remove')
    expect(seen(home)).toEqual(before)
  })

  it('connect names the MCP server beside the hooks, and hooks remove takes both back byte for byte', () => {
    const files = {
      '.claude.json': '{"numStartups": 3, "mcpServers": {}}',
      '.codex/config.toml': 'model = "x"\n\n[projects."/x"]\ntrust_level = "trusted"',
      '.gemini/settings.json': '{\n  // mine\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n',
      '.cursor/cli-config.json': '{}',
    }
    const home = makeProject(files)
    const before = seen(home)
    const connect = () => runWarm(['connect', 'claude', 'codex', 'gemini', 'cursor'], { home, cwd: home })
    const first = connect()
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/installed {2}Codex {8}MCP {3}\S+\/\.codex\/config\.toml/)
    expect(JSON.parse(read(home, '.claude.json')).mcpServers.loadout.args.at(-1)).toBe('mcp')
    expect(JSON.parse(read(home, '.cursor/mcp.json')).mcpServers.loadout.args.at(-1)).toBe('mcp')
    expect(connect().stdout).toMatch(/^Everything is installed already/)
    expect(hooks(home, 'remove').code).toBe(0)
    expect(seen(home)).toEqual(before)
    for (const [path, text] of Object.entries(files)) expect(read(home, path)).toBe(text)
  })

  it.each([
    ['is no TOML', 'model = ['],
    ['has its servers on one line', 'mcp_servers = { other = { command = "x" } }\n'],
  ])('connect leaves a file of Codex that %s as it is, and adds no hooks either', (_, text) => {
    const home = makeProject({ '.codex/config.toml': text })
    const run = runWarm(['connect', 'codex'], { home, cwd: home })
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('.codex/config.toml')])
    expect(read(home, '.codex/config.toml')).toBe(text)
    expect(existsSync(join(home, '.codex/hooks.json'))).toBe(false)
    expect(runWarm(['connect', 'codex', '--no-mcp'], { home, cwd: home }).code).toBe(0)
  })

  it('connect --no-mcp, and connect for a project, add only hooks', () => {
    const home = makeProject({ '.claude.json': '{}' })
    expect(runWarm(['connect', 'claude', '--no-mcp'], { home, cwd: home }).code).toBe(0)
    expect(read(home, '.claude.json')).toBe('{}')
    expect(existsSync(join(home, SETTINGS))).toBe(true)
  })

  it('keeps a folder that another program uses by now', () => {
    const home = makeFolder()
    hooks(home, 'install', 'claude')
    writeFileSync(join(home, '.claude/history.jsonl'), '')
    hooks(home, 'remove')
    expect(seen(home)).toEqual(['.claude', '.claude/history.jsonl '])
  })

  it('keeps what was written in between', () => {
    const home = makeProject({ [SETTINGS]: '{\n  "hooks": {}\n}\n' })
    hooks(home, 'install', 'claude')
    const theirs = `{ "hooks": [${THEIRS}] }`
    const edited = read(home)
      .replace('{\n', '{\n  "model": "x", // mine\n')
      .replace('"UserPromptSubmit": [', `"UserPromptSubmit": [\n      ${theirs},`)
      .replace('# loadout",\n            "timeout": 10', '# loadout",\n            "timeout": 99')
    writeFileSync(join(home, SETTINGS), edited)
    hooks(home, 'remove')
    expect(read(home)).toBe(
      `{\n  "model": "x", // mine\n  "hooks": {\n    "UserPromptSubmit": [\n      ${theirs}\n    ]\n  }\n}\n`,
    )
  })
})

describe('what is refused', () => {
  it('a broken file, with its line, before another is written', () => {
    const home = makeProject({ '.codex/hooks.json': '{\n  "hooks": {\n    "a" 1\n' })
    const before = stored(home)
    for (const command of ['install', 'remove']) {
      const { code, stderr } = hooks(home, command, 'claude', 'codex')
      expect(code).toBe(2)
      expect(stderr).toMatch(/hooks\.json is not valid JSON: colon expected at line 3, column 9\n/)
    }
    expect(stored(home)).toEqual(before)
  })

  it('an agent without hooks, a folder that is not a project, and no agent to install for', () => {
    const home = makeFolder()
    expect(hooks(home, 'install', 'windsurf').stderr).toContain('is not in a git repository')
    expect(hooks(home, 'status', 'windsurf').stderr).toContain('agents with hooks: claude, codex')
    expect(hooks(home, 'install', 'claude', '--project', '.').stderr).toContain('is not in a git repository')
    expect(hooks(home, 'install').stderr).toContain('loadout connect claude|codex')
    expect(stored(home)).toEqual([])
  })
})

describe('the file itself', () => {
  it('is written through a link, and keeps its mode', () => {
    const home = makeProject({
      'dotfiles/claude.json': '{\n  "model": "x"\n}\n',
      [SETTINGS]: aLinkTo('../dotfiles/claude.json'),
    })
    chmodSync(join(home, 'dotfiles/claude.json'), 0o640)
    const before = seen(home)
    hooks(home, 'install', 'claude')
    expect(lstatSync(join(home, SETTINGS)).isSymbolicLink()).toBe(true)
    expect(read(home, 'dotfiles/claude.json')).toContain('hook claude SessionStart')
    expect(statSync(join(home, SETTINGS)).mode & 0o777).toBe(0o640)
    hooks(home, 'remove')
    expect(seen(home)).toEqual(before)
  })

  it('stays as it is when it is read-only, or its folder is', () => {
    const own = makeProject({ [SETTINGS]: '{}' })
    chmodSync(join(own, SETTINGS), 0o444)
    for (const isBound of [false, true]) {
      const run = runWarm(['hooks', 'install', 'claude'], { home: own, cwd: own, isBound })
      expectCivil(run)
      expect(run.stderr).toMatch(/is read-only\n {2}chmod u\+w/)
    }
    const before = seen(own)
    expect(runWarm(['hooks', 'install', 'codex', 'claude'], { home: own, cwd: own }).code).toBe(2)
    expect(seen(own), 'nor is anything else').toEqual(before)
    const home = makeProject({ '.codex/hooks.json': '{}' })
    chmodSync(home, 0o777)
    chmodSync(join(home, '.codex/hooks.json'), 0o666)
    chmodSync(join(home, '.codex'), 0o555)
    const bound = runWarm(['hooks', 'install', 'codex'], { home, cwd: home, isBound: true })
    expectCivil(bound)
    expect(bound.stderr).toMatch(/hooks\.json could not be written: permission denied/)
    expect([read(own), read(home, '.codex/hooks.json')]).toEqual(['{}', '{}'])
  })

  it('is the same whether one or several install at once', async () => {
    const home = makeProject({ [SETTINGS]: '{\n  "model": "x"\n}\n' })
    const other = makeProject({ [SETTINGS]: '{\n  "model": "x"\n}\n' })
    hooks(other, 'install', 'claude')
    const codes = await Promise.all(Array.from({ length: 6 }, () => runAside(home)))
    expect(codes).toEqual([0, 0, 0, 0, 0, 0])
    expect(read(home)).toBe(read(other))
    expect(readdirSync(join(home, '.claude'))).toEqual(['settings.json'])
    hooks(home, 'remove')
    expect(read(home)).toBe('{\n  "model": "x"\n}\n')
  })

  it('is the old or the new one after a kill at any moment, and comes and goes from there', () => {
    const text = '{\n  "hooks": {} // none\n}\n'
    const start = () => makeProject({ [SETTINGS]: text })
    const whole = start()
    hooks(whole, 'install', 'claude')
    const installed = read(whole)
    let kills = 0
    // Every call with LOADOUT_TEST_ALL, which takes a minute.
    const stride = process.env.LOADOUT_TEST_ALL === undefined ? 11 : 1
    for (let at = 1; ; at += stride) {
      const home = start()
      const { code } = killedAt(home, at, ['install', 'claude', 'codex'])
      if (code !== null) break
      kills++
      expect([text, installed]).toContain(read(home))
      // The next edit, of anything, first finishes the change or takes all of it back.
      hooks(home, 'remove', 'gemini')
      expect(existsSync(join(home, '.codex/hooks.json'))).toBe(read(home) === installed)
      hooks(home, 'install', 'claude', 'codex')
      expect(read(home)).toBe(installed)
      expect(killedAt(home, at, ['remove']).code).toBeOneOf([null, 0])
      expect([text, installed]).toContain(read(home))
      hooks(home, 'remove')
      expect(seen(home)).toEqual(['.claude', `${SETTINGS} ${text}`])
    }
    expect(kills).toBeGreaterThan(2)
  })
})

describe('what is installed', () => {
  it('is reported before, and only reported with --dry-run', () => {
    const home = makeProject({ [SETTINGS]: '{\n  "model": "x"\n}\n' })
    const before = stored(home)
    const { stdout } = hooks(home, 'install', 'claude', '--dry-run')
    expect(stdout).toContain('  {\n-   "model": "x"\n+   "model": "x",\n+   "hooks": {\n+     "SessionStart": [\n')
    expect(stdout).toMatch(/Nothing was changed\. This would be done:\n {2}installed {2}Claude Code {2}user/)
    expect(stored(home)).toEqual(before)
    const json = runWarm(['hooks', 'install', 'claude', '--json'], { home })
    expectCivilJson(json)
    expect(JSON.parse(json.stdout)).toMatchObject({ changes: [{ agent: 'claude', change: 'installed' }], findings: [] })
  })

  it('goes where the agents have moved to', () => {
    const home = makeFolder()
    const env = { CLAUDE_CONFIG_DIR: join(home, 'moved/c'), CODEX_HOME: join(home, 'moved/x') }
    expectCivil(runWarm(['hooks', 'install', 'claude', 'codex'], { home, env }))
    expect(readdirSync(home).sort()).toEqual(['.local', 'moved'])
    expect(read(home, 'moved/c/settings.json')).toContain('hook claude')
    expect(read(home, 'moved/x/hooks.json')).toContain('hook codex')
    expectCivil(runWarm(['hooks', 'remove'], { home, env }))
    expect(seen(home)).toEqual([])
  })

  it('is for the agents that are used here when none is named', () => {
    const home = makeProject({ '.codex/config.toml': '' })
    hooks(home, 'install')
    expect(seen(home).map((line) => line.split(' ')[0])).toEqual(['.codex', '.codex/config.toml', '.codex/hooks.json'])
  })

  it('is brought up to date where it stands, with what a person has added to it', () => {
    const old = (event: string) => `"command": "'/old/node' '/old/dist/cli.cjs' hook claude ${event} # loadout"`
    const text = `{
  "hooks": {
    "SessionStart": [ { "hooks": [ { "type": "command", ${old('SessionStart')}, "timeout": 3 } ] }, { "hooks": [${THEIRS}] } ],
    "UserPromptSubmit": [ { "hooks": [ { "type": "command", "command": "loadout hook claude UserPromptSubmit --budget 400" } ] } ],
    "PostToolUse": [ { "matcher": "Skill", "hooks": [ { "type": "command", ${old('PostToolUse')} } ] } ],
    "Stop": [ { "hooks": [ { "type": "command", ${old('Stop')} } ] } ]
  }
}
`
    const home = makeProject({ [SETTINGS]: text })
    expect(hooks(home, 'install', 'claude').stdout).toMatch(/^ {2}updated {2}Claude Code/m)
    const now = (rest: string) => `"command": "'${process.execPath}' '${CLI}' hook claude ${rest} # loadout"`
    const expected = text
      .replace(old('SessionStart'), now('SessionStart'))
      .replace('"command": "loadout hook claude UserPromptSubmit --budget 400"', now('UserPromptSubmit --budget 400'))
      .replace(old('PostToolUse'), now('PostToolUse'))
      .replace('"Skill"', '"Skill|Read"')
      .replace(/,\n {4}"Stop".*/, '')
    // Those of newer versions are added behind.
    const [before = ''] = expected.split(/\n {2}\}\n\}\n$/)
    expect(read(home).startsWith(`${before},\n    "PreToolUse": [`)).toBe(true)
    expect(Object.keys(JSON.parse(read(home)).hooks).slice(3)).toEqual(['PreToolUse', 'SubagentStart'])
  })

  it('runs from a place with blanks and quotes in its name', () => {
    const odd = join(makeFolder(), `it's "my" $HOME; \`place\` \\ *`)
    mkdirSync(odd)
    cpSync(dirname(CLI), join(odd, 'dist'), { recursive: true, verbatimSymlinks: true })
    writeFileSync(join(odd, 'package.json'), '{}')
    const home = join(odd, 'home')
    mkdirSync(home)
    const install = spawnSync(process.execPath, [join(odd, 'dist/cli.cjs'), 'hooks', 'install', 'claude', 'codex'], {
      env: { HOME: home, PATH: '/usr/bin:/bin' },
    })
    expect(install.status).toBe(0)
    for (const file of [SETTINGS, '.codex/hooks.json']) {
      for (const { command, event } of commandsIn(read(home, file)))
        expectRuns(command, event, { HOME: home, PATH: '/usr/bin:/bin' })
    }
  })

  it('calls the program by its name where a shell finds it, and not where only npm does', () => {
    const home = makeProject({ 'bin/loadout': aLinkTo(CLI), 'app/node_modules/.bin/loadout': aLinkTo(CLI) })
    const path = (folder: string) => ({ PATH: `${join(home, folder)}:${dirname(process.execPath)}:/usr/bin:/bin` })
    runWarm(['hooks', 'install', 'claude'], { home, env: path('app/node_modules/.bin') })
    expect(commandsIn(read(home))[0]?.command).toMatch(/^'\//)
    runWarm(['hooks', 'install', 'claude'], { home, env: path('bin') })
    expect(commandsIn(read(home))[0]?.command).toBe('loadout hook claude SessionStart')
    for (const { command, event } of commandsIn(read(home))) expectRuns(command, event, { HOME: home, ...path('bin') })
  })

  it('is shared with a project, and silent for those without the program', () => {
    const home = makeProject({ 'bin/loadout': aLinkTo(CLI), 'project/src/.keep': '' })
    const project = join(home, 'project')
    spawnSync('git', ['init', '--quiet', project])
    const before = treeOf(project)
    const args = ['claude', 'codex', '--project', './project/src']
    expectCivil(runWarm(['hooks', 'install', ...args], { home, cwd: home }))
    for (const file of [SETTINGS, '.codex/hooks.json']) {
      const text = readFileSync(join(project, file), 'utf8')
      expect(text, 'the same for everybody').not.toContain(home)
      for (const { command, event } of commandsIn(text)) {
        const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`
        const none = spawnSync('sh', ['-c', command], { env: { HOME: home, PATH }, input: '{' })
        expect([none.status, String(none.stdout), String(none.stderr)]).toEqual([0, '', ''])
        expectRuns(command, event, { HOME: home, PATH: `${join(home, 'bin')}:${PATH}` })
      }
    }
    runWarm(['hooks', 'remove', ...args], { home, cwd: home })
    expect(treeOf(project)).toEqual(before)
  })
})

function commandsIn(text: string): { command: string; event: string }[] {
  const { hooks: events } = JSON.parse(text) as { hooks: Record<string, { hooks: { command: string }[] }[]> }
  return Object.entries(events).flatMap(([event, groups]) =>
    groups.flatMap((group) => group.hooks.map(({ command }) => ({ command, event }))),
  )
}

/** Through a shell, as an agent does it. The log tells that it was really us: this input is worth a line. */
function expectRuns(command: string, event: string, env: Record<string, string>): void {
  const log = join(env.HOME ?? '', '.local/state/loadout/hooks.log')
  rmSync(log, { force: true })
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { env, input: '{"broken' })
  expect([status, String(stdout), String(stderr)]).toEqual([0, '', ''])
  expect(existsSync(log) && readFileSync(log, 'utf8')).toMatch(new RegExp(` (claude|codex) ${event}: `))
}

function runAside(home: string): Promise<number | null> {
  const env = { HOME: home, PATH: process.env.PATH }
  const child = spawn(process.execPath, [CLI, 'hooks', 'install', 'claude'], { cwd: home, env, stdio: 'ignore' })
  return new Promise((settle) => child.once('close', settle))
}

function killedAt(home: string, at: number, args: string[]): Run {
  const preload = join(import.meta.dirname, '../skills/kill-at.cjs')
  const env = { NODE_OPTIONS: `--require ${preload}`, KILL_AT: String(at), KILL_HOW: at % 2 === 0 ? 'half' : 'before' }
  return runWarm(['hooks', ...args], { home, cwd: home, env })
}
