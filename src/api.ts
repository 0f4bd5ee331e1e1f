export * from './app/loadout.ts'
export { CODES, type Code } from './domain/shared/codes.ts'
export type { Finding, Report } from './domain/shared/trouble.ts'
export { LoadoutError } from './domain/shared/trouble.ts'
