import { stream as streamBody } from 'hono/streaming'
import type { Stamps } from '../loadout.ts'
import type { HttpApp } from '../machine/http.ts'
import type { PageServer } from './page-server.ts'

/** An empty list keeps an idle connection open, and detects a closed page. */
const QUIET_ROUNDS = 15

/** Sends the names of changed things to every open page, one JSON list a line. The page asks again for what it shows. */
export function serveChanges(app: HttpApp, server: PageServer & { signal: AbortSignal }): void {
  const listeners = new Set<(changed: string[]) => void>()
  let stamps: Stamps | undefined
  const readStamps = async () => (await server.open().agents.readStamps({ project: server.project })).value
  const look = async () => {
    const value = await readStamps()
    const changed = stamps === undefined ? [] : changedOf(stamps, value)
    stamps = value
    for (const listener of listeners) listener(changed)
  }
  const timer = setInterval(() => {
    if (listeners.size > 0) void look().catch(() => {})
    else stamps = undefined
  }, 1_000)
  // The server keeps the program running, not this: if the port is taken, the program ends.
  timer.unref()
  server.signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  app.get('/api/live', (context) =>
    streamBody(context, async (stream) => {
      // Report every change from now on, even before the first timer.
      stamps ??= await readStamps()
      await stream.write('[]\n')
      let quiet = 0
      const listener = (changed: string[]) => {
        quiet = changed.length > 0 ? 0 : quiet + 1
        if (quiet % QUIET_ROUNDS === 0) void stream.write(`${JSON.stringify(changed)}\n`)
      }
      listeners.add(listener)
      // When the server stops, it closes every connection, which ends this wait.
      await new Promise<void>((done) => stream.onAbort(done))
      listeners.delete(listener)
    }),
  )
}

function changedOf(before: Stamps, now: Stamps): string[] {
  return Object.entries(now).flatMap(([name, stamp]) => (before[name as keyof Stamps] === stamp ? [] : [name]))
}
