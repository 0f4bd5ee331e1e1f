import { expect, it } from 'vitest'
import { withoutPlaces } from './paths.ts'

it.each([
  ['/home/user/project/a.md is gone', './a.md is gone'],
  ['in /home/user/project: "/home/user/project"', 'in .: "."'],
  ['It lies in /home/user/project.', 'It lies in ..'],
  ['/home/user/.config and /home/user', '~/.config and ~'],
  ['/home/usera/x, /home/user-b/x, /home/user.old/x', '/home/usera/x, /home/user-b/x, /home/user.old/x'],
  ['/mnt/home/user/x', '/mnt/home/user/x'],
  ['/home/user\u00e9/x', '/home/user\u00e9/x'],
  ['no place at all', 'no place at all'],
])('%s', (text, expected) => {
  expect(
    withoutPlaces(text, [
      ['/home/user/project', '.'],
      ['/home/user', '~'],
    ]),
  ).toBe(expected)
})

it('a folder is no pattern, and a mark no replacement of one', () => {
  expect(withoutPlaces('/a+(b)/$x-y/[c]/f', [['/a+(b)/$x-y/[c]', '$&']])).toBe('$&/f')
})

it('the root of the file system is everywhere and stays', () => {
  expect(withoutPlaces('/a/b', [['/', '~']])).toBe('/a/b')
})
