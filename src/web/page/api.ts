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

const GONE = {
  code: 'SERVER_GONE',
  message: 'Loadout does not answer: the program in the terminal has ended.',
  hint: 'start loadout web again, and open the address that it prints',
}

async function send<T>(path: string, init: RequestInit): Promise<T> {
  const headers = { ...authorization(), ...(init.body && { 'content-type': 'application/json' }) }
  const response = await fetch(path, { ...init, headers }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error
    connection.value = 'lost'
    throw new Refusal(GONE)
  })
  const json = await response.json().catch(() => ({ error: { code: 'UNEXPECTED', message: 'The answer is cut off.' } }))
  if (response.ok) return json as T
  if (response.status === 401) connection.value = 'refused'
  throw new Refusal(json.error ?? { code: 'UNEXPECTED', message: `Unexpected answer: ${response.status}` })
}
