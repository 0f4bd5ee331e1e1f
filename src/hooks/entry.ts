import { readSync, writeSync } from 'node:fs'
import { answerHere } from '../answer/session/hook.ts'

/**
 * The program that an agent starts at every prompt: loads as little as possible. It always exits with 0 and prints
 * either one line of JSON or nothing, because agents treat anything else as a reason to stop the user.
 */
async function main(argv: readonly string[]): Promise<void> {
  try {
    const [agent = '', event = '', ...options] = argv
    if (agent === '') writeAll(2, 'loadout hook is run by agents: loadout help hook\n')
    const { reply } = await answerHere({ agent, event, input: readInput(), budget: budgetOf(options) })
    writeAll(1, reply)
  } catch {
    // There is no other place to report this.
  }
}

function budgetOf(options: readonly string[]): number | undefined {
  const given = /--budget[ =](\d+)(?: |$)/.exec(options.join(' '))?.[1]
  return given === undefined ? undefined : Number(given)
}

// Far more than a prompt of a million characters. The rest is read and dropped, so that the agent does not block.
const MOST_KEPT = 16 * 1024 * 1024

function readInput(): string {
  const chunk = Buffer.allocUnsafe(16 * 1024)
  const chunks: Buffer[] = []
  let kept = 0
  for (let count = readSome(chunk); count > 0; count = readSome(chunk)) {
    kept += count
    if (kept <= MOST_KEPT) chunks.push(Buffer.from(chunk.subarray(0, count)))
  }
  return kept > MOST_KEPT ? '' : Buffer.concat(chunks).toString('utf8')
}

/** 0 at the end of the input, or if it is closed. */
function readSome(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk)
    } catch (error) {
      if (!isBusy(error)) return 0
    }
  }
}

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      if (!isBusy(error)) return
    }
  }
}

/** Whether the other end of a pipe is slow. Waits 5 ms then, instead of spinning. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return false
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  return true
}

export function run(): void {
  // Exits without waiting for Node's own cleanup.
  main(process.argv.slice(3)).finally(() => process.exit(0))
}
