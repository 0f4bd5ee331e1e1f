import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** A question to a thread, or that its answer is not wanted any more. */
export interface Wanted {
  id: number
  stop?: true
  path: string
  method: string
  headers?: Record<string, string>
  body?: string
}

export type Told = Answered | { trouble: string }

interface Answered {
  id: number
  status: number
  text: string
}

interface Asked {
  wanted: Wanted
  signal: AbortSignal
  done(answer: Answered): void
  fail(error: Error): void
}

interface Thread {
  worker: Worker
  now: Asked | undefined
}

/** One waits for long answers, so that others stay free for short ones. */
const MOST_THREADS = 3
const MOST_LONG = 2
/** Whole indexes may have to be built first, or every pair compared. */
const LONG = /^\/api\/(?:context|similar|replay|tune|given)\b/
/** A thread that does not stop by itself after this time is ended, if it changes nothing. */
const PATIENCE_MS = 1_500

/** Answers questions of the page in other threads: one that takes long stops no other, and can be cancelled. */
export class Threads {
  private readonly threads: Thread[] = []
  private readonly waiting: Asked[] = []
  private readonly project: string | undefined
  private readonly onTrouble: (text: string) => void
  private asked = 0

  constructor(project: string | undefined, onTrouble: (text: string) => void) {
    this.project = project
    this.onTrouble = onTrouble
  }

  ask(wanted: Omit<Wanted, 'id'>, signal: AbortSignal): Promise<Answered> {
    return new Promise((done, fail) => {
      const asked = { wanted: { ...wanted, id: ++this.asked }, signal, done, fail }
      this.waiting.push(asked)
      signal.addEventListener('abort', () => this.cancel(asked), { once: true })
      this.next()
    })
  }

  stop(): void {
    for (const { worker } of this.threads.splice(0)) void worker.terminate()
  }

  private next(): void {
    const isLong = ({ wanted }: Asked) => LONG.test(wanted.path)
    const long = this.threads.filter(({ now }) => now !== undefined && isLong(now)).length
    const at = this.waiting.findIndex((each) => !isLong(each) || long < MOST_LONG)
    const asked = this.waiting[at]
    if (asked === undefined) return
    const free = this.threads.find(({ now }) => now === undefined) ?? this.start()
    if (free === undefined) return
    this.waiting.splice(at, 1)
    free.now = asked
    free.worker.postMessage(asked.wanted)
    this.next()
  }

  private start(): Thread | undefined {
    if (this.threads.length >= MOST_THREADS) return undefined
    const worker = new Worker(join(import.meta.dirname, 'page-worker.js'), { workerData: { project: this.project } })
    const thread: Thread = { worker, now: undefined }
    worker.on('message', (told: Told) => {
      if ('trouble' in told) return this.onTrouble(told.trouble)
      const { now } = thread
      if (now?.wanted.id !== told.id) return
      thread.now = undefined
      now.done(told)
      this.next()
    })
    const end = (error: Error) => {
      const at = this.threads.indexOf(thread)
      if (at >= 0) this.threads.splice(at, 1)
      thread.now?.fail(error)
      thread.now = undefined
      this.next()
    }
    worker.on('error', end)
    worker.on('exit', () => end(new Error('the thread that was asked has ended')))
    // The server keeps the program running.
    worker.unref()
    this.threads.push(thread)
    return thread
  }

  /** Changes are carried out to their end: only questions are given up. */
  private cancel(asked: Asked): void {
    if (asked.wanted.method !== 'GET') return
    const at = this.waiting.indexOf(asked)
    if (at >= 0) this.waiting.splice(at, 1)
    const thread = this.threads.find(({ now }) => now === asked)
    asked.done({ id: asked.wanted.id, status: 499, text: '' })
    if (thread === undefined) return
    thread.worker.postMessage({ ...asked.wanted, stop: true })
    const timer = setTimeout(() => thread.now === asked && void thread.worker.terminate(), PATIENCE_MS)
    timer.unref()
  }
}
