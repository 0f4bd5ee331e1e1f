import { parentPort } from 'node:worker_threads'
import { convertDocument } from './convert.ts'
import type { Converted, ConvertOrder } from './read-document.ts'

/** Converts one document at a time. The caller waits for the first number, and watches the second for progress. */
parentPort?.on('message', async ({ kind, bytes, signal, port }: ConvertOrder) => {
  const onStep = () => void Atomics.add(signal, 1, 1)
  let reply: Converted
  try {
    reply = { text: await convertDocument(kind, Buffer.from(bytes), onStep) }
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'UnreadableDocument'
    reply = { problem: isKnown ? error.message : 'is damaged, or in a form that cannot be read' }
  }
  port.postMessage(reply)
  Atomics.store(signal, 0, 1)
  Atomics.notify(signal, 0)
})
