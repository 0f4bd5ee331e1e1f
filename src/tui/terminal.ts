import { writeSync } from 'node:fs'
import type { Size } from './frame/line.ts'

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?2004h'
const LEAVE = '\u001b[?2004l\u001b[?25h\u001b[?1049l'

/** The terminal, while it is ours. */
export interface TakenScreen {
  /** Shows a screen; only lines that changed are written, so nothing flickers and nothing scrolls. */
  paint(lines: readonly string[]): void
  /** After a resize nothing that was shown can be trusted. */
  forget(): void
  /** Ends the program when the system asks for it. Without one, the system ends it directly. */
  onSignal(listener: (code: number) => void): void
  giveBack(): void
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/** Takes the whole screen, and gives it back as it was: also when the program ends in any other way. */
export function takeScreen(): TakenScreen {
  let isTaken = true
  let shown: string[] = []
  let end: ((code: number) => void) | undefined
  const giveBack = () => {
    if (!isTaken) return
    isTaken = false
    if (process.stdin.isTTY) process.stdin.setRawMode(false)
    write(LEAVE)
  }
  process.on('exit', giveBack)
  for (const [signal, number] of Object.entries(SIGNALS)) {
    process.once(signal, () => {
      giveBack()
      if (end !== undefined) end(128 + number)
      else process.kill(process.pid, signal)
    })
  }
  // From the first moment: what is typed before anybody reads it must neither show nor interrupt.
  if (process.stdin.isTTY) process.stdin.setRawMode(true)
  write(ENTER)
  return {
    giveBack,
    onSignal(listener) {
      end = listener
    },
    paint(lines) {
      let output = ''
      lines.forEach((line, row) => {
        // Cleared before: after a full line some terminals would clear its last column.
        if (shown[row] !== line) output += `\u001b[${row + 1};1H\u001b[K${line.replace(/ +$/, '')}\u001b[0m`
      })
      if (lines.length < shown.length) output += `\u001b[${lines.length + 1};1H\u001b[J`
      shown = [...lines]
      if (isTaken && output !== '') write(`\u001b[?2026h${output}\u001b[?2026l`)
    },
    forget() {
      shown = []
      if (isTaken) write('\u001b[2J')
    },
  }
}

/** Synchronous: what is on its way when the program dies must still arrive. */
function write(text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(1, bytes, written)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return
    }
  }
}

export function screenSize(): Size {
  const { columns = 80, rows = 24 } = process.stdout
  return { columns, rows }
}
