import { LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { fillReply, isOtherAgent, readEnvelope, type ToolUse, toolUseOf } from './hook-envelopes.ts'
import { HOOK_EVENTS, HOOK_HOSTS, type HookEvent, type HookHost } from './hook-hosts.ts'

/** One call of an agent, with the fields that Loadout uses. */
export interface HookCall {
  host: HookHost
  event: HookEvent
  session: string
  cwd: string
  /** Its model. Some agents name it only at a start, some never. */
  model: string | undefined
  /** The agent's transcript file. */
  transcript: string | undefined
  /** Why a session started, or where a prompt comes from. Some versions do not send it. */
  source: string | undefined
  prompt: string
  use: ToolUse
}

const LONGEST_SESSION = 512
const LONGEST_MODEL = 100

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
  if (host === undefined) throw bad('the agent has no hooks')
  const known = HOOK_EVENTS.find((each) => host.events[each] === event)
  if (known === undefined) throw bad('the event is unknown')
  const json = parse(input)
  if (!isRecord(json)) throw bad('the event is not a JSON object')
  if (isOtherAgent(host, json, env)) return undefined
  const fields = readEnvelope(host, json)
  const { session, cwd, named = event } = fields
  if (named !== event) throw bad('the event differs from the one in the command')
  if (typeof session !== 'string' || session === '' || session.length > LONGEST_SESSION) {
    throw bad('the event names no session')
  }
  if (typeof cwd !== 'string' || cwd === '') throw bad('the event names no working folder')
  return {
    host,
    event: known,
    session,
    cwd,
    model: textOf(fields.model)?.slice(0, LONGEST_MODEL),
    transcript: textOf(fields.transcript),
    source: textOf(fields.source),
    prompt: textOf(fields.prompt) ?? '',
    use: toolUseOf(host, fields),
  }
}

function parse(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    // The parser's own message would quote the input.
    throw bad(input === '' ? 'there is no event on standard input' : 'the event is not valid JSON')
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function bad(message: string): LoadoutError {
  return new LoadoutError('USAGE', message)
}

/** In characters. A longer prompt is pasted data. */
export const LONGEST_PROMPT = 100_000

/** Whether a prompt is a task: not a command of the agent, such as /clear, and not written by the agent itself. */
export function isTask({ prompt, source }: Pick<HookCall, 'prompt' | 'source'>): boolean {
  if (source !== undefined && source !== 'user' && source !== 'sdk') return false
  return prompt.trim() !== '' && !/^\s*\/[\w:.-]+(?:\s|$)/.test(prompt)
}

/** The reply in the format of the agent; empty without context. */
export function formatReply({ host, event }: Pick<HookCall, 'host' | 'event'>, context: string): string {
  if (context === '') return ''
  return `${JSON.stringify(fillReply(host, event, context))}\n`
}
