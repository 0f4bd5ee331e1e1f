import type { Code } from './codes.ts'

export type Severity = 'error' | 'warning' | 'info'

/** Expected trouble, travelling with a result. An error needs action; a warning is worth knowing. */
export interface Finding {
  severity: Severity
  code: Code
  message: string
  /** What it is about: an entry id, a path, a layer. */
  subject?: string
  /** Where in it: a file, and a line counted from 1. */
  path?: string
  line?: number
  /** How many times the same was found. */
  count?: number
  /** What to do about it. */
  hint?: string
}

/** What a use case gives back: its answer, and the trouble met on the way. */
export interface Report<T> {
  value: T
  findings: Finding[]
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error')
}

/** An error that also names the trouble that was met before it: the report that would have said so is not given. */
export function alsoNaming(error: unknown, findings: readonly Finding[]): unknown {
  if (!(error instanceof LoadoutError)) return error
  const messages = new Set(findings.map((finding) => finding.message))
  const [first, ...others] = [...messages].filter((each) => !error.message.includes(each))
  if (first === undefined) return error
  const { code, hint, message, cause } = error
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return new LoadoutError(code, `${message}; ${first}${more}`, { ...(hint !== undefined && { hint }), cause })
}

/** A broken promise: the call cannot go on. The message says what is wrong, the hint what to do. */
export class LoadoutError extends Error {
  readonly code: Code
  readonly hint: string | undefined

  constructor(code: Code, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'LoadoutError'
    this.code = code
    this.hint = options.hint
  }
}

/** For a caller that goes on with the rest: what could not be done as a warning. A bug is thrown on. */
export function asFinding(error: unknown): Finding {
  if (!(error instanceof LoadoutError)) throw error
  const { code, message, hint } = error
  return { severity: 'warning', code, message, ...(hint === undefined ? {} : { hint }) }
}
