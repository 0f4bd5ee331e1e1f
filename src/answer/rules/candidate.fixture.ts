import type { Candidate } from './bundle.ts'

/** A candidate that was read to its end; say only what matters. */
export function candidateOf(path: string, text: string, more: Partial<Candidate> = {}): Candidate {
  return {
    path,
    sourceClass: 'task',
    selectedBy: 'task',
    reason: 'asked for',
    score: 1,
    text,
    charsTotal: text.length,
    sha256: null,
    provenance: {},
    isWhole: false,
    ...more,
  }
}
