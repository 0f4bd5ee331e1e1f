import { LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
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
  tool: string
  toolInput: Record<string, unknown>
}

const LONGEST_SESSION = 512

/** Names only what is wrong, never what was said: it ends in a log. */
export function readCall(agent: string, event: string, input: string): HookCall {
  const host = HOOK_HOSTS.find((each) => each.agent === agent)
  const known = HOOK_EVENTS.find((each) => each === event)
  if (host === undefined) throw bad('the agent is none that has hooks')
  if (known === undefined) throw bad('the event is none that is answered')
  const json = parse(input)
  if (!isRecord(json)) throw bad('the event is not a JSON object')
  const { session_id: session, cwd, hook_event_name: named = known } = json
  if (named !== known) throw bad('the event is another than the command says')
  if (typeof session !== 'string' || session === '' || session.length > LONGEST_SESSION) {
    throw bad('the event names no session')
  }
  if (typeof cwd !== 'string' || cwd === '') throw bad('the event names no working folder')
  return {
    host,
    event: known,
    session,
    cwd,
    transcript: textOf(json.transcript_path),
    source: textOf(json.source),
    prompt: textOf(json.prompt) ?? '',
    tool: textOf(json.tool_name) ?? '',
    toolInput: isRecord(json.tool_input) ? json.tool_input : {},
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

/** The reply in the one shape that every host takes. Nothing to say is an empty text. */
export function formatReply(event: HookEvent, context: string): string {
  if (context === '') return ''
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: context } })}\n`
}
