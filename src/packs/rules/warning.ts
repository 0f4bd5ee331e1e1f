import { compareText } from '../../text/order.ts'
import type { Finding, Severity } from '../../text/trouble.ts'

/**
 * A finding about a file of a pack, `KNOWLEDGE.md` when it is about the pack as a whole. An error means that the item was
 * not used. Its message is in our words: text of the pack in it is cut short and made harmless.
 */
export interface PackWarning extends Finding {
  path: string
}

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 }

/** Worst first, then by path, code, line and message; the same warning is there once, with a count. */
export function settleWarnings(warnings: readonly PackWarning[]): PackWarning[] {
  const distinct = new Map<string, PackWarning>()
  for (const warning of warnings) {
    const { severity, code, path, line, message, count = 1 } = warning
    const key = JSON.stringify([severity, code, path, line, message])
    const known = distinct.get(key)
    distinct.set(key, known === undefined ? warning : { ...known, count: (known.count ?? 1) + count })
  }
  return [...distinct.values()].sort(
    (a, b) =>
      RANK[a.severity] - RANK[b.severity] ||
      compareText(a.path, b.path) ||
      compareText(a.code, b.code) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      compareText(a.message, b.message),
  )
}

/** A warning as a report about several packs shows it: the place is part of the message. */
export function toFinding({ severity, code, path, line, message, count = 1 }: PackWarning, pack: string): Finding {
  const place = `${pack}/${path}${line === undefined ? '' : `:${line}`}`
  return { severity, code, message: `${place}: ${message}${count === 1 ? '' : ` (${count} times)`}`, subject: pack }
}
