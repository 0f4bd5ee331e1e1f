import { LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { fillReply, isBorrowed, readEnvelope, type ToolUse, toolUseOf } from './hook-envelopes.ts'
import { HOOK_EVENTS, HOOK_HOSTS, type HookEvent, type HookHost } from './hook-hosts.ts'

/** One call of an agent, as far as we act on it. */
export interface HookCall {
  host: HookHost
  event: HookEvent
  session: string
  cwd: string
  /** Where the agent keeps what was said. */
  transcript: string | undefined
  /** What made a session start, or where a prompt comes from. Absent in some versions. */
  source: string | undefined
  prompt: string
  use: ToolUse
}

const LONGEST_SESSION = 512

/**
 * Names only what is wrong, never what was said: it ends in a log. Undefined for a call that is for another agent, which
 * has hooks of its own.
 */
export function readCall(
  agent: string,
  event: string,
  input: string,
  env: Readonly<Record<string, string | undefined>>,
): HookCall | undefined {
  const host = HOOK_HOSTS.find((each) => each.agent === agent)
  if (host === undefined) throw bad('the agent is none that has hooks')
  const known = HOOK_EVENTS.find((each) => host.events[each] === event)
  if (known === undefined) throw bad('the event is none that is answered')
  const json = parse(input)
  if (!isRecord(json)) throw bad('the event is not a JSON object')
  if (isBorrowed(host, json, env)) return undefined
  const fields = readEnvelope(host, json)
  const { session, cwd, named = event } = fields
  if (named !== event) throw bad('the event is another than the command says')
  if (typeof session !== 'string' || session === '' || session.length > LONGEST_SESSION) {
    throw bad('the event names no session')
  }
  if (typeof cwd !== 'string' || cwd === '') throw bad('the event names no working folder')
  return {
    host,
    event: known,
    session,
    cwd,
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

/** Above this a prompt is pasted data. */
export const LONGEST_PROMPT = 100_000

/** Whether a prompt is words about something to do: neither a command of the agent's own nor what it writes to itself. */
export function isTask({ prompt, source }: Pick<HookCall, 'prompt' | 'source'>): boolean {
  if (source !== undefined && source !== 'user' && source !== 'sdk') return false
  return prompt.trim() !== '' && !/^\s*\/[\w:.-]+(?:\s|$)/.test(prompt)
}

/** The reply in the shape that its agent takes. Nothing to say is an empty text. */
export function formatReply({ host, event }: Pick<HookCall, 'host' | 'event'>, context: string): string {
  if (context === '') return ''
  return `${JSON.stringify(fillReply(host, event, context))}\n`
}
