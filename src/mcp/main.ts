import { randomBytes } from 'node:crypto'
import { serveMcpOverHttp } from './http.ts'
import { createFactory, serveStreams } from './server.ts'
import { type ToolContext, tell } from './tool.ts'

export interface Serving extends ToolContext {
  /** Undefined: standard input and output. */
  http?: { port: number; token: string | undefined } | undefined
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
      tell(url)
      if (http.token === undefined) tell(`token ${token}`)
    })
  }
  setTimeout(() => process.exit(), GRACE_MS).unref()
}

/** 256 bits, for this start only. */
function makeToken(): string {
  return randomBytes(32).toString('base64url')
}
