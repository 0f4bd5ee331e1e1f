import { useEffect, useRef, useState } from 'preact/hooks'
import type { Watched } from '../../loadout.ts'
import { type Answer, ask, askLast, type Params, pathWith, type Refusal, refusalOf } from './api.ts'
import { countChanges } from './live.ts'

export interface Asked<T> {
  /** The last answer; it stays until the next one arrives. */
  answer: Answer<T> | undefined
  refusal: Refusal | undefined
  isWaiting: boolean
  again(): void
  /** Gives the question up; what is shown stays. */
  cancel(): void
}

/** The last answers in this tab, by their questions: a screen that is opened again shows them at once. */
const known = new Map<string, unknown>()
const MOST_KNOWN = 40

function know(url: string, answer: unknown): void {
  known.delete(url)
  known.set(url, answer)
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value ?? '')
}

const IDLE = { isBusy: false, isStale: false, ask: () => {}, stop: () => {} }

/**
 * Asks a question, and asks again when the question or what it is about changes: things on this machine, or the answer
 * that named the subject. The details of one row ask after the rows: the subject may have vanished by then.
 */
export function useAnswer<T>(
  path: string | undefined,
  params: Params,
  about: readonly Watched[] | Answer<object>,
): Asked<T> {
  const url = path === undefined ? undefined : pathWith(path, params)
  type State = Pick<Asked<T>, 'answer' | 'refusal' | 'isWaiting'>
  const remembered = (): State => {
    const answer = url === undefined ? undefined : (known.get(url) as Answer<T> | undefined)
    return { answer, refusal: undefined, isWaiting: url !== undefined }
  }
  const [state, setState] = useState<State>(remembered)
  const [round, setRound] = useState(0)
  const changed = 'findings' in about ? about : countChanges(about)
  const run = useRef(IDLE)
  useEffect(() => {
    if (url === undefined) {
      run.current = IDLE
      setState({ answer: undefined, refusal: undefined, isWaiting: false })
      return
    }
    let stop = new AbortController()
    const now = { ...IDLE, stop: () => stop.abort() }
    if (known.has(url)) setState(remembered())
    const end = (signal: AbortSignal, next: (before: State) => State) => {
      if (signal.aborted) return
      setState(next)
      now.isBusy = false
      if (now.isStale) now.ask()
    }
    now.ask = () => {
      // If something changes while waiting: show the answer, then ask once more. Otherwise a machine that changes
      // faster than it answers would never be shown.
      now.isStale = now.isBusy
      if (now.isBusy) return
      now.isBusy = true
      if (stop.signal.aborted) stop = new AbortController()
      const { signal } = stop
      setState((before) => ({ ...before, isWaiting: true }))
      ask<Answer<T>>(url, {}, signal).then(
        (answer) => {
          know(url, answer)
          end(signal, () => ({ answer, refusal: undefined, isWaiting: false }))
        },
        (error) => end(signal, ({ answer }) => ({ answer, refusal: refusalOf(error), isWaiting: false })),
      )
    }
    run.current = now
    now.ask()
    if (!known.has(url)) {
      const takeOver = (answer: Answer<T> | undefined) => {
        if (answer !== undefined && now.isBusy && !known.has(url)) setState({ ...remembered(), answer })
      }
      askLast<Answer<T>>(url, stop.signal).then(takeOver, () => {})
    }
    return now.stop
  }, [url])
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) run.current.ask()
    isFirst.current = false
  }, [changed, round])
  const cancel = () => {
    run.current.stop()
    run.current.isBusy = false
    setState((before) => ({ ...before, isWaiting: false }))
  }
  return { ...state, again: () => setRound((before) => before + 1), cancel }
}
