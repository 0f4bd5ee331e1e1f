import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that a client sent to its model. */
export interface ModelRequest {
  path: string
  body: Record<string, unknown>
  bytes: number
}

export interface ModelServer {
  address: string
  /** Of the run so far; `forget` starts the next one. */
  requests: ModelRequest[]
  forget(): void
  close(): void
}

const SAYS = 'Done.'
const USAGE = { input_tokens: 10, output_tokens: 2, total_tokens: 12 }

type Answer = { json: unknown; status?: number } | { events: readonly object[]; isNamed?: boolean; end?: string }

/** The APIs that the clients speak, by the end of the path. Each model answers with one word and calls no tool. */
const APIS: readonly (readonly [RegExp, (body: Record<string, unknown>, path: string) => Answer])[] = [
  [/\/messages\/count_tokens/, () => ({ json: { input_tokens: 10 } })],
  [/\/messages(\?|$)/, anthropic],
  [/\/responses(\?|$)/, responses],
  [/\/chat\/completions(\?|$)/, chat],
  [/:countTokens/, () => ({ json: { totalTokens: 10 } })],
  [/:(stream)?[gG]enerateContent/, gemini],
  [/\/models(\?|$)/, () => ({ json: { object: 'list', data: [] } })],
]

/** A model on the loopback address that writes down what it is sent. */
export async function startModel(): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const body = parse(bytes.toString('utf8'))
      const path = request.url ?? ''
      const api = APIS.find(([pattern]) => pattern.test(path))?.[1]
      if (request.method === 'POST' && api !== undefined) requests.push({ path, body, bytes: bytes.length })
      send(response, api?.(body, path) ?? { json: {}, status: 404 })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    requests,
    forget: () => requests.splice(0),
    close: () => server.close(),
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
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

function anthropic({ model, stream }: Record<string, unknown>): Answer {
  const content = [{ type: 'text', text: SAYS }]
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null, usage: USAGE }
  if (!stream) return { json: { ...message, content, stop_reason: 'end_turn' } }
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: SAYS } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
  return { events, isNamed: true }
}

function responses({ model, stream }: Record<string, unknown>): Answer {
  const content = [{ type: 'output_text', text: SAYS, annotations: [] }]
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }
  const usage = {
    ...USAGE,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  }
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model,
    output: [item],
    usage,
  }
  if (!stream) return { json: response }
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: SAYS },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]
  return { events, isNamed: true }
}

function chat({ model, stream }: Record<string, unknown>): Answer {
  const head = { id: 'chat_1', created: 1, model }
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }
  const message = { role: 'assistant', content: SAYS }
  if (!stream) {
    return {
      json: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage },
    }
  }
  const chunk = { ...head, object: 'chat.completion.chunk' }
  const events = [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ]
  return { events, end: 'data: [DONE]\n\n' }
}

/** Gemini CLI first asks a small model which one should answer, and wants JSON from it. */
function gemini({ generationConfig }: Record<string, unknown>, path: string): Answer {
  const wantsJson = JSON.stringify(generationConfig ?? {}).includes('application/json')
  const choice = { complexity_reasoning: 'simple', complexity_score: 1, reasoning: 'simple', model_choice: 'flash' }
  const parts = [{ text: wantsJson ? JSON.stringify(choice) : SAYS }]
  const answer = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
  }
  return path.includes(':stream') ? { events: [answer] } : { json: answer }
}
