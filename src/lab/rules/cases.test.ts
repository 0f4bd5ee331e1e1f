import { describe, expect, it } from 'vitest'
import type { AnswerForm } from '../../search/document.ts'
import { ask, type Question, recallAt, summarize } from './cases.ts'
import { readLibraryLines, readQuestionLines, readTriggerTests } from './suite-forms.ts'

const question = (changes: Partial<Question>): Question => {
  return { id: 'q', prompt: 'p', expected: ['a'], not: [], kind: 'pos', ...changes }
}
const answers = (ids: string) =>
  ids.split('').map((id) => ({ id, why: [{ term: `by ${id}`, field: 'name', weight: 1 }] }))
const evaluate = (questions: Question[], ids: string, form?: AnswerForm) =>
  summarize(ask(questions, () => answers(ids).map((each) => ({ ...each, form }))))
const figures = (questions: Question[], ids: string) => evaluate(questions, ids).figures

it('a test of the search tells who took whose questions', () => {
  const questions = [['b'], ['b'], ['c'], ['a']].map((expected) => question({ expected }))
  expect(evaluate(questions, 'a').takers).toEqual([
    { taker: 'a', owner: 'b', times: 2 },
    { taker: 'a', owner: 'c', times: 1 },
  ])
})

it('one of the expected is enough, unless all are needed', () => {
  const both = { ...question({ expected: ['a', 'b'] }), found: answers('axb') }
  expect([1, 3].map((depth) => recallAt(both, depth))).toEqual([1, 1])
  expect([1, 3].map((depth) => recallAt({ ...both, needsAll: true }, depth))).toEqual([0.5, 1])
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
    expect(figures([question({})], ids)).toMatchObject({ r1, r3, r5, mrr })
  })

  it('discounts by place', () => {
    expect(figures([question({})], 'xa').ndcg5).toBeCloseTo(100 / Math.log2(3))
    expect(figures([question({ expected: ['a', 'b'] })], 'ab').ndcg5).toBeCloseTo(100)
  })

  it('counts answers where silence was right, and forbidden ones', () => {
    const asked = [question({ kind: 'neg', expected: [] }), question({ kind: 'pairneg', expected: [], not: ['x'] })]
    expect(figures(asked, 'x')).toMatchObject({ falseTriggers: 100, pairViolations: 100, positives: 0, r1: 0 })
    expect(figures(asked, 'y')).toMatchObject({ falseTriggers: 100, pairViolations: 0 })
    expect(figures(asked, '')).toMatchObject({ falseTriggers: 0, pairViolations: 0 })
  })

  it('tells texts from pointers by the form of the answers', () => {
    const asked = [question({}), question({ expected: ['b'] }), question({ kind: 'neg', expected: [] })]
    const given = (form: AnswerForm) => evaluate(asked, 'a', form).figures
    expect(given('text')).toMatchObject({ texts: 100, rightTexts: 50, falseTexts: 100, falseTriggers: 100 })
    expect(given('pointer')).toMatchObject({ texts: 0, rightTexts: 0, falseTexts: 0, falseTriggers: 100 })
    expect(figures(asked, 'a')).toMatchObject({ texts: 0, falseTexts: 0 })
  })

  it('names who took a question, and with which words', () => {
    expect(evaluate([question({})], 'xa').confusions).toEqual([
      { qid: 'q', query: 'p', expected: ['a'], got: 'x', place: 2, words: ['by x'] },
    ])
    expect(evaluate([question({})], '').confusions).toMatchObject([{ got: null, place: null }])
    expect(evaluate([question({})], 'a').confusions).toEqual([])
  })
})

describe('suites', () => {
  it('infers the kind of a question', () => {
    const text =
      '{"query":"a","relevant":["x"]}\n\n{"query":"b"}\n{"query":"c","not":["y"]}\n{"query":"d","kind":"neg","qid":"n"}'
    expect(readQuestionLines(text)).toMatchObject([
      { kind: 'pos', id: 'line 1' },
      { kind: 'neg' },
      { kind: 'pairneg' },
      { kind: 'neg', id: 'n' },
    ])
  })

  const yes = (id: string) => ({ expected: [id], not: [], kind: 'pos' })
  const no = (id: string) => ({ expected: [], not: [id], kind: 'pairneg' })
  const none = { expected: [], not: [], kind: 'neg' }
  const both = { should_trigger: ['x'], should_not_trigger: ['y'] }
  const ofLibrary = [
    { query: 'x', expected_skill: 'a' },
    { query: 'y', expected_skill: null },
  ]
  const rejected = { id: 'i', prompt: 'a', expected: 'reject' }
  const rows: [name: string, json: unknown, expected: object[] | string][] = [
    ['a list', [{ query: 'a', should_trigger: true }], [yes('owner')]],
    ['under evals', { evals: [{ prompt: 'a', should_trigger: false }] }, [no('owner')]],
    ['queries of a pack', { queries: [{ query: 'a', should_select: true }] }, [yes('owner')]],
    ['cases of a pack', { pack_name: 'p', cases: [rejected] }, [{ id: 'i', ...no('p') }]],
    ['lists of both', both, [yes('owner'), no('owner')]],
    ['a corpus of a whole library', ofLibrary, [yes('a'), none]],
    ['one test a file', { name: 'n', skills: ['a'], query: 'x' }, [yes('a')]],
    ['a test of the answer', { evals: [{ prompt: 'x', expected_output: 'y' }] }, [yes('owner')]],
    ['no list', {}, 'it contains no list of tests'],
    ['no verdict', [{ query: 'a' }], 'test 1 does not say whether it should be chosen'],
    ['null', null, 'it contains no list of tests'],
  ]
  it.each(rows)('trigger tests: %s', (_, json, expected) => {
    const read = readTriggerTests(json, 'owner')
    if (typeof expected === 'string') expect(read).toBe(expected)
    else expect(read).toMatchObject(expected)
  })

  it('reads a library, and says where it is none', () => {
    expect(readLibraryLines('\ufeff{"id":"a","keywords":["k"],"body":5}\n')).toEqual([
      { id: 'a', name: 'a', description: '', body: '', keywords: ['k'] },
    ])
    expect(readLibraryLines('{"id":"a"}\n{"name":"b"}')).toEqual('line 2 is not a document with an "id"')
  })
})
