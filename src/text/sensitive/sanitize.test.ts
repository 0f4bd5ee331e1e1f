import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CONTENT_CLASSES,
  checkFields,
  createDetector,
  type Detection,
  detectContent,
  detectSafely,
  sanitize,
} from './detect.ts'

// Put together here, so that no scanner of this repository takes an example for a leak.
const KEY = ['AK', 'IA', 'QRSTUVWX2345ABCD'].join('')
const text = `the key ${KEY} of jo@northwind-labs.com`
const at = (start: number, end: number, kind = 'aws-access-key'): Detection => ({
  contentClass: 'secret',
  kind,
  start,
  end,
})

describe('a policy', () => {
  const found = [
    { contentClass: 'secret', kind: 'aws-access-key', count: 1 },
    { contentClass: 'pii', kind: 'email', count: 1 },
  ]
  it('mask puts a mark in the place of each finding', () => {
    const masked = 'the key [masked: secret aws-access-key] of [masked: pii email]'
    expect(sanitize(text, detectContent(text), 'mask')).toEqual({ text: masked, found })
    expect(sanitize(masked, detectContent(masked), 'mask')).toEqual({ text: masked, found: [] })
  })
  it('warn leaves the text', () => {
    expect(sanitize(text, detectContent(text), 'warn')).toEqual({ text, found })
  })
  it('drop leaves nothing', () => {
    expect(sanitize(text, detectContent(text), 'drop')).toEqual({ text: undefined, found })
    expect(sanitize('fine', detectContent('fine'), 'drop')).toEqual({ text: 'fine', found: [] })
  })
})

describe('ranges', () => {
  const rows: [name: string, text: string, detections: Detection[], masked: string][] = [
    ['that overlap are one', 'a bcdef g', [at(2, 5), at(4, 7, 'jwt')], 'a [masked: secret aws-access-key] g'],
    ['that touch are one', 'a bcdef g', [at(2, 4), at(4, 7, 'jwt')], 'a [masked: secret aws-access-key] g'],
    ['take the rest of a word', 'a bcdef g', [at(3, 5)], 'a [masked: secret aws-access-key] g'],
    [
      'of what is no secret do not',
      'a bcdef g',
      [{ ...at(3, 5, 'phone'), contentClass: 'pii' }],
      'a b[masked: pii phone]ef g',
    ],
    [
      'in any order',
      'a b c',
      [at(4, 5), at(0, 1)],
      '[masked: secret aws-access-key] b [masked: secret aws-access-key]',
    ],
  ]
  it.each(rows)('%s', (_, given, detections, masked) => {
    expect(sanitize(given, detections, 'mask').text).toBe(masked)
  })
})

it('nothing of what was found is left in a masked text', () => {
  const range = fc.tuple(fc.nat(80), fc.nat(40), fc.constantFrom(...CONTENT_CLASSES))
  fc.assert(
    fc.property(fc.array(range, { maxLength: 8 }), fc.nat(60), (ranges, extra) => {
      // Each letter is another one, so that what is left can be told.
      const given = Array.from({ length: 121 + extra }, (_, index) => String.fromCharCode(0x4e00 + index)).join('')
      const detections = ranges.map(([start, length, contentClass]) => ({
        contentClass,
        kind: 'x',
        start,
        end: start + 1 + length,
      }))
      const masked = sanitize(given, detections, 'mask').text ?? ''
      const hidden = (index: number) => detections.some(({ start, end }) => start <= index && index < end)
      expect([...masked].filter((letter) => letter >= '\u4e00').join('')).toBe(
        [...given].filter((_, index) => !hidden(index)).join(''),
      )
    }),
    { numRuns: 1000 },
  )
})

it('any text can be looked through, and masking settles', () => {
  const words = fc.constantFrom(
    KEY,
    'password: ',
    '"',
    '%22',
    '\\u0041',
    '\\n',
    '=',
    '@',
    'jo@northwind-labs.com',
    '4539',
    '578763621486',
    ' ',
    '-',
    '://a:',
    '\u200b',
    'bearer ',
    'token=',
    'Zm9vYmFyYmF6cXV4',
    '+49 30 ',
    '\n',
    '&#64;',
    '\ud800',
  )
  const mixed = fc
    .array(fc.oneof(words, fc.string({ unit: 'binary' })), { maxLength: 12 })
    .map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(mixed, (given) => {
      const detections = detectContent(given)
      for (const { start, end } of detections) expect(start >= 0 && start < end && end <= given.length).toBe(true)
      const once = sanitize(given, detections, 'mask').text ?? ''
      // A mark may part what two neighbours hid from each other.
      const twice = sanitize(once, detectContent(once), 'mask').text ?? ''
      expect(sanitize(twice, detectContent(twice), 'mask').text).toBe(twice)
    }),
    { numRuns: 3000 },
  )
})

it('a detector that throws has found something in everything', () => {
  const broken = () => {
    throw new Error('boom')
  }
  expect(sanitize('fine', detectSafely(broken, 'fine'), 'mask').text).toBe('[masked: secret unchecked]')
  expect(checkFields({ a: 'fine' }, broken)).toEqual([{ contentClass: 'secret', kind: 'unchecked', count: 1 }])
})

describe('the fields of a value', () => {
  const deep = () => {
    let value: unknown = 'fine'
    for (let depth = 0; depth < 100_000; depth++) value = [value]
    return value
  }
  const rows: [name: string, value: unknown, kinds: string[]][] = [
    ['a text', KEY, ['aws-access-key']],
    ['a field', { id: 1, title: `see ${KEY}` }, ['aws-access-key']],
    ['a key', { [KEY]: true }, ['aws-access-key']],
    ['a list', { tags: ['a', KEY, 'b'] }, ['aws-access-key']],
    ['a field of a field', { a: [{ b: { c: KEY } }] }, ['aws-access-key']],
    ['a value told by its key', { password: 'hunter22x' }, ['password']],
    ['a number', { card: 4539578763621486 }, ['card-number']],
    ['two', [KEY, { summary: KEY, mail: 'jo@northwind-labs.com' }], ['aws-access-key', 'email']],
    ['too deep', deep(), ['unchecked']],
    ['none', { id: 'a', n: 1, empty: null, yes: true, list: [], text: 'fine' }, []],
  ]
  it.each(rows)('%s', (_, value, kinds) => {
    expect(
      checkFields(value, detectContent)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(kinds)
  })
})

it('words of a project are found whole, in any case', () => {
  const detect = createDetector({ extraWords: ['Project Heron', 'c++'] })
  const found = (given: string) => detect(given).map(({ kind, start, end }) => `${kind} ${start}-${end}`)
  expect(found('about project heron now')).toEqual(['word 6-19'])
  expect(found('projects heronry, C++')).toEqual(['word 18-21'])
})
