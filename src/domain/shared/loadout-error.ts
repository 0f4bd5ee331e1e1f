import type { Code } from './codes.ts'

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
