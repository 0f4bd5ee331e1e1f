import { jsonErrorPlace, parseJson } from '../../text/json.ts'
import { type Finding, failWith, report } from '../../text/trouble.ts'
import { getDeep, sha256 } from '../../text/values.ts'
import { formatCommand, type ProgramCall, pathsIn, type Shell } from './hook-settings/hook-command.ts'
import { type FoundHook, newEntry, type WantedHook } from './hook-settings/hook-settings.ts'
import { applyEdits, lineAndColumn, type SettingsTree } from './hook-settings/settings-layout.ts'
import type { McpPlace } from './mcp-server.ts'

/** The events at which agents call Loadout, by their names in Claude Code. Each row has the agent's own names. */
export const HOOK_EVENTS = ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PreToolUse', 'SubagentStart'] as const

export type HookEvent = (typeof HOOK_EVENTS)[number]

type Json = Readonly<Record<string, unknown>>

/** The fields of an event, independent of the agent's names for them. */
export interface EnvelopeFields {
  /** The agent's name of the event; undefined if it does not send one. */
  named: unknown
  session: unknown
  cwd: unknown
  model: unknown
  transcript: unknown
  /** Why a session started, or where a prompt comes from. */
  source: unknown
  prompt: unknown
  tool: unknown
  toolInput: unknown
  toolCall: unknown
  /** Of a subagent: its id, and its parent's where the session is its own. */
  agent: unknown
  parent: unknown
}

/** The format of an agent's events and answers. */
interface Envelope {
  /** The key of each field in the event. Of several keys, the first that exists; `roots[]` is the first of a list. */
  fields: Readonly<Partial<Record<keyof EnvelopeFields, string | readonly string[]>>>
  /** The agent's values of `source`, and the values of Claude Code for them. */
  sources?: Readonly<Record<string, string>>
  /** The tag in which the agent repeats answers of hooks in a prompt. The agent escapes this tag in the answers. */
  echoTag?: string
  /** The answer. `$event` stands for the agent's name of the event, `$context` for the text. */
  reply: Json
  /** Where the answer to `PreToolUse` has a changed input, if not in `updatedInput`. */
  inputKey?: string
  /** Fields that an answer to a prompt has before that. */
  promptReply?: Json
}

/** One agent in whose settings Loadout names itself. */
export interface SettingsHost {
  /** An id of the agent table. */
  agent: string
  /** The agent's own folder in the home folder, and the variable that moves it, unless the agent table has them. */
  home?: { folder: string; variable?: string }
  /** Where it names the MCP servers of its user; absent if it has none. */
  mcp?: McpPlace
}

/** One agent that runs hooks: where they are configured, what it sends and reads, and its limits. To add an agent, add a row. */
export interface HookHost extends SettingsHost {
  /** The file with the user's hooks, relative to the agent's own folder. */
  userFile: string
  /** The file with a project's hooks, relative to the project; absent if it reads none there. */
  projectFile?: string
  /** The format of the file: groups of hooks for an event, a list of hooks for an event, tables of TOML, or our own plugin. */
  layout: 'groups' | 'list' | 'tables' | 'plugin'
  /** The content of a file without hooks. */
  emptyFile: string
  /** The keys of a hook's commands, with the shell of each. */
  commands: Readonly<Record<string, Shell>>
  /** Fields of a hook before and after its commands. */
  before?: Json
  after?: Json
  /** The agent's names of the events that it has and Loadout answers. Without a start, the first prompt is one too. */
  events: Readonly<Record<'UserPromptSubmit' | 'PostToolUse', string> & Partial<Record<HookEvent, string>>>
  envelope: Envelope
  /** How a task reaches a subagent; absent if its prompt is an event of its own, or nothing reaches it. */
  subagents?: Subagents
  /** Tools whose use means that an entry was read, and the key of their input that names it. */
  tools: Readonly<Record<string, { skill: string } | { file: string } | { command: string }>>
  /** Whether it keeps answers of hooks when a session continues, without a transcript that Loadout could read. */
  keepsContext?: true
  /** The maximum size of a reply; the agent does not show a longer one to the model. A token counts as four units. */
  replyLimit: { tokens: number; characters: number; counts: 'characters' | 'bytes' }
  /** Whether it reads a file with a byte order mark, or with comments. */
  readsByteOrderMark: boolean
  readsComments?: true
  /** Whether it does not start if it cannot read the file. Other agents ignore the file. */
  stopsAtBadFile?: true
  /** The only top-level keys that it allows; absent if it allows any. */
  onlyKeys?: readonly string[]
  /** It ignores a file without this key. */
  neededKey?: string
  /** What must happen before installed hooks run. */
  untilTheyRun: string
  /** The version or document that this row was taken from. */
  readFrom: string
}

/** Recorded with the real programs: no form may answer the question whether the subagent may start. */
interface Subagents {
  /** The tools that start one, and the key of their input that has its task. */
  tools: Readonly<Record<string, string>>
  /**
   * `input`: the agent takes a changed task from the answer to `PreToolUse`. `start`: it would take one only together with
   * a permission, so the task is noted there, and `SubagentStart` gives what it needs.
   */
  by: 'input' | 'start'
  /** The input of one that continues the conversation of its parent: a key with this value, or without that one. */
  forked?: { key: string; is: string } | { key: string; not: string }
}

/** Seconds after which an agent continues without an answer. An answer takes a fraction of a second. */
const TIMEOUT = 10

const SAME_NAMES = { SessionStart: 'SessionStart', UserPromptSubmit: 'UserPromptSubmit', PostToolUse: 'PostToolUse' }
const WITH_SUBAGENTS = { ...SAME_NAMES, PreToolUse: 'PreToolUse', SubagentStart: 'SubagentStart' }
const GROUPS = {
  layout: 'groups',
  emptyFile: '{}\n',
  commands: { command: 'sh' },
  before: { type: 'command' },
} as const
const PLAIN_SERVER: McpPlace['entry'] = (command, args) => ({ command, args })
const STDIO_SERVER: McpPlace['entry'] = (command, args) => ({ type: 'stdio', command, args })
const LOCAL_SERVER: McpPlace['entry'] = (command, args) => ({
  type: 'local',
  command: [command, ...args],
  enabled: true,
})
const VERSIONED = '{\n  "version": 1\n}\n'
/** The limit of Claude Code, also for agents without a limit. */
const USUAL_LIMIT = { tokens: 2_250, characters: 9_000, counts: 'characters' } as const

const COMMON = {
  named: 'hook_event_name',
  session: 'session_id',
  cwd: 'cwd',
  model: 'model',
  source: 'source',
  prompt: 'prompt',
  tool: 'tool_name',
  toolInput: 'tool_input',
  toolCall: 'tool_use_id',
  agent: 'agent_id',
} as const
const CLAUDE: Envelope = {
  fields: { ...COMMON, transcript: 'transcript_path' },
  reply: { hookSpecificOutput: { hookEventName: '$event', additionalContext: '$context' } },
}
/** A plugin of ours: it writes the format of Claude Code, and reads the shortest answer. */
const PLUGIN = {
  layout: 'plugin',
  emptyFile: '',
  commands: { command: 'sh' },
  events: SAME_NAMES,
  envelope: { ...CLAUDE, reply: { additionalContext: '$context' } },
  keepsContext: true,
  replyLimit: USUAL_LIMIT,
  readsByteOrderMark: true,
} as const
const OPENCODE_TOOLS = { skill: { skill: 'name' }, read: { file: 'filePath' }, bash: { command: 'command' } }

export const HOOK_HOSTS: readonly HookHost[] = [
  {
    agent: 'claude',
    userFile: 'settings.json',
    projectFile: '.claude/settings.json',
    ...GROUPS,
    after: { timeout: TIMEOUT },
    events: WITH_SUBAGENTS,
    envelope: CLAUDE,
    subagents: {
      tools: { Agent: 'prompt', Task: 'prompt' },
      by: 'input',
      forked: { key: 'subagent_type', is: 'fork' },
    },
    tools: { Skill: { skill: 'skill' }, Read: { file: 'file_path' } },
    replyLimit: USUAL_LIMIT,
    readsByteOrderMark: true,
    mcp: {
      file: '.claude.json',
      isBeside: true,
      key: 'mcpServers',
      entry: (command, args) => ({ type: 'stdio', command, args, env: {} }),
    },
    untilTheyRun: 'Claude Code takes them up with its next session.',
    readFrom: 'Claude Code 2.1.327',
  },
  {
    agent: 'codex',
    userFile: 'hooks.json',
    projectFile: '.codex/hooks.json',
    ...GROUPS,
    after: { timeout: TIMEOUT },
    events: WITH_SUBAGENTS,
    envelope: CLAUDE,
    subagents: {
      tools: { spawn_agent: 'message', collaborationspawn_agent: 'message' },
      by: 'start',
      forked: { key: 'fork_turns', not: 'none' },
    },
    tools: { Bash: { command: 'command' } },
    replyLimit: { tokens: 2_200, characters: 8_800, counts: 'bytes' },
    readsByteOrderMark: false,
    onlyKeys: ['description', 'hooks'],
    mcp: { file: 'config.toml', key: 'mcp_servers', entry: PLAIN_SERVER },
    untilTheyRun: 'Codex runs them once you trust them: start codex and choose to, or type /hooks in it.',
    readFrom: 'Codex 0.169.0',
  },
  {
    agent: 'gemini',
    home: { folder: '.gemini' },
    userFile: 'settings.json',
    projectFile: '.gemini/settings.json',
    ...GROUPS,
    // In milliseconds.
    after: { timeout: TIMEOUT * 1000 },
    events: {
      SessionStart: 'SessionStart',
      UserPromptSubmit: 'BeforeAgent',
      PostToolUse: 'AfterTool',
      PreToolUse: 'BeforeTool',
    },
    // Its transcript is of no use: a resumed session does not contain earlier answers of hooks.
    envelope: { ...CLAUDE, fields: COMMON, echoTag: 'hook_context', inputKey: 'tool_input' },
    subagents: { tools: { invoke_agent: 'prompt' }, by: 'input' },
    tools: {
      activate_skill: { skill: 'name' },
      read_file: { file: 'file_path' },
      run_shell_command: { command: 'command' },
    },
    replyLimit: USUAL_LIMIT,
    readsByteOrderMark: false,
    readsComments: true,
    stopsAtBadFile: true,
    mcp: { file: 'settings.json', key: 'mcpServers', entry: PLAIN_SERVER },
    untilTheyRun: 'Gemini CLI takes them up with its next session, in folders that you trust.',
    readFrom: 'Gemini CLI 0.61.0',
  },
  {
    agent: 'copilot',
    home: { folder: '.copilot', variable: 'COPILOT_HOME' },
    userFile: 'hooks/loadout.json',
    projectFile: '.github/hooks/loadout.json',
    layout: 'list',
    emptyFile: VERSIONED,
    commands: { bash: 'sh', powershell: 'powershell' },
    before: { type: 'command' },
    after: { timeoutSec: TIMEOUT },
    events: {
      SessionStart: 'sessionStart',
      UserPromptSubmit: 'userPromptSubmitted',
      PostToolUse: 'postToolUse',
      SubagentStart: 'subagentStart',
    },
    envelope: {
      fields: {
        session: 'sessionId',
        cwd: 'cwd',
        source: 'source',
        prompt: 'prompt',
        tool: 'toolName',
        toolInput: 'toolArgs',
        agent: 'agentId',
        parent: 'parentAgentId',
      },
      sources: { new: 'startup' },
      reply: { additionalContext: '$context' },
    },
    tools: { skill: { skill: 'skill' }, view: { file: 'path' }, bash: { command: 'command' } },
    keepsContext: true,
    replyLimit: USUAL_LIMIT,
    readsByteOrderMark: false,
    mcp: {
      file: 'mcp-config.json',
      key: 'mcpServers',
      entry: (command, args) => ({ type: 'local', command, args, tools: ['*'] }),
    },
    untilTheyRun: 'Copilot CLI takes them up with its next session; those of a project where you trust its folder.',
    readFrom: 'Copilot CLI 1.0.102',
  },
  {
    agent: 'cursor',
    home: { folder: '.cursor' },
    userFile: 'hooks.json',
    projectFile: '.cursor/hooks.json',
    layout: 'list',
    emptyFile: VERSIONED,
    commands: { command: 'sh' },
    events: { SessionStart: 'sessionStart', UserPromptSubmit: 'beforeSubmitPrompt', PostToolUse: 'postToolUse' },
    envelope: {
      fields: { ...COMMON, session: ['conversation_id', 'session_id'], cwd: ['workspace_roots[]', 'cwd'], source: [] },
      reply: { additional_context: '$context' },
      promptReply: { continue: true },
    },
    tools: { Read: { file: 'file_path' }, Shell: { command: 'command' } },
    keepsContext: true,
    replyLimit: USUAL_LIMIT,
    readsByteOrderMark: false,
    neededKey: 'version',
    mcp: { file: 'mcp.json', key: 'mcpServers', entry: PLAIN_SERVER },
    untilTheyRun: 'Cursor takes them up with the next chat.',
    readFrom: 'the documentation of Cursor 3.20',
  },
  {
    agent: 'qwen',
    home: { folder: '.qwen' },
    userFile: 'settings.json',
    projectFile: '.qwen/settings.json',
    ...GROUPS,
    // In milliseconds.
    after: { timeout: TIMEOUT * 1000 },
    // Its subagents take neither a changed task nor the answer to a start: only a prompt of the user's own, that names it.
    events: SAME_NAMES,
    envelope: CLAUDE,
    tools: { skill: { skill: 'skill' }, read_file: { file: 'file_path' }, run_shell_command: { command: 'command' } },
    replyLimit: USUAL_LIMIT,
    readsByteOrderMark: false,
    readsComments: true,
    mcp: { file: 'settings.json', key: 'mcpServers', entry: PLAIN_SERVER },
    untilTheyRun: 'Qwen Code takes them up with its next session.',
    readFrom: 'Qwen Code 0.24.4',
  },
  {
    agent: 'opencode',
    home: { folder: '.config/opencode', variable: 'OPENCODE_CONFIG_DIR' },
    userFile: 'plugin/loadout.js',
    projectFile: '.opencode/plugin/loadout.js',
    ...PLUGIN,
    tools: OPENCODE_TOOLS,
    mcp: { file: 'opencode.json', key: 'mcp', entry: LOCAL_SERVER },
    untilTheyRun: 'OpenCode loads the plugin when it starts.',
    readFrom: 'OpenCode 1.18.33',
  },
  {
    agent: 'kilo',
    home: { folder: '.config/kilo', variable: 'KILO_CONFIG_DIR' },
    userFile: 'plugin/loadout.js',
    projectFile: '.kilo/plugin/loadout.js',
    ...PLUGIN,
    tools: OPENCODE_TOOLS,
    mcp: { file: 'kilo.json', key: 'mcp', entry: LOCAL_SERVER },
    untilTheyRun: 'Kilo Code loads the plugin when it starts.',
    readFrom: 'Kilo Code 7.7.7',
  },
  {
    agent: 'pi',
    userFile: 'extensions/loadout.js',
    projectFile: '.pi/extensions/loadout.js',
    ...PLUGIN,
    tools: { read: { file: 'path' }, bash: { command: 'command' } },
    untilTheyRun: 'Pi loads the extension when it starts.',
    readFrom: 'Pi 0.74.2',
  },
  {
    agent: 'kimi',
    userFile: 'config.toml',
    layout: 'tables',
    emptyFile: '',
    commands: { command: 'sh' },
    after: { timeout: TIMEOUT },
    // It drops the answers to a start, of itself or of a subagent.
    events: { UserPromptSubmit: 'UserPromptSubmit', PostToolUse: 'PostToolUse' },
    envelope: { fields: COMMON, reply: { message: '$context' } },
    tools: { Skill: { skill: 'skill' }, Read: { file: 'path' }, Bash: { command: 'command' } },
    keepsContext: true,
    replyLimit: USUAL_LIMIT,
    readsByteOrderMark: false,
    mcp: { file: 'mcp.json', key: 'mcpServers', entry: PLAIN_SERVER },
    untilTheyRun: 'Kimi Code takes them up with its next session.',
    readFrom: 'Kimi Code 2.1.0',
  },
  {
    agent: 'droid',
    home: { folder: '.factory' },
    userFile: 'settings.json',
    projectFile: '.factory/settings.json',
    ...GROUPS,
    after: { timeout: TIMEOUT },
    // In sessions with a person or an editor; "droid exec" asks at its start only.
    events: SAME_NAMES,
    envelope: CLAUDE,
    tools: { Skill: { skill: 'skill' }, Read: { file: 'file_path' }, Execute: { command: 'command' } },
    keepsContext: true,
    replyLimit: USUAL_LIMIT,
    readsByteOrderMark: false,
    mcp: { file: 'mcp.json', key: 'mcpServers', entry: STDIO_SERVER },
    untilTheyRun: 'Droid takes them up with its next session.',
    readFrom: 'Droid 0.215.0',
  },
]

/** All agents in whose settings Loadout names itself: those with hooks, and those that take only an MCP server. */
export const SETTINGS_HOSTS: readonly SettingsHost[] = [
  ...HOOK_HOSTS,
  {
    agent: 'cline',
    home: { folder: '.cline' },
    mcp: { file: 'data/settings/cline_mcp_settings.json', key: 'mcpServers', entry: PLAIN_SERVER },
  },
  { agent: 'grok', home: { folder: '.grok' }, mcp: { file: 'config.toml', key: 'mcp_servers', entry: PLAIN_SERVER } },
]

/** The agent's tool that opens a skill; undefined if its model reads the file. */
export function skillTool({ tools }: HookHost): string | undefined {
  return Object.keys(tools).find((tool) => 'skill' in tools[tool]!)
}

export function requireHost(agent: string): HookHost {
  const host = HOOK_HOSTS.find((each) => each.agent === agent)
  if (host !== undefined) return host
  throw failWith('UNKNOWN_AGENT/hooks', { agent, hookHosts: HOOK_HOSTS.map((each) => each.agent).join(', ') })
}

export function wantedHooks(host: HookHost, call: ProgramCall): WantedHook[] {
  const matched: Partial<Record<HookEvent, object>> = { PostToolUse: host.tools, PreToolUse: host.subagents?.tools }
  return HOOK_EVENTS.flatMap((event) => {
    const name = host.events[event]
    if (name === undefined) return []
    const tools = matched[event]
    return {
      event: name,
      matcher: tools && Object.keys(tools).join('|'),
      command: (shell, options) => formatCommand(call, shell, host.agent, name, options),
      before: host.before ?? {},
      after: host.after ?? {},
    }
  })
}

/** A complete file of hooks. They do nothing on a machine without Loadout. */
export function hooksFile(host: HookHost): string {
  const hooks = wantedHooks(host, 'named-if-there').map((want) => [want.event, [newEntry(host, want)]])
  const empty = parseJson(host.emptyFile).value as object
  return `${JSON.stringify({ ...empty, hooks: Object.fromEntries(hooks) }, null, 2)}\n`
}

/** Whether a hook has the current form, whichever copy of the program it calls. */
export function isCurrent(hook: FoundHook, host: HookHost): boolean {
  const call = Object.values(hook.commands).map(pathsIn)[0]
  const calls: ProgramCall[] = call === undefined ? ['named', 'named-if-there'] : [call]
  return calls.some((each) => {
    const want = wantedHooks(host, each).find(({ event }) => event === hook.event)
    const hasMatcher = want?.matcher === undefined || want.matcher === hook.matcher
    if (want === undefined || !hasMatcher) return false
    return Object.entries(host.commands).every(
      ([key, shell]) => hook.commands[key] === want.command(shell, hook.options),
    )
  })
}

/** Why an agent cannot read a file that Loadout can read: agents are stricter about JSON. */
export function hostRefusal(
  text: string,
  tree: SettingsTree,
  { readsByteOrderMark, readsComments, onlyKeys, neededKey }: HookHost,
): string | undefined {
  const body = text.replace(/^\ufeff/, '')
  if (body !== text && !readsByteOrderMark) return 'it begins with a byte order mark'
  const json = readsComments === true ? withoutComments(body, tree) : body
  if (parseJson(json).problem !== undefined) {
    const what = readsComments === true ? 'trailing commas' : 'comments and trailing commas'
    return `${what} are not allowed in it: see ${jsonErrorPlace(json)}`
  }
  const keys = tree.root.kind === 'object' ? tree.root.items : []
  if (neededKey !== undefined && !keys.some(({ key }) => key === neededKey)) return `it lacks "${neededKey}": 1`
  const unknown = keys.find(({ key }) => onlyKeys !== undefined && !onlyKeys.includes(key ?? ''))
  return unknown === undefined
    ? undefined
    : `"${unknown.key}" is not allowed in it: see ${lineAndColumn(body, unknown.start)}`
}

/** Replaces comments by blanks, so that all offsets stay. */
function withoutComments(body: string, { comments }: SettingsTree): string {
  const edits = comments.map(({ start, end }) => ({
    start,
    end,
    text: body.slice(start, end).replace(/[^\r\n]/g, ' '),
  }))
  return applyEdits(body, edits)
}

/** Why the agent will not run the hooks of a settings file. */
export function refusalFinding({ stopsAtBadFile }: HookHost, label: string, path: string, refusal: string): Finding {
  const row = stopsAtBadFile === true ? 'HOOKS_OFF/stops' : 'HOOKS_OFF/ignores'
  return report(row, { label, path, refusal }, { subject: path })
}

/** The default timeout of Codex, in seconds. */
const DEFAULT_TIMEOUT = 600

/** Whether Codex runs a hook: its user trusts each hook by its content and its position in the file. */
export function codexRuns(config: unknown, paths: readonly string[], hook: FoundHook): 'yes' | 'untrusted' | 'off' {
  const event = snakeCase(hook.event)
  for (const path of paths) {
    const state = ['hooks', 'state', `${path}:${event}:${hook.group}:${hook.handler}`]
    if (getDeep(config, ...state, 'enabled') === false) return 'off'
    const trusted = getDeep(config, ...state, 'trusted_hash')
    // For a hook with other fields than ours, Loadout only knows that the user trusted some version of it.
    if (trusted !== undefined && (!hook.isPlain || trusted === trustHash(hook))) return 'yes'
  }
  return 'untrusted'
}

/** The hash of a hook in a canonical form, as Codex 0.166.0 computes it. */
export function trustHash({ event, commands, timeout, matcher }: FoundHook): string {
  const handler = { async: false, command: commands.command, timeout: timeout ?? DEFAULT_TIMEOUT, type: 'command' }
  const matched = event === 'UserPromptSubmit' ? undefined : matcher
  const hook = { event_name: snakeCase(event), hooks: [handler], matcher: matched }
  return `sha256:${sha256(JSON.stringify(hook))}`
}

function snakeCase(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
