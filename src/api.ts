import { allCodes, type Code } from './text/trouble.ts'

export * from './display-rules.ts'
export * from './loadout.ts'
export type { Finding, Report } from './text/trouble.ts'
export { type Code, LoadoutError } from './text/trouble.ts'

/** Every code of an error or finding. */
export const CODES: readonly Code[] = allCodes()
