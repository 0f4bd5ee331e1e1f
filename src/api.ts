export * from './display-rules.ts'
export * from './loadout.ts'
export type { Finding, Report } from './text/trouble.ts'
export { CODES, type Code, LoadoutError } from './text/trouble.ts'
