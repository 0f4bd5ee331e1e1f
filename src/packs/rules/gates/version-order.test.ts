import { describe, expect, it } from 'vitest'
import { compareVersions, isLaterDay } from './catalog.ts'

// Each earlier than the next.
const ORDER = [
  '0.9.9',
  '1.0.0-0.3.7',
  '1.0.0-1',
  '1.0.0-2',
  '1.0.0-10',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0-x-y',
  '1.0.0',
  '1.0.1',
  '1.2',
  '1.10',
  '2',
  '10.0.0',
  '99999999999999999998.0.0',
  '99999999999999999999.0.0',
]

describe('versions', () => {
  it('have one order', () => {
    for (const [at, a] of ORDER.entries()) {
      for (const [other, b] of ORDER.entries()) {
        expect(Math.sign(compareVersions(a, b) ?? Number.NaN), `${a} and ${b}`).toBe(Math.sign(at - other))
      }
    }
  })

  const EQUAL: [string, string][] = [
    ['1.0.0', 'v1.0.0'],
    ['1', '1.0.0'],
    ['1.0.0+build.1', '1.0.0+build.2'],
    ['1.0.0-rc.1+a', '1.0.0-rc.1'],
  ]
  it.each(EQUAL)('%s is %s', (a, b) => {
    expect(compareVersions(a, b)).toBe(0)
  })

  it.each([
    undefined,
    '',
    'latest',
    '1.0.0.0',
    '01.0.0',
    '2024.01.02',
    '1.0.0-',
    '1.0.0-a..b',
    '1.0.0-01',
    '1.0.0 ',
    '-1',
    `1.${'9'.repeat(100)}`,
  ])('%s cannot be compared', (version) => {
    expect(compareVersions(version, '1.0.0')).toBeUndefined()
    expect(compareVersions('1.0.0', version)).toBeUndefined()
  })
})

describe('days', () => {
  const DAYS: [string | undefined, string | undefined, boolean][] = [
    ['2024-02-01', '2024-01-31', true],
    ['2024-01-31', '2024-02-01', false],
    ['2024-01-31', '2024-01-31', false],
    ['2024-01-31T23:00:00Z', '2024-01-31', false],
    ['2024-02-01T00:00:00Z', '2024-01-31T23:59:59Z', true],
    ['2024-99-99', '2024-01-01', false],
    ['next week', '2024-01-01', false],
    ['2024-01-01', undefined, false],
    [undefined, '2024-01-01', false],
  ]
  it.each(DAYS)('%s after %s: %s', (a, b, isLater) => {
    expect(isLaterDay(a, b)).toBe(isLater)
  })
})
