import { fstatSync, readSync, statSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { failWith } from '../text/trouble.ts'

/** The program's input and output. */
export interface Terminal {
  write(stream: 'stdout' | 'stderr', text: string): void
  hasColour(stream: 'stdout' | 'stderr'): boolean
  /** Whether a person is at the other end. */
  isSeen(stream: 'stdin' | 'stdout' | 'stderr'): boolean
  /** Fires on ctrl-c or when the system asks the program to end. Until it is requested, both end the program. */
  interruption(): AbortSignal
  /** Asks on standard error and reads one line. */
  ask(question: string): string
  readStdin(): string
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const DESCRIPTORS = { stdin: 0, stdout: 1, stderr: 2 } as const

/** Deliberately synchronous: creating the stream objects costs more than a whole plan. */
export const processTerminal: Terminal = {
  write(stream, text) {
    const bytes = Buffer.from(text)
    for (let written = 0; written < bytes.length; ) written += writeSome(DESCRIPTORS[stream], bytes, written)
  },
  hasColour: (stream) => !process.env.NO_COLOR && process.env.TERM !== 'dumb' && isTerminal(DESCRIPTORS[stream]),
  isSeen: (stream) => isTerminal(DESCRIPTORS[stream]),
  interruption() {
    const controller = new AbortController()
    for (const signal of SIGNALS) process.once(signal, () => controller.abort())
    return controller.signal
  },
  ask(question) {
    // While it reads, no listener would be called: from before the question on, the signals end the program again.
    const listeners = SIGNALS.flatMap((signal) => process.rawListeners(signal).map((each) => ({ signal, each })))
    for (const { signal, each } of listeners) process.off(signal, each as () => void)
    this.write('stderr', question)
    const chunk = Buffer.allocUnsafe(4096)
    const answer = chunk.toString('utf8', 0, readSome(chunk)).trim()
    for (const { signal, each } of listeners) process.on(signal, each as () => void)
    return answer
  },
  readStdin() {
    const chunks: Buffer[] = []
    const chunk = Buffer.allocUnsafe(64 * 1024)
    for (let count = readSome(chunk); count > 0; count = readSome(chunk)) {
      chunks.push(Buffer.from(chunk.subarray(0, count)))
    }
    return Buffer.concat(chunks).toString('utf8')
  },
}

/** Detects pipes, files and the null device without loading what real terminals need. */
function isTerminal(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor)
    return (
      stat.isCharacterDevice() &&
      stat.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev &&
      isatty(descriptor)
    )
  } catch {
    return false
  }
}

function writeSome(descriptor: number, bytes: Buffer, from: number): number {
  try {
    return writeSync(descriptor, bytes, from)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    // The reader of a non-blocking pipe is slow: wait a moment instead of spinning.
    if (code === 'EAGAIN') return waitAMoment()
    // The reader has gone (`| head`), or there is none: no one can read an error.
    if (code === 'EPIPE' || code === 'EBADF') return bytes.length - from
    throw failWith('WRITE_FAILED/output', { code: String(code) }, { cause: error })
  }
}

/** 0 at the end; a closed input counts as empty. */
function readSome(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : ''
      if (code === 'EOF' || code === 'EBADF') return 0
      if (code !== 'EAGAIN') {
        throw failWith('FILE_UNREADABLE/stdin', {}, { cause: error })
      }
      waitAMoment()
    }
  }
}

function waitAMoment(): 0 {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  return 0
}
