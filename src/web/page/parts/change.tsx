import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Finding } from '../../../text/trouble.ts'
import { type Refusal, refusalOf, tell } from '../api.ts'
import { count, line } from '../format.ts'
import { Dialog } from './dialog.tsx'
import { Notices, Refused } from './notices.tsx'
import { Command } from './screen.tsx'

/** A plan or a result of the server, with the identity of the plan. */
export interface Planned {
  findings: Finding[]
  /** Sent back to apply the plan; the server refuses if the plan would now be different. */
  plan?: string
}

export interface Change<T extends Planned> {
  title: string
  /** The text of the button: `Unequip`. */
  verb: string
  /** The equivalent command. */
  command: string
  path: string
  body: object
  /** Shows the plan. */
  show(planned: T): ComponentChildren
  /** Whether there is anything to do. */
  isEmpty(planned: T): boolean
  /** The message afterwards, and the change that undoes it. */
  done(result: T): { text: string; undo?: Change<Planned> }
  onDone?(): void
}

const asked = signal<Change<Planned> | undefined>(undefined)
const said = signal<{ text: string; findings: readonly Finding[]; undo?: Change<Planned> } | undefined>(undefined)

/** Shows the plan of a change, and applies exactly that plan when the user confirms, like the command. */
export function propose<T extends Planned>(change: Change<T>): void {
  asked.value = change as unknown as Change<Planned>
}

export function Confirm() {
  return asked.value === undefined ? null : <Proposal key={JSON.stringify(asked.value.body)} change={asked.value} />
}

function Proposal({ change }: { change: Change<Planned> }) {
  const [planned, setPlanned] = useState<Planned>()
  const [refusal, setRefusal] = useState<Refusal>()
  const [isBusy, setBusy] = useState(false)
  const close = () => {
    asked.value = undefined
  }
  const refuse = (error: unknown) => {
    setBusy(false)
    setRefusal(refusalOf(error))
  }
  const plan = () => {
    setRefusal(undefined)
    setPlanned(undefined)
    tell<Planned>(change.path, { ...change.body, dryRun: true }).then(setPlanned, refuse)
  }
  useEffect(plan, [change])
  const carryOut = () => {
    setBusy(true)
    tell<Planned>(change.path, { ...change.body, plan: planned?.plan }).then((result) => {
      said.value = { ...change.done(result), findings: result.findings }
      change.onDone?.()
      close()
    }, refuse)
  }
  const isReady = planned !== undefined && refusal === undefined && !change.isEmpty(planned)
  return (
    <Dialog
      title={change.title}
      onClose={close}
      actions={
        <button type="button" class="button is-main" disabled={!isReady || isBusy} onClick={carryOut}>
          {isBusy ? 'Working…' : change.verb}
        </button>
      }
    >
      {refusal && <Refused refusal={refusal} onAgain={plan} />}
      {planned === undefined && !refusal && <p class="muted">planning…</p>}
      {planned && (
        <>
          {change.isEmpty(planned) ? <p>There is nothing to do.</p> : change.show(planned)}
          <Notices findings={planned.findings} />
          <p class="muted">
            In a terminal: <Command text={change.command} />
          </p>
        </>
      )}
    </Dialog>
  )
}

/** The last change, with a button to undo it. */
export function Toast() {
  const now = said.value
  return (
    <div class="toast" role="status" aria-live="polite">
      {now && (
        <div class="toast-box">
          <span>
            {now.text}
            {now.findings.length > 0 &&
              ` (${count(now.findings.length, 'finding')}: ${line(now.findings[0]?.message ?? '')})`}
          </span>
          {now.undo && (
            <button
              type="button"
              class="button"
              onClick={() => {
                const undo = now.undo
                said.value = undefined
                if (undo) propose(undo)
              }}
            >
              Undo
            </button>
          )}
          <button
            type="button"
            class="button"
            aria-label="Dismiss this message"
            onClick={() => {
              said.value = undefined
            }}
          >
            ×
          </button>
        </div>
      )}
    </div>
  )
}
