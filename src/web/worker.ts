import { parentPort, workerData } from 'node:worker_threads'
import { createLoadout } from '../loadout.ts'
import { createHttpApp } from '../machine/http.ts'
import { addRoutes } from './routes.ts'
import type { Told, Wanted } from './threads.ts'

/** Answers the page in a thread of its own. The server ends it when an answer is no longer wanted and does not come. */
const tell = (told: Told) => parentPort?.postMessage(told)
const app = createHttpApp({
  onError: (error) => tell({ trouble: error instanceof Error ? error.message : `${error}` }),
})
addRoutes(app, {
  project: (workerData as { project?: string }).project,
  open: () => createLoadout({ persist: true, caller: { via: 'web' } }),
})

const running = new Map<number, AbortController>()
parentPort?.on('message', async ({ id, stop, path, ...init }: Wanted) => {
  if (stop) return running.get(id)?.abort()
  const control = new AbortController()
  running.set(id, control)
  // The checks of bodies are for connections: the thread that has them made them.
  const request = new Request(`http://127.0.0.1${path}`, { ...init, signal: control.signal })
  const response = await app.fetch(request, { incoming: { method: init.method, headers: {} } } as never)
  running.delete(id)
  tell({ id, status: response.status, text: await response.text() })
})
