import { expect, test } from 'vitest'
import { createRanker, loadRanker, openSavedRanker } from './ranker.ts'
import { DEFAULT_TUNING } from './tuning.ts'

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

test('many removals compact the index', () => {
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
  return { ranker: openSavedRanker(read, bytes.length, rebuild), seen }
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
    if (ranker === null) continue
    for (const task of TASKS) expect(ranker.rank(task)).toEqual(whole.rank(task))
    rebuilt += seen.rebuilt
  }
  expect(rebuilt).toBeGreaterThan(0)
})
