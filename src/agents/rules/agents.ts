import { LoadoutError } from '../../text/trouble.ts'
import { compareText, nearest } from '../../text/values.ts'
import { PLAIN_AGENTS } from './plain-agents.ts'

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
}

export type Scope = 'user' | 'project'

/** A folder that agents read skills from. Several agents may share it. */
export interface TargetRoot {
  path: string
  scope: Scope
  agents: readonly string[]
}

const SHARED = '.agents/skills'

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
  },
  {
    id: 'agents',
    aliases: ['shared', 'cline', 'dexto', 'fx', 'kimi-code-cli', 'loaf', 'pi', 'sarvam-code', 'warp', 'zed'],
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
  },
  { id: 'cursor', label: 'Cursor', userFolder: '.cursor/skills', projectFolder: SHARED },
  { id: 'droid', aliases: ['factory'], label: 'Droid', userFolder: '.factory/skills', projectFolder: SHARED },
  {
    id: 'gemini',
    aliases: ['gemini-cli'],
    label: 'Gemini CLI',
    userFolder: '.gemini/skills',
    projectFolder: SHARED,
  },
  { id: 'kiro', aliases: ['kiro-cli'], label: 'Kiro', userFolder: '.kiro/skills', projectFolder: '.kiro/skills' },
  {
    id: 'opencode',
    label: 'OpenCode',
    userFolder: '.config/opencode/skills',
    projectFolder: SHARED,
  },
  { id: 'qwen', aliases: ['qwen-code'], label: 'Qwen Code', userFolder: '.qwen/skills', projectFolder: '.qwen/skills' },
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
  throw new LoadoutError(
    'UNKNOWN_AGENT',
    `there is no agent "${id}"${close === undefined ? '' : `; did you mean ${close}?`}`,
    { hint: 'loadout agents lists them' },
  )
}
