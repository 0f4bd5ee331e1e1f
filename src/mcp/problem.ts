import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { printableLine } from '../domain/shared/printable.ts'

/** For requests whose answer has no room for a problem, such as reading a resource. */
export async function orProtocolError<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const { code, message, hint } = error
    const text = printableLine(hint === undefined ? message : `${message}; ${hint}`)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, text, { code })
  }
}
