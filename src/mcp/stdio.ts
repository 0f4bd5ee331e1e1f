import type { McpServerFactory } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { tell } from './tell.ts'

/** Serves whoever started this process, until standard input ends or the signal fires. */
export async function serveStreams(factory: McpServerFactory, signal: AbortSignal): Promise<void> {
  const transport = new StdioServerTransport()
  const handle = serveStdio(factory, { transport, onerror: ({ message }) => tell(message) })
  await new Promise<void>((done) => {
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      done()
    }
    signal.addEventListener('abort', () => done(), { once: true })
    if (signal.aborted) done()
  })
  await handle.close()
}
