import { describe, expect, it } from 'vitest'
import { shellWord } from './printable.ts'

describe('words of a command', () => {
  const words: [text: string, expected: string][] = [
    ['/home/a/lib', '/home/a/lib'],
    ['/my lib', "'/my lib'"],
    ["it's", "'it'\\''s'"],
    ['$(x)', "'$(x)'"],
    ['', "''"],
    ['~/x', "'~/x'"],
  ]
  it.each(words)('%j → %j', (text, expected) => {
    expect(shellWord(text)).toBe(expected)
  })
})
