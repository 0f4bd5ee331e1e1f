import { parseJson } from '../../text/json.ts'
import { isRecord } from '../../text/values.ts'
import type { HookEvent, HookHost } from './hook-hosts.ts'

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
}

/** The format of an agent's events and answers, as data: a new agent is a new row. */
interface Envelope {
  /** The key of each field in the event. Of several keys, the first that exists; `roots[]` is the first of a list. */
  fields: Readonly<Partial<Record<keyof EnvelopeFields, string | readonly string[]>>>
  /** The agent's values of `source`, and the values of Claude Code for them. */
  sources?: Readonly<Record<string, string>>
  /** The tag in which the agent repeats answers of hooks in a prompt. The agent escapes this tag in the answers. */
  echoTag?: string
  /** The answer. `$event` stands for the agent's name of the event, `$context` for the text. */
  reply: Json
  /** Fields that an answer to a prompt has before that. */
  promptReply?: Json
}

const COMMON = {
  named: 'hook_event_name',
  session: 'session_id',
  cwd: 'cwd',
  model: 'model',
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
  // Its transcript is of no use: a resumed session does not contain earlier answers of hooks.
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
  // Our own plugin writes the format of Claude Code, and reads the shortest answer.
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
    model: read('model'),
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
 * Whether another agent runs a hook of Claude Code. Cursor and Copilot CLI also read the settings of Claude Code, but
 * ignore the answers of these hooks; they have their own hooks.
 */
export function isOtherAgent(host: HookHost, json: Json, env: Readonly<Record<string, string | undefined>>): boolean {
  if (host.agent !== 'claude') return false
  return json.cursor_version !== undefined || (env.COPILOT_CLI !== undefined && json.transcript_path === undefined)
}

/** The entry that a tool call used. */
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
