import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseInstant } from '../../../text/instant.ts'
import {
  decodeRecord,
  encodeRecord,
  isExpired,
  LONGEST_NOTE,
  LONGEST_NOTE_LINE,
  latestRecords,
  makeRecord,
  newestFirst,
  parseTtl,
  rankNotes,
  recordIdOf,
  type TacticalRecord,
} from './note-records.ts'

const CAPTURED = new Date('2026-03-01T12:00:00Z')
const EXPIRES = new Date('2026-03-08T12:00:00Z')

function noteOf(text: string, more: Partial<TacticalRecord> & { tags?: string[] } = {}): TacticalRecord {
  const content = { text, class: 'note', tags: more.tags ?? [] }
  const record = makeRecord({ content, capturedAt: CAPTURED, expiresAt: EXPIRES, source: 'loadout' })
  const { tags, ...fields } = more
  return { ...record, ...fields }
}

const GOOD = {
  record_id: 'a1',
  captured_at: '2026-03-01T12:00:00Z',
  content: { text: 'The build is red.', class: 'blocker', tags: ['ci'] },
  policy: { ttl_expires_at: '2026-03-08' },
  source: 'ci',
}

describe('a line', () => {
  it('is a record, whatever else it says', () => {
    expect(decodeRecord(JSON.stringify({ ...GOOD, confidence: 0.5 }))).toEqual({
      record: {
        recordId: 'a1',
        capturedAt: '2026-03-01T12:00:00.000Z',
        content: { text: 'The build is red.', class: 'blocker', tags: ['ci'] },
        expiresAt: '2026-03-08T00:00:00.000Z',
        source: 'ci',
      },
    })
  })

  const rows: [line: string, problem: string][] = [
    ['', 'it is empty'],
    ['{', 'it is not valid JSON'],
    ['[]', 'it is not an object'],
    ['null', 'it is not an object'],
    ['{}', '"record_id" is missing, or not a plain word'],
    [JSON.stringify({ ...GOOD, record_id: 'a b' }), '"record_id" is missing, or not a plain word'],
    [JSON.stringify({ ...GOOD, record_id: 'a\nb' }), '"record_id" is missing, or not a plain word'],
    [JSON.stringify({ ...GOOD, captured_at: 1 }), '"captured_at" is not an ISO time'],
    [JSON.stringify({ ...GOOD, captured_at: '2026-02-30' }), '"captured_at" is not an ISO time'],
    [JSON.stringify({ ...GOOD, policy: {} }), '"policy.ttl_expires_at" is not an ISO time'],
    [JSON.stringify({ ...GOOD, policy: null }), '"policy.ttl_expires_at" is not an ISO time'],
    [JSON.stringify({ ...GOOD, source: {} }), '"source" is not a text'],
    [JSON.stringify({ ...GOOD, content: 'x' }), '"content" is not an object'],
    [JSON.stringify({ ...GOOD, content: { ...GOOD.content, text: 3 } }), '"content.text" is not a text'],
    [JSON.stringify({ ...GOOD, content: { ...GOOD.content, text: ' \u0000 ' } }), '"content.text" is empty'],
    [JSON.stringify({ ...GOOD, content: { ...GOOD.content, tags: [1] } }), '"content.tags" is not a list of texts'],
    [`${'['.repeat(100)}${']'.repeat(100)}`, 'it is nested deeper than 64 levels'],
    [`"${'x'.repeat(LONGEST_NOTE_LINE)}"`, `it is longer than ${LONGEST_NOTE_LINE} characters`],
  ]
  it.each(rows)('%.80s', (line, problem) => {
    expect(decodeRecord(line)).toEqual({ problem })
  })

  it('comes back as it was written, on one line that is never too long', () => {
    const text = fc.string({ unit: 'binary', maxLength: 5000 }).map((each) => `x${each}`)
    fc.assert(
      fc.property(
        text,
        fc.string({ unit: 'binary' }),
        fc.array(fc.string(), { maxLength: 30 }),
        (words, kind, tags) => {
          const content = { text: words, class: kind, tags }
          const record = makeRecord({ content, capturedAt: CAPTURED, expiresAt: EXPIRES, source: kind })
          const line = encodeRecord(record)
          expect(line).not.toContain('\n')
          expect(decodeRecord(line)).toEqual({ record })
          expect(record.recordId).toBe(recordIdOf(record.content))
          expect(record.content.text.length).toBeLessThanOrEqual(LONGEST_NOTE)
        },
      ),
    )
  })

  it('any text is a record or a problem in words', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (line) => {
        const { record, problem } = decodeRecord(line)
        expect(record !== undefined || (problem ?? '').length > 5).toBe(true)
      }),
    )
  })
})

it('the id follows from what is said', () => {
  const content = { text: 'a', class: 'note', tags: ['x', 'y'] }
  expect(recordIdOf({ ...content, tags: ['y', 'x'] })).toBe(recordIdOf(content))
  expect(recordIdOf({ ...content, text: 'b' })).not.toBe(recordIdOf(content))
  expect(recordIdOf({ ...content, class: 'other' })).not.toBe(recordIdOf(content))
})

it('a note ends at its end', () => {
  const note = noteOf('a')
  expect(isExpired(note, new Date(EXPIRES.getTime() - 1))).toBe(false)
  expect(isExpired(note, EXPIRES)).toBe(true)
})

describe('instants', () => {
  const rows: [text: string, expected: string | undefined][] = [
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T12:00', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01 12:00:01.5', '2026-03-01T12:00:01.500Z'],
    ['2026-03-01T12:00:00.123456Z', '2026-03-01T12:00:00.123Z'],
    ['2026-03-01T12:00:00+02:00', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T12:00:00-0530', '2026-03-01T17:30:00.000Z'],
    ['2026-03-01T23:59:60Z', '2026-03-01T23:59:59.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2023-02-29', undefined],
    ['2026-13-01', undefined],
    ['2026-03-01T24:00Z', undefined],
    ['2026-03-01T12:00+99:00', undefined],
    ['0000-01-01', undefined],
    ['9999-12-31', undefined],
    ['March 1, 2026', undefined],
    ['1772366400', undefined],
    ['', undefined],
  ]
  it.each(rows)('%s → %s', (text, expected) => {
    const instant = parseInstant(text)
    expect(instant === undefined ? undefined : new Date(instant).toISOString()).toBe(expected)
  })
})

describe('how long a note lasts', () => {
  const rows: [text: string, hours: number | undefined][] = [
    ['90m', 1.5],
    ['12h', 12],
    ['7d', 168],
    ['2w', 336],
    ['0d', undefined],
    ['7', undefined],
    ['-1d', undefined],
    ['1y', undefined],
    ['400d', undefined],
    ['999999w', undefined],
    ['1.5h', undefined],
  ]
  it.each(rows)('%s: %s h', (text, hours) => {
    expect(parseTtl(text)).toBe(hours === undefined ? undefined : hours * 3_600_000)
  })
})

describe('notes for a task', () => {
  const at = (day: number) => ({ capturedAt: `2026-03-0${day}T00:00:00.000Z` })

  it('those that match first, then the newest few of the others, marked', () => {
    const notes = [
      noteOf('The release waits for the changelog.', at(1)),
      noteOf('Lunch is at noon.', at(2)),
      noteOf('The printer is broken.', at(3)),
      noteOf('The cat sleeps.', at(4)),
      noteOf('Rain tomorrow.', at(5)),
    ]
    const ranked = rankNotes(notes, 'publish the release', 10)
    expect(ranked.map(({ record, selectedBy }) => [record.content.text, selectedBy])).toEqual([
      ['The release waits for the changelog.', 'ranked'],
      ['Rain tomorrow.', 'newest'],
      ['The cat sleeps.', 'newest'],
      ['The printer is broken.', 'newest'],
    ])
    expect(rankNotes(notes, 'publish the release', 2)).toEqual(ranked.slice(0, 2))
  })

  it('equally good ones newest first, then by id', () => {
    const text = 'The release waits.'
    const same = [
      noteOf(text, { recordId: 'b', ...at(1) }),
      noteOf(text, { recordId: 'a', ...at(1) }),
      noteOf(text, { recordId: 'c', ...at(2) }),
    ]
    expect(rankNotes(same, 'publish the release', 10).map(({ record }) => record.recordId)).toEqual(['c', 'a', 'b'])
  })

  it('tags count, and a task without words gets the newest', () => {
    const notes = [noteOf('See the board.', { tags: ['migration'], ...at(1) }), noteOf('Other.', at(2))]
    expect(rankNotes(notes, 'finish the migration', 1)[0]?.record.content.text).toBe('See the board.')
    expect(rankNotes(notes, '', 1)[0]?.record.content.text).toBe('Other.')
    expect(rankNotes(notes, 'x', 0)).toEqual([])
    expect(rankNotes([], 'x', 5)).toEqual([])
  })

  it('the order of the file never matters', () => {
    const note = fc.record({
      text: fc.constantFrom('release it', 'test it', 'a', 'b'),
      day: fc.integer({ min: 1, max: 9 }),
    })
    fc.assert(
      fc.property(fc.array(note, { maxLength: 8 }), (notes) => {
        const records = notes.map(({ text, day }, index) => noteOf(text, { recordId: `n${index}`, ...at(day) }))
        const ids = (all: TacticalRecord[]) => rankNotes(all, 'release', 5).map(({ record }) => record.recordId)
        expect(ids([...records].reverse())).toEqual(ids(records))
      }),
      { numRuns: 50 },
    )
  })
})

it('of one id the record captured last counts', () => {
  const [first, second, third] = [1, 3, 2].map((day) => noteOf('a', { capturedAt: `2026-03-0${day}T00:00:00.000Z` }))
  if (!first || !second || !third) throw new Error('three were made')
  expect(latestRecords([first, second, third])).toEqual({ latest: [second], superseded: [first, third] })
  expect([first, second].sort(newestFirst)[0]).toBe(second)
})
