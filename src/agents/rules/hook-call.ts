import { parseJson } from '../../text/json.ts'
import { failWith } from '../../text/trouble.ts'
import { getOwn, isRecord, sha256 } from '../../text/values.ts'
import { type EnvelopeFields, HOOK_EVENTS, HOOK_HOSTS, type HookEvent, type HookHost } from './hook-hosts.ts'

/** One call of an agent, with the fields that Loadout uses. */
export interface HookCall {
  host: HookHost
  event: HookEvent
  /** The conversation: of the agent itself, or of a subagent. */
  session: string
  /** Of a subagent: the conversation that started it. */
  parent?: string
  cwd: string
  /** Its model. Some agents name it only at a start, some never. */
  model: string | undefined
  /** The agent's transcript file. */
  transcript: string | undefined
  /** Why a session started, or where a prompt comes from. Some versions do not send it. */
  source: string | undefined
  prompt: string
  use: ToolUse
  /** At `PreToolUse`: the subagent that is about to start. */
  subagent?: StartedSubagent
}

interface StartedSubagent {
  /** Distinguishes it from others of the same conversation. */
  id: string
  /** The input of the tool, and the key that has the task. */
  input: Json
  key: string
  task: string
  /** It continues the conversation of its parent, with all that was given to it. */
  isForked: boolean
}

const LONGEST_SESSION = 512
/**
 * Reads a call. Errors do not quote the input, because they go to a log. Undefined if another agent runs this hook, which
 * has its own hooks.
 */
export function readCall(
  agent: string,
  event: string,
  input: string,
  env: Readonly<Record<string, string | undefined>>,
): HookCall | undefined {
  const host = HOOK_HOSTS.find((each) => each.agent === agent)
  if (host === undefined) throw failWith('USAGE/hook-agent')
  const known = HOOK_EVENTS.find((each) => host.events[each] === event)
  if (known === undefined) throw failWith('USAGE/hook-event')
  const json = parse(input)
  if (!isRecord(json)) throw failWith('USAGE/hook-object')
  if (isOtherAgent(host, json, env)) return undefined
  const fields = readEnvelope(host, json)
  const { session, cwd, named = event } = fields
  if (named !== event) throw failWith('USAGE/hook-differs')
  if (typeof session !== 'string' || session === '' || session.length > LONGEST_SESSION) {
    throw failWith('USAGE/hook-no-session')
  }
  if (typeof cwd !== 'string' || cwd === '') throw failWith('USAGE/hook-no-folder')
  const subagent = known === 'PreToolUse' ? subagentOf(host, fields) : undefined
  return {
    host,
    event: known,
    ...conversationOf(session, fields, subagent),
    subagent,
    cwd,
    model: textOf(fields.model)?.slice(0, 100),
    transcript: textOf(fields.transcript),
    source: textOf(fields.source),
    prompt: subagent?.task ?? textOf(fields.prompt) ?? '',
    use: toolUseOf(host, fields),
  }
}

/** The conversation of a call: a subagent that starts, or in which something happens, has one of its own. */
function conversationOf(
  session: string,
  { agent, parent }: EnvelopeFields,
  starting: StartedSubagent | undefined,
): Pick<HookCall, 'session' | 'parent'> {
  // Some agents give a subagent a session of its own and name the parent; others name it beside the parent's session.
  const id = textOf(agent)?.slice(0, LONGEST_SESSION)
  const above = textOf(parent) ?? session
  const here = id === undefined ? session : typeof parent === 'string' ? id : `${session}/${id}`
  if (starting !== undefined) return { session: `${here}/${starting.id}`, parent: here }
  return here === session && id === undefined ? { session } : { session: here, parent: above }
}

function parse(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    // The parser's own message would quote the input.
    throw failWith(input === '' ? 'USAGE/hook-no-event' : 'USAGE/hook-json')
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** In characters. A longer prompt is pasted data. */
export const LONGEST_PROMPT = 100_000

/** Whether a prompt is a task: not a command of the agent, such as /clear, and not written by the agent itself. */
export function isTask({ prompt, source }: Pick<HookCall, 'prompt' | 'source'>): boolean {
  if (source !== undefined && source !== 'user' && source !== 'sdk') return false
  return prompt.trim() !== '' && !/^\s*\/[\w:.-]+(?:\s|$)/.test(prompt)
}

/** The reply in the format of the agent; empty without context. It never says whether a tool may run. */
export function formatReply(
  { host, event, subagent }: Pick<HookCall, 'host' | 'event' | 'subagent'>,
  context: string,
): string {
  if (context === '') return ''
  const reply = subagent === undefined ? fillReply(host, event, context) : inputReply(host, subagent, context)
  return `${JSON.stringify(reply)}\n`
}

function inputReply(host: HookHost, { input, key, task }: StartedSubagent, context: string): Json {
  const { inputKey = 'updatedInput' } = host.envelope
  const changed = { ...input, [key]: `${task}\n\n${context}` }
  return { hookSpecificOutput: { hookEventName: host.events.PreToolUse, [inputKey]: changed } }
}

type Json = Readonly<Record<string, unknown>>

function readEnvelope({ envelope: { fields, sources = {}, echoTag } }: HookHost, json: Json): EnvelopeFields {
  const read = (name: keyof EnvelopeFields): unknown => {
    for (const key of [fields[name] ?? []].flat()) {
      const found = key.endsWith('[]') ? firstOf(json[key.slice(0, -2)]) : json[key]
      if (found !== undefined && found !== null) return found
    }
    return undefined
  }
  const [source, prompt, toolInput] = [read('source'), read('prompt'), read('toolInput')]
  // Of Kimi Code: a list of texts and pictures.
  const said = [prompt]
    .flat()
    .map((part) => textOf(part) ?? textOf(isRecord(part) ? part.text : undefined) ?? '')
    .join('\n')
  return {
    named: read('named'),
    session: read('session'),
    cwd: read('cwd'),
    model: read('model'),
    transcript: read('transcript'),
    source: typeof source === 'string' && Object.hasOwn(sources, source) ? sources[source] : source,
    prompt: echoTag === undefined ? said : said.replace(new RegExp(`<${echoTag}>[^<]*</${echoTag}>\\s*`, 'g'), ''),
    tool: read('tool'),
    toolInput: typeof toolInput === 'string' ? parseJson(toolInput).value : toolInput,
    toolCall: read('toolCall'),
    agent: read('agent'),
    parent: read('parent'),
  }
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined
}

function fillReply(host: HookHost, event: HookEvent, context: string): Json {
  const { reply, promptReply } = host.envelope
  const filled: Record<string, string | undefined> = { $event: host.events[event], $context: context }
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
 * Whether another agent runs a hook of Claude Code. Cursor, Copilot CLI and Grok Build also read the settings of Claude
 * Code, but ignore the answers of these hooks.
 */
function isOtherAgent(host: HookHost, json: Json, env: Readonly<Record<string, string | undefined>>): boolean {
  if (host.agent !== 'claude') return false
  if (json.cursor_version !== undefined || json.hookEventName !== undefined) return true
  return env.COPILOT_CLI !== undefined && json.transcript_path === undefined
}

/** The subagent that a tool call starts. */
function subagentOf({ subagents }: HookHost, fields: EnvelopeFields): StartedSubagent | undefined {
  const { tool, toolInput: input, toolCall } = fields
  const key = typeof tool === 'string' && subagents && getOwn(subagents.tools, tool)
  const task = key && isRecord(input) ? input[key] : undefined
  if (!key || !isRecord(input) || typeof task !== 'string') return undefined
  const { forked } = subagents
  const isForked =
    forked !== undefined && ('is' in forked ? input[forked.key] === forked.is : input[forked.key] !== forked.not)
  return { id: textOf(toolCall) ?? sha256(task), input, key, task, isForked }
}

/** The entry that a tool call used. */
interface ToolUse {
  skill?: string
  file?: string
  command?: unknown
}

function toolUseOf({ tools }: HookHost, { tool, toolInput }: EnvelopeFields): ToolUse {
  const known = typeof tool === 'string' && Object.hasOwn(tools, tool) ? tools[tool] : undefined
  if (known === undefined || !isRecord(toolInput)) return {}
  if ('command' in known) return { command: toolInput[known.command] }
  const [kind, key] = Object.entries(known)[0] as ['skill' | 'file', string]
  const named = toolInput[key]
  return typeof named === 'string' ? { [kind]: named } : {}
}
