import type { Candidate } from '../candidate.ts'

/** What a task slice is made from, each list best first. */
export interface TaskSources {
  /** Payloads that are loaded for every task. */
  core: readonly Candidate[]
  /** Files of the project that the intent asks for, in the order of its patterns. */
  files: readonly Candidate[]
  /** Payloads that the task matched. */
  matched: readonly Candidate[]
  /** Knowledge packs. */
  packs: readonly Candidate[]
}

/**
 * The core first; then a file, a payload and a pack in turn, so that none of the three can crowd the others out. Inside
 * each list the order stays.
 */
export function interleave({ core, files, matched, packs }: TaskSources): Candidate[] {
  const rounds = Math.max(files.length, matched.length, packs.length)
  const turns = Array.from({ length: rounds }, (_, at) => [files[at], matched[at], packs[at]])
  return [...core, ...turns.flat().filter((candidate) => candidate !== undefined)]
}
