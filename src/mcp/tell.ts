import { writeSync } from 'node:fs'
import { printableLine } from '../domain/shared/printable.ts'

/** To the person who started the server. Standard output belongs to the protocol. */
export function tell(text: string): void {
  try {
    writeSync(2, `loadout mcp: ${printableLine(text)}\n`)
  } catch {
    // Nobody listens there any more.
  }
}
