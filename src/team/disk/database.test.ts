import { expect, it } from 'vitest'
import { judgeSchema } from './database.ts'

it.each<[applied: [number, number], made: number, fit: string]>([
  [[0, 0], 2, 'behind'],
  [[2, 1], 2, 'same'],
  [[3, 2], 2, 'ahead'],
  [[3, 3], 2, 'too new'],
])('a database with schema %j and a program made for %i: %s', ([version, oldest], made, fit) => {
  expect(judgeSchema({ version, oldest }, made)).toBe(fit)
})
