import { createServer, type ServerResponse } from 'node:http'
import { parseJson } from '../../text/json.ts'
import { isRecord } from '../../text/values.ts'
import type { ModelRequest } from '../rules/sent.ts'

/** A tool that the model calls once: in its answer to the first request that offers the tool and fits `when`. */
export interface ScriptedCall {
  tool: string
  /** Text, for a tool that takes a text. */
  input: Json | string
  /** What the request must say, or whether it fits. */
  when?: string | ((request: string) => boolean)
}

export interface ScriptedModel {
  requests: ModelRequest[]
  /** Calls of the script that no request has offered yet. */
  pending: ScriptedCall[]
  close(): void
}

type Json = Record<string, unknown>

const SAYS = 'Done.'
const USAGE = { input_tokens: 10, output_tokens: 2, total_tokens: 12 }

type Answer = { json: unknown; status?: number } | { events: readonly object[]; isNamed?: boolean; end?: string }

/** The APIs that the clients speak, by the end of the path. Each answers with one word, or with the call of a tool. */
const APIS: readonly (readonly [RegExp, (body: Json, path: string, call?: ScriptedCall) => Answer])[] = [
  [/\/messages\/count_tokens/, () => ({ json: { input_tokens: 10 } })],
  [/\/messages(\?|$)/, anthropic],
  [/\/responses(\?|$)/, responses],
  [/\/chat\/completions(\?|$)/, chat],
  [/:countTokens/, () => ({ json: { totalTokens: 10 } })],
  [/:(stream)?[gG]enerateContent/, gemini],
  [/\/models(\?|$)/, () => ({ json: { object: 'list', data: [] } })],
]

/** A model on a Unix socket that writes down what it is sent, and says what a script says. */
export async function startModel(socket: string, script: readonly ScriptedCall[]): Promise<ScriptedModel> {
  const requests: ModelRequest[] = []
  const pending = [...script]
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const { value } = parseJson(text)
      const body = isRecord(value) ? value : {}
      const path = request.url ?? ''
      const api = APIS.find(([pattern]) => pattern.test(path))?.[1]
      if (request.method !== 'POST' || api === undefined)
        return send(response, api?.(body, path) ?? { json: {}, status: 404 })
      requests.push({ path, body, bytes: Buffer.byteLength(text) })
      const offered = toolsIn(body)
      const fits = ({ when = '' }: ScriptedCall) => (typeof when === 'string' ? text.includes(when) : when(text))
      const at = pending.findIndex((call) => offered.has(call.tool) && fits(call))
      send(response, api(body, path, at < 0 ? undefined : pending.splice(at, 1)[0]))
    })
  })
  // A client's program keeps one connection open without a request.
  Object.assign(server, { headersTimeout: 0, requestTimeout: 0 })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return {
    requests,
    pending,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The names of the tools that a request offers, in the shape of any API; Codex groups them, and has some in its input. */
function toolsIn({ tools, input }: Json): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>()
  const add = (list: unknown, group?: string): void => {
    for (const tool of [list].flat()) {
      if (!isRecord(tool)) continue
      const { name, tools: inner, functionDeclarations } = isRecord(tool.function) ? tool.function : tool
      if (typeof name === 'string' && inner === undefined) found.set(name, group)
      add(inner, typeof name === 'string' ? name : group)
      add(functionDeclarations)
    }
  }
  add(tools)
  for (const item of [input].flat()) if (isRecord(item) && item.type === 'additional_tools') add(item.tools)
  return found
}

function send(response: ServerResponse, answer: Answer): void {
  if ('json' in answer) {
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.json))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of answer.events) {
    const name = answer.isNamed && 'type' in event ? `event: ${event.type}\n` : ''
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`)
  }
  response.end(answer.end)
}

function anthropic({ model, stream }: Json, _: string, call?: ScriptedCall): Answer {
  const tool = call && { type: 'tool_use', id: 'toolu_1', name: call.tool, input: {} }
  const content = tool ? [{ ...tool, input: call.input }] : [{ type: 'text', text: SAYS }]
  const stop_reason = tool ? 'tool_use' : 'end_turn'
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null, usage: USAGE }
  if (!stream) return { json: { ...message, content, stop_reason } }
  const delta = tool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
    : { type: 'text_delta', text: SAYS }
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: tool ?? { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
  return { events, isNamed: true }
}

function responses(body: Json, _: string, call?: ScriptedCall): Answer {
  const { model, stream } = body
  const content = [{ type: 'output_text', text: SAYS, annotations: [] }]
  const said = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }
  const named = call && {
    name: call.tool,
    namespace: toolsIn(body).get(call.tool),
    ...(typeof call.input === 'string' ? { input: call.input } : { arguments: JSON.stringify(call.input) }),
  }
  const kind = typeof call?.input === 'string' ? 'custom_tool_call' : 'function_call'
  const item = named ? { type: kind, id: 'fc_1', call_id: 'call_1', ...named } : said
  const usage = {
    ...USAGE,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  }
  const head = { id: 'resp_1', object: 'response', created_at: 1, model }
  const response = { ...head, status: 'completed', output: [item], usage }
  if (!stream) return { json: response }
  const delta = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: SAYS }
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: call ? item : { ...said, content: [] } },
    ...(call ? [] : [delta]),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]
  return { events, isNamed: true }
}

function chat({ model, stream }: Json, _: string, call?: ScriptedCall): Answer {
  const head = { id: 'chat_1', created: 1, model }
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }
  const called = call && { name: call.tool, arguments: JSON.stringify(call.input) }
  const message = called
    ? { role: 'assistant', content: null, tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: called }] }
    : { role: 'assistant', content: SAYS }
  const finish_reason = called ? 'tool_calls' : 'stop'
  if (!stream) {
    return { json: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage } }
  }
  const chunk = { ...head, object: 'chat.completion.chunk' }
  const events = [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ]
  return { events, end: 'data: [DONE]\n\n' }
}

/** Gemini CLI first asks a small model which one should answer, and wants JSON from it. */
function gemini({ generationConfig }: Json, path: string, call?: ScriptedCall): Answer {
  const wantsJson = JSON.stringify(generationConfig ?? {}).includes('application/json')
  const choice = { complexity_reasoning: 'simple', complexity_score: 1, reasoning: 'simple', model_choice: 'flash' }
  const said = { text: wantsJson ? JSON.stringify(choice) : SAYS }
  const parts = [call ? { functionCall: { name: call.tool, args: call.input } } : said]
  const answer = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
  }
  return path.includes(':stream') ? { events: [answer] } : { json: answer }
}
