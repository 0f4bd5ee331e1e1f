import type { ComponentChildren } from 'preact'
import type { Span } from '../../../display-rules.ts'
import { printable } from '../../../text/printable.ts'

const LONGEST = 200_000

/** A literal text with some words marked. Shows control characters; treats nothing as markup. */
export function MarkedText({ label, text, marks = [] }: { label: string; text: string; marks?: readonly Span[] }) {
  const shown = text.slice(0, LONGEST)
  const pieces: ComponentChildren[] = []
  let from = 0
  for (const [start, end] of marks) {
    if (start < from || end > shown.length) continue
    pieces.push(printable(shown.slice(from, start)), <mark key={start}>{printable(shown.slice(start, end))}</mark>)
    from = end
  }
  pieces.push(printable(shown.slice(from)))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so that the keyboard must reach it
    <pre class="text" tabIndex={0} role="region" aria-label={label}>
      {pieces}
      {text.length > LONGEST && '\u2026'}
    </pre>
  )
}
