import { pageIssues } from '../../text/issues/page.ts'
import { type Facts, wordRow } from '../../text/issues.ts'
import type { Finding } from '../../text/trouble.ts'
import { authorization, connection } from './live.ts'

/** An answer of a use case: the value that `--json` prints, with its findings. */
export type Answer<T> = T & { findings: Finding[] }

/** An error answer of the server. */
export class Refusal extends Error {
  readonly code: string
  readonly hint: string | undefined

  constructor({ code, message, hint }: { code: string; message: string; hint?: string }) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

export type Params = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** Reads from the server. */
export function ask<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  return send<T>(pathWith(path, params), { signal: signal ?? null })
}

/** What the server answered last, while it makes a new answer; undefined if it never did. */
export function askLast<T>(path: string, signal: AbortSignal): Promise<T | undefined> {
  return send<T | undefined>(path, { signal, headers: { 'x-last': '1' } })
}

/** Sends a change to the server. */
export function tell<T>(path: string, body: object): Promise<T> {
  return send<T>(path, { method: 'POST', body: JSON.stringify(body) })
}

export function pathWith(path: string, params: Params): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    const values = Array.isArray(value) ? value : [value]
    for (const each of values) if (each !== undefined && each !== '') search.append(name, String(each))
  }
  const text = search.toString()
  return text === '' ? path : `${path}?${text}`
}

const ROWS = pageIssues()['The page in the browser']

function refuse(name: keyof typeof ROWS, facts: Facts = {}): Refusal {
  return new Refusal(wordRow(name, ROWS[name], facts))
}

/** What went wrong, for a screen. */
export function refusalOf(error: unknown): Refusal {
  return error instanceof Refusal ? error : refuse('UNEXPECTED/page', { detail: String(error) })
}

async function send<T>(path: string, init: RequestInit): Promise<T> {
  const headers = { ...init.headers, ...authorization(), ...(init.body && { 'content-type': 'application/json' }) }
  // With its cache, a browser holds a question back while the same one waits: the last answer would come no earlier than the new one.
  const response = await fetch(path, { ...init, headers, cache: 'no-store' }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error
    connection.value = 'lost'
    throw refuse('UNREACHABLE/page')
  })
  if (response.status === 204) return undefined as T
  if (response.status === 401) connection.value = 'refused'
  const json = await response.json().catch((error: Error) => {
    throw error.name === 'AbortError' ? error : refuse('UNEXPECTED/cut-off')
  })
  if (response.ok) return json as T
  throw json.error === undefined ? refuse('UNEXPECTED/status', { status: response.status }) : new Refusal(json.error)
}
