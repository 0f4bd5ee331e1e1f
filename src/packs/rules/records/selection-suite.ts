import { isRecord } from '../../../text/values.ts'
import { anyText, closed, flag, listOf, readRecord, someText, word } from './record-shape.ts'

const EXPECTATIONS = ['select', 'reject', 'warn'] as const
export type Expectation = (typeof EXPECTATIONS)[number]

/** A prompt, and whether the pack should be chosen for it. */
export interface SelectionCase {
  id: string
  prompt: string
  expected: Expectation
  reason?: string
  /** With `warn`: texts or codes of warnings that must come with the pack. None means any warning. */
  expectedWarnings: string[]
}

export interface SelectionSuite {
  packName: string
  cases: SelectionCase[]
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

// An older form, without ids.
const QUERIES = closed(
  { queries: listOf(closed({ query: someText, should_select: flag }, { id: someText, reason: anyText }), 1) },
  { pack_name: someText },
)

/** Also reads the older form with `queries`. A suite that is about another pack is refused. */
export function readSelectionSuite(value: unknown, packName: string): { suite: SelectionSuite } | { problem: string } {
  if (isRecord(value) && Array.isArray(value.evals)) {
    return { problem: 'it tests answers ("evals"), not selection; only suites with "cases" can be run' }
  }
  const read = isRecord(value) && value.cases === undefined && value.queries !== undefined ? readOld : readNew
  const suite = read(value, packName)
  if ('problem' in suite || suite.suite.packName === packName) return suite
  return { problem: 'pack_name is not the name of this pack' }
}

function readNew(value: unknown): { suite: SelectionSuite } | { problem: string } {
  const read = readRecord(SUITE, value)
  if ('problem' in read) return read
  const cases = read.value.cases.map(({ id, prompt, expected, reason, expected_warnings: expectedWarnings = [] }) => ({
    id,
    prompt,
    expected,
    expectedWarnings,
    ...(reason === undefined ? {} : { reason }),
  }))
  return { suite: { packName: read.value.pack_name, cases } }
}

function readOld(value: unknown, packName: string): { suite: SelectionSuite } | { problem: string } {
  const read = readRecord(QUERIES, value)
  if ('problem' in read) return read
  const cases = read.value.queries.map(
    ({ query, should_select: isWanted, id, reason }, index): SelectionCase => ({
      id: id ?? `query-${index + 1}`,
      prompt: query,
      expected: isWanted ? 'select' : 'reject',
      expectedWarnings: [],
      ...(reason === undefined ? {} : { reason }),
    }),
  )
  return { suite: { packName: read.value.pack_name ?? packName, cases } }
}
