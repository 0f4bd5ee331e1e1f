import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Weigher } from './analyze.ts'
import { DEFAULT_TUNING, type Tuning } from './document.ts'
import { createRanker, loadRanker, openSavedRanker } from './ranker.ts'
import { DamagedForm, Segment } from './saved-library.ts'
import { openBuilt, SegmentBuilder } from './segment-builder.ts'

const LIBRARY = [
  { id: 'a', name: 'bread-baking', description: 'Bake bread. Not for cakes; use cake-baking.', negatives: ['burn it'] },
  { id: 'b', name: 'cake-baking', description: 'Decorate sponge.', tokens: 7 },
]
const saved = createRanker(LIBRARY).save()

test('loads what was saved', () => {
  const loaded = loadRanker(saved)!
  expect(loaded.size).toBe(2)
  expect(loaded.rank('cakes')[0]!.id).toBe('b')
  expect(loaded.save()).toEqual(saved)
})

test('loads from a view that is not aligned', () => {
  const shifted = new Uint8Array(saved.length + 1)
  shifted.set(saved, 1)
  expect(loadRanker(shifted.subarray(1))!.rank('bread')[0]!.id).toBe('a')
  expect(loadRanker(Buffer.from(shifted.buffer, 1))!.rank('bread')[0]!.id).toBe('a')
})

test('every single damaged byte is noticed', () => {
  for (let at = 0; at < saved.length; at++) {
    const damaged = saved.slice()
    damaged[at]! ^= 0x40
    expect(loadRanker(damaged), `byte ${at}`).toBeNull()
  }
})

test.each([0, 3, 31, 32, 64, saved.length - 4])('cut to %i bytes', (length) => {
  expect(loadRanker(saved.slice(0, length))).toBeNull()
})

test('other tuning makes it stale', () => {
  expect(loadRanker(saved, { tuning: { ...DEFAULT_TUNING, saturation: 2 } })).toBeNull()
})

test('many removals leave nothing behind', () => {
  const many = Array.from({ length: 600 }, (_, i) => ({ id: `x${i}`, name: `word${i}`, description: 'Bake bread.' }))
  const ranker = createRanker([...LIBRARY, ...many])
  for (const { id } of many) ranker.remove(id)
  expect(ranker.save()).toEqual(saved)
  expect(ranker.rank('bread')[0]!.id).toBe('a')
})

const WORDS = 'bake bread cake flour oven crust yeast rye loaf dough'.split(' ')
const LARGE = Array.from({ length: 1000 }, (_, i) => ({
  id: `shelf-${i % 7}/${i}`,
  name: `${WORDS[i % 10]}-${i}`,
  description: `About ${WORDS[(i * 3) % 10]} and ${WORDS[(i * 7) % 10]} ${i}. For ${WORDS[i % 9]} use rye-${i + 1}.`,
  negatives: i % 50 === 0 ? [`never ${WORDS[i % 10]}`] : [],
  kept: { place: i },
}))
const TASKS = ['rye bread 17', 'never bake', 'nothing of it', 'crust of rye-8 in the oven']

/** Opens what was saved; counts the bytes that are read and the times it was made anew. */
function openParts(bytes: Uint8Array) {
  const seen = { read: 0, rebuilt: 0 }
  const read = (from: number, length: number) => {
    seen.read += length
    return bytes.slice(from, from + length)
  }
  const rebuild = () => {
    seen.rebuilt++
    return createRanker(LARGE)
  }
  return { ranker: openSavedRanker(read, bytes.length, rebuild)?.ranker, seen }
}

test('reads only what a task needs, and answers like the whole', () => {
  const whole = createRanker(LARGE)
  const bytes = whole.save()
  const { ranker, seen } = openParts(bytes)
  for (const task of TASKS) {
    expect(ranker!.rank(task)).toEqual(whole.rank(task))
    expect(ranker!.explain(task, 'shelf-3/10')).toEqual(whole.explain(task, 'shelf-3/10'))
    const lift = { label: 'x', of: (_: string, kept: unknown) => (JSON.stringify(kept).length % 2) + 1 }
    const bounded = { ...lift, between: [1, 2] as const }
    expect(ranker!.rank(task, { lift: bounded })).toEqual(whole.rank(task, { lift }))
  }
  expect(openParts(bytes).ranker!.rank('rye bread 17')[0]!.kept).toEqual({ place: 17 })
  const one = openParts(bytes)
  one.ranker!.rank('look at 777')
  expect(one.seen.read).toBeLessThan(bytes.length / 3)
  expect(seen.rebuilt).toBe(0)
  expect(ranker!.save()).toEqual(bytes)
})

test('a part that turns out to be damaged is made anew', () => {
  const whole = createRanker(LARGE)
  const bytes = whole.save()
  let rebuilt = 0
  for (let at = 0; at < bytes.length; at += 24_999) {
    const damaged = bytes.slice()
    damaged.fill(0, at, at + 512)
    const { ranker, seen } = openParts(damaged)
    if (ranker === undefined) continue
    for (const task of TASKS) expect(ranker.rank(task)).toEqual(whole.rank(task))
    rebuilt += seen.rebuilt
  }
  expect(rebuilt).toBeGreaterThan(0)
})

const FILES: Tuning = { ...DEFAULT_TUNING, pair: 0, fields: [{ name: 'text', weight: 1, norm: 0.6, length: 400 }] }

/** A segment of files, each with the text of its pieces, and what each of its terms must have. */
function saveFiles(files: readonly (readonly string[])[]) {
  const builder = new SegmentBuilder(FILES)
  const expected = new Map<string, { list: number[]; pieces: number[] }>()
  files.forEach((pieces, slot) => {
    builder.add(slot, [[0, pieces]])
    const weigher = new Weigher(FILES)
    const { lexicon } = weigher
    weigher.visit([[0, pieces]], 1, (term, packed, found) => {
      const known = expected.get(lexicon.textOf(term)) ?? { list: [], pieces: [] }
      expected.set(lexicon.textOf(term), {
        list: [...known.list, slot, packed],
        pieces: [...known.pieces, found],
      })
    })
  })
  const built = builder.encode(files.length)
  return { ...built, segment: openBuilt(built), expected }
}

function expectAll({ segment, expected }: ReturnType<typeof saveFiles>, base: number): void {
  for (const [term, { list, pieces }] of expected) {
    const moved = list.map((value, at) => (at % 2 === 0 ? base + value : value))
    expect(segment.find(term, base)).toEqual({ list: Uint32Array.from(moved), pieces: Uint32Array.from(pieces) })
  }
  expect(segment.find('nowhere', base)).toBeUndefined()
}

// Long postings, many terms in a bucket, and many pieces.
const MANY = Array.from({ length: 60 }, (_, at) => [`alpha ${at} w${at % 7}`, `x${at}`])
const PIECES = Array.from({ length: 32 }, (_, at) => `alpha line${at}`)

test.each([
  ['has long lists', MANY],
  ['has files of many pieces', [PIECES, ['alpha'], PIECES]],
  ['has no word', [[''], []]],
  ['has no file', []],
])('a segment of files gives back what was put into it, when it %s', (_, files) => {
  expectAll(saveFiles(files), 5)
})

test('a segment of files gives back what was put into it, whatever it was', () => {
  const word = fc.constantFrom('alpha', 'beta', 'Gamma', 'delta_one', '\n', 'd\u00e9j\u00e0', '\u6771\u4eac')
  const piece = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '))
  const files = fc.array(fc.array(piece, { maxLength: 3 }), { maxLength: 12 })
  fc.assert(
    fc.property(files, (some) => expectAll(saveFiles(some), 0)),
    { numRuns: 40 },
  )
})

test('a segment that is damaged anywhere gives what it held, or is known to be damaged', () => {
  const { bytes, place, expected } = saveFiles(MANY)
  for (let at = 0; at < bytes.length; at += 41) {
    bytes[at]! ^= 1 << (at % 8)
    const segment = new Segment((from, length) => bytes.subarray(from, from + length), { ...place, start: 0 })
    for (const [term, { list }] of expected) {
      try {
        expect([...segment.find(term)!.list]).toEqual(list)
      } catch (error) {
        expect(error).toBeInstanceOf(DamagedForm)
        expect(segment.isDamaged).toBe(true)
      }
    }
    bytes[at]! ^= 1 << (at % 8)
  }
})

test('a saved index holds no word of a text', () => {
  const { bytes } = saveFiles([['hunter2password\n']])
  const document = createRanker([{ id: 'a', name: 'b', body: 'hunter2password' }]).save()
  for (const each of [bytes, document]) expect(Buffer.from(each).toString('latin1')).not.toContain('hunter2')
})
