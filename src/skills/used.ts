import type { Machine } from '../machine/machine.ts'
import { summarizeLog } from '../usage/usage.ts'

/** The skills with a use in the log; undefined if there are none, because then the log proves nothing about the others. */
export function usedSkills(machine: Machine): ReadonlySet<string> | undefined {
  const entries = summarizeLog(machine, {}).value.filter(({ kind, used }) => kind === 'skill' && used > 0)
  return entries.length > 0 ? new Set(entries.map(({ entryId }) => entryId)) : undefined
}
