import type { ComponentChildren } from 'preact'

/** The meaning of a colour; a sign repeats it for users who cannot see colours. */
export type Tone = 'good' | 'warn' | 'bad' | 'odd' | 'info' | 'quiet'

/** Drawn, not written: not every font has such signs. In a box of 10 by 10. */
const SIGNS: Record<Tone, string> = {
  good: 'M5 1a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z',
  warn: 'M5 1a4 4 0 1 0 0 8Z M5 1a4 4 0 0 1 0 8',
  bad: 'M5 1 9.5 9h-9Z',
  odd: 'M5 .5 9.5 5 5 9.5.5 5Z',
  info: 'M1.5 1.5h7v7h-7Z',
  quiet: 'M1 4h8v2H1Z',
}

export function Badge({ tone, children, title }: { tone: Tone; children: ComponentChildren; title?: string }) {
  return (
    <span class={`badge tone-${tone}`} title={title}>
      <Sign tone={tone} />
      {children}
    </span>
  )
}

function Sign({ tone }: { tone: Tone }) {
  return (
    <svg class={`sign tone-${tone}`} viewBox="0 0 10 10" aria-hidden="true">
      <path d={SIGNS[tone]} />
    </svg>
  )
}
