import fc from 'fast-check'
import { expect, it } from 'vitest'
import { diffLines } from './line-diff.ts'

it.each([
  ['a\nb\n', 'a\nb\n', ''],
  ['', 'a\nb\n', '+ a\n+ b'],
  ['a\n', '', '- a'],
  ['1\n2\n3\n4\n5', '1\n2\nx\n3\n4\n5', '  1\n  2\n+ x\n  3\n  4'],
  ['1\n2\n3\n4\n5\n6\n7\n8', '1\n2\n3\nx\n5\n6\n7\n8', '  ...\n  2\n  3\n- 4\n+ x\n  5\n  6'],
  ['a\r\nb', 'a\nb', ''],
])('%j becomes %j', (before, after, diff) => {
  expect(diffLines(before, after)).toBe(diff)
})

it('contains only lines of the two texts, and all changes', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before.join('\n'), after.join('\n')).split('\n')
      const signed = (sign: string) => diff.filter((line) => line.startsWith(sign)).map((line) => line.slice(2))
      const rest: string[] = [...before]
      for (const line of signed('-')) rest.splice(rest.indexOf(line), 1)
      expect([...rest, ...signed('+')].sort()).toEqual([...after].sort())
    }),
  )
})
