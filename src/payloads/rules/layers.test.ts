import { describe, expect, it } from 'vitest'
import { entryOf, indexOf } from './entry.fixture.ts'
import { explainEntry, mergeIndexes } from './layers.ts'
import { readIndex } from './loadout-index.ts'

const layer = (name: string, entries: unknown[], changes = {}) => ({
  name,
  path: `/${name}`,
  index: indexOf(entries, changes),
})

describe('merging', () => {
  const global = layer('global', [
    entryOf({ id: 'a', summary: 'old' }),
    entryOf({ id: 'b', priority: 'core', tokens_est: 5 }),
  ])
  const project = layer('project', [
    entryOf({ id: 'c', priority: 'manual', tokens_est: 30 }),
    entryOf({ id: 'a', summary: 'new' }),
  ])
  const merged = mergeIndexes([global, project])

  it('replaces the whole entry and keeps its first place', () => {
    expect(merged.entries.map(({ id, summary }) => [id, summary])).toEqual([
      ['a', 'new'],
      ['b', 'An entry.'],
      ['c', 'An entry.'],
    ])
  })

  it('tells where entries come from and what was overridden', () => {
    expect(merged.provenance).toEqual({ a: 'project', b: 'global', c: 'project' })
    expect(merged.conflicts).toEqual([{ entryId: 'a', layers: ['global', 'project'], resolution: 'override' }])
  })

  it('recomputes the budget', () => {
    expect(merged.budget).toEqual({
      always_loaded_est: 5,
      on_demand_total_est: 40,
      avg_task_load_est: 40,
      avg_task_load_observed: null,
    })
  })

  it('takes an id like any other, whatever its name', () => {
    const odd = mergeIndexes([layer('global', [entryOf({ id: '__proto__' }), entryOf({ id: 'constructor' })])])
    expect(Object.entries(odd.provenance)).toEqual([
      ['__proto__', 'global'],
      ['constructor', 'global'],
    ])
    expect(Object.getPrototypeOf(odd.provenance)).toBe(Object.prototype)
  })

  it('passes over what is not an entry or not an index', () => {
    const broken = { name: 'org', path: '/org', index: JSON.parse('{"entries": {}}') }
    expect(mergeIndexes([layer('global', [null, 7, entryOf()]), broken]).entries).toHaveLength(1)
  })

  it('lets the last layer that speaks of lazyLoad decide', () => {
    const lazy = [layer('global', [], { lazyLoad: true }), layer('org', []), layer('project', [], { lazyLoad: false })]
    expect(mergeIndexes(lazy).lazyLoad).toBe(false)
    expect(mergeIndexes(lazy.slice(0, 2)).lazyLoad).toBe(true)
    expect('lazyLoad' in merged).toBe(false)
  })

  it('gives the same bytes whenever it is called', () => {
    expect(JSON.stringify(mergeIndexes([global, project]))).toBe(JSON.stringify(merged))
    expect(mergeIndexes([]).generated).toBe('1970-01-01T00:00:00.000Z')
  })

  it('explains an entry through its layers', () => {
    expect(explainEntry('a', [global, project])).toMatchObject({
      finalLayer: 'project',
      overrideChain: ['global', 'project'],
      isConflict: true,
      definitions: [{ summary: 'old' }, { summary: 'new' }],
    })
    expect(explainEntry('b', [global, project])).toMatchObject({ finalLayer: 'global', isConflict: false })
    expect(explainEntry('z', [global, project])).toBeNull()
  })
})

it('skips an entry of an index whose path leaves the root, and says so', () => {
  const paths = ['../../etc/passwd', '/etc/passwd', 'a/../../b.md', 'C:\\x.md', 'a/../b.md']
  const read = readIndex(indexOf(paths.map((path, at) => entryOf({ id: `e${at}`, path }))))
  if ('problem' in read) throw new Error(read.problem)
  expect(read.index.entries.map(({ path }) => path)).toEqual(['a/../b.md'])
  expect(read.findings.map(({ code, subject }) => `${code} ${subject}`)).toEqual(
    [0, 1, 2, 3].map((at) => `PATH_ESCAPE e${at}`),
  )
})

it('a merge of layers says so when an index has a priority that is none', () => {
  const read = readIndex(indexOf([entryOf({ priority: 'Manual' as never })]))
  expect(read).toMatchObject({
    index: { entries: [{ id: 'entry', priority: 'Manual' }] },
    findings: [{ severity: 'warning', code: 'INVALID_PRIORITY', subject: 'entry', hint: 'did you mean "manual"?' }],
  })
})
