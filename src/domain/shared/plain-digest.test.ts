import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sha256 as fast } from './digest.ts'
import { sha256 as plain } from './plain-digest.ts'

it('gives what the built-in one gives', () => {
  for (let length = 0; length < 200; length++) expect(plain('x'.repeat(length))).toBe(fast('x'.repeat(length)))
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => plain(text) === fast(text)))
  expect(plain('\u00e9'.repeat(50_000))).toBe(fast('\u00e9'.repeat(50_000)))
})
