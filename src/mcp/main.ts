import { randomBytes } from 'node:crypto'
import { serveMcpOverHttp } from './http.ts'
import { createFactory, serveStreams } from './server.ts'
import { type Desk, tell } from './tool.ts'

export interface Serving extends Desk {
  /** Absent: over standard input and output. */
  http?: { port: number; token: string | undefined } | undefined
  signal: AbortSignal
}

/** What is still under way when nobody waits for it any more gets this long. */
const GRACE_MS = 2_000

/** Serves until the client goes or the signal fires. The process then ends by itself, or is ended. */
export async function serve({ http, signal, ...desk }: Serving): Promise<void> {
  // Not by default, which would leave behind what a call has started.
  process.once('SIGHUP', () => process.exit())
  const factory = createFactory(desk)
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

/** 256 bits, for this start alone. */
function makeToken(): string {
  return randomBytes(32).toString('base64url')
}
