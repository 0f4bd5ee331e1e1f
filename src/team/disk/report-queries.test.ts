import { expect, it } from 'vitest'
import { wholeMonths } from './report-queries.ts'

it.each<[from: string, to: string, months: [string, string]]>([
  ['2026-11-01', '2026-12-01', ['2026-11-01', '2026-12-01']],
  ['2026-11-02', '2026-12-01', ['2026-11-02', '2026-11-02']],
  ['2026-10-18', '2026-11-18', ['2026-10-18', '2026-10-18']],
  ['2025-12-31', '2026-02-01', ['2026-01-01', '2026-02-01']],
  ['2024-02-10', '2026-11-18', ['2024-03-01', '2026-11-01']],
])('from %s to %s the whole months are %j', (from, to, months) => {
  expect(wholeMonths({ from, to })).toEqual(months)
})
