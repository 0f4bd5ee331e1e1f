import type { ComponentChildren } from 'preact'
import type { Answer } from '../api.ts'
import { connection } from '../live.ts'
import type { Asked } from '../use-answer.ts'
import { Refused } from './notices.tsx'

/** The frame of every screen: name, one-line summary, controls, content. */
export function Screen(props: {
  title: string
  summary: ComponentChildren
  controls?: ComponentChildren
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
      {props.children}
    </>
  )
}

/** Shows an answer, or that it is loading, or why it failed. A lost connection is said once, above the screen. */
export function Answered<T>({ asked, children }: { asked: Asked<T>; children(answer: Answer<T>): ComponentChildren }) {
  const { answer, refusal, isWaiting, again } = asked
  const isConnected = connection.value === 'live' || connection.value === 'waiting'
  return (
    <>
      {refusal && isConnected && <Refused refusal={refusal} onAgain={again} />}
      {answer === undefined && !refusal && (isWaiting ? <p class="waiting muted">reading…</p> : null)}
      {answer !== undefined && children(answer)}
    </>
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
