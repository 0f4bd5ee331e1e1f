import { expect, test } from 'vitest'
import { createRanker, loadRanker } from './ranker.ts'
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
