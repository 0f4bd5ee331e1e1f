import { describe, expect, it } from 'vitest'
import { pathProblem } from './paths.ts'
import { printable, printableLine } from './printable.ts'
import { nearest } from './values.ts'

describe('nearest', () => {
  const candidates = ['plan', 'lookup', 'explain', 'budget', 'project']
  const rows: [typed: string, expected: string | undefined][] = [
    ['plna', 'plan'],
    ['budgte', 'budget'],
    ['projct', 'project'],
    ['explian', 'explain'],
    ['xyzzy', undefined],
    ['', undefined],
  ]
  it.each(rows)('%j → %j', (typed, expected) => {
    expect(nearest(typed, candidates)).toBe(expected)
  })
})

describe('printable', () => {
  const rows: [text: string, expected: string][] = [
    ['plain', 'plain'],
    ['tab\tand\nline', 'tab\tand\nline'],
    ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
    ['a\u202eb', 'a\\u202eb'],
    ['\u009b2J', '\\u009b2J'],
    ['bell\u0007', 'bell\\u0007'],
    ['carriage\rreturn', 'carriage\\u000dreturn'],
    ['lone \ud800 half', 'lone \\ud800 half'],
    ['emoji 👩‍🚀 and 漢字', 'emoji 👩‍🚀 and 漢字'],
  ]
  it.each(rows)('%j', (text, expected) => {
    expect(printable(text)).toBe(expected)
  })

  it('keeps a row on one line', () => {
    expect(printableLine('a\r\nb\tc')).toBe('a b c')
  })
})

describe('paths that may not be followed', () => {
  const rows: [path: string, isRefused: boolean][] = [
    ['a/b.md', false],
    ['./a.md', false],
    ['a/../b.md', false],
    ['..a/b', false],
    ['../a.md', true],
    ['a/../../b.md', true],
    ['/etc/passwd', true],
    ['~/x', true],
    ['C:\\x', true],
    ['a\\..\\b', true],
    ['a\0b', true],
    ['', true],
  ]
  it.each(rows)('%j: %s', (path, isRefused) => {
    expect(pathProblem(path) !== undefined).toBe(isRefused)
  })
})
