import { describe, expect, it } from 'vitest'
import { readSelectionSuite } from '../eval.ts'
import {
  type CompileRun,
  closed,
  governingRuns,
  isCompileRunPath,
  listOf,
  readCompileRun,
  readRecord,
  readSourceMap,
  someText,
  wholeNumber,
  word,
} from './records.ts'

describe('the shape of a record', () => {
  const reader = closed({ id: someText, kind: word(['a', 'b']) }, { sizes: listOf(wholeNumber, 1) })
  const rows: [value: unknown, problem: string | undefined][] = [
    [{ id: 'x', kind: 'a' }, undefined],
    [{ id: 'x', kind: 'a', sizes: [1] }, undefined],
    [null, 'the record must be an object'],
    [[], 'the record must be an object'],
    [{ kind: 'a' }, 'id is missing'],
    [{ id: '  ', kind: 'a' }, 'id must be a text that is not empty'],
    [{ id: 'x', kind: 'SECRET' }, 'kind must be one of a, b'],
    [{ id: 'x', kind: 'a', sizes: [] }, 'sizes must have at least one item'],
    [{ id: 'x', kind: 'a', sizes: [1, 1.5] }, 'sizes[1] must be a whole number'],
    [{ id: 'x', kind: 'a', sizes: undefined }, 'sizes must be a list'],
    [{ kind: 'a', id: 'x', SECRET: 1 }, 'a field that the format does not know, number 3; it knows id, kind, sizes'],
    [JSON.parse('{"id":"x","kind":"a","__proto__":{}}'), 'the format does not know, number 3'],
  ]
  it.each(rows)('%j', (value, problem) => {
    const read = readRecord(reader, value)
    if (problem === undefined) expect(read).toEqual({ value })
    else expect(read).toEqual({ problem: expect.stringContaining(problem) })
    expect(JSON.stringify(read)).not.toContain('SECRET')
  })

  it('a record that is wrong everywhere has a short list of problems', () => {
    const read = readRecord(listOf(someText), Array(5000).fill(null))
    expect('problem' in read && read.problem.split('; ')).toHaveLength(20)
  })
})

const claim = { claim_id: 'c1', text: 'A fact.', status: 'confirmed', source: { path: 'sources/a.md', anchor: 'L3' } }

describe('the source map', () => {
  it('reads claims and sections', () => {
    const section = { document: 'documents/d.md', section_id: 's', title: 'T', source_anchors: ['sources/a.md#L1'] }
    const map = readSourceMap({
      claims: [{ ...claim, compiled_into: ['./compiled/facts.md#top'], document: 'documents/d.md', section_id: 's' }],
      document_sections: [section],
    })
    expect(map).toEqual({
      claims: [
        {
          id: 'c1',
          text: 'A fact.',
          status: 'confirmed',
          source: { path: 'sources/a.md', anchor: 'L3' },
          compiledInto: [{ path: 'compiled/facts.md', fragment: 'top' }],
          document: 'documents/d.md',
          sectionId: 's',
        },
      ],
      sections: [
        {
          document: 'documents/d.md',
          sectionId: 's',
          title: 'T',
          sourceAnchors: [{ path: 'sources/a.md', fragment: 'L1' }],
          compiledInto: [],
        },
      ],
      problems: [],
      escapes: [],
    })
  })

  it('case 106: a claim that is null is a problem, and the rest is read', () => {
    const map = readSourceMap({ claims: [null, claim] })
    expect(map.claims.map(({ id }) => id)).toEqual(['c1'])
    expect(map.problems).toEqual(['claims[0] must be an object'])
  })

  it.each([[null], [[]], ['claims'], [{}], [{ claims: {} }]])('%j is no source map', (value) => {
    const map = readSourceMap(value)
    expect(map.claims).toEqual([])
    expect(map.problems).toHaveLength(1)
  })

  it.each([
    ['missing', true],
    ['source-required', true],
    ['confirmed', false],
    ['stale', false],
  ])('a claim that is %s may go without a source: %s', (status, isRead) => {
    const map = readSourceMap({ claims: [{ ...claim, status, source: { path: '' } }] })
    expect(map.claims).toHaveLength(isRead ? 1 : 0)
    expect(map.problems).toHaveLength(isRead ? 0 : 1)
  })

  it.each([['../x.md'], ['/etc/passwd'], ['a\\b.md'], ['C:/x.md'], ['wiki/../../x.md'], ['sources/../x.md']])(
    'case 127: %j in a source map is refused by its place',
    (path) => {
      const map = readSourceMap({
        claims: [
          { ...claim, source: { path } },
          { ...claim, compiled_into: [path, 'wiki/a.md'], document: path },
        ],
        document_sections: [{ document: path, section_id: 's', title: 't' }],
      })
      expect(map.claims.map(({ compiledInto, document }) => ({ compiledInto, document }))).toEqual([
        { compiledInto: [{ path: 'wiki/a.md' }], document: undefined },
      ])
      expect(map.sections).toEqual([])
      expect(map.escapes).toEqual([
        'claims[0].source.path',
        'claims[1].compiled_into[0]',
        'claims[1].document',
        'document_sections[0].document',
      ])
    },
  )
})

const run = { run_id: 'r1', trigger: 'manual', status: 'passed', inputs: [], outputs: [] }

function runOf(value: unknown): CompileRun {
  const read = readCompileRun(value)
  if ('problem' in read) throw new Error(read.problem)
  return read.run
}

describe('a compile run', () => {
  it('reads every field of the format', () => {
    const full = {
      ...run,
      inputs: [{ path: 'sources/a.md', sha256: `sha256:${'AB'.repeat(32)}` }],
      outputs: [{ path: 'compiled/facts.md', operation: 'updated' }],
      compiler: { tool: 't', version: '1', model: 'm' },
      diagnostics: [{ severity: 'info', path: '', message: 'm' }],
      review: { required: true, reason: 'r' },
      profile: 'document-first',
      runtime_mode: 'data',
      primary_document: 'documents/d.md',
      builder_skill: { name: 'n', version: '1', digest: 'd', source: 's' },
      documents: [{ path: 'documents/d.md', role: 'primary', status: 'ready', sha256: 'ab' }],
      chapters: [
        {
          id: 'c',
          title: 't',
          coverage: 'partial',
          document: 'documents/d.md',
          path: 'compiled/splits/d/1.md',
          tokens: 3,
          source_anchors: ['sources/a.md#L1'],
          warnings: [{ severity: 'warning', message: 'm', path: 'p' }],
        },
      ],
      quality_issues: ['q'],
      interview_questions: ['i'],
    }
    const read = runOf(full)
    expect(read.inputs).toEqual([{ path: 'sources/a.md', sha256: 'ab'.repeat(32) }])
    expect(read.review).toEqual({ isRequired: true, reason: 'r' })
    expect(read.chapters[0]?.sourceAnchors).toEqual([{ path: 'sources/a.md', fragment: 'L1' }])
    expect(read).toMatchObject({ mode: 'data', primaryDocument: 'documents/d.md', qualityIssues: ['q'] })
  })

  it.each([
    [{ ...run, run_id: '' }],
    [{ ...run, trigger: 'because' }],
    [{ ...run, status: 'ready' }],
    [{ ...run, inputs: undefined }],
    [{ ...run, outputs: [{ path: 'a' }] }],
    [{ ...run, outputs: [{ path: 'a', operation: 'burnt' }] }],
    [{ ...run, diagnostics: [{ severity: 'warning', path: 'a' }] }],
    [{ ...run, chapters: [{ id: 'a', title: 'b', coverage: 'none' }] }],
    [{ ...run, extra: 1 }],
    [null],
  ])('%j is none', (value) => {
    expect(readCompileRun(value)).toEqual({ problem: expect.stringMatching(/\w/) })
  })

  it('case 127: a path out of the pack is refused by its place, and the run still counts', () => {
    const read = readCompileRun({
      ...run,
      inputs: [{ path: '../a' }],
      outputs: [
        { path: '/a', operation: 'created' },
        { path: 'wiki/a.md', operation: 'created' },
      ],
      primary_document: 'a\\b',
      chapters: [{ id: 'c', title: 't', coverage: 'full', path: '../c' }],
    })
    expect(read).toMatchObject({ run: { inputs: [], outputs: [{ path: 'wiki/a.md', operation: 'created' }] } })
    expect(read).toMatchObject({
      escapes: ['inputs[0].path', 'outputs[0].path', 'chapters[0].path', 'primary_document'],
    })
  })

  it.each([
    ['runs/compile-2026-01-01T00-00-00Z.json', true],
    ['runs/compile-20260101T000000Z.json', true],
    ['runs/health-2026-01-01.json', false],
    ['runs/eval-discovery-1.json', false],
    ['runs/old/compile-1.json', false],
    ['runs/compile-1.md', false],
  ])('case 107: %s is judged as a compile run: %s', (path, isRun) => {
    expect(isCompileRunPath(path)).toBe(isRun)
  })

  it('the last run that changed a file governs it; one that left it unchanged does not', () => {
    const output = (operation: string) => [{ path: 'compiled/facts.md', operation }]
    const runs = [
      { file: 'runs/compile-c.json', run: runOf({ ...run, run_id: '3', outputs: output('unchanged') }) },
      { file: 'runs/compile-b.json', run: runOf({ ...run, run_id: '2', outputs: output('updated') }) },
      { file: 'runs/compile-a.json', run: runOf({ ...run, run_id: '2', outputs: output('created') }) },
      { file: 'runs/compile-d.json', run: runOf({ ...run, run_id: '1', outputs: output('created') }) },
    ]
    expect(governingRuns(runs).get('compiled/facts.md')).toBe(runs[1]?.run)
    expect(governingRuns(runs.slice(0, 1)).size).toBe(0)
  })
})

describe('a selection suite', () => {
  it('reads cases', () => {
    const cases = [{ id: 'a', prompt: 'p', expected: 'warn', expected_warnings: ['disputed'], reason: 'r' }]
    expect(readSelectionSuite({ pack_name: 'p', cases }, 'p')).toEqual({
      suite: {
        packName: 'p',
        cases: [{ id: 'a', prompt: 'p', expected: 'warn', expectedWarnings: ['disputed'], reason: 'r' }],
      },
    })
  })

  it('reads the older form', () => {
    const queries = [
      { query: 'yes', should_select: true },
      { query: 'no', should_select: false },
    ]
    expect(readSelectionSuite({ queries }, 'p')).toEqual({
      suite: {
        packName: 'p',
        cases: [
          { id: 'query-1', prompt: 'yes', expected: 'select', expectedWarnings: [] },
          { id: 'query-2', prompt: 'no', expected: 'reject', expectedWarnings: [] },
        ],
      },
    })
  })

  it.each([
    ['case 151: no cases', { pack_name: 'p', cases: [] }, 'cases must have at least one item'],
    ['case 153: another pack', { pack_name: 'q', cases: [{ id: 'a', prompt: 'p', expected: 'select' }] }, 'this pack'],
    ['tests of answers', { pack_name: 'p', evals: [] }, 'tests answers'],
    ['an older form of another pack', { pack_name: 'q', queries: [{ query: 'a', should_select: true }] }, 'this pack'],
    ['nothing', null, 'must be an object'],
  ])('%s is refused', (_, value, problem) => {
    expect(readSelectionSuite(value, 'p')).toEqual({ problem: expect.stringContaining(problem) })
  })
})
