import { randomBytes } from 'node:crypto'
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server'
import { createHttpApp, HttpRefusal, isSameSecret, requireBearer, serveHttp } from '../machine/http.ts'
import { failWith } from '../text/trouble.ts'
import { createFactory, serveStreams } from './server.ts'
import { printLine, type ToolContext } from './tool.ts'

export interface Serving extends ToolContext {
  /** Undefined: standard input and output. */
  http?: { port: number; token: string | undefined }
  signal: AbortSignal
}

/** How long unfinished calls may continue after the client has gone. */
const GRACE_MS = 2_000

/** Serves until the client disconnects or the signal fires. The process then ends by itself, or is ended. */
export async function serve({ http, signal, ...context }: Serving): Promise<void> {
  // The default would leave behind processes that a call started.
  process.once('SIGHUP', () => process.exit())
  const factory = createFactory(context)
  if (http === undefined) await serveStreams(factory, signal)
  else {
    const token = http.token ?? makeToken()
    await serveMcpOverHttp(factory, { port: http.port, token }, signal, (url) => {
      printLine(url)
      if (http.token === undefined) printLine(`token ${token}`)
    })
  }
  setTimeout(() => process.exit(), GRACE_MS).unref()
}

/** 256 bits, for this start only. */
function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

const ENDPOINT = '/mcp'

/**
 * Serves clients of this machine that have the token, until the signal fires. Rejects when the port is not available.
 */
async function serveMcpOverHttp(
  factory: McpServerFactory,
  { port, token }: { port: number; token: string },
  signal: AbortSignal,
  onListening: (url: string) => void,
): Promise<void> {
  const onError = (error: unknown) => printLine(error instanceof Error ? error.message : String(error))
  const handler = createMcpHandler(factory, { onerror: onError })
  const app = createHttpApp({ onError })
  app.use(requireBearer((given) => isSameSecret(given, token), 'the server shows it when it starts'))
  app.all(ENDPOINT, ({ req }) => handler.fetch(req.raw))
  app.all('*', () => {
    throw new HttpRefusal(404, failWith('NOT_SERVED/endpoint', { endpoint: ENDPOINT }))
  })
  await serveHttp(app, { port }, signal, ({ url }) => onListening(`${url}${ENDPOINT}`))
  await handler.close()
}
