import { join } from 'node:path'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { DocumentKind } from '../../text/document-kind.ts'
import { sha256 } from '../../text/values.ts'
import { type Cache, jsonCodec } from '../cache.ts'
import { packageFolder } from '../package-folder.ts'

/** What a reader made of a document: Markdown, or why there is none. The problem completes "it …". */
export type Converted = { text: string; problem?: undefined } | { text?: undefined; problem: string }

export interface ConvertOrder {
  kind: DocumentKind
  bytes: Uint8Array
  /** The first number says that the reply is there, the second counts steps. */
  signal: Int32Array
  port: MessagePort
}

/**
 * Reads a PDF, Word, HTML or CSV file as Markdown, in a worker with limits on time and memory. The same bytes give the
 * same text; a later call finds it in the cache. Never throws.
 */
export function readDocument(cache: Cache, kind: DocumentKind, bytes: Buffer): Converted {
  const key = { kind: 'documents', version: 1, name: [kind, sha256(bytes)] }
  return cache.keep(key, STORED, () => convertInWorker(kind, bytes))
}

// What took too long may be quick on another day.
const STORED = {
  ...jsonCodec((json): json is Converted => typeof json === 'object' && json !== null),
  encode: (value: Converted) =>
    value.problem === TOO_MUCH ? undefined : new TextEncoder().encode(JSON.stringify(value)),
}

const TOO_MUCH = 'takes too much time or memory to read'
/** Without a finished page for so long, a reader is stopped. */
const STUCK_MS = 20_000

let running: Worker | undefined
let idle: NodeJS.Timeout | undefined

function convertInWorker(kind: DocumentKind, bytes: Buffer): Converted {
  clearTimeout(idle)
  running ??= new Worker(join(packageFolder(), 'dist', 'reader.js'), {
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    execArgv: [],
  }).on('error', () => {})
  const worker = running
  worker.unref()
  const { port1, port2 } = new MessageChannel()
  const signal = new Int32Array(new SharedArrayBuffer(8))
  worker.postMessage({ kind, bytes: new Uint8Array(bytes), signal, port: port2 } satisfies ConvertOrder, [port2])
  const start = performance.now()
  const memory = process.memoryUsage.rss()
  let [steps, moved] = [0, start]
  while (Atomics.wait(signal, 0, 0, 100) === 'timed-out') {
    const now = performance.now()
    if (signal[1] !== steps) [steps, moved] = [signal[1]!, now]
    const isStuck = now - moved > STUCK_MS || now - start > 300_000
    if (!isStuck && process.memoryUsage.rss() - memory < 1024 * 1024 * 1024) continue
    running = undefined
    void worker.terminate()
    port1.close()
    return { problem: TOO_MUCH }
  }
  const reply = receiveMessageOnPort(port1)?.message as Converted | undefined
  port1.close()
  idle = setTimeout(() => {
    running = undefined
    void worker.terminate()
  }, 5_000)
  idle.unref()
  return reply ?? { problem: TOO_MUCH }
}
