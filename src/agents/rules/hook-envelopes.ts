import { parseJson } from '../../text/json.ts'
import { isRecord } from '../../text/values.ts'
import type { HookEvent, HookHost } from './hook-hosts.ts'

type Json = Readonly<Record<string, unknown>>

/** What one event says, whatever its agent calls the fields. */
export interface EnvelopeFields {
  /** The event as the agent names it; undefined where it does not say. */
  named: unknown
  session: unknown
  cwd: unknown
  transcript: unknown
  /** What made a session start, or where a prompt comes from. */
  source: unknown
  prompt: unknown
  tool: unknown
  toolInput: unknown
}

/** How an agent puts an event to us, and how it wants the answer. */
interface Envelope {
  read(json: Json): EnvelopeFields
  reply(event: HookEvent, name: string, context: string): Json
}

const CLAUDE: Envelope = {
  read: (json) => ({
    named: json.hook_event_name,
    session: json.session_id,
    cwd: json.cwd,
    transcript: json.transcript_path,
    source: json.source,
    prompt: json.prompt,
    tool: json.tool_name,
    toolInput: json.tool_input,
  }),
  reply: (_, name, context) => ({ hookSpecificOutput: { hookEventName: name, additionalContext: context } }),
}

/** What Gemini CLI puts around the texts of hooks. It escapes what would end it, so no tag is inside. */
const HOOK_CONTEXT = /<hook_context>[^<]*<\/hook_context>\s*/g

/**
 * As Claude Code, but a prompt may hold what hooks said at the start. The transcript tells nothing: a session that goes on
 * does not get back what hooks once said.
 */
const GEMINI: Envelope = {
  read: (json) => {
    const { prompt, ...fields } = CLAUDE.read(json)
    const said = typeof prompt === 'string' ? prompt.replace(HOOK_CONTEXT, '') : prompt
    return { ...fields, prompt: said, transcript: undefined }
  },
  reply: CLAUDE.reply,
}

const COPILOT: Envelope = {
  read: (json) => ({
    named: undefined,
    session: json.sessionId,
    cwd: json.cwd,
    transcript: undefined,
    source: json.source === 'new' ? 'startup' : json.source,
    prompt: json.prompt,
    tool: json.toolName,
    toolInput: typeof json.toolArgs === 'string' ? parseJson(json.toolArgs).value : json.toolArgs,
  }),
  reply: (_event, _name, context) => ({ additionalContext: context }),
}

const CURSOR: Envelope = {
  read: (json) => ({
    ...CLAUDE.read(json),
    session: json.conversation_id ?? json.session_id,
    cwd: Array.isArray(json.workspace_roots) ? (json.workspace_roots[0] ?? json.cwd) : json.cwd,
    source: undefined,
    transcript: undefined,
  }),
  reply: (event, _, context) => ({
    ...(event === 'UserPromptSubmit' ? { continue: true } : {}),
    additional_context: context,
  }),
}

/** Our own plugin writes Claude Code's envelope, and reads the shortest answer. */
const OPENCODE: Envelope = { read: CLAUDE.read, reply: COPILOT.reply }

const ENVELOPES: Readonly<Record<string, Envelope>> = {
  claude: CLAUDE,
  codex: CLAUDE,
  gemini: GEMINI,
  copilot: COPILOT,
  cursor: CURSOR,
  opencode: OPENCODE,
}

export function envelopeOf({ agent }: HookHost): Envelope {
  return ENVELOPES[agent] ?? CLAUDE
}

/**
 * Whether another agent runs a hook that was installed for Claude Code. Cursor and Copilot CLI read Claude Code's settings
 * as well, but pass over what such a hook answers; they have hooks of their own.
 */
export function isBorrowed(host: HookHost, json: Json, env: Readonly<Record<string, string | undefined>>): boolean {
  if (host.agent !== 'claude') return false
  return json.cursor_version !== undefined || (env.COPILOT_CLI !== undefined && json.transcript_path === undefined)
}

/** What a use of a tool tells about entries. */
export interface ToolUse {
  skill?: string
  file?: string
  command?: unknown
}

export function toolUseOf({ tools }: HookHost, { tool, toolInput }: EnvelopeFields): ToolUse {
  const known = typeof tool === 'string' && Object.hasOwn(tools, tool) ? tools[tool] : undefined
  if (known === undefined || !isRecord(toolInput)) return {}
  if ('command' in known) return { command: toolInput[known.command] }
  const [kind, key] = Object.entries(known)[0] as ['skill' | 'file', string]
  const named = toolInput[key]
  return typeof named === 'string' ? { [kind]: named } : {}
}
