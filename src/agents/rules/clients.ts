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
  list: 'dashes' | 'elements' | LinePattern
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
  /** Absent: Loadout does not know how to run it with its user's own model. */
  own?: OwnModel
}

/** A list of lines: where it begins, and one entry, with the name and the description as groups. */
export interface LinePattern {
  after: RegExp
  entry: RegExp
}

/** How a client asks the model that its user has, in a home folder of its own, and prints what the model does as lines of JSON. */
export interface OwnModel {
  args(prompt: string, model: string | undefined): string[]
  /** More arguments with which it may edit files of its working folder. */
  edits: readonly string[]
  /** More arguments with which its model may call the server of Loadout without a question. */
  serverArgs?: readonly string[]
  /** The tool with which its model opens a skill. Absent: it reads the file. */
  tool?: string
  /** What it needs to ask that model: files below its own folder, or below the home folder with `~/`; variables; keys of its settings. */
  login: { files: readonly string[]; variables: RegExp; settings: readonly string[] }
  /** Its settings in the new home folder, beside those keys: a file below the home folder, and values. */
  settings?: { file: string; values?: Readonly<Record<string, unknown>> }
  /** It prints no calls: they are read from the files that it keeps of the session, in this folder below the home folder. */
  sessions?: string
  env?: Readonly<Record<string, string>>
}

const named = (model: string | undefined) => (model === undefined ? [] : ['--model', model])

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
    args: (prompt, { model }) => ['-p', prompt, ...named(model)],
    env: ({ address }) => ({
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      MCP_CONNECTION_NONBLOCKING: '0',
    }),
    log: { args: (file) => ['--debug-file', file], budget: /chars > (\d+) budget/ },
    own: {
      args: (prompt, model) => ['-p', prompt, ...named(model), '--output-format', 'stream-json', '--verbose'],
      edits: ['--permission-mode', 'acceptEdits'],
      serverArgs: ['--allowedTools', 'mcp__loadout'],
      tool: 'Skill',
      login: {
        files: ['.credentials.json'],
        variables: /^(ANTHROPIC_|AWS_|CLAUDE_CODE_(USE_|OAUTH_|SKIP_)|CLOUD_ML_|GOOGLE_(APPLICATION|CLOUD)|VERTEX_)/,
        settings: ['model', 'env'],
      },
      settings: { file: '.claude/settings.json' },
      env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
    },
  },
  {
    agent: 'codex',
    label: 'Codex',
    package: '@openai/codex',
    command: 'codex',
    list: 'dashes',
    args: (prompt, { model }) => ['exec', '--skip-git-repo-check', ...named(model), prompt],
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
    own: {
      args: (prompt, model) => ['exec', '--json', '--skip-git-repo-check', ...named(model), prompt],
      edits: ['--sandbox', 'workspace-write'],
      login: {
        files: ['auth.json'],
        variables: /^(OPENAI_|CODEX_API_KEY|AZURE_OPENAI_)/,
        settings: ['model', 'model_provider', 'model_providers', 'model_reasoning_effort', 'forced_login_method'],
      },
      settings: { file: '.codex/config.toml', values: { analytics: { enabled: false } } },
    },
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
    own: {
      args: (prompt, model) => ['-p', prompt, ...named(model), '--output-format', 'stream-json'],
      edits: ['--approval-mode', 'auto_edit'],
      tool: 'activate_skill',
      login: {
        files: ['oauth_creds.json', 'google_accounts.json'],
        variables: /^(GEMINI_|GOOGLE_)/,
        settings: ['security.auth', 'model'],
      },
      // Without a person who can be asked, it offers the tool only when it is allowed.
      settings: { file: '.gemini/settings.json', values: { ...gemini, tools: { allowed: ['activate_skill'] } } },
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
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
    own: {
      args: (prompt, model) => ['run', '--format', 'json', ...named(model), prompt],
      edits: [],
      tool: 'skill',
      login: {
        files: ['~/.local/share/opencode/auth.json'],
        variables: /_(API_KEY|AUTH_TOKEN|BASE_URL)$|^AWS_/,
        settings: ['model', 'small_model', 'provider', 'enabled_providers', 'disabled_providers'],
      },
      settings: { file: '.config/opencode/opencode.json', values: { autoupdate: false, share: 'disabled' } },
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    },
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
    own: {
      args: (prompt, model) => ['-p', prompt, ...named(model), '--output-format', 'json'],
      edits: ['--allow-tool=write'],
      tool: 'skill',
      login: {
        files: [],
        variables: /^(COPILOT_|GH_TOKEN|GITHUB_TOKEN)/,
        settings: ['logged_in_users', 'last_logged_in_user', 'copilot_tokens', 'model'],
      },
      settings: { file: '.copilot/config.json' },
    },
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
    own: {
      args: (prompt, model) => ['-p', prompt, ...named(model), '--output-format', 'stream-json'],
      edits: ['--approval-mode', 'auto-edit'],
      tool: 'skill',
      login: {
        files: ['oauth_creds.json'],
        variables: /^(OPENAI_|QWEN_|DASHSCOPE_)/,
        settings: ['security.auth', 'model', 'modelProviders'],
      },
      settings: { file: '.qwen/settings.json', values: gemini },
    },
  },
  {
    agent: 'kilo',
    label: 'Kilo Code',
    package: '@kilocode/cli',
    command: 'kilo',
    list: 'elements',
    args: (prompt) => ['run', prompt],
    env: () => ({ KILO_DISABLE_AUTOUPDATE: '1', KILO_DISABLE_MODELS_FETCH: '1' }),
    settings: { file: '.config/kilo/kilo.json', values: opencode },
    own: {
      args: (prompt, model) => ['run', '--format', 'json', ...named(model), prompt],
      edits: [],
      tool: 'skill',
      login: {
        files: ['~/.local/share/kilo/auth.json'],
        variables: /_(API_KEY|AUTH_TOKEN|BASE_URL)$|^AWS_/,
        settings: ['model', 'small_model', 'provider', 'enabled_providers', 'disabled_providers'],
      },
      settings: { file: '.config/kilo/kilo.json', values: { autoupdate: false, share: 'disabled' } },
      env: { KILO_DISABLE_AUTOUPDATE: '1' },
    },
  },
  {
    agent: 'pi',
    label: 'Pi',
    package: '@earendil-works/pi-coding-agent',
    command: 'pi',
    list: 'elements',
    args: (prompt, { model = 'm1' }) => ['-p', '--provider', 'script', '--model', model, prompt],
    env: () => ({ PI_OFFLINE: '1' }),
    settings: {
      file: '.pi/agent/models.json',
      values: ({ address, model: id = 'm1' }) => ({
        providers: {
          script: { baseUrl: `${address}/v1`, api: 'openai-completions', apiKey: 'none', models: [{ id }] },
        },
      }),
    },
    own: {
      args: (prompt, model) => ['--mode', 'json', ...named(model), '-p', prompt],
      edits: [],
      login: {
        files: ['auth.json', 'models.json'],
        variables: /_(API_KEY|AUTH_TOKEN|OAUTH_TOKEN|BASE_URL)$|^AWS_|^PI_OFFLINE$/,
        settings: ['defaultProvider', 'defaultModel', 'defaultThinkingLevel'],
      },
      settings: { file: '.pi/agent/settings.json' },
    },
  },
  {
    agent: 'kimi',
    label: 'Kimi Code',
    package: '@moonshot-ai/kimi-code',
    command: 'kimi',
    list: {
      after: /Current available skills:\n/,
      entry: /^- ([^\s:]+(?::[^\s:]+)*): (.*)\n {2}Path: .*\n?/gm,
    },
    args: (prompt) => ['-p', prompt],
    env: () => ({}),
    settings: {
      file: '.kimi-code/config.toml',
      values: ({ address, model = 'm1' }) => ({
        default_model: model,
        telemetry: false,
        providers: { script: { type: 'openai', base_url: `${address}/v1`, api_key: 'none' } },
        models: { [model]: { provider: 'script', model, max_context_size: 200_000 } },
      }),
    },
    own: {
      args: (prompt, model) => ['-p', prompt, ...named(model), '--output-format', 'stream-json'],
      edits: [],
      tool: 'Skill',
      login: {
        files: ['credentials.json', 'credentials/kimi-code.json'],
        variables: /^(KIMI_|MOONSHOT_)/,
        settings: ['default_model', 'providers', 'models'],
      },
      settings: { file: '.kimi-code/config.toml', values: { telemetry: false } },
    },
  },
  {
    agent: 'droid',
    label: 'Droid',
    package: 'droid',
    command: 'droid',
    list: {
      after: /Available skills \(invoke by exact name[^\n]*\n/,
      entry: /^(?!<)([^\s:]+(?::[^\s:]+)*)(?:: (.*))?(?:\n|$)/gm,
    },
    args: (prompt, { model = 'm1' }) => ['exec', '-m', `custom:${model}`, prompt],
    env: () => ({ FACTORY_API_KEY: 'fk-none' }),
    settings: {
      file: '.factory/settings.json',
      values: ({ address, model = 'm1' }) => {
        const about = { displayName: model, provider: 'generic-chat-completion-api', maxOutputTokens: 8_000 }
        return {
          customModels: [{ ...about, model, id: `custom:${model}`, baseUrl: `${address}/v1`, apiKey: 'none' }],
        }
      },
    },
    own: {
      args: (prompt, model) => ['exec', '--output-format', 'stream-json', ...named(model), prompt],
      edits: ['--auto', 'low'],
      tool: 'Skill',
      login: {
        files: ['~/.factory/auth.json', '~/.factory/auth.v2.file', '~/.factory/auth.v2.key'],
        variables: /^FACTORY_/,
        settings: ['model', 'customModels', 'sessionDefaultSettings'],
      },
      settings: { file: '.factory/settings.json' },
    },
  },
  {
    agent: 'continue',
    label: 'Continue',
    package: '@continuedev/cli',
    command: 'cn',
    list: { after: /one of the available skills listed below:\n/, entry: /^name: (.*)\ndescription: (.*)\n*/gm },
    args: (prompt) => ['-p', prompt],
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
    settings: {
      // JSON is YAML too.
      file: '.continue/config.yaml',
      values: ({ address, model = 'm1' }) => {
        const about = { provider: 'openai', apiKey: 'none', roles: ['chat'], capabilities: ['tool_use'] }
        const models = [{ ...about, name: model, model, apiBase: `${address}/v1` }]
        return { name: 'script', version: '0.0.1', schema: 'v1', models }
      },
    },
    own: {
      args: (prompt, model) => ['-p', ...named(model), prompt],
      edits: ['--auto'],
      tool: 'Skills',
      login: {
        files: ['~/.continue/auth.json'],
        variables: /^CONTINUE_|_API_KEY$/,
        settings: ['name', 'version', 'schema', 'models'],
      },
      settings: { file: '.continue/config.yaml' },
      env: { CONTINUE_TELEMETRY_ENABLED: '0' },
      sessions: '.continue/sessions',
    },
  },
  {
    agent: 'cline',
    label: 'Cline',
    package: 'cline',
    command: 'cline',
    list: { after: /\. Available skills: /, entry: /([^\s,]+?)(?:, |\.$)/g },
    args: (prompt) => ['--auto-approve', 'true', prompt],
    env: () => ({}),
    settings: {
      file: '.cline/data/settings/providers.json',
      values: ({ address, model = 'm1' }) => {
        const settings = { provider: 'openai-compatible', apiKey: 'none', model, baseUrl: `${address}/v1` }
        const provider = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' }
        return { version: 1, lastUsedProvider: settings.provider, providers: { [settings.provider]: provider } }
      },
    },
    own: {
      args: (prompt, model) => ['--json', '--auto-approve', 'true', ...named(model), prompt],
      edits: [],
      tool: 'skills',
      login: {
        files: ['~/.cline/data/settings/providers.json'],
        variables: /^CLINE_|_(API_KEY|BASE_URL)$|^AWS_/,
        settings: [],
      },
    },
  },
  {
    agent: 'grok',
    label: 'Grok Build',
    package: '@xai-official/grok',
    command: 'grok',
    list: {
      after: /The following skills are available for use:\n\n/,
      entry: /^- ([^\s:]+(?::[^\s:]+)*): (.*)\n {2}Absolute path: .*\n?/gm,
    },
    args: (prompt) => ['--trust', '-p', prompt],
    env: ({ address }) => ({
      XAI_API_KEY: 'none',
      GROK_MODELS_BASE_URL: `${address}/v1`,
      GROK_CLI_CHAT_PROXY_BASE_URL: `${address}/v1`,
      GROK_TELEMETRY_ENABLED: '0',
      GROK_DISABLE_AUTOUPDATER: '1',
    }),
    own: {
      args: (prompt, model) => ['--trust', '--output-format', 'streaming-messages-json', ...named(model), '-p', prompt],
      edits: ['--permission-mode', 'acceptEdits'],
      login: {
        files: ['~/.grok/auth.json'],
        variables: /^(XAI_|GROK_)/,
        settings: ['model', 'models', 'providers'],
      },
      settings: { file: '.grok/config.toml' },
      env: { GROK_TELEMETRY_ENABLED: '0', GROK_DISABLE_AUTOUPDATER: '1' },
    },
  },
]

export function clientOf(agent: string): Client | undefined {
  return CLIENTS.find((client) => client.agent === agent)
}
