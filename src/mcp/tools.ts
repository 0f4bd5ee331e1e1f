import {
  type CallToolResult,
  type Tool as Listed,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { printableLine } from '../text/printable.ts'
import { LoadoutError } from '../text/trouble.ts'
import type { Call, Tool, ToolContext } from './tool.ts'
import { activatePack } from './tools/activate-pack.ts'
import { compilePack } from './tools/compile-pack.ts'
import { loadContext, planContext } from './tools/context.ts'
import { readEntry } from './tools/read-entry.ts'
import { searchKnowledge } from './tools/search-knowledge.ts'
import { teachExamples } from './tools/teach-examples.ts'

/** Every tool, in the order of the listing. */
const TOOLS: readonly Tool[] = [
  loadContext,
  planContext,
  searchKnowledge,
  readEntry,
  activatePack,
  compilePack,
  teachExamples,
]

/** Tools that write only add, and adding the same again changes nothing. */
const ADDING = { destructiveHint: false, idempotentHint: true }

const LIMITS = [
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'pattern',
  'additionalProperties',
] as const

/** Every conversation pays for this list, so it contains only what is needed. */
const LISTING = TOOLS.map(({ name, description, input, isWriting = false }) => ({
  name,
  description,
  inputSchema: schemaOf(input),
  annotations: { readOnlyHint: !isWriting, ...(isWriting ? ADDING : {}), openWorldHint: false },
}))

/**
 * Uses the protocol's own methods rather than `registerTool`, which reports wrong arguments as a tool's result,
 * although clients expect an error of the protocol.
 */
export function serveTools(mcp: McpServer, context: ToolContext): void {
  const { server } = mcp
  server.registerCapabilities({ tools: {} })
  server.setRequestHandler('tools/list', () => ({ tools: LISTING }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = TOOLS.find(({ name }) => name === params.name)
    if (tool === undefined) throw invalid(`unknown tool ${JSON.stringify(params.name.slice(0, 80))}`)
    const { data, error } = tool.input.safeParse(params.arguments ?? {})
    if (error !== undefined)
      throw invalid(
        `wrong arguments for ${tool.name}: ${error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`)).join('; ')}`,
      )
    const client = () => server.getClientVersion()?.name
    return underWay(answer(tool, data, { ...context, client, signal: mcpReq.signal }))
  })
}

const running = new Set<Promise<unknown>>()

async function underWay<T>(call: Promise<T>): Promise<T> {
  running.add(call)
  try {
    return await call
  } finally {
    running.delete(call)
  }
}

/** Resolves when no call is running. */
export async function callsEnded(): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running)
}

async function answer(tool: Tool, input: unknown, call: Call): Promise<CallToolResult> {
  try {
    const said = await tool.call(input, call)
    return { content: [{ type: 'text', text: typeof said === 'string' ? said : JSON.stringify(said) }] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const { code, message, hint } = error
    const text = [`${code}: ${message}`, ...(hint === undefined ? [] : [hint])].map(printableLine).join('\n')
    return { content: [{ type: 'text', text }], isError: true }
  }
}

function schemaOf(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', override: withoutLimits })
  return { ...rest, type: 'object' } as Listed['inputSchema']
}

/** Limits do not help a model to write a call, but cost tokens in every conversation. They are still enforced. */
function withoutLimits({ jsonSchema }: { jsonSchema: { [K in (typeof LIMITS)[number]]?: unknown } }): void {
  for (const limit of LIMITS) delete jsonSchema[limit]
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
