export * from './loadout.ts'
export { CODES, type Code } from './text/codes.ts'
export type { Finding, Report } from './text/trouble.ts'
export { LoadoutError } from './text/trouble.ts'
