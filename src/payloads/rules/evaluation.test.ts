import { describe, expect, it } from 'vitest'
import type { AnswerForm } from '../../search/document.ts'
import { type EvalQuery, evaluate } from './evaluation.ts'
import { readLibraryLines, readQueryLines, readTriggerTests } from './suite-forms.ts'

const query = (changes: Partial<EvalQuery>): EvalQuery => ({
  qid: 'q',
  query: 'q',
  relevant: ['a'],
  not: [],
  kind: 'pos',
  ...changes,
})
const answers = (ids: string) =>
  ids.split('').map((id) => ({ id, why: [{ term: `by ${id}`, field: 'name', weight: 1 }] }))
const figures = (queries: EvalQuery[], ids: string) => evaluate(queries, () => answers(ids)).figures

it('tells who took whose questions', () => {
  const queries = [query({ relevant: ['b'] }), query({ relevant: ['b'] }), query({ relevant: ['c'] }), query({})]
  expect(evaluate(queries, () => answers('a')).takers).toEqual([
    { taker: 'a', owner: 'b', times: 2 },
    { taker: 'a', owner: 'c', times: 1 },
  ])
})

describe('figures', () => {
  const rows: [ids: string, r1: number, r3: number, r5: number, mrr: unknown][] = [
    ['a', 100, 100, 100, 100],
    ['xa', 0, 100, 100, 50],
    ['xyza', 0, 0, 100, 25],
    ['xyzuva', 0, 0, 0, expect.closeTo(100 / 6)],
    ['x', 0, 0, 0, 0],
    ['', 0, 0, 0, 0],
  ]
  it.each(rows)('answers %j', (ids, r1, r3, r5, mrr) => {
    expect(figures([query({})], ids)).toMatchObject({ r1, r3, r5, mrr })
  })

  it('discounts by place', () => {
    expect(figures([query({})], 'xa').ndcg5).toBeCloseTo(100 / Math.log2(3))
    expect(figures([query({ relevant: ['a', 'b'] })], 'ab').ndcg5).toBeCloseTo(100)
  })

  it('counts answers where silence was right, and forbidden ones', () => {
    const asked = [query({ kind: 'neg', relevant: [] }), query({ kind: 'pairneg', relevant: [], not: ['x'] })]
    expect(figures(asked, 'x')).toMatchObject({ falseTriggers: 100, pairViolations: 100, positives: 0, r1: 0 })
    expect(figures(asked, 'y')).toMatchObject({ falseTriggers: 100, pairViolations: 0 })
    expect(figures(asked, '')).toMatchObject({ falseTriggers: 0, pairViolations: 0 })
  })

  it('tells texts from pointers by the form of the answers', () => {
    const asked = [query({}), query({ relevant: ['b'] }), query({ kind: 'neg', relevant: [] })]
    const given = (form: AnswerForm) => evaluate(asked, () => answers('a').map((each) => ({ ...each, form }))).figures
    expect(given('text')).toMatchObject({ texts: 100, rightTexts: 50, falseTexts: 100, falseTriggers: 100 })
    expect(given('pointer')).toMatchObject({ texts: 0, rightTexts: 0, falseTexts: 0, falseTriggers: 100 })
    expect(figures(asked, 'a')).toMatchObject({ texts: 0, falseTexts: 0 })
  })

  it('names who took a question, and with which words', () => {
    expect(evaluate([query({})], () => answers('xa')).confusions).toEqual([
      { qid: 'q', query: 'q', expected: ['a'], got: 'x', place: 2, words: ['by x'] },
    ])
    expect(evaluate([query({})], () => []).confusions).toMatchObject([{ got: null, place: null }])
    expect(evaluate([query({})], () => answers('a')).confusions).toEqual([])
  })
})

describe('suites', () => {
  it('infers the kind of a question', () => {
    const text =
      '{"query":"a","relevant":["x"]}\n\n{"query":"b"}\n{"query":"c","not":["y"]}\n{"query":"d","kind":"neg","qid":"n"}'
    expect(readQueryLines(text)).toMatchObject({
      queries: [{ kind: 'pos', qid: 'line 1' }, { kind: 'neg' }, { kind: 'pairneg' }, { kind: 'neg', qid: 'n' }],
    })
  })

  const rows: [name: string, json: unknown, expected: object][] = [
    ['a list', [{ query: 'a', should_trigger: true }], { queries: [{ relevant: ['owner'], kind: 'pos' }] }],
    [
      'under evals',
      { evals: [{ prompt: 'a', should_trigger: false }] },
      { queries: [{ not: ['owner'], kind: 'pairneg' }] },
    ],
    ['queries of a pack', { queries: [{ query: 'a', should_select: true }] }, { queries: [{ relevant: ['owner'] }] }],
    [
      'cases of a pack',
      { pack_name: 'p', cases: [{ id: 'i', prompt: 'a', expected: 'reject' }] },
      { queries: [{ qid: 'i', not: ['p'] }] },
    ],
    ['no list', {}, { problem: 'it contains no list of tests' }],
    [
      'lists of both',
      { should_trigger: ['x'], should_not_trigger: ['y'] },
      { queries: [{ relevant: ['owner'] }, { not: ['owner'] }] },
    ],
    [
      'a corpus of a whole library',
      [
        { query: 'x', expected_skill: 'a' },
        { query: 'y', expected_skill: null },
      ],
      {
        queries: [
          { relevant: ['a'], kind: 'pos' },
          { relevant: [], kind: 'neg' },
        ],
      },
    ],
    ['one test a file', { name: 'n', skills: ['a'], query: 'x' }, { queries: [{ relevant: ['a'], kind: 'pos' }] }],
    [
      'a test of the answer',
      { evals: [{ prompt: 'x', expected_output: 'y' }] },
      { queries: [{ relevant: ['owner'] }] },
    ],
    ['no verdict', [{ query: 'a' }], { problem: 'test 1 does not say whether it should be chosen' }],
    ['null', null, { problem: 'it contains no list of tests' }],
  ]
  it.each(rows)('trigger tests: %s', (_, json, expected) => {
    expect(readTriggerTests(json, 'owner')).toMatchObject(expected)
  })

  it('reads a library, and says where it is none', () => {
    expect(readLibraryLines('\ufeff{"id":"a","keywords":["k"],"body":5}\n')).toEqual({
      documents: [{ id: 'a', name: 'a', description: '', body: '', keywords: ['k'] }],
    })
    expect(readLibraryLines('{"id":"a"}\n{"name":"b"}')).toEqual({ problem: 'line 2 is not a document with an "id"' })
  })
})
