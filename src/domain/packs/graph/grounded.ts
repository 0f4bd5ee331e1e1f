import type { Code } from '../../shared/codes.ts'
import { printableLine } from '../../shared/printable.ts'
import type { ContextPart } from '../context-part.ts'
import type { PackWarning } from '../warning.ts'

/** What records of a pack give a task: text made from them, and what its reader must know. */
export interface Grounded {
  /** Limits and prohibitions before what they are about. A later part must not be used without the earlier ones. */
  parts: ContextPart[]
  /** Where the facts come from, as `path#anchor`. */
  anchors: string[]
  warnings: PackWarning[]
  /** What the task asks for and the records do not give. */
  missing: string[]
  /** Every file that decided what the text says, in the order they were read. */
  files: string[]
}

/** A text of the pack on one line, so that it cannot look like a line of ours. */
export function oneLine(text: string): string {
  return printableLine(text.replace(/\s+/g, ' ').trim())
}

const LONGEST_NAME = 60

/** A name from the pack for a message: short and harmless. */
export function shortName(name: string): string {
  const line = oneLine(name.slice(0, 4 * LONGEST_NAME))
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME)}...` : line
}

/** Different warnings with one code about one file; what comes after is counted together. */
const MOST_ALIKE = 20
const MORE = 'there is more of this kind'

/** The same trouble met many times is one warning with a count. */
export class Warnings {
  private readonly kinds = new Map<string, Map<string, PackWarning>>()

  add(code: Code, path: string, message: string, severity: PackWarning['severity'] = 'warning'): void {
    const kind = JSON.stringify([code, path, severity])
    const alike = this.kinds.get(kind) ?? new Map<string, PackWarning>()
    this.kinds.set(kind, alike)
    const text = alike.has(message) || alike.size < MOST_ALIKE ? message : MORE
    const known = alike.get(text)
    if (known === undefined) alike.set(text, { severity, code, path: path.slice(0, 200), message: text })
    else known.count = (known.count ?? 1) + 1
  }

  all(): PackWarning[] {
    return [...this.kinds.values()].flatMap((alike) => [...alike.values()])
  }
}
