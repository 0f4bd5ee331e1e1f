import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Effect, type Message, READS } from './message.ts'

/** Runs the effects of the interface in a thread, so that keys are answered while disks and git work. */
export interface EffectWorker {
  run(effect: Effect): void
  /** Waits up to 5 seconds for writes to finish. */
  stop(): Promise<void>
}

/** A request to the worker. It replies with any number of messages, then with the id of the finished request. */
export interface Order {
  id: number
  effect: Effect
}
export type Reply = { message: Message } | { ended: number }

export function startWorker(face: { dispatch(message: Message): void; fail(error: unknown): void }): EffectWorker {
  const worker = new Worker(join(import.meta.dirname, 'worker.js'))
  const writing = new Set<number>()
  let onIdle = () => {}
  let orders = 0
  let preview: { id: number; next: Effect | undefined } | undefined
  const send = (effect: Effect): number => {
    const id = ++orders
    if (!READS.includes(effect.kind)) writing.add(id)
    worker.postMessage({ id, effect } satisfies Order)
    return id
  }
  // While the cursor moves, only the last requested preview matters.
  const sendPreview = (effect: Effect) => {
    if (preview === undefined) preview = { id: send(effect), next: undefined }
    else preview.next = effect
  }
  const ended = (id: number) => {
    writing.delete(id)
    if (writing.size === 0) onIdle()
    if (preview?.id !== id) return
    const { next } = preview
    preview = undefined
    if (next !== undefined) sendPreview(next)
  }
  worker.on('message', (reply: Reply) => ('ended' in reply ? ended(reply.ended) : face.dispatch(reply.message)))
  worker.on('error', face.fail)
  worker.on('exit', () => {
    writing.clear()
    onIdle()
    // Has no effect after `stop`, or after an earlier error.
    face.fail(new Error('the worker has ended'))
  })
  return {
    run: (effect) => (effect.kind === 'load preview' ? sendPreview(effect) : void send(effect)),
    async stop() {
      send({ kind: 'cancel' })
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 5_000)
        onIdle = () => {
          clearTimeout(timer)
          resolve()
        }
        if (writing.size === 0) onIdle()
      })
      await worker.terminate()
    },
  }
}
