import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Finding } from '../../../text/trouble.ts'
import { Refusal, tell } from '../api.ts'
import { count, line } from '../format.ts'
import { Command } from './command.tsx'
import { Dialog } from './dialog.tsx'
import { Notices, Refused } from './notices.tsx'

/** What the server plans or did: a value of a use case, and the mark of the plan. */
export interface Planned {
  findings: Finding[]
  /** Sent back when the plan is carried out; the server refuses when it would be another one by then. */
  plan?: string
}

export interface Change<T extends Planned> {
  title: string
  /** What the button says: `Unequip`. */
  verb: string
  /** The command that does the same. */
  command: string
  path: string
  body: object
  /** Shows what would be done. */
  show(planned: T): ComponentChildren
  /** Whether there is anything to do. */
  isEmpty(planned: T): boolean
  /** What is said afterwards, and what takes it back. */
  done(result: T): { text: string; undo?: Change<Planned> | undefined }
  onDone?(): void
}

const asked = signal<Change<Planned> | undefined>(undefined)
const said = signal<{ text: string; findings: readonly Finding[]; undo?: Change<Planned> | undefined } | undefined>(
  undefined,
)

/** Shows what would be done, and does it once a person agrees: as the command does, by the same plan. */
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
    setRefusal(error instanceof Refusal ? error : new Refusal({ code: 'UNEXPECTED', message: String(error) }))
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

/** What was done last, with the way back. */
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
            ✕
          </button>
        </div>
      )}
    </div>
  )
}
