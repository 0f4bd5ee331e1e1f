import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nameProblem, requireName } from './skill.ts'

const FORM = 'a name has lower case letters, digits, and hyphens inside'

describe('a name', () => {
  const rows: [name: string, problem: string | undefined][] = [
    ['review', undefined],
    ['a', undefined],
    ['7', undefined],
    ['pdf-2-text', undefined],
    ['two--hyphens', undefined],
    ['a'.repeat(64), undefined],
    ['a'.repeat(65), 'it has 65 characters, more than 64'],
    ['', 'it is empty'],
    ['-a', FORM],
    ['a-', FORM],
    ['-', FORM],
    ['Review', FORM],
    ['re view', FORM],
    ['a_b', FORM],
    ['.', FORM],
    ['..', FORM],
    ['../x', FORM],
    ['a/b', FORM],
    ['a\\b', FORM],
    ['a\n', FORM],
    ['a\0', FORM],
    ['\u00e9t\u00e9', FORM],
    ['\uff41', FORM],
    ['--json', FORM],
  ]
  it.each(rows)('%j: %s', (name, problem) => {
    expect(nameProblem(name)).toBe(problem)
  })

  it('that passes is one plain part of a path', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9./-]{1,70}$/)), (name) => {
        if (nameProblem(name) !== undefined) return
        expect(name).toMatch(/^[a-z0-9-]{1,64}$/)
        expect(name).not.toMatch(/^-|-$/)
      }),
    )
  })

  it('of letters, digits and inner hyphens always passes', () => {
    const words = fc.array(fc.stringMatching(/^[a-z0-9]{1,8}$/), { minLength: 1, maxLength: 7 })
    fc.assert(fc.property(words, (parts) => nameProblem(parts.join('-')) === undefined))
  })

  it('is returned, or refused with the reason, cut to a short text', () => {
    expect(requireName('review')).toBe('review')
    expect(() => requireName('A')).toThrow(`"A" cannot be a skill: ${FORM}`)
    expect(() => requireName('x'.repeat(10_000))).toThrow(/^"x{98}… cannot be a skill: it has 10000 characters/)
    expect(() => requireName('a\u001b[2J')).toThrow('"a\\u001b[2J" cannot be a skill')
  })
})
