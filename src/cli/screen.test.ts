import { describe, expect, it } from 'vitest'
import { hang, shortenMiddle } from './screen.ts'

describe('shortenMiddle', () => {
  it.each([
    ['docs/release.md', 20, 'docs/release.md'],
    ['.cortex/reports/lifecycle_audit_v0.json', 30, '.cortex/r\u2026ecycle_audit_v0.json'],
    ['\u6587\u6863/\u53d1\u5e03/\u6d41\u7a0b\u8bf4\u660e.md', 13, '\u6587\u6863/\u2026\u8bf4\u660e.md'],
    ['a\u001b[31mb', 20, 'a\\u001b[31mb'],
  ])('%j in %d columns', (path, columns, expected) => {
    expect(shortenMiddle(path, columns)).toBe(expected)
  })
})

describe('hang', () => {
  it('goes on below itself', () => {
    const lines = hang('  name', 6, 'word '.repeat(30).trim())
    expect(lines[0]).toMatch(/^ {2}name {2}word/)
    expect(lines[1]).toMatch(/^ {8}word/)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('is cut after so many lines', () => {
    const lines = hang('name', 4, 'word '.repeat(60).trim(), 2)
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/\u2026$/)
  })

  it('is the line alone without a text', () => {
    expect(hang('name', 10, '')).toEqual(['name'])
  })
})
