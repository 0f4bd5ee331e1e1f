import { expect, test } from 'vitest'
import { readClauses } from './analyze.ts'

const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim()

test('the first sentence leads', () => {
  const clauses = readClauses('Bakes bread. Knows flour. Use when the user asks for a loaf.')
  expect(squeeze(clauses.lead)).toBe('Bakes bread.')
  expect(squeeze(clauses.rest)).toBe('Knows flour. Use when the user asks for a loaf.')
})

test.each([
  ['Bakes bread. For cakes, see cake-baking.', [['cake-baking', 'For cakes,', false]]],
  ['Bakes bread. For cakes, see cakes.', [['cakes', 'For cakes,', false]]],
  [
    'Bakes bread. For cakes→cake-baking, pies→pie-baking.',
    [
      ['cake-baking', 'For cakes', false],
      ['pie-baking', ', pies', false],
    ],
  ],
  ['Bakes bread. Not for cakes; use cake-baking.', [['cake-baking', 'Not for cakes;', true]]],
  [
    'Bakes bread. Not for cakes - use cake-baking or sweet-things.',
    [
      ['cake-baking', 'Not for cakes -', true],
      ['sweet-things', 'Not for cakes -', true],
    ],
  ],
  [
    'Bakes bread. Do NOT use for: cakes (use cake-baking), soup (use soup-kitchen).',
    [
      ['cake-baking', 'Do NOT use for: cakes (', true],
      ['soup-kitchen', '), soup (', true],
    ],
  ],
  ['Bakes bread — for cakes use `kitchen:cake-baking` instead.', [['cake-baking', '— for cakes', false]]],
  ['Use the oven. See how it works.', []],
  ['Maps input -> output.', []],
])('%s', (description, expected) => {
  const found = readClauses(description).redirects.map(({ to, topic, isDenied }) => [to, squeeze(topic), isDenied])
  expect(found).toEqual(expected)
})

test('a topic handed over is no longer in the own text', () => {
  const { lead, rest } = readClauses('Bakes bread, not for cakes. Never use for soup.')
  expect(squeeze(lead + rest)).toBe('Bakes bread,')
})

test.each(['', ' ', '; . ! ?', '→', 'use '.repeat(20_000), ' '.repeat(200_000), 'a:'.repeat(50_000)])(
  'no description is too strange',
  (description) => {
    expect(readClauses(description).redirects).toEqual([])
  },
)
