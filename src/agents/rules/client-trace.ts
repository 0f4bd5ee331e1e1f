import { parseForeignJson } from '../../text/json.ts'
import { isRecord } from '../../text/values.ts'

/** A call of a tool, as a client prints it. */
export interface ToolCall {
  tool: string
  input: unknown
}

/** What a client printed about one run. Sums are absent if it does not print them. */
export interface ClientTrace {
  model?: string
  calls: ToolCall[]
  /** All that the model said. */
  answer: string
  tokens?: { input: number; output: number }
  /** In US dollars, as the client says. */
  dollars?: number
  /** Why it ended without an answer. */
  error?: string
}

type Json = Record<string, unknown>

const record = (value: unknown): Json => (isRecord(value) ? value : {})
const numberIn = (value: Json, ...keys: string[]) =>
  keys.reduce((sum, key) => sum + (typeof value[key] === 'number' ? (value[key] as number) : 0), 0)

/** Reads the lines of JSON that clients print, of any client: each kind of line has one meaning. */
export class TraceReader implements ClientTrace {
  model?: string
  readonly calls: ToolCall[] = []
  answer = ''
  tokens?: ClientTrace['tokens']
  dollars?: number
  error?: string
  private readonly seen = new Set<unknown>()

  read(line: string): void {
    if (!line.trimStart().startsWith('{')) return
    const { value } = parseForeignJson(line)
    if (!isRecord(value)) return
    const { type } = value
    const [data, part, item, message, event] = KEYS.map((key) => record(value[key])) as Five
    const model = [value.model, data.model, message.model].find(
      (each) => typeof each === 'string' && !NO_MODEL.test(each),
    )
    this.model ??= model as string | undefined
    // Claude Code and Qwen Code.
    if (type === 'assistant') for (const block of [message.content].flat()) this.readBlock(record(block), message.id)
    if (type === 'result') this.readResult(value)
    // Gemini CLI.
    if (type === 'tool_use' && value.tool_name !== undefined)
      this.call(value.tool_id, value.tool_name, value.parameters)
    if (type === 'message' && value.role === 'assistant')
      this.say(value.content ?? value.text, value.delta === true ? '' : '\n')
    // OpenCode.
    if (part.type === 'tool') this.call(part.callID, part.tool, record(part.state).input)
    if (part.type === 'text') this.say(part.text)
    if (part.type === 'step-finish') {
      const { cache, ...tokens } = record(part.tokens)
      this.count(
        numberIn({ ...tokens, ...record(cache) }, 'input', 'read', 'write'),
        numberIn(tokens, 'output', 'reasoning'),
      )
      this.dollars = (this.dollars ?? 0) + numberIn(part, 'cost')
    }
    // Codex.
    if (type === 'item.started' || type === 'item.completed') {
      if (item.type === 'command_execution') this.call(item.id, 'command', item.command)
      if (item.type === 'mcp_tool_call') this.call(item.id, item.tool, item.arguments)
      if (item.type === 'file_change') this.call(item.id, 'edit', item.changes)
      if (item.type === 'agent_message' && type === 'item.completed') this.say(item.text)
    }
    if (type === 'turn.completed') {
      const usage = record(value.usage)
      this.count(numberIn(usage, 'input_tokens'), numberIn(usage, 'output_tokens'))
    }
    // Copilot CLI.
    if (type === 'tool.execution_start') this.call(data.toolCallId, data.toolName, data.arguments)
    if (type === 'assistant.message') this.say(data.content)
    // Droid.
    if (type === 'tool_call') this.call(value.id, value.toolName, value.parameters)
    if (type === 'completion') this.readUsage(record(value.usage))
    // Cline.
    if (event.contentType === 'tool') this.call(event.toolCallId, event.toolName, event.input)
    if (event.contentType === 'text' && event.type === 'content_end') this.say(event.text)
    if (event.type === 'done') this.readUsage(record(event.usage))
    // Pi.
    if (type === 'tool_execution_start') this.call(value.toolCallId, value.toolName, value.args)
    if (type === 'message_end' && message.role === 'assistant') {
      for (const block of [message.content].flat()) this.readBlock(record(block), message.id)
      this.readUsage(record(message.usage))
      if (message.stopReason === 'error') this.error ??= errorIn(message.errorMessage)
    }
    // Kimi Code.
    if (type === undefined && value.role === 'assistant') this.readMessage(value)
    const isError = type === 'error' || event.type === 'error' || type === 'turn.failed' || type === 'session.error'
    if (isError) this.error ??= errorIn(value.error ?? value.message ?? data.message ?? event.error ?? value)
  }

  /** What a client keeps of a session: Continue prints only the last answer. */
  readSession(text: string): void {
    const { value } = parseForeignJson(text)
    for (const each of [record(value).history].flat()) {
      const message = record(record(each).message)
      if (message.role === 'assistant') this.readMessage(message)
    }
  }

  private readMessage(message: Json): void {
    for (const each of [message.tool_calls ?? message.toolCalls].flat()) {
      const { id, function: called } = record(each)
      this.call(id, record(called).name, record(called).arguments)
    }
    this.say(message.content)
    if (message.usage !== undefined) this.readUsage(record(message.usage))
  }

  private readUsage(usage: Json): void {
    const input = numberIn(usage, 'input', 'inputTokens', 'input_tokens', 'prompt_tokens', ...CACHED)
    this.count(input, numberIn(usage, 'output', 'outputTokens', 'output_tokens', 'completion_tokens'))
    const { total } = record(usage.cost)
    const dollars = total ?? usage.totalCost ?? (typeof usage.cost_cents === 'number' ? usage.cost_cents / 100 : 0)
    if (typeof dollars === 'number' && dollars > 0) this.dollars = (this.dollars ?? 0) + dollars
  }

  /** A model may give its calls the same id in every answer: without the answer they would not count as turns. */
  private readBlock({ type, id, name, input, text }: Json, answer: unknown): void {
    if (type === 'tool_use') this.call(id === undefined ? id : `${answer} ${id}`, name, input)
    if (type === 'text') this.say(text)
  }

  private readResult(value: Json): void {
    const usage = record(value.usage ?? value.stats)
    const input = numberIn(usage, 'input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens')
    if (usage.input_tokens !== undefined) this.tokens = { input, output: numberIn(usage, 'output_tokens') }
    if (typeof value.total_cost_usd === 'number') this.dollars = value.total_cost_usd
    this.model ??= Object.keys(record(value.modelUsage))[0]
    const isFailed = value.is_error === true || value.status === 'error'
    if (isFailed) this.error ??= errorIn(value.error ?? value.result ?? value.subtype)
  }

  /** A call may be printed when it begins and when it ends. */
  private call(id: unknown, tool: unknown, input: unknown): void {
    if (typeof tool !== 'string' || (id !== undefined && this.seen.has(id))) return
    this.seen.add(id)
    this.calls.push({ tool, input })
  }

  private say(text: unknown, before = '\n'): void {
    if (typeof text === 'string' && text !== '') this.answer += (this.answer === '' ? '' : before) + text
  }

  private count(input: number, output: number): void {
    if (input + output === 0) return
    this.tokens = { input: (this.tokens?.input ?? 0) + input, output: (this.tokens?.output ?? 0) + output }
  }
}

type Five = [Json, Json, Json, Json, Json]
const KEYS = ['data', 'part', 'item', 'message', 'event']
const CACHED = ['cacheRead', 'cacheWrite', 'cache_read_input_tokens', 'cache_creation_input_tokens']
const NO_MODEL = /^(?:unknown)?$/

function errorIn(value: unknown): string {
  if (typeof value === 'string') return value
  const { message } = record(value)
  return typeof message === 'string' ? message : JSON.stringify(value).slice(0, 300)
}

/**
 * The skills that a call opened: the one that it names, if it is the tool for that, or those whose file it reads.
 * `places`: skill → parts of a path by which its text is known.
 */
export function openedBy(
  { tool, input }: ToolCall,
  own: string | undefined,
  places: ReadonlyMap<string, readonly string[]>,
): string[] {
  const text = JSON.stringify(input) ?? ''
  if (tool === own) {
    // Some clients print the arguments as the model wrote them: as text.
    const { skill, name, skill_name, command } = record(
      typeof input === 'string' ? parseForeignJson(input).value : input,
    )
    const named = [skill, name, skill_name, command].find((each) => typeof each === 'string') as string | undefined
    return named === undefined ? [] : [named.replace(/^.*:/, '')]
  }
  // A search in the folder of all skills opens none of them.
  return [...places].flatMap(([name, parts]) => (parts.some((part) => text.includes(part)) ? [name] : []))
}
