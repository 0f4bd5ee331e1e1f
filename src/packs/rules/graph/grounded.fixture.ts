import type { Grounded } from './graph-records.ts'

export function textOf({ parts }: Grounded): string {
  return parts.map(({ text }) => text).join('')
}

/** The distinct codes of the warnings. */
export function codesOf({ warnings }: Grounded): string[] {
  return [...new Set(warnings.map(({ code }) => code))].sort()
}
