export * from './app/loadout.ts'
export { CODES, type Code } from './domain/shared/codes.ts'
export type { Finding, Report } from './domain/shared/finding.ts'
export { LoadoutError } from './domain/shared/loadout-error.ts'
