import { expect, it } from 'vitest'
import { fitInto } from './values.ts'

const rows: [what: string, sizes: number[], most: number, stops: boolean, fitting: number[], left: number[][]][] = [
  ['everything fits', [1, 2], 3, true, [1, 2], []],
  [
    'nothing fits',
    [2, 1],
    0,
    true,
    [],
    [
      [2, 0],
      [1, 0],
    ],
  ],
  [
    'the first that is too large ends the list',
    [2, 3, 1],
    4,
    true,
    [2],
    [
      [3, 2],
      [1, 2],
    ],
  ],
  ['a smaller one behind it still fits', [2, 3, 1], 4, false, [2, 1], [[3, 2]]],
  ['any room', [2, 3], Infinity, false, [2, 3], []],
]
it.each(rows)('fitting sizes into a room: %s', (_, sizes, most, stops, fitting, left) => {
  const found = fitInto(sizes, most, (size) => size, stops)
  expect(found.fitting).toEqual(fitting)
  expect(found.left.map(({ size, room }) => [size, room])).toEqual(left)
  expect(found.used).toBe(fitting.reduce((sum, size) => sum + size, 0))
})
