import { expect, it } from 'vitest'
import { withoutPlaces } from './placeless.ts'

it.each([
  ['/home/ann/work/a.md is gone', './a.md is gone'],
  ['in /home/ann/work: "/home/ann/work"', 'in .: "."'],
  ['It lies in /home/ann/work.', 'It lies in ..'],
  ['/home/ann/.config and /home/ann', '~/.config and ~'],
  ['/home/anna/x, /home/ann-b/x, /home/ann.old/x', '/home/anna/x, /home/ann-b/x, /home/ann.old/x'],
  ['/mnt/home/ann/x', '/mnt/home/ann/x'],
  ['/home/ann\u00e9/x', '/home/ann\u00e9/x'],
  ['no place at all', 'no place at all'],
])('%s', (text, expected) => {
  expect(
    withoutPlaces(text, [
      ['/home/ann/work', '.'],
      ['/home/ann', '~'],
    ]),
  ).toBe(expected)
})

it('a folder is no pattern, and a mark no replacement of one', () => {
  expect(withoutPlaces('/a+(b)/$x-y/[c]/f', [['/a+(b)/$x-y/[c]', '$&']])).toBe('$&/f')
})

it('the root of the file system is everywhere and stays', () => {
  expect(withoutPlaces('/a/b', [['/', '~']])).toBe('/a/b')
})
