import { failWith } from '../../text/trouble.ts'
import { nearest } from '../../text/values.ts'

/** One agent that reads skills, and its folders. To add an agent, add a row. */
export interface Agent {
  id: string
  /** Other names for it, or names of agents that read exactly the same folders. */
  aliases?: readonly string[]
  label: string
  /** Relative to the home folder, unless the variable in `home` moves it. Absent: it reads only folders of projects. */
  userFolder?: string
  /** Relative to the project. */
  projectFolder: string
  /** The agent's own folder, and the environment variable that moves it. */
  home?: { variable: string; folder: string }
  isEnabledByDefault?: true
  /** The agents whose folders in the home it reads too: a copy there serves it. */
  alsoReads?: readonly string[]
}

export type Scope = 'user' | 'project'

/** A folder that agents read skills from. Several agents may share it. */
export interface TargetRoot {
  path: string
  scope: Scope
  agents: readonly string[]
  /** Agents with a folder of their own that read this one too. */
  alsoReadBy?: readonly string[]
}

const SHARED = '.agents/skills'

/** What else is known of an agent beside its folders. */
type More = Omit<Agent, 'id' | 'label' | 'projectFolder' | 'userFolder'>
type Row = readonly [id: string, label: string, projectFolder: string, userFolder?: string | null, more?: More]

/**
 * First the agents that are enabled by default and the shared folder, then all others by id. Without a user's folder, it is
 * the same as the project's; null: the agent reads only projects.
 */
const ROWS: readonly Row[] = [
  [
    'claude',
    'Claude Code',
    '.claude/skills',
    undefined,
    { aliases: ['claude-code'], home: { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude' }, isEnabledByDefault: true },
  ],
  [
    'codex',
    'Codex',
    '.codex/skills',
    undefined,
    {
      aliases: ['codex-cli', 'openai-codex'],
      home: { variable: 'CODEX_HOME', folder: '.codex' },
      isEnabledByDefault: true,
      alsoReads: ['agents'],
    },
  ],
  [
    'agents',
    'shared folder',
    SHARED,
    undefined,
    { aliases: ['shared', 'dexto', 'fx', 'loaf', 'sarvam-code', 'warp', 'zed'] },
  ],
  ['adal', 'AdaL', '.adal/skills'],
  ['aider-desk', 'AiderDesk', '.aider-desk/skills'],
  ['amp', 'Amp', SHARED, '.config/agents/skills', { aliases: ['replit', 'universal'] }],
  ['antigravity', 'Antigravity', SHARED, '.gemini/antigravity/skills'],
  ['antigravity-cli', 'Antigravity CLI', SHARED, '.gemini/antigravity-cli/skills'],
  ['astrbot', 'AstrBot', 'data/skills', '.astrbot/data/skills'],
  ['augment', 'Augment', '.augment/skills'],
  ['autohand-code', 'Autohand Code CLI', '.autohand/skills'],
  ['bob', 'IBM Bob', '.bob/skills'],
  ['cline', 'Cline', SHARED, '.cline/skills', { alsoReads: ['agents'] }],
  ['codearts-agent', 'CodeArts Agent', '.codeartsdoer/skills'],
  ['codebuddy', 'CodeBuddy', '.codebuddy/skills'],
  ['codemaker', 'Codemaker', '.codemaker/skills'],
  ['codestudio', 'Code Studio', '.codestudio/skills'],
  ['command-code', 'Command Code', '.commandcode/skills'],
  ['continue', 'Continue', '.continue/skills'],
  ['copilot', 'GitHub Copilot', SHARED, '.copilot/skills', { aliases: ['github-copilot'], alsoReads: ['agents'] }],
  ['cortex', 'Cortex Code', '.cortex/skills', '.snowflake/cortex/skills'],
  ['crush', 'Crush', '.crush/skills', '.config/crush/skills'],
  ['cursor', 'Cursor', SHARED, '.cursor/skills'],
  ['deepagents', 'Deep Agents', SHARED, '.deepagents/agent/skills'],
  ['devin', 'Devin for Terminal', '.devin/skills', '.config/devin/skills'],
  ['droid', 'Droid', SHARED, '.factory/skills', { aliases: ['factory'], alsoReads: ['agents'] }],
  ['eve', 'Eve', 'agent/skills', null],
  ['firebender', 'Firebender', SHARED, '.firebender/skills'],
  ['forgecode', 'ForgeCode', '.forge/skills'],
  ['gemini', 'Gemini CLI', SHARED, '.gemini/skills', { aliases: ['gemini-cli'], alsoReads: ['agents'] }],
  ['goose', 'Goose', '.goose/skills', '.config/goose/skills'],
  ['grok', 'Grok Build', '.grok/skills', undefined, { alsoReads: ['claude', 'agents', 'cursor'] }],
  ['hermes-agent', 'Hermes Agent', '.hermes/skills'],
  ['iflow-cli', 'iFlow CLI', '.iflow/skills'],
  ['inference-sh', 'inference.sh', '.inferencesh/skills'],
  ['jazz', 'Jazz', '.jazz/skills'],
  ['junie', 'Junie', '.junie/skills'],
  ['kilo', 'Kilo Code', SHARED, '.kilo/skills', { alsoReads: ['claude', 'agents'] }],
  ['kimchi', 'Kimchi', '.kimchi/skills', '.config/kimchi/harness/skills'],
  [
    'kimi',
    'Kimi Code',
    SHARED,
    '.kimi-code/skills',
    {
      aliases: ['kimi-code', 'kimi-code-cli'],
      home: { variable: 'KIMI_CODE_HOME', folder: '.kimi-code' },
      alsoReads: ['agents'],
    },
  ],
  ['kiro', 'Kiro', '.kiro/skills', undefined, { aliases: ['kiro-cli'] }],
  ['kode', 'Kode', '.kode/skills'],
  ['lingma', 'Lingma', '.lingma/skills'],
  ['mcpjam', 'MCPJam', '.mcpjam/skills'],
  ['minimax-code', 'MiniMax Code', '.minimax/skills'],
  ['mistral-vibe', 'Mistral Vibe', '.vibe/skills'],
  ['moxby', 'Moxby', '.moxby/skills'],
  ['mux', 'Mux', '.mux/skills'],
  ['neovate', 'Neovate', '.neovate/skills'],
  ['ona', 'Ona', '.ona/skills'],
  ['openclaw', 'OpenClaw', 'skills', '.openclaw/skills'],
  ['opencode', 'OpenCode', SHARED, '.config/opencode/skills', { alsoReads: ['claude', 'agents'] }],
  ['openhands', 'OpenHands', '.openhands/skills'],
  [
    'pi',
    'Pi',
    SHARED,
    '.pi/agent/skills',
    { home: { variable: 'PI_CODING_AGENT_DIR', folder: '.pi/agent' }, alsoReads: ['agents'] },
  ],
  ['pochi', 'Pochi', '.pochi/skills'],
  ['posit-assistant', 'Posit Assistant', '.posit/assistant/skills'],
  ['promptscript', 'PromptScript', SHARED, null],
  ['qoder', 'Qoder', '.qoder/skills'],
  ['qoder-cn', 'Qoder CN', '.qoder/skills', '.qoder-cn/skills'],
  ['qwen', 'Qwen Code', '.qwen/skills', undefined, { aliases: ['qwen-code'], alsoReads: ['agents'] }],
  ['reasonix', 'Reasonix', '.reasonix/skills'],
  ['roo', 'Roo Code', '.roo/skills', undefined, { aliases: ['roo-code'] }],
  ['rovodev', 'Rovo Dev', '.rovodev/skills'],
  ['tabnine-cli', 'Tabnine CLI', '.tabnine/agent/skills'],
  ['terramind', 'Terramind', '.terramind/skills'],
  ['tinycloud', 'Tinycloud', '.tinycloud/skills'],
  ['trae', 'Trae', '.trae/skills'],
  ['trae-cn', 'Trae CN', '.trae/skills', '.trae-cn/skills'],
  ['windsurf', 'Windsurf', '.windsurf/skills', '.codeium/windsurf/skills'],
  ['zcode', 'ZCode', '.zcode/skills'],
  ['zencoder', 'Zencoder', '.zencoder/skills', undefined, { aliases: ['zenflow'] }],
]

export const AGENTS: readonly Agent[] = ROWS.map(([id, label, projectFolder, userFolder = projectFolder, more]) => ({
  id,
  label,
  projectFolder,
  userFolder: userFolder ?? undefined,
  ...more,
}))

export const AGENT_IDS: readonly string[] = AGENTS.map(({ id }) => id)

export function isAgent(id: string): boolean {
  return AGENT_IDS.includes(id)
}

const BY_NAME = new Map(AGENTS.flatMap((agent) => [agent.id, ...(agent.aliases ?? [])].map((name) => [name, agent])))

/** Finds an agent by its id or an alias. */
export function findAgent(name: string): Agent | undefined {
  return BY_NAME.get(name)
}

export function requireAgent(id: string): Agent {
  const agent = findAgent(id)
  if (agent !== undefined) return agent
  const close = nearest(id, [...BY_NAME.keys()])
  throw failWith('UNKNOWN_AGENT/meant', { id, close })
}
