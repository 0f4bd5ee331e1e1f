import { expect, it } from 'vitest'
import { entryOf, indexOf } from './entry.fixture.ts'
import { validateIndex } from './validate.ts'

const codes = (index: unknown) => validateIndex(index as never).map(({ severity, code }) => `${severity} ${code}`)
const one = (changes: object) => codes(indexOf([{ ...entryOf(), ...changes }]))

const rows: [name: string, codes: string[], expected: string[]][] = [
  ['a good index', codes(indexOf([entryOf()])), []],
  ['null', codes(null), ['error INVALID_INDEX']],
  ['a list', codes([]), ['error INVALID_INDEX']],
  ['nothing inside', codes({}), ['error MISSING_VERSION', 'warning MISSING_GENERATED', 'error INVALID_ENTRIES']],
  ['null as entry', codes(indexOf([null])), ['error MALFORMED_ENTRY']],
  ['no id', one({ id: undefined }), ['error MISSING_ID']],
  ['an id that is a number', one({ id: 7 }), ['error MISSING_ID']],
  ['an id with capitals', one({ id: 'Not Kebab' }), ['warning BAD_ID_FORMAT']],
  ['an id twice', codes(indexOf([entryOf(), entryOf()])), ['error DUPLICATE_ID']],
  ['no path', one({ path: '' }), ['error MISSING_PATH']],
  ['a wrong priority', one({ priority: 'urgent' }), ['error INVALID_PRIORITY']],
  ['no summary', one({ summary: '' }), ['error MISSING_SUMMARY']],
  ['a long summary', one({ summary: 'x'.repeat(121) }), ['warning LONG_SUMMARY']],
  ['no keywords', one({ keywords: [] }), ['error EMPTY_KEYWORDS']],
  ['keywords of numbers', one({ keywords: [1] }), ['error MALFORMED_ENTRY']],
  ['a manual entry without keywords', one({ priority: 'manual', keywords: [] }), []],
  ['a negative estimate', one({ tokens_est: -1 }), ['warning BAD_TOKEN_EST']],
  ['an estimate that is none', one({ tokens_est: Number.NaN }), ['warning BAD_TOKEN_EST']],
  [
    'negative budgets',
    codes(indexOf([], { budget: { always_loaded_est: -1, on_demand_total_est: -1 } as never })),
    ['warning NEGATIVE_BUDGET', 'warning NEGATIVE_BUDGET'],
  ],
]

it.each(rows)('%s', (_, found, expected) => {
  expect(found).toEqual(expected)
})
