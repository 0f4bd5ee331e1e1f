import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatLock, type LockedSkill, NO_LOCK, parseLock } from './lock.ts'
import { addressOf, chooseWanted, unneeded } from './manifest.ts'
import { inOrderOfNeed, needsOf } from './needs.ts'

const names = Array.from({ length: 200 }, (_, at) => `skill-${String(at).padStart(3, '0')}`)

/** Graphs in which a skill needs only later ones, so that there is no cycle. */
const graphs = fc.array(fc.tuple(fc.nat(199), fc.nat(199)), { maxLength: 600 }).map((pairs) => {
  const graph = new Map(names.map((name) => [name, new Set<string>()]))
  for (const [a, b] of pairs) if (a !== b) graph.get(names[Math.min(a, b)]!)?.add(names[Math.max(a, b)]!)
  return graph
})

describe('the order of skills that need each other', () => {
  it('has each once, after all that it needs, and is the same however the graph is written', () => {
    fc.assert(
      fc.property(graphs, fc.subarray(names, { minLength: 1 }), (graph, starts) => {
        const order = inOrderOfNeed(starts, (name) => [...(graph.get(name) ?? [])])
        const place = new Map(order.map((name, at) => [name, at]))
        expect(place.size).toBe(order.length)
        for (const name of order) {
          for (const needed of graph.get(name) ?? []) expect(place.get(needed)!).toBeLessThan(place.get(name)!)
        }
        const again = inOrderOfNeed([...starts].reverse(), (name) => [...(graph.get(name) ?? [])].reverse())
        expect(again).toEqual(order)
      }),
      { numRuns: 50 },
    )
  })

  it('names a cycle wherever it is, and never runs forever', () => {
    fc.assert(
      fc.property(graphs, fc.nat(198), fc.nat(198), (graph, a, b) => {
        const [first, last] = [names[Math.min(a, b)]!, names[Math.max(a, b) + 1]!]
        graph.get(first)?.add(last)
        graph.get(last)?.add(first)
        expect(() => inOrderOfNeed(names, (name) => [...(graph.get(name) ?? [])])).toThrow(/in a circle: .* → /)
      }),
      { numRuns: 30 },
    )
  })

  it('follows a chain of 100,000', () => {
    const next = (name: string) => (Number(name) < 100_000 ? [String(Number(name) + 1)] : [])
    expect(inOrderOfNeed(['1'], next)).toHaveLength(100_000)
  })
})

describe('what a skill needs', () => {
  const rows: [of: Parameters<typeof needsOf>[0], needed: string[]][] = [
    [{ name: 'a', metadata: {}, others: { requires: ['b', 'c'] } }, ['b', 'c']],
    [{ name: 'a', metadata: { '*': { depends: 'b, c' } }, others: {} }, ['b', 'c']],
    [{ name: 'a', metadata: { '*': { depends_on: ['b@>=1.2'] } }, others: {} }, ['b >=1.2']],
    [{ name: 'a', metadata: { '*': { metadata: { requires: 'b c' } } }, others: {} }, ['b', 'c']],
    [
      { name: 'a', metadata: {}, others: { requires: ['own/repo/skills/b#v1', 'own/repo@c'] } },
      ['b own/repo#v1', 'c own/repo'],
    ],
    [
      { name: 'a', metadata: {}, others: { requires: [{ skill: 'b', git: 'own/repo', ref: 'v2' }] } },
      ['b own/repo#v2'],
    ],
    [
      { name: 'a', metadata: { '*': { dependencies: 'python>=3.8, pandas' } }, others: {} },
      ['pandas ?', 'python >=3.8 ?'],
    ],
    [{ name: 'a', metadata: {}, others: { requires: ['a', '../x', 3, '-o', 'B'] } }, []],
  ]
  it.each(rows)('%j', (skill, needed) => {
    const said = needsOf(skill).map(({ name, source, range, isSure }) => [name, source, range, isSure ? '' : '?'])
    expect(said.map((parts) => parts.filter(Boolean).join(' '))).toEqual(needed)
  })
})

const need = (name: string, source?: string) => ({ name, source, isSure: true })
const offer = (name: string, ...needs: ReturnType<typeof need>[]) => ({ name, folder: `skills/${name}`, needs })

describe('what a manifest asks for', () => {
  it('brings what is needed, transitively, once, from the same source first', () => {
    const offered = new Map([
      [
        'own/a',
        [
          offer('top', need('left'), need('right')),
          offer('left', need('base')),
          offer('right', need('base')),
          offer('base'),
        ],
      ],
      ['own/b', [offer('base'), offer('other')]],
    ])
    const { skills } = chooseWanted({ 'own/a': ['top'], 'own/b': ['other'] }, offered)
    expect(skills.map(({ name, from }) => `${name} ${from}`)).toEqual([
      'other own/b',
      'base own/a',
      'left own/a',
      'right own/a',
      'top own/a',
    ])
  })

  it('names conflicts, missing needs and other versions, and asks for sources that it does not know', () => {
    const two = new Map([
      ['own/a', [offer('x')]],
      ['own/b', [offer('x')]],
    ])
    expect(() => chooseWanted({ 'own/a': ['x'], 'own/b': ['*'] }, two)).toThrow(
      'two sources have a skill x: own/a and own/b',
    )
    const one = (...needs: ReturnType<typeof need>[]) => new Map([['own/a#v1', [offer('x', ...needs)]]])
    expect(() => chooseWanted({ 'own/a#v1': ['x'] }, one(need('y')))).toThrow('x needs the skill y')
    expect(() => chooseWanted({ 'own/a#v1': ['z'] }, one())).toThrow('own/a#v1 has no skill z')
    expect(() => chooseWanted({ 'own/a#v1': ['x'] }, one(need('x2', 'own/a#v2')))).toThrow(
      'two versions of one repository',
    )
    expect(chooseWanted({ 'own/a#v1': ['x'] }, one(need('y', 'other/c#v3'))).missing).toEqual([
      { source: 'other/c#v3', name: 'y', by: 'x' },
    ])
  })
})

const row = (name: string, requires: string[] = []): LockedSkill => ({
  name,
  from: 'own/a',
  url: 'https://github.com/own/a',
  folder: `skills/${name}`,
  commit: 'a'.repeat(40),
  digest: 'b'.repeat(64),
  at: '2026-01-02T03:04:05Z',
  requires,
  copies: { claude: 'c'.repeat(64) },
  allows: {},
})

describe('a lock', () => {
  it('has the same bytes after it was read, in any order of its skills', () => {
    const lock = { ...NO_LOCK, skills: [row('b', ['a']), row('a')] }
    const text = formatLock(lock)
    expect(formatLock(parseLock(text))).toBe(text)
    expect(formatLock({ ...lock, skills: [...lock.skills].reverse() })).toBe(text)
    expect(unneeded({ 'own/a': ['b'] }, lock.skills)).toEqual([])
    expect(unneeded({ 'own/a': ['a'] }, lock.skills)).toEqual(['b'])
  })

  const good = JSON.parse(formatLock({ ...NO_LOCK, skills: [row('a')] }))
  const bad: [what: string, text: string, said: RegExp][] = [
    ['half merged by git', `<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n`, /conflict markers of an unfinished merge/],
    ['of a newer version', JSON.stringify({ ...good, version: 2 }), /version 2, which a newer Loadout wrote/],
    ['not JSON', '{', /cannot be used/],
    [
      'a folder outside',
      JSON.stringify({ version: 1, skills: { a: { ...good.skills.a, folder: '../x' } } }),
      /"folder" is refused: it leaves its root/,
    ],
    [
      'a branch for a commit',
      JSON.stringify({ version: 1, skills: { a: { ...good.skills.a, commit: 'main' } } }),
      /full id of a commit/,
    ],
    [
      'no digest',
      JSON.stringify({ version: 1, skills: { a: { ...good.skills.a, digest: 1 } } }),
      /"digest" must be a text/,
    ],
    [
      'a name that is a path',
      JSON.stringify({ version: 1, skills: { '../a': good.skills.a } }),
      /the name is not valid/,
    ],
    [
      'a hundred thousand entries',
      `{"version":1,"skills":{${Array.from({ length: 100_000 }, (_, at) => `"a${at}":0`).join()}}}`,
      /100000 entries, more than 5000/,
    ],
  ]
  it.each(bad)('is refused: %s', (_, text, said) => {
    expect(() => parseLock(text)).toThrow(said)
  })

  it('never throws anything but its own error, whatever the file contains', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          parseLock(JSON.stringify({ version: 1, skills: value }))
        } catch (error) {
          expect(error).toHaveProperty('code', 'LOCK_INVALID')
        }
      }),
    )
  })
})

describe('an address in a manifest', () => {
  const bad = [
    '-o',
    '--upload-pack=x',
    '../out',
    '/etc',
    '~/x',
    '.',
    './',
    './../x',
    'https://me:secret@host/x',
    'ext::sh -c x',
    'word',
    'a b/c',
    'own/repo#-x',
    '\u0000',
  ]
  it.each(bad)('%j is refused', (key) => {
    expect(() => addressOf(key)).toThrow(/cannot be a source/)
  })
  it.each([
    ['own/repo', 'https://github.com/own/repo', undefined, ''],
    ['own/repo/skills/x#v1.2', 'https://github.com/own/repo', 'v1.2', 'skills/x'],
    ['git@host.example:team/x.git', 'git@host.example:team/x.git', undefined, ''],
    ['./tools/skills', undefined, undefined, 'tools/skills'],
  ])('%s', (key, url, ref, folder) => {
    expect(addressOf(key)).toEqual({ key, url, ref, folder })
  })
})
