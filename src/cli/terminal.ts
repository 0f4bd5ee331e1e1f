import { fstatSync, readFileSync, statSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'
import { isatty } from 'node:tty'
import { LoadoutError } from '../domain/shared/loadout-error.ts'

/** Where the program's words go and come from. */
export interface Terminal {
  write(stream: 'stdout' | 'stderr', text: string): void
  hasColour(stream: 'stdout' | 'stderr'): boolean
  readStdin(): string
}

const DESCRIPTORS = { stdout: 1, stderr: 2 } as const

/** Synchronous on purpose: starting the stream objects costs more than a whole plan. */
export const processTerminal: Terminal = {
  write(stream, text) {
    const bytes = Buffer.from(text)
    for (let written = 0; written < bytes.length; ) written += writeSome(DESCRIPTORS[stream], bytes, written)
  },
  hasColour: (stream) => !process.env.NO_COLOR && process.env.TERM !== 'dumb' && isTerminal(DESCRIPTORS[stream]),
  readStdin() {
    try {
      return readFileSync(0, 'utf8')
    } catch (error) {
      throw new LoadoutError('FILE_UNREADABLE', 'standard input could not be read', {
        hint: 'pipe the text in',
        cause: error,
      })
    }
  },
}

/** Pipes, files and the null device are told apart without loading what real terminals need. */
function isTerminal(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor)
    return stat.isCharacterDevice() && stat.rdev !== statSync(devNull).rdev && isatty(descriptor)
  } catch {
    return false
  }
}

function writeSome(descriptor: number, bytes: Buffer, from: number): number {
  try {
    return writeSync(descriptor, bytes, from)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'EAGAIN') {
      // The reader of a non-blocking pipe is behind: wait a moment instead of spinning.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      return 0
    }
    // The reader has gone (`| head`), or there is none: nobody is left to tell.
    if (code === 'EPIPE' || code === 'EBADF') return bytes.length - from
    throw error
  }
}
