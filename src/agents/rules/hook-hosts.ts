import { jsonErrorPlace, parseJson } from '../../text/json.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { getDeep, sha256 } from '../../text/values.ts'
import { formatCommand, type ProgramCall, pathsIn } from './hook-settings/hook-command.ts'
import type { FoundHook, WantedHook } from './hook-settings/hook-settings.ts'
import { lineAndColumn, type SettingsTree } from './hook-settings/settings-layout.ts'

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

/** Seconds after which an agent goes on without us. An answer takes a fraction of one. */
const TIMEOUT = 10

export function wantedHooks({ agent, watchedTools }: HookHost, call: ProgramCall): WantedHook[] {
  return HOOK_EVENTS.map((event) => ({
    event,
    ...(event === 'PostToolUse' ? { matcher: watchedTools } : {}),
    command: (options) => formatCommand(call, agent, event, options),
    timeout: TIMEOUT,
  }))
}

/** Whether a hook is written as it would be today, whichever copy of the program it calls. */
export function isCurrent(hook: FoundHook, host: HookHost): boolean {
  const call = pathsIn(hook.command)
  const calls: ProgramCall[] = call === undefined ? ['named', 'named-if-there'] : [call]
  return calls.some((each) => {
    const want = wantedHooks(host, each).find(({ event }) => event === hook.event)
    const hasMatcher = want?.matcher === undefined || want.matcher === hook.matcher
    return want !== undefined && hasMatcher && want.command(hook.options) === hook.command
  })
}

/** Why an agent would pass over a whole file that we can read: agents are stricter about JSON than editors are. */
export function hostRefusal(
  text: string,
  tree: SettingsTree,
  { readsByteOrderMark, onlyKeys }: HookHost,
): string | undefined {
  const body = text.replace(/^\ufeff/, '')
  if (body !== text && !readsByteOrderMark) return 'it begins with a byte order mark'
  if (parseJson(body).problem !== undefined) {
    return `comments and trailing commas are not allowed in it: see ${jsonErrorPlace(body)}`
  }
  const keys = tree.root.kind === 'object' ? tree.root.items : []
  const unknown = keys.find(({ key }) => onlyKeys !== undefined && !onlyKeys.includes(key ?? ''))
  return unknown === undefined
    ? undefined
    : `"${unknown.key}" is not allowed in it: see ${lineAndColumn(body, unknown.start)}`
}

/** Seconds that Codex takes for a hook without a timeout. */
const DEFAULT_TIMEOUT = 600

/** Whether Codex will run a hook: its user trusts each one by its content, under its place in the file. */
export function codexRuns(config: unknown, paths: readonly string[], hook: FoundHook): 'yes' | 'untrusted' | 'off' {
  const event = snakeCase(hook.event)
  for (const path of paths) {
    const state = ['hooks', 'state', `${path}:${event}:${hook.group}:${hook.handler}`]
    if (getDeep(config, ...state, 'enabled') === false) return 'off'
    const trusted = getDeep(config, ...state, 'trusted_hash')
    // Of a hook with more in it than we write we know only that it was looked at.
    if (trusted !== undefined && (!hook.isPlain || trusted === trustHash(hook))) return 'yes'
  }
  return 'untrusted'
}

/** As Codex 0.166.0 makes it: over the hook in one fixed spelling. */
export function trustHash({ event, command, timeout, matcher }: FoundHook): string {
  const handler = { async: false, command, timeout: timeout ?? DEFAULT_TIMEOUT, type: 'command' }
  const hasMatcher = matcher !== undefined && event !== 'UserPromptSubmit'
  const hook = { event_name: snakeCase(event), hooks: [handler], ...(hasMatcher ? { matcher } : {}) }
  return `sha256:${sha256(JSON.stringify(hook))}`
}

function snakeCase(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
