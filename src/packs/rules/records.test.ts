import { describe, expect, it } from 'vitest'
import { memoryPack } from './pack-files.fixture.ts'
import { readRecords, readSelectionSuite } from './records.ts'

const MAP = 'indexes/source-map.json'
const claim = { claim_id: 'c1', text: 'A fact.', status: 'confirmed', source: { path: 'sources/a.md', anchor: 'L3' } }
const run = { run_id: 'r1', trigger: 'manual', status: 'passed', inputs: [], outputs: [] }

/** Records of a pack whose files are these values. */
function recordsOf(files: Record<string, unknown>) {
  const texts = Object.entries(files).map(([path, value]) => [path, JSON.stringify(value)])
  return readRecords(memoryPack(Object.fromEntries(texts)))
}

function mapOf(value: unknown) {
  const { claims, warnings } = recordsOf({ [MAP]: value })
  return { claims, told: warnings.map(({ code, message }) => `${code} ${message}`) }
}

function runOf(value: unknown) {
  const { runs, warnings } = recordsOf({ 'runs/compile-1.json': value })
  return { run: runs[0]?.run, told: warnings.map(({ code, message }) => `${code} ${message}`) }
}

describe('the source map', () => {
  it('has claims, whatever other fields they have', () => {
    const claims = [{ ...claim, compiled_into: ['./compiled/facts.md#top'], extra: 1 }]
    const map = mapOf({ claims })
    expect(map.claims).toEqual([
      {
        id: 'c1',
        text: 'A fact.',
        status: 'confirmed',
        source: { path: 'sources/a.md', anchor: 'L3' },
        compiledInto: ['compiled/facts.md'],
      },
    ])
    expect(map.told).toEqual([])
  })

  it('case 106: with a claim that is null has a warning, and the other claims', () => {
    const map = mapOf({ claims: [null, claim] })
    expect(map.claims.map(({ id }) => id)).toEqual(['c1'])
    expect(map.told).toEqual(['pack.field claims[0] must be an object'])
  })

  it.each([[[]], ['claims'], [{}], [{ claims: {} }]])('is not %j', (value) => {
    expect(mapOf(value)).toMatchObject({ claims: [], told: ['pack.field it must be an object with claims'] })
  })

  it.each([
    ['missing', true],
    ['source-required', true],
    ['confirmed', false],
  ])('may have a claim without a source that is %s: %s', (status, isRead) => {
    const map = mapOf({ claims: [{ ...claim, status, source: { path: '' } }] })
    expect(map.claims).toHaveLength(isRead ? 1 : 0)
    expect(map.told).toHaveLength(isRead ? 0 : 1)
  })

  it.each([['../x.md'], ['/etc/passwd'], ['a\\b.md'], ['C:/x.md'], ['sources/../x.md']])(
    'case 127: refuses %j by its place',
    (path) => {
      const claims = [
        { ...claim, source: { path } },
        { ...claim, compiled_into: [path, 'wiki/a.md'] },
      ]
      const map = mapOf({ claims })
      expect(map.claims.map(({ compiledInto }) => compiledInto)).toEqual([['wiki/a.md']])
      expect(map.told.map((each) => each.split(' ').slice(0, 2))).toEqual([
        ['PATH_ESCAPE', 'claims[0].source.path'],
        ['PATH_ESCAPE', 'claims[1].compiled_into[0]'],
      ])
    },
  )

  it('that is wrong everywhere has a short list of problems, which quote nothing', () => {
    const { told } = mapOf({ claims: Array(5000).fill({ ...claim, status: 'SECRET' }) })
    expect(told).toHaveLength(20)
    expect(told.join()).not.toContain('SECRET')
  })
})

describe('a compile run', () => {
  it('has inputs, outputs and a review', () => {
    const { run: read } = runOf({
      ...run,
      inputs: [{ path: 'sources/a.md', sha256: `sha256:${'AB'.repeat(32)}` }],
      outputs: [{ path: 'compiled/facts.md', operation: 'updated' }],
      review: { required: true, reason: 'r' },
    })
    expect(read?.inputs).toEqual([{ path: 'sources/a.md', sha256: 'ab'.repeat(32) }])
    expect(read).toMatchObject({ isReviewRequired: true })
  })

  it.each([
    [{ ...run, run_id: '' }],
    [{ ...run, status: 'ready' }],
    [{ ...run, inputs: undefined }],
    [{ ...run, outputs: [{ path: 'a', operation: 'burnt' }] }],
    [{ ...run, diagnostics: [{ severity: 'warning', path: 'a' }] }],
    [[]],
  ])('is not %j', (value) => {
    expect(runOf(value)).toEqual({ run: undefined, told: [expect.stringMatching(/^pack\.field \w/)] })
  })

  it('case 127: refuses a path out of the pack by its place, and still counts', () => {
    const outputs = ['/a', 'wiki/a.md'].map((path) => ({ path, operation: 'created' }))
    const { run: read, told } = runOf({ ...run, inputs: [{ path: '../a' }], outputs })
    expect(read).toMatchObject({ inputs: [], outputs: [{ path: 'wiki/a.md' }] })
    expect(told.map((each) => each.split(' ')[1])).toEqual(['inputs[0].path', 'outputs[0].path'])
  })

  it('case 107: is a file of this name only', () => {
    const names = ['compile-1.json', 'health-1.json', 'eval-discovery-1.json', 'old/compile-1.json', 'compile-1.md']
    const { runs } = recordsOf(Object.fromEntries(names.map((name) => [`runs/${name}`, run])))
    expect(runs.map(({ file }) => file)).toEqual(['runs/compile-1.json'])
  })

  it('governs a file that it changed last, not one that it left unchanged', () => {
    const by = (id: string, operation: string) => ({
      ...run,
      run_id: id,
      outputs: [{ path: 'compiled/facts.md', operation }],
    })
    const { governing } = recordsOf({
      'runs/compile-a.json': by('2', 'created'),
      'runs/compile-b.json': by('2', 'updated'),
      'runs/compile-c.json': by('3', 'unchanged'),
      'runs/compile-d.json': by('1', 'created'),
    })
    expect(governing.get('compiled/facts.md')?.outputs[0]?.operation).toBe('updated')
  })
})

describe('a selection suite', () => {
  it('has cases', () => {
    const cases = [{ id: 'a', prompt: 'p', expected: 'warn', expected_warnings: ['disputed'], reason: 'r' }]
    expect(readSelectionSuite({ pack_name: 'p', cases }, 'p')).toEqual({
      cases: [{ id: 'a', prompt: 'p', expected: 'warn', expectedWarnings: ['disputed'] }],
    })
  })

  it.each([
    ['case 151: without cases', { pack_name: 'p', cases: [] }, 'cases must have at least one item'],
    [
      'case 153: of another pack',
      { pack_name: 'q', cases: [{ id: 'a', prompt: 'p', expected: 'select' }] },
      'this pack',
    ],
    ['of answers', { pack_name: 'p', evals: [] }, 'cases is missing'],
    ['that is null', null, 'must be an object'],
  ])('%s is refused', (_, value, problem) => {
    expect(readSelectionSuite(value, 'p')).toEqual({ problem: expect.stringContaining(problem) })
  })
})
