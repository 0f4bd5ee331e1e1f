import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/agents/disk/hook-settings/settings-file.ts'
import { requireHost, trustHash } from '../../src/agents/rules/hook-hosts.ts'
import { findHooks } from '../../src/agents/rules/hook-settings/hook-settings.ts'
import { expectCivil } from '../cli/civil.ts'
import { aLinkTo, CLI, makeFolder, makeProject, type RunOptions } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

const SETTINGS = '.claude/settings.json'

function status(home: string, args: string[] = [], options: RunOptions = {}) {
  const run = runWarm(['hooks', 'status', ...args], { home, cwd: home, ...options })
  expectCivil(run)
  for (const line of run.stdout.split('\n')) {
    if (!line.includes('/') && !args.includes('--json')) expect(line.length).toBeLessThanOrEqual(80)
  }
  return run
}

function install(home: string, ...args: string[]): void {
  expect(runWarm(['hooks', 'install', ...args], { home, cwd: home }).code).toBe(0)
}

/** What a person does with /hooks in Codex. */
function trust(home: string, path = join(home, '.codex/hooks.json')): string {
  const found = findHooks(readSettings(readFileSync(path, 'utf8'), path), requireHost('codex'))
  return found
    .map((hook) => {
      const key = `${path}:${hook.event.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()}:${hook.group}:${hook.handler}`
      return `[hooks.state."${key}"]\ntrusted_hash = "${trustHash(hook)}"\n`
    })
    .join('\n')
}

describe('hooks status', () => {
  it('says what is not there, and how to get it', () => {
    const { code, stdout } = status(makeFolder())
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Claude Code {2}user {2}not installed\n.*settings\.json\nCodex {8}user {2}not installed\n/)
    expect(stdout).toMatch(/\nto install what is missing: loadout connect claude codex\n$/)
  })

  it('says what is there, when it last answered and what went wrong', () => {
    const home = makeFolder()
    install(home, 'claude')
    const state = join(home, '.local/state/loadout')
    mkdirSync(join(state, 'hooks/sessions'), { recursive: true })
    writeFileSync(join(state, 'hooks/sessions/claude.abc.jsonl'), '')
    writeFileSync(
      join(state, 'hooks.log'),
      '2026-01-02T03:04:05.000Z claude SessionStart: NO_INDEX\n2026-01-02T03:04:06.000Z codex SessionStart: X\n',
    )
    const { code, stdout } = status(home, ['claude'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Claude Code {2}user {2}installed\n/)
    expect(stdout).toMatch(/asked at {6}SessionStart, UserPromptSubmit, PostToolUse, PreToolUse,\s+SubagentStart\n/)
    expect(stdout).toMatch(/ {2}last answer {3}\d{4}-\d\d-\d\dT/)
    expect(stdout).toContain('last trouble  2026-01-02T03:04:05.000Z claude SessionStart: NO_INDEX\n')
    expect(stdout).toMatch(/\nNothing needs action\.\n$/)
  })

  const PROBLEMS: [what: string, spoil: (text: string) => string, state: string, message: RegExp][] = [
    ['broken JSON', (text) => text.replace('[', ''), 'broken', /not valid JSON: .* at line \d+, column \d+/],
    ['a wrong shape', () => '{"hooks": []}', 'broken', /"hooks" is a list/],
    ['a comment', (text) => `// mine\n${text}`, 'cannot run', /Claude Code ignores .*: see line 1, column 1/s],
    [
      'the switch of the agent',
      (text) => text.replace('{', '{"disableAllHooks": true,'),
      'cannot run',
      /"disableAllHooks" is set in/,
    ],
    [
      'a program that is gone',
      (text) => text.replaceAll(CLI, '/gone/dist/cli.cjs'),
      'cannot run',
      /\/gone\/dist\/cli\.cjs, which the hooks call, is gone/,
    ],
    [
      'a name that no shell finds',
      (text) => text.replace(/"'.*SessionStart # loadout"/, '"loadout hook claude SessionStart"'),
      'cannot run',
      /loadout is not on the PATH/,
    ],
    [
      'an event without a hook',
      (text) => text.replace('"SessionStart"', '"Other"').replace('claude SessionStart', 'claude Other'),
      'outdated',
      /no hook for SessionStart, and an older form of the hook for Other/,
    ],
    [
      'another matcher',
      (text) => text.replace('Skill|Read', 'Skill'),
      'outdated',
      /an older form of the hook for PostToolUse/,
    ],
  ]
  it.each(PROBLEMS)('needs action: %s', (_, spoil, state, message) => {
    const home = makeFolder()
    install(home, 'claude')
    const path = join(home, SETTINGS)
    writeFileSync(path, spoil(readFileSync(path, 'utf8')))
    const { code, stdout } = status(home, ['claude', '--json'])
    expect(code).toBe(1)
    const { hooks, findings } = JSON.parse(stdout)
    expect(hooks).toMatchObject([{ agent: 'claude', scope: 'user', state }])
    expect(findings.map((finding: { message: string }) => finding.message).join('\n')).toMatch(message)
    expect(status(home, ['claude']).stdout).toMatch(/ {2}PROBLEM {2}.*\n(.*\n)* {4}to do: .*\n\n1 thing to do\n$/)
  })

  it('needs the trust of the user in Codex, again after each change', () => {
    const home = makeFolder()
    install(home, 'codex')
    const config = join(home, '.codex/config.toml')
    expect(status(home, ['codex']).stdout).toMatch(
      /does not trust the hooks for SessionStart, UserPromptSubmit,\s+PostToolUse, PreToolUse, SubagentStart/,
    )
    writeFileSync(config, `model = "x"\n\n${trust(home)}`)
    expect(status(home, ['codex']).code).toBe(0)
    const path = join(home, '.codex/hooks.json')
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('UserPromptSubmit # loadout', 'UserPromptSubmit --budget 9 # loadout'),
    )
    expect(status(home, ['codex']).stdout).toMatch(/does not trust the hooks for UserPromptSubmit\n/)
    writeFileSync(config, '[features]\nhooks = false\n')
    expect(status(home, ['codex']).stdout).toContain('"features.hooks" is off')
  })

  it('the status also looks at the project around the working folder', () => {
    const home = makeProject({ 'bin/loadout': aLinkTo(CLI), 'project/sub/.keep': '' })
    const project = join(home, 'project')
    spawnSync('git', ['init', '--quiet', project])
    install(home, 'codex', '--project', './project')
    const env = { PATH: `${join(home, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin` }
    const inside = { cwd: join(project, 'sub'), env }
    const { stdout } = status(home, ['codex'], inside)
    expect(stdout).toMatch(/^Codex {2}user {5}not installed\n.*\nCodex {2}project {2}cannot run\n/)
    expect(stdout.replace(/\s+/g, ' ')).toContain('Codex does not trust ~/project')
    mkdirSync(join(home, '.codex'))
    const trusted = `[projects."${project}"]\ntrust_level = "trusted"\n${trust(home, join(project, '.codex/hooks.json'))}`
    writeFileSync(join(home, '.codex/config.toml'), trusted)
    expect(status(home, ['codex'], inside).code).toBe(0)
    rmSync(join(home, 'bin/loadout'))
    expect(status(home, ['codex'], inside).stdout).toContain('loadout is not on the PATH')
  })
})
