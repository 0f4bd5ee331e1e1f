import { expect, it } from 'vitest'
import { entryOf, indexOf } from './entry.fixture.ts'
import { validateIndex } from './validate.ts'

const codes = (index: unknown) => validateIndex(index as never).map(({ severity, code }) => `${severity} ${code}`)
const one = (changes: object) => codes(indexOf([{ ...entryOf(), ...changes }]))

const budget = (changes: object) => codes({ ...indexOf([]), budget: { ...indexOf([]).budget, ...changes } })
const twice = (code: string) => [code, code]

const rows: [name: string, codes: string[], expected: string[]][] = [
  ['a good index', codes(indexOf([entryOf()])), []],
  ['null', codes(null), ['error INVALID_INDEX']],
  ['a list', codes([]), ['error INVALID_INDEX']],
  ['nothing inside', codes({}), ['error MISSING_VERSION', 'warning MISSING_GENERATED', 'error INVALID_ENTRIES']],
  ['null as entry', codes(indexOf([null])), ['error INVALID_INDEX']],
  ['no id', one({ id: undefined }), ['error MISSING_ID']],
  ['an id that is a number', one({ id: 7 }), ['error MISSING_ID']],
  ['an id with capitals', one({ id: 'Not Kebab' }), ['warning BAD_ID_FORMAT']],
  ['an id twice', codes(indexOf([entryOf(), entryOf()])), ['error DUPLICATE_ID']],
  ['no path', one({ path: '' }), ['error MISSING_PATH']],
  ['a wrong priority', one({ priority: 'urgent' }), ['error INVALID_PRIORITY']],
  ['no summary', one({ summary: '' }), ['error MISSING_SUMMARY']],
  ['a long summary', one({ summary: 'x'.repeat(121) }), ['warning LONG_SUMMARY']],
  ['no keywords', one({ keywords: [] }), ['error EMPTY_KEYWORDS']],
  ['keywords of numbers', one({ keywords: [1] }), ['error INVALID_INDEX']],
  ['a manual entry without keywords', one({ priority: 'manual', keywords: [] }), []],
  ['a negative estimate', one({ tokens_est: -1 }), ['warning BAD_TOKEN_EST']],
  ['an estimate that is none', one({ tokens_est: Number.NaN }), ['warning BAD_TOKEN_EST']],
  ['an endless estimate', one({ tokens_est: JSON.parse('1e999') }), ['warning BAD_TOKEN_EST']],
  ['a version that is none', codes(indexOf([], { version: 'banana' })), ['error INVALID_INDEX']],
  ['an absolute path', one({ path: '/etc/passwd' }), ['error PATH_ESCAPE']],
  ['a path that leaves the root', one({ path: '../../etc/passwd' }), ['error PATH_ESCAPE']],
  ['an empty keyword', one({ keywords: ['ci', ' '] }), ['error EMPTY_KEYWORDS']],
  ['a keyword twice', one({ keywords: ['ci', 'CI', 'dry run', 'dry-run'] }), twice('warning WEAK_KEYWORDS')],
  ['no budget', codes({ ...indexOf([]), budget: undefined }), ['error BAD_BUDGET']],
  ['negative budgets', budget({ always_loaded_est: -1, on_demand_total_est: -1 }), twice('warning NEGATIVE_BUDGET')],
  ['a budget without a field', budget({ avg_task_load_est: undefined }), ['error BAD_BUDGET']],
  ['an endless budget', budget({ always_loaded_est: Number.POSITIVE_INFINITY }), ['error BAD_BUDGET']],
  ['a budget of words', budget({ on_demand_total_est: 'many' }), ['error BAD_BUDGET']],
  ['a measured average', budget({ avg_task_load_observed: 5 }), []],
]

it('the check of an index names the priority that was probably meant', () => {
  const issues = validateIndex(indexOf([entryOf({ priority: 'Manual' as never })]))
  expect(issues.map(({ code, hint }) => `${code} ${hint}`)).toEqual(['INVALID_PRIORITY did you mean "manual"?'])
})

it.each(rows)('%s', (_, found, expected) => {
  expect(found).toEqual(expected)
})
