import { LoadoutError } from '../shared/loadout-error.ts'

/** Moments at which an agent asks us. The names are the agents' own. */
export const HOOK_EVENTS = ['SessionStart', 'UserPromptSubmit', 'PostToolUse'] as const

export type HookEvent = (typeof HOOK_EVENTS)[number]

/** One agent that runs hooks: where they are configured, and how much it takes. Adding an agent is adding a row. */
export interface HookHost {
  /** An id of the agent table. */
  agent: string
  /** Where the user's hooks are, below the agent's own folder. */
  userFile: string
  /** Where a project's hooks are, below the project. */
  projectFile: string
  /** Tools whose use tells that an entry was read: for PostToolUse. */
  watchedTools: string
  /** The most that one reply may hold; above it the agent puts the text aside. A token is four of what it counts. */
  replyLimit: { tokens: number; characters: number; counts: 'characters' | 'bytes' }
  /** Whether it reads a file that begins with a byte order mark. */
  readsByteOrderMark: boolean
  /** The only keys it allows beside each other in the file; absent when it allows any. */
  onlyKeys?: readonly string[]
  /** What it takes until hooks that are installed also run. */
  untilTheyRun: string
  /** The version that this was read from. */
  readFrom: string
}

export const HOOK_HOSTS: readonly HookHost[] = [
  {
    agent: 'claude',
    userFile: 'settings.json',
    projectFile: '.claude/settings.json',
    watchedTools: 'Skill|Read',
    replyLimit: { tokens: 2_250, characters: 9_000, counts: 'characters' },
    readsByteOrderMark: true,
    untilTheyRun: 'Claude Code takes them up with its next session.',
    readFrom: 'Claude Code 2.1.197',
  },
  {
    agent: 'codex',
    userFile: 'hooks.json',
    projectFile: '.codex/hooks.json',
    watchedTools: 'Bash',
    replyLimit: { tokens: 2_200, characters: 8_800, counts: 'bytes' },
    readsByteOrderMark: false,
    onlyKeys: ['description', 'hooks'],
    untilTheyRun: 'Codex runs them once you trust them: start codex and choose to, or type /hooks in it.',
    readFrom: 'Codex 0.166.0',
  },
]

export function requireHost(agent: string): HookHost {
  const host = HOOK_HOSTS.find((each) => each.agent === agent)
  if (host !== undefined) return host
  throw new LoadoutError('UNKNOWN_AGENT', `there are no hooks for "${agent}"`, {
    hint: `agents with hooks: ${HOOK_HOSTS.map((each) => each.agent).join(', ')}; others: loadout mcp, loadout agents-md`,
  })
}
