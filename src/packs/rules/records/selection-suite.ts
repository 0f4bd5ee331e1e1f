import { isRecord } from '../../../text/values.ts'
import { anyText, closed, flag, listOf, readRecord, someText, word } from './record-shape.ts'

const EXPECTATIONS = ['select', 'reject', 'warn'] as const
export type Expectation = (typeof EXPECTATIONS)[number]

/** A prompt, and whether the pack should be chosen for it. */
export interface SelectionCase {
  id: string
  prompt: string
  expected: Expectation
  /** With `warn`: texts or codes of the warnings that must come. Empty means any warning. */
  warnings: string[]
}

const SUITE = closed({
  pack_name: someText,
  cases: listOf(
    closed(
      { id: someText, prompt: someText, expected: word(EXPECTATIONS) },
      { reason: anyText, expected_warnings: listOf(anyText) },
    ),
    1,
  ),
})

// The older format, without ids.
const QUERIES = closed(
  { queries: listOf(closed({ query: someText, should_select: flag }, { id: someText, reason: anyText }), 1) },
  { pack_name: someText },
)

/** Reads a suite, also in the older format with `queries`. Refuses a suite of another pack. */
export function readSelectionSuite(value: unknown, pack: string): { cases: SelectionCase[] } | { problem: string } {
  if (isRecord(value) && Array.isArray(value.evals)) {
    return { problem: 'it tests answers ("evals"), not selection; only suites with "cases" can be run' }
  }
  const isOld = isRecord(value) && value.cases === undefined && value.queries !== undefined
  const read = isOld ? readRecord(QUERIES, value) : readRecord(SUITE, value)
  if ('problem' in read) return read
  if ((read.value.pack_name ?? pack) !== pack) return { problem: 'pack_name is not the name of this pack' }
  if ('cases' in read.value) {
    return {
      cases: read.value.cases.map(({ id, prompt, expected, expected_warnings: warnings = [] }) => {
        return { id, prompt, expected, warnings }
      }),
    }
  }
  return {
    cases: read.value.queries.map(({ query, should_select: isWanted, id = '' }, at) => {
      return { id: id || `query-${at + 1}`, prompt: query, expected: isWanted ? 'select' : 'reject', warnings: [] }
    }),
  }
}
