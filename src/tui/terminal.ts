import { writeSync } from 'node:fs'
import type { Size } from './frame/line.ts'

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?2004h'
const LEAVE = '\u001b[?2004l\u001b[?25h\u001b[?1049l'

/** The terminal, while the interface uses it. */
export interface TakenScreen {
  /** Shows a screen; only lines that changed are written, so nothing flickers and nothing scrolls. */
  paint(lines: readonly string[]): void
  /** Paints everything again, after a resize. */
  forget(): void
  /** Called when a signal asks the program to end. Without a listener, the signal ends it directly. */
  onSignal(listener: (code: number) => void): void
  giveBack(): void
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/** Takes over the whole screen, and restores it however the program ends. */
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
  // At once: early keys must neither be echoed nor interrupt the program.
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
        // Cleared first: after a full line some terminals would clear its last column.
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

/** Synchronous, so that nothing is lost when the program dies. */
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
