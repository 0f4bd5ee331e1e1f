import { failWith } from '../../text/trouble.ts'
import { compareText, nearest } from '../../text/values.ts'

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

/** An agent of which Loadout knows only the folders. */
type Row = readonly [id: string, label: string, projectFolder: string, userFolder?: string | null]

/** Sorted by id. Without a user's folder, it is the same as the project's; null: the agent reads only projects. */
const PLAIN_AGENTS: readonly Row[] = [
  ['adal', 'AdaL', '.adal/skills'],
  ['aider-desk', 'AiderDesk', '.aider-desk/skills'],
  ['antigravity', 'Antigravity', SHARED, '.gemini/antigravity/skills'],
  ['antigravity-cli', 'Antigravity CLI', SHARED, '.gemini/antigravity-cli/skills'],
  ['astrbot', 'AstrBot', 'data/skills', '.astrbot/data/skills'],
  ['augment', 'Augment', '.augment/skills'],
  ['autohand-code', 'Autohand Code CLI', '.autohand/skills'],
  ['bob', 'IBM Bob', '.bob/skills'],
  ['codearts-agent', 'CodeArts Agent', '.codeartsdoer/skills'],
  ['codebuddy', 'CodeBuddy', '.codebuddy/skills'],
  ['codemaker', 'Codemaker', '.codemaker/skills'],
  ['codestudio', 'Code Studio', '.codestudio/skills'],
  ['command-code', 'Command Code', '.commandcode/skills'],
  ['continue', 'Continue', '.continue/skills'],
  ['cortex', 'Cortex Code', '.cortex/skills', '.snowflake/cortex/skills'],
  ['crush', 'Crush', '.crush/skills', '.config/crush/skills'],
  ['deepagents', 'Deep Agents', SHARED, '.deepagents/agent/skills'],
  ['devin', 'Devin for Terminal', '.devin/skills', '.config/devin/skills'],
  ['eve', 'Eve', 'agent/skills', null],
  ['firebender', 'Firebender', SHARED, '.firebender/skills'],
  ['forgecode', 'ForgeCode', '.forge/skills'],
  ['goose', 'Goose', '.goose/skills', '.config/goose/skills'],
  ['hermes-agent', 'Hermes Agent', '.hermes/skills'],
  ['iflow-cli', 'iFlow CLI', '.iflow/skills'],
  ['inference-sh', 'inference.sh', '.inferencesh/skills'],
  ['jazz', 'Jazz', '.jazz/skills'],
  ['junie', 'Junie', '.junie/skills'],
  ['kimchi', 'Kimchi', '.kimchi/skills', '.config/kimchi/harness/skills'],
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
  ['openhands', 'OpenHands', '.openhands/skills'],
  ['pochi', 'Pochi', '.pochi/skills'],
  ['posit-assistant', 'Posit Assistant', '.posit/assistant/skills'],
  ['promptscript', 'PromptScript', SHARED, null],
  ['qoder', 'Qoder', '.qoder/skills'],
  ['qoder-cn', 'Qoder CN', '.qoder/skills', '.qoder-cn/skills'],
  ['reasonix', 'Reasonix', '.reasonix/skills'],
  ['rovodev', 'Rovo Dev', '.rovodev/skills'],
  ['tabnine-cli', 'Tabnine CLI', '.tabnine/agent/skills'],
  ['terramind', 'Terramind', '.terramind/skills'],
  ['tinycloud', 'Tinycloud', '.tinycloud/skills'],
  ['trae', 'Trae', '.trae/skills'],
  ['trae-cn', 'Trae CN', '.trae/skills', '.trae-cn/skills'],
  ['windsurf', 'Windsurf', '.windsurf/skills', '.codeium/windsurf/skills'],
  ['zcode', 'ZCode', '.zcode/skills'],
]

// Claude Code, Codex and the shared folder.
const FIRST = 3

const KNOWN: readonly Agent[] = [
  {
    id: 'claude',
    aliases: ['claude-code'],
    label: 'Claude Code',
    userFolder: '.claude/skills',
    projectFolder: '.claude/skills',
    home: { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude' },
    isEnabledByDefault: true,
  },
  {
    id: 'codex',
    aliases: ['codex-cli', 'openai-codex'],
    label: 'Codex',
    userFolder: '.codex/skills',
    projectFolder: '.codex/skills',
    home: { variable: 'CODEX_HOME', folder: '.codex' },
    isEnabledByDefault: true,
    alsoReads: ['agents'],
  },
  {
    id: 'agents',
    aliases: ['shared', 'dexto', 'fx', 'loaf', 'sarvam-code', 'warp', 'zed'],
    label: 'shared folder',
    userFolder: SHARED,
    projectFolder: SHARED,
  },
  {
    id: 'amp',
    aliases: ['replit', 'universal'],
    label: 'Amp',
    userFolder: '.config/agents/skills',
    projectFolder: SHARED,
  },
  {
    id: 'copilot',
    aliases: ['github-copilot'],
    label: 'GitHub Copilot',
    userFolder: '.copilot/skills',
    projectFolder: SHARED,
    alsoReads: ['agents'],
  },
  { id: 'cursor', label: 'Cursor', userFolder: '.cursor/skills', projectFolder: SHARED },
  {
    id: 'droid',
    aliases: ['factory'],
    label: 'Droid',
    userFolder: '.factory/skills',
    projectFolder: SHARED,
    alsoReads: ['agents'],
  },
  {
    id: 'gemini',
    aliases: ['gemini-cli'],
    label: 'Gemini CLI',
    userFolder: '.gemini/skills',
    projectFolder: SHARED,
    alsoReads: ['agents'],
  },
  { id: 'cline', label: 'Cline', userFolder: '.cline/skills', projectFolder: SHARED, alsoReads: ['agents'] },
  {
    id: 'grok',
    label: 'Grok Build',
    userFolder: '.grok/skills',
    projectFolder: '.grok/skills',
    alsoReads: ['claude', 'agents', 'cursor'],
  },
  {
    id: 'kilo',
    label: 'Kilo Code',
    userFolder: '.kilo/skills',
    projectFolder: SHARED,
    alsoReads: ['claude', 'agents'],
  },
  {
    id: 'kimi',
    aliases: ['kimi-code', 'kimi-code-cli'],
    label: 'Kimi Code',
    userFolder: '.kimi-code/skills',
    projectFolder: SHARED,
    home: { variable: 'KIMI_CODE_HOME', folder: '.kimi-code' },
    alsoReads: ['agents'],
  },
  {
    id: 'pi',
    label: 'Pi',
    userFolder: '.pi/agent/skills',
    projectFolder: SHARED,
    home: { variable: 'PI_CODING_AGENT_DIR', folder: '.pi/agent' },
    alsoReads: ['agents'],
  },
  { id: 'kiro', aliases: ['kiro-cli'], label: 'Kiro', userFolder: '.kiro/skills', projectFolder: '.kiro/skills' },
  {
    id: 'opencode',
    label: 'OpenCode',
    userFolder: '.config/opencode/skills',
    projectFolder: SHARED,
    alsoReads: ['claude', 'agents'],
  },
  {
    id: 'qwen',
    aliases: ['qwen-code'],
    label: 'Qwen Code',
    userFolder: '.qwen/skills',
    projectFolder: '.qwen/skills',
    alsoReads: ['agents'],
  },
  ...PLAIN_AGENTS.map(
    ([id, label, projectFolder, userFolder = projectFolder]): Agent =>
      userFolder === null ? { id, label, projectFolder } : { id, label, projectFolder, userFolder },
  ),
  {
    id: 'zencoder',
    aliases: ['zenflow'],
    label: 'Zencoder',
    userFolder: '.zencoder/skills',
    projectFolder: '.zencoder/skills',
  },
  { id: 'roo', aliases: ['roo-code'], label: 'Roo Code', userFolder: '.roo/skills', projectFolder: '.roo/skills' },
]

/** First the agents that are enabled by default, then the shared folder, then all others by id. */
export const AGENTS: readonly Agent[] = [
  ...KNOWN.slice(0, FIRST),
  ...KNOWN.slice(FIRST).sort((a, b) => compareText(a.id, b.id)),
]

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
