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

/** How an agent puts an event to us, and how it wants the answer: data, so that a new agent is a new row. */
interface Envelope {
  /** The key of each field in the event. The first of several that is there counts; `roots[]` is the first of a list. */
  fields: Readonly<Partial<Record<keyof EnvelopeFields, string | readonly string[]>>>
  /** What the agent calls a `source`, and what Claude Code calls it. */
  sources?: Readonly<Record<string, string>>
  /** The tag in which the agent puts back into a prompt what hooks said. It escapes what would end it. */
  echoTag?: string
  /** The answer. `$event` stands for the agent's name of the event, `$context` for what is said. */
  reply: Json
  /** What an answer to a prompt holds before that. */
  promptReply?: Json
}

const COMMON = {
  named: 'hook_event_name',
  session: 'session_id',
  cwd: 'cwd',
  prompt: 'prompt',
  tool: 'tool_name',
  toolInput: 'tool_input',
} as const
const CLAUDE: Envelope = {
  fields: { ...COMMON, transcript: 'transcript_path', source: 'source' },
  reply: { hookSpecificOutput: { hookEventName: '$event', additionalContext: '$context' } },
}

const ENVELOPES: Readonly<Record<string, Envelope>> = {
  claude: CLAUDE,
  codex: CLAUDE,
  // Its transcript tells nothing: a session that goes on does not get back what hooks once said.
  gemini: { ...CLAUDE, fields: { ...COMMON, source: 'source' }, echoTag: 'hook_context' },
  copilot: {
    fields: {
      session: 'sessionId',
      cwd: 'cwd',
      source: 'source',
      prompt: 'prompt',
      tool: 'toolName',
      toolInput: 'toolArgs',
    },
    sources: { new: 'startup' },
    reply: { additionalContext: '$context' },
  },
  cursor: {
    fields: { ...COMMON, session: ['conversation_id', 'session_id'], cwd: ['workspace_roots[]', 'cwd'] },
    reply: { additional_context: '$context' },
    promptReply: { continue: true },
  },
  // Our own plugin writes Claude Code's envelope, and reads the shortest answer.
  opencode: { ...CLAUDE, reply: { additionalContext: '$context' } },
}

function envelopeOf({ agent }: HookHost): Envelope {
  return ENVELOPES[agent] ?? CLAUDE
}

export function readEnvelope(host: HookHost, json: Json): EnvelopeFields {
  const { fields, sources = {}, echoTag } = envelopeOf(host)
  const read = (name: keyof EnvelopeFields): unknown => {
    for (const key of [fields[name] ?? []].flat()) {
      const found = key.endsWith('[]') ? firstOf(json[key.slice(0, -2)]) : json[key]
      if (found !== undefined && found !== null) return found
    }
    return undefined
  }
  const [source, prompt, toolInput] = [read('source'), read('prompt'), read('toolInput')]
  return {
    named: read('named'),
    session: read('session'),
    cwd: read('cwd'),
    transcript: read('transcript'),
    source: typeof source === 'string' && Object.hasOwn(sources, source) ? sources[source] : source,
    prompt: typeof prompt === 'string' && echoTag !== undefined ? withoutEcho(prompt, echoTag) : prompt,
    tool: read('tool'),
    toolInput: typeof toolInput === 'string' ? parseJson(toolInput).value : toolInput,
  }
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined
}

function withoutEcho(prompt: string, tag: string): string {
  return prompt.replace(new RegExp(`<${tag}>[^<]*</${tag}>\\s*`, 'g'), '')
}

export function fillReply(host: HookHost, event: HookEvent, context: string): Json {
  const { reply, promptReply } = envelopeOf(host)
  const filled: Record<string, string> = { $event: host.events[event], $context: context }
  const fill = (json: Json): Json =>
    Object.fromEntries(
      Object.entries(json).map(([key, value]) => [
        key,
        isRecord(value) ? fill(value) : typeof value === 'string' ? (filled[value] ?? value) : value,
      ]),
    )
  return { ...(event === 'UserPromptSubmit' ? promptReply : {}), ...fill(reply) }
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
