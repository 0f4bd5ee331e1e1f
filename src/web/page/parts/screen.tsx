import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Span } from '../../../display-rules.ts'
import { printable } from '../../../text/printable.ts'
import type { Answer } from '../api.ts'
import { count, line } from '../format.ts'
import { connection } from '../live.ts'
import type { Asked } from '../use-answer.ts'
import { Choice } from './field.tsx'
import { Refused } from './notices.tsx'

/** The frame of every screen: name, one-line summary, controls, views, content. */
export function Screen(props: {
  title: string
  summary: ComponentChildren
  controls?: ComponentChildren
  tabs?: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <>
      <header class="screen-head">
        <div>
          <h1>{props.title}</h1>
          <p class="muted">{props.summary}</p>
        </div>
        {props.controls && <div class="controls">{props.controls}</div>}
      </header>
      {props.tabs}
      {props.children}
    </>
  )
}

/** Shows an answer, or that it is loading, or why it failed. A lost connection is said once, above the screen. */
export function Answered<T>({ asked, children }: { asked: Asked<T>; children(answer: Answer<T>): ComponentChildren }) {
  const { answer, refusal, isWaiting, again, cancel } = asked
  const isConnected = connection.value === 'live' || connection.value === 'waiting'
  return (
    <>
      {refusal && isConnected && <Refused refusal={refusal} onAgain={again} />}
      {isWaiting && answer !== undefined && <div class="updating" role="presentation" />}
      {isWaiting && answer === undefined && !refusal && <Waiting onCancel={cancel} />}
      {!isWaiting && answer === undefined && !refusal && <Cancelled onAgain={again} />}
      {answer !== undefined && children(answer)}
    </>
  )
}

/** The seconds so far, and a way out, once it takes long. */
function Waiting({ onCancel }: { onCancel(): void }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <p class="waiting muted row">
      reading…
      {seconds >= 2 && (
        <>
          <span>{count(seconds, 'second')}</span>
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        </>
      )}
    </p>
  )
}

function Cancelled({ onAgain }: { onAgain(): void }) {
  return (
    <p class="muted row">
      Cancelled.
      <button type="button" class="button" onClick={onAgain}>
        Ask again
      </button>
    </p>
  )
}

/** A number with its label. */
export function Figure({ value, label }: { value: ComponentChildren; label: string }) {
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  )
}

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

/** A box that is ticked or not; the surrounding text must also say so in words. */
export function Tick({ isOn }: { isOn: boolean }) {
  return (
    <svg class={`tick${isOn ? ' is-on' : ''}`} viewBox="0 0 16 16" aria-hidden="true">
      <rect x="1.5" y="1.5" width="13" height="13" rx="3" />
      {isOn && <path d="m4.5 8.2 2.4 2.4 4.6-5" />}
    </svg>
  )
}

/** The user's own skills, or those of the server's project. */
export function ScopeChoice({ value, onChange }: { value: string; onChange(value: string): void }) {
  const options = [
    ['', 'yours'],
    ['project', 'this project'],
  ] as const
  return <Choice label="Skills" value={value} options={options} onChange={onChange} />
}

/** The equivalent command for a terminal. */
export function Command({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(() => setCopied(true))
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <span class="command">
      <code>{line(text)}</code>
      <button type="button" class="copy" aria-label={`copy ${line(text, 60)}`} onClick={copy}>
        {isCopied ? 'copied' : 'copy'}
      </button>
    </span>
  )
}

const LONGEST_TEXT = 200_000

/** A literal text with some words marked. Shows control characters; treats nothing as markup. */
export function MarkedText({ label, text, marks = [] }: { label: string; text: string; marks?: readonly Span[] }) {
  const shown = text.slice(0, LONGEST_TEXT)
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
      {text.length > LONGEST_TEXT && '\u2026'}
    </pre>
  )
}
