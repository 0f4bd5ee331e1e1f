import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Effect, READS } from './effect.ts'
import type { Message } from './message.ts'

export interface EffectWorker {
  run(effect: Effect): void
  /** After what is being written is written, if that takes no more than a moment. */
  stop(): Promise<void>
}

/** What goes to the worker, and what comes back: any number of messages, then that it is over. */
export interface Order {
  id: number
  effect: Effect
}
export type Reply = { message: Message } | { ended: number }

const MOMENT_MS = 5_000

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
  // Of the texts that a moving cursor asks for only the last one matters.
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
    // Unless it was asked to end, or a worse problem was already reported.
    face.fail(new Error('the worker has ended'))
  })
  return {
    run: (effect) => (effect.kind === 'load preview' ? sendPreview(effect) : void send(effect)),
    async stop() {
      send({ kind: 'cancel' })
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, MOMENT_MS)
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
