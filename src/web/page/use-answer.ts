import { useEffect, useRef, useState } from 'preact/hooks'
import type { Watched } from '../../loadout.ts'
import { type Answer, ask, type Params, pathWith, type Refusal, refusalOf } from './api.ts'
import { countChanges } from './live.ts'

export interface Asked<T> {
  /** The last answer; it stays until the next one arrives. */
  answer: Answer<T> | undefined
  refusal: Refusal | undefined
  isWaiting: boolean
  again(): void
}

const IDLE = { isBusy: false, isStale: false, ask: () => {} }

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
  const [state, setState] = useState<Omit<Asked<T>, 'again'>>({
    answer: undefined,
    refusal: undefined,
    isWaiting: true,
  })
  const [round, setRound] = useState(0)
  const changed = 'findings' in about ? about : countChanges(about)
  const run = useRef(IDLE)
  useEffect(() => {
    if (url === undefined) {
      run.current = IDLE
      setState({ answer: undefined, refusal: undefined, isWaiting: false })
      return
    }
    const stop = new AbortController()
    const now = { ...IDLE }
    const end = (next: (before: Omit<Asked<T>, 'again'>) => Omit<Asked<T>, 'again'>) => {
      if (stop.signal.aborted) return
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
      setState((before) => ({ ...before, isWaiting: true }))
      ask<Answer<T>>(url, {}, stop.signal).then(
        (answer) => end(() => ({ answer, refusal: undefined, isWaiting: false })),
        (error) => end(({ answer }) => ({ answer, refusal: refusalOf(error), isWaiting: false })),
      )
    }
    run.current = now
    now.ask()
    return () => stop.abort()
  }, [url])
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) run.current.ask()
    isFirst.current = false
  }, [changed, round])
  return { ...state, again: () => setRound((before) => before + 1) }
}
