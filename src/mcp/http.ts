import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server'
import { createHttpApp, HttpRefusal, isSameSecret, requireBearer, serveHttp } from '../machine/http.ts'
import { tell } from './tool.ts'

const ENDPOINT = '/mcp'

/**
 * Serves clients of this machine that have the token, until the signal fires. Rejects when the port is not available.
 */
export async function serveMcpOverHttp(
  factory: McpServerFactory,
  { port, token }: { port: number; token: string },
  signal: AbortSignal,
  onListening: (url: string) => void,
): Promise<void> {
  const onError = (error: unknown) => tell(error instanceof Error ? error.message : String(error))
  const handler = createMcpHandler(factory, { onerror: onError })
  const app = createHttpApp({ onError })
  app.use(requireBearer((given) => isSameSecret(given, token), 'the server shows it when it starts'))
  app.all(ENDPOINT, ({ req }) => handler.fetch(req.raw))
  app.all('*', () => {
    throw new HttpRefusal(404, 'NOT_SERVED', `use ${ENDPOINT}`)
  })
  await serveHttp(app, { port }, signal, ({ url }) => onListening(`${url}${ENDPOINT}`))
  await handler.close()
}
