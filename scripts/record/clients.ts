import type { ScriptedCall } from '../../src/agents/disk/scripted-model.ts'
import type { Client } from '../../src/agents/rules/clients.ts'

/** Settings of a client: a file below the home folder, and values that are merged into it. */
type Settings = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What is recorded of a client beside its newest version with its usual model. */
export interface Recorded {
  agent: Client['agent']
  /** Versions to record beside the newest. */
  also?: readonly string[]
  /** Models whose lists differ; undefined is the one that it takes by itself. */
  models?: readonly (string | undefined)[]
  /** Calls of tools that start a subagent, and wait for it where the client would not. */
  subagent?: readonly ScriptedCall[]
  /** Settings that switch some of the skills; absent where the client has no switch for one skill. */
  switches?(home: string): Settings
}

/** `skill-000` and so on: skills of the library, each switched in another way. */
const skillAt = (at: number) => `skill-${String(at).padStart(3, '0')}`

const TASK = { description: 'find it', prompt: 'find how a release is cut' }
const starts = (tool: string, more: Record<string, unknown> = {}): Pick<Recorded, 'subagent'> => ({
  subagent: [{ tool, input: { ...TASK, ...more } }],
})

export const RECORDED_CLIENTS: readonly Recorded[] = [
  {
    agent: 'claude',
    ...starts('Agent', { subagent_type: 'general-purpose' }),
    also: ['2.1.197'],
    models: [undefined, 'claude-haiku-4-5', 'claude-sonnet-4-6[1m]', 'claude-opus-4-8'],
    // One that only the user's file names, one in every file, and one in a file of a folder above the working one.
    switches: () => {
      const user = ['name-only', 'off', 'user-invocable-only', 'on', 'name-only', 'off', 'name-only']
      const overrides = (values: readonly string[], from: number) => ({
        skillOverrides: Object.fromEntries(values.map((value, at) => [skillAt(from + at), value])),
      })
      return {
        '.claude/settings.json': overrides(user, 0),
        'proj/.claude/settings.json': overrides(['off'], 9),
        'proj/sub/.claude/settings.json': overrides(['on', 'name-only', 'off', 'name-only'], 4),
        'proj/sub/.claude/settings.local.json': overrides(['on', 'name-only'], 6),
      }
    },
  },
  {
    agent: 'codex',
    subagent: [
      { tool: 'spawn_agent', input: { message: TASK.prompt, task_name: 't1' } },
      { tool: 'wait_agent', input: { timeout_ms: 20_000 } },
    ],
    also: ['0.166.0'],
    models: [undefined, 'gpt-5.6-sol', 'unknown-model'],
    switches: (home) => {
      const config = [
        { name: skillAt(0), enabled: false },
        { path: `${home}/.codex/skills/${skillAt(1)}/SKILL.md`, enabled: false },
        { name: skillAt(2), enabled: true },
      ]
      return { '.codex/config.toml': { skills: { config } } }
    },
  },
  {
    agent: 'gemini',
    subagent: [{ tool: 'invoke_agent', input: { agent_name: 'generalist', prompt: TASK.prompt } }],
    switches: () => ({
      '.gemini/settings.json': { skills: { disabled: [skillAt(0), skillAt(1)] } },
      'proj/.gemini/settings.json': { skills: { disabled: [skillAt(3)] } },
      'proj/sub/.gemini/settings.json': { skills: { disabled: [skillAt(2)] } },
    }),
  },
  {
    agent: 'opencode',
    ...starts('task', { subagent_type: 'general' }),
    switches: () => {
      const [deny, ask, allow] = ['deny', 'ask', 'allow']
      const single = { [skillAt(0)]: deny, [skillAt(1)]: ask }
      const skill = { ...single, 'skill-00[45]': deny, 'skill-?06': deny, 'skill-01*': deny, [skillAt(12)]: allow }
      return {
        '.config/opencode/opencode.json': { permission: { skill } },
        'proj/opencode.json': { permission: { skill: { [skillAt(2)]: 'deny', [skillAt(0)]: 'allow' } } },
      }
    },
  },
  {
    agent: 'copilot',
    ...starts('task', { name: 'finder', agent_type: 'general-purpose', mode: 'sync' }),
    switches: () => ({
      '.copilot/settings.json': { disabledSkills: [skillAt(0)] },
      '.copilot/config.json': { disabledSkills: [skillAt(1)] },
    }),
  },
  { agent: 'qwen', ...starts('agent', { subagent_type: 'general-purpose' }) },
  { agent: 'kilo', ...starts('task', { subagent_type: 'general' }) },
  { agent: 'pi' },
  { agent: 'kimi', ...starts('Agent', { subagent_type: 'coder' }) },
  { agent: 'droid', ...starts('Task', { subagent_type: 'worker' }) },
  { agent: 'continue' },
  { agent: 'cline' },
  { agent: 'grok' },
]
