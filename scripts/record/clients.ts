import { join } from 'node:path'

/** Where one run of a client happens. */
export interface Run {
  /** A fresh home folder. */
  home: string
  /** Of the scripted model. */
  address: string
  /** How Loadout is started as an MCP server. */
  mcp: { command: string; args: string[] }
  model?: string
}

/** A client of the npm registry, and how one prompt is given to it. */
export interface Client {
  /** An id of the agent table. */
  agent: string
  label: string
  package: string
  command: string
  /** Versions to record beside the newest. */
  also: readonly string[]
  /** Where the user's skills are, below the home folder. */
  skills: string
  /** Models whose lists differ; undefined is the one that it takes by itself. */
  models: readonly (string | undefined)[]
  /** How its list of skills looks in a request. */
  list: 'dashes' | 'elements'
  /** How it calls the model in the request. */
  args(run: Run, prompt: string): string[]
  env(run: Run): Record<string, string>
  /** Its settings, below the home folder. */
  files(run: Run): Record<string, string>
  /** The settings with Loadout as an MCP server. */
  mcpFiles(run: Run): Record<string, string>
  /** The settings with some of the skills switched; undefined where the client has no switch for one skill. */
  switchFiles?(run: Run): Record<string, string>
  /** More arguments until hooks run. */
  hookArgs?: readonly string[]
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** For clients that allow comments in their settings. */
const commented = (value: unknown) => `// mine\n${json(value)}`

const codexSettings = ({ address }: Run) => `model_provider = "script"
[model_providers.script]
name = "script"
base_url = "${address}/v1"
wire_api = "responses"
[analytics]
enabled = false
`

const geminiSettings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
}

const qwenSettings = { ...geminiSettings, security: { auth: { selectedType: 'openai' } } }

const opencodeSettings = ({ address, model = 'm1' }: Run) => ({
  autoupdate: false,
  share: 'disabled',
  model: `script/${model}`,
  small_model: `script/${model}`,
  provider: {
    script: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${address}/v1`, apiKey: 'none' },
      models: { [model]: { limit: { context: 200_000, output: 8_000 } } },
    },
  },
})

/** `skill-000` and so on: skills of the library, each switched in another way. */
const skillAt = (at: number) => `skill-${String(at).padStart(3, '0')}`

export const CLIENTS: readonly Client[] = [
  {
    agent: 'claude',
    label: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    command: 'claude',
    also: ['2.1.197'],
    skills: '.claude/skills',
    models: [undefined, 'claude-haiku-4-5', 'claude-sonnet-4-6[1m]', 'claude-opus-4-8'],
    list: 'dashes',
    args: ({ model }, prompt) => ['-p', prompt, ...(model === undefined ? [] : ['--model', model])],
    env: ({ address }) => ({
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      MCP_CONNECTION_NONBLOCKING: '0',
    }),
    files: () => ({}),
    mcpFiles: (run) => ({ '.claude.json': json({ mcpServers: { loadout: { type: 'stdio', ...run.mcp } } }) }),
    // One that only the user's file names, one in every file, and one in a file of a folder above the working one.
    switchFiles: () => {
      const user = ['name-only', 'off', 'user-invocable-only', 'on', 'name-only', 'off', 'name-only']
      const overrides = (values: readonly string[], from: number) =>
        json({ skillOverrides: Object.fromEntries(values.map((value, at) => [skillAt(from + at), value])) })
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
    label: 'Codex',
    package: '@openai/codex',
    command: 'codex',
    also: ['0.166.0'],
    skills: '.codex/skills',
    models: [undefined, 'gpt-5.6-sol', 'unknown-model'],
    list: 'dashes',
    args: ({ model }, prompt) => ['exec', ...(model === undefined ? [] : ['--model', model]), prompt],
    env: () => ({ OPENAI_API_KEY: 'none' }),
    files: (run) => ({ '.codex/config.toml': codexSettings(run) }),
    mcpFiles: (run) => {
      const { command, args } = run.mcp
      const entry = `[mcp_servers.loadout]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`
      return { '.codex/config.toml': codexSettings(run) + entry }
    },
    switchFiles: (run) => {
      const tables = [
        `name = "${skillAt(0)}"\nenabled = false`,
        `path = "${run.home}/.codex/skills/${skillAt(1)}/SKILL.md"\nenabled = false`,
        `name = "${skillAt(2)}"\nenabled = true`,
      ]
      return {
        '.codex/config.toml': codexSettings(run) + tables.map((table) => `[[skills.config]]\n${table}\n`).join(''),
      }
    },
    hookArgs: ['--dangerously-bypass-hook-trust'],
  },
  {
    agent: 'gemini',
    label: 'Gemini CLI',
    package: '@google/gemini-cli',
    command: 'gemini',
    also: [],
    skills: '.gemini/skills',
    models: [undefined],
    list: 'elements',
    args: (_, prompt) => ['-p', prompt],
    env: ({ address }) => ({
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: address,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    files: () => ({ '.gemini/settings.json': json(geminiSettings) }),
    mcpFiles: (run) => ({
      '.gemini/settings.json': json({ ...geminiSettings, mcpServers: { loadout: run.mcp } }),
    }),
    switchFiles: () => ({
      '.gemini/settings.json': commented({ ...geminiSettings, skills: { disabled: [skillAt(0), skillAt(1)] } }),
      'proj/.gemini/settings.json': json({ skills: { disabled: [skillAt(3)] } }),
      'proj/sub/.gemini/settings.json': json({ skills: { disabled: [skillAt(2)] } }),
    }),
  },
  {
    agent: 'opencode',
    label: 'OpenCode',
    package: 'opencode-ai',
    command: 'opencode',
    also: [],
    skills: '.config/opencode/skills',
    models: [undefined],
    list: 'elements',
    args: (_, prompt) => ['run', prompt],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    files: (run) => ({ '.config/opencode/opencode.json': json(opencodeSettings(run)) }),
    mcpFiles: (run) => {
      const { command, args } = run.mcp
      const mcp = { loadout: { type: 'local', command: [command, ...args], enabled: true, timeout: 60_000 } }
      return { '.config/opencode/opencode.json': json({ ...opencodeSettings(run), mcp }) }
    },
    switchFiles: (run) => {
      const [deny, ask, allow] = ['deny', 'ask', 'allow']
      const single = { [skillAt(0)]: deny, [skillAt(1)]: ask }
      const skill = { ...single, 'skill-00[45]': deny, 'skill-?06': deny, 'skill-01*': deny, [skillAt(12)]: allow }
      return {
        '.config/opencode/opencode.json': commented({ ...opencodeSettings(run), permission: { skill } }),
        'proj/opencode.json': json({ permission: { skill: { [skillAt(2)]: 'deny', [skillAt(0)]: 'allow' } } }),
      }
    },
  },
  {
    agent: 'copilot',
    label: 'GitHub Copilot CLI',
    package: '@github/copilot',
    command: 'copilot',
    also: [],
    skills: '.copilot/skills',
    models: [undefined],
    list: 'elements',
    args: (_, prompt) => ['-p', prompt, '--allow-all-tools'],
    env: ({ address, model = 'gpt-4.1' }) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${address}/v1`,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '200000',
      COPILOT_MODEL: model,
    }),
    files: () => ({}),
    mcpFiles: (run) => ({
      '.copilot/mcp-config.json': json({ mcpServers: { loadout: { type: 'local', ...run.mcp, tools: ['*'] } } }),
    }),
    switchFiles: () => ({
      '.copilot/settings.json': commented({ disabledSkills: [skillAt(0)] }),
      '.copilot/config.json': commented({ disabledSkills: [skillAt(1)] }),
    }),
  },
  {
    agent: 'qwen-code',
    label: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    command: 'qwen',
    also: [],
    skills: '.qwen/skills',
    models: [undefined],
    list: 'elements',
    args: (_, prompt) => ['-p', prompt],
    env: ({ address, model = 'm1' }) => ({
      OPENAI_BASE_URL: `${address}/v1`,
      OPENAI_API_KEY: 'none',
      OPENAI_MODEL: model,
    }),
    files: () => ({ '.qwen/settings.json': json(qwenSettings) }),
    mcpFiles: (run) => ({ '.qwen/settings.json': json({ ...qwenSettings, mcpServers: { loadout: run.mcp } }) }),
  },
]

/** The program of a client that was installed into a folder. */
export function programOf({ command }: Client, folder: string): string {
  return join(folder, 'node_modules', '.bin', command)
}
