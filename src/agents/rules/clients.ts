import type { Program } from './recorded-rules.ts'

/** Where a model of ours answers a client. */
export interface ModelPlace {
  address: string
  /** Undefined: the model that the client takes by itself. */
  model?: string
}

/** A client that runs one prompt and ends, and what makes it ask a model of ours. To add a client, add a row. */
export interface Client extends Program {
  /** An id of the agent table. */
  agent: string
  label: string
  /** How its list of skills looks in a request. */
  list: 'dashes' | 'elements'
  /** What it adds to each description. */
  addition?: RegExp
  args(prompt: string, place: ModelPlace): string[]
  env(place: ModelPlace): Record<string, string>
  /** Its settings for our model: a file below the home folder, and values that are merged into it. */
  settings?: { file: string; values(place: ModelPlace): Readonly<Record<string, unknown>> }
  /** More arguments until hooks run. */
  hookArgs?: readonly string[]
  /** Its log says how long its list may be, if it is longer. */
  log?: { args(file: string): string[]; budget: RegExp }
}

const gemini = { privacy: { usageStatisticsEnabled: false } }

/** As providers of OpenCode and its descendants are named. */
const opencode = ({ address, model = 'm1' }: ModelPlace) => ({
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

export const CLIENTS: readonly Client[] = [
  {
    agent: 'claude',
    label: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    command: 'claude',
    list: 'dashes',
    args: (prompt, { model }) => ['-p', prompt, ...(model === undefined ? [] : ['--model', model])],
    env: ({ address }) => ({
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      MCP_CONNECTION_NONBLOCKING: '0',
    }),
    log: { args: (file) => ['--debug-file', file], budget: /chars > (\d+) budget/ },
  },
  {
    agent: 'codex',
    label: 'Codex',
    package: '@openai/codex',
    command: 'codex',
    list: 'dashes',
    args: (prompt, { model }) => ['exec', ...(model === undefined ? [] : ['--model', model]), prompt],
    env: () => ({ OPENAI_API_KEY: 'none' }),
    settings: {
      file: '.codex/config.toml',
      values: ({ address }) => ({
        model_provider: 'script',
        model_providers: { script: { name: 'script', base_url: `${address}/v1`, wire_api: 'responses' } },
        analytics: { enabled: false },
      }),
    },
    hookArgs: ['--dangerously-bypass-hook-trust'],
  },
  {
    agent: 'gemini',
    label: 'Gemini CLI',
    package: '@google/gemini-cli',
    command: 'gemini',
    list: 'elements',
    args: (prompt) => ['-p', prompt],
    env: ({ address }) => ({
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: address,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    settings: {
      file: '.gemini/settings.json',
      values: () => ({ ...gemini, security: { auth: { selectedType: 'gemini-api-key' } } }),
    },
  },
  {
    agent: 'opencode',
    label: 'OpenCode',
    package: 'opencode-ai',
    command: 'opencode',
    list: 'elements',
    args: (prompt) => ['run', prompt],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    settings: { file: '.config/opencode/opencode.json', values: opencode },
  },
  {
    agent: 'copilot',
    label: 'GitHub Copilot CLI',
    package: '@github/copilot',
    command: 'copilot',
    list: 'elements',
    args: (prompt) => ['-p', prompt, '--allow-all-tools'],
    env: ({ address, model = 'gpt-4.1' }) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${address}/v1`,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '200000',
      COPILOT_MODEL: model,
    }),
  },
  {
    agent: 'qwen',
    label: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    command: 'qwen',
    list: 'elements',
    addition: / \((?:user|project|extension|bundled)\)$/,
    args: (prompt) => ['-p', prompt],
    env: ({ address, model = 'm1' }) => ({
      OPENAI_BASE_URL: `${address}/v1`,
      OPENAI_API_KEY: 'none',
      OPENAI_MODEL: model,
    }),
    settings: {
      file: '.qwen/settings.json',
      values: () => ({ ...gemini, security: { auth: { selectedType: 'openai' } } }),
    },
  },
]

export function clientOf(agent: string): Client | undefined {
  return CLIENTS.find((client) => client.agent === agent)
}
