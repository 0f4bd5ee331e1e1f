import { describe, expect, it } from 'vitest'
import { detectContent } from './detect.ts'

const kindsIn = (text: string) => [...new Set(detectContent(text).map(({ kind }) => kind))]

// In the second column with another digit, or in a form that belongs to no person.
const NUMBERS: [kind: string, right: string, wrong: string][] = [
  ['card-number', 'card 4539 5787 6362 1486', 'card 4539 5787 6362 1487'],
  ['card-number', '12,4539578763621486,10/27', '0.4539578763621486'],
  ['email', 'write to jo@northwind-labs.com', 'write to jo@example.com'],
  ['phone', 'call +49 30 901820 45', 'call +1 212 555 0123'],
  ['phone', '"phone": "030 / 9018 2045"', '"port": "030 / 9018 2045"'],
  ['medical-record', 'MRN: 00482913', 'MRN: none'],
  ['classification', 'TOP SECRET//NOFORN', 'top secret//todo'],
]

describe('a number is told from others by its check digit or its form', () => {
  it.each(NUMBERS)('%s: %s, not %s', (kind, right, wrong) => {
    expect(kindsIn(right)).toEqual([kind])
    expect(kindsIn(wrong)).toEqual([])
  })
})
