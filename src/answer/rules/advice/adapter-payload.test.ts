import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AdapterSettings } from '../../settings.ts'
import { type AdapterItem, freshnessOf, parseAdapterPayload, toCandidates } from './adapter-slice.ts'

const NOW = new Date('2026-03-01T12:00:00Z')

const ADAPTER: AdapterSettings = {
  id: 'work',
  file: 'work.json',
  command: undefined,
  maxItems: 3,
  staleAfterSeconds: 3600,
  timeoutMs: 1000,
}

function payloadOf(items: unknown, fields: Record<string, unknown> = {}): unknown {
  return { adapter_id: 'work', fetched_at: '2026-03-01T11:59:00Z', items, ...fields }
}

function itemsOf(items: unknown): readonly AdapterItem[] {
  const { payload, problem } = parseAdapterPayload(payloadOf(items))
  if (payload === undefined) throw new Error(problem)
  return payload.items
}

describe('the shape of a payload', () => {
  const rows: [json: unknown, problem: string][] = [
    [null, 'the payload is not an object'],
    [[], 'the payload is not an object'],
    [{ items: [] }, '"adapter_id" is not a text'],
    [payloadOf([], { adapter_id: '' }), '"adapter_id" is not a text'],
    [payloadOf([], { fetched_at: 12 }), '"fetched_at" is not a text'],
    [payloadOf({}), '"items" is not a list'],
    [payloadOf(undefined), '"items" is not a list'],
    [payloadOf(['a']), '"items[0]": it is not an object'],
    [payloadOf([{ title: 'a' }]), '"items[0]": "id" is not a text'],
    [payloadOf([{ id: '\u200b \u0007' }]), '"items[0]": "id" is not a text'],
    [payloadOf([{ id: 'a' }, { id: 'b', title: {} }]), '"items[1]": "title" is not a text'],
    [payloadOf([{ id: 'a', tags: 'x' }]), '"items[0]": "tags" is not a list of texts'],
    [payloadOf([{ id: 'a', tags: [1] }]), '"items[0]": "tags" is not a list of texts'],
    [payloadOf([{ id: 'a', updated_at: 3 }]), '"items[0]": "updated_at" is not a text'],
    [
      payloadOf([{ id: 'a', priority: Number.POSITIVE_INFINITY }]),
      '"items[0]": "priority" is neither a word nor a number within a million',
    ],
    [
      payloadOf([{ id: 'a', priority: 1e21 }]),
      '"items[0]": "priority" is neither a word nor a number within a million',
    ],
    [
      payloadOf([{ id: 'a', priority: Number.NaN }]),
      '"items[0]": "priority" is neither a word nor a number within a million',
    ],
    [payloadOf([{ id: 'a', priority: [] }]), '"items[0]": "priority" is neither a word nor a number within a million'],
  ]
  it.each(rows)('%j', (json, problem) => {
    expect(parseAdapterPayload(json)).toEqual({ problem })
  })

  it('fields are single clean lines of bounded length, and strange keys are ignored', () => {
    const long = 'x'.repeat(5000)
    const [item] = itemsOf([
      {
        id: 17,
        state: 'open\r\nnow\u001b[31m',
        priority: 1,
        title: ` a\t\tb\u2028c \u202ed\u{e0041} `,
        summary: long,
        tags: ['one', 'one', '\u0000', long],
        updated_at: '2026-03-01T10:00:00+02:00',
        __proto__: { title: 'no' },
        other: { deep: [] },
      },
    ])
    expect(item).toEqual({
      id: '17',
      state: 'open now[31m',
      priority: 1,
      title: 'a b c d',
      summary: `${'x'.repeat(999)}\u2026`,
      tags: ['one', `${'x'.repeat(49)}\u2026`],
      updatedAt: '2026-03-01T08:00:00.000Z',
    })
  })

  it('only an id is needed', () => {
    expect(itemsOf([{ id: 'a', title: null, tags: null, priority: null }])).toEqual([
      { id: 'a', state: '', priority: null, title: '', summary: '', tags: [], updatedAt: null },
    ])
  })
})

describe('the order of items', () => {
  it('is by urgency, then the last change, then the id', () => {
    const items = itemsOf([
      { id: 'silent' },
      { id: 'odd', priority: 'whenever' },
      { id: 'low', priority: 'Low' },
      { id: 'b', priority: 1, updated_at: '2026-01-01' },
      { id: 'a', priority: 1, updated_at: '2026-01-01' },
      { id: 'newer', priority: 'high', updated_at: '2026-01-02' },
      { id: 'undated', priority: 'P1' },
      { id: 'first', priority: -1 },
    ])
    expect(items.map(({ id }) => id)).toEqual(['first', 'newer', 'a', 'b', 'undated', 'low', 'odd', 'silent'])
  })

  it('does not depend on the order of the list, also for items of one id', () => {
    const item = fc.record(
      {
        id: fc.constantFrom('a', 'b', 'c'),
        priority: fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom('high', 'low', 'x', null)),
        title: fc.constantFrom('one', 'two'),
        updated_at: fc.constantFrom('2026-01-01', '2026-01-02', 'never'),
      },
      { requiredKeys: ['id'] },
    )
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), (items) => {
        expect(parseAdapterPayload(payloadOf([...items].reverse()))).toEqual(parseAdapterPayload(payloadOf(items)))
      }),
    )
  })
})

it('whatever JSON comes, it is read or refused in words, and every field is one bounded line', () => {
  const anyItem = fc.record(
    {
      id: fc.string(),
      state: fc.string(),
      title: fc.string({ unit: 'binary' }),
      summary: fc.jsonValue(),
      tags: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.oneof(anyItem, fc.jsonValue()), { maxLength: 5 }).map((items) => payloadOf(items)),
    fc
      .array(fc.record({ id: fc.string({ minLength: 1 }), title: fc.string({ unit: 'binary' }) }))
      .map((items) => payloadOf(items)),
  )
  fc.assert(
    fc.property(anything, (json) => {
      const { payload, problem } = parseAdapterPayload(json)
      if (payload === undefined) {
        expect(problem).toMatch(/^\S.+$/)
        return
      }
      const { candidates, omitted } = toCandidates(payload, ADAPTER, 'fix it', NOW)
      expect(candidates.length).toBeLessThanOrEqual(ADAPTER.maxItems)
      expect(candidates.length + omitted.length).toBe(payload.items.length + payload.duplicates.length)
      for (const { text, path } of candidates) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
        expect(`${path}${text}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|\p{Cs}/u)
        expect(text.length).toBeLessThan(3000)
        expect(text.split('\n').length).toBeLessThanOrEqual(4)
      }
    }),
  )
})

describe('freshness', () => {
  const rows: [fetched: string | null, updated: string | null, state: string, seconds: number | null][] = [
    ['2026-03-01T11:59:00Z', '2020-01-01', 'fresh', 60],
    ['2026-03-01T11:00:00Z', null, 'fresh', 3600],
    ['2026-03-01T10:59:59Z', '2026-03-01T11:59:59Z', 'stale', 3601],
    ['2026-03-01T12:04:00Z', null, 'fresh', 0],
    ['2027-01-01', null, 'unknown', null],
    ['2027-01-01', '2026-03-01T11:59:00Z', 'unknown', null],
    ['yesterday', '2026-03-01T11:59:00Z', 'unknown', null],
    [null, '2026-03-01T11:30:00Z', 'fresh', 1800],
    [null, '2026-02-01', 'unknown', null],
    [null, null, 'unknown', null],
  ]
  it.each(rows)('fetched %s, updated %s: %s, %s s', (fetchedAt, updatedAt, state, stalenessSeconds) => {
    expect(freshnessOf({ fetchedAt, updatedAt }, NOW, 3600)).toEqual({ state, stalenessSeconds })
  })
})

describe('candidates', () => {
  const items = [
    { id: 'W-1', state: 'open', priority: 1, title: 'Login loops', summary: 'The session is lost.', tags: ['auth'] },
    { id: 'W-2', priority: 2, title: 'Dark mode' },
    { id: 'W-2', priority: 3, title: 'Dark mode, again' },
    { id: 'W-3', priority: 3 },
    { id: 'W-4', priority: 4 },
  ]
  const candidatesOf = (fields: Record<string, unknown> = {}, now = NOW) => {
    const { payload } = parseAdapterPayload(payloadOf(items, fields))
    if (payload === undefined) throw new Error('it should be a payload')
    return toCandidates(payload, ADAPTER, 'repair the login session', now)
  }

  it('one for each item, with where it comes from and how fresh it is', () => {
    const { candidates, omitted, warnings } = candidatesOf()
    expect(candidates.map(({ path }) => path)).toEqual(['work:W-1', 'work:W-2', 'work:W-3'])
    expect(candidates[0]).toMatchObject({
      sourceClass: 'adapter',
      selectedBy: 'adapter',
      text: 'W-1: Login loops\nstate open, priority 1\nThe session is lost.\ntags: auth',
      provenance: {
        adapter_id: 'work',
        fetched_at: '2026-03-01T11:59:00.000Z',
        updated_at: null,
        staleness_seconds: 60,
        freshness: 'fresh',
      },
    })
    expect(candidates[0]?.reason).toContain('ranked: ')
    expect(candidates.map(({ score }) => score > 0)).toEqual([true, false, false])
    expect(omitted.map(({ path, reason }) => `${path} ${reason}`)).toEqual(['work:W-4 budget', 'work:W-2 duplicate'])
    expect(warnings.map(({ code }) => code)).toEqual(['ADAPTER_FAILED'])
  })

  it('old, undated and misnamed payloads are reported', () => {
    const codes = (...args: Parameters<typeof candidatesOf>) => candidatesOf(...args).warnings.map(({ code }) => code)
    expect(codes({}, new Date('2026-03-02'))).toContain('ADAPTER_FAILED')
    expect(codes({ fetched_at: undefined })).toContain('ADAPTER_FAILED')
    expect(codes({ adapter_id: 'other' })).toContain('ADAPTER_FAILED')
  })

  it('a flood of items is reported in few words', () => {
    const { payload } = parseAdapterPayload(payloadOf(Array.from({ length: 5000 }, (_, at) => ({ id: `i${at}` }))))
    if (payload === undefined) throw new Error('it should be a payload')
    const { candidates, omitted } = toCandidates(payload, ADAPTER, 'task', NOW)
    expect(candidates).toHaveLength(3)
    expect(omitted).toHaveLength(21)
    expect(omitted.at(-1)?.detail).toContain('4977 more')
  })
})
