import { describe, expect, it } from 'vitest'
import { type Configured, partsOf, placesOf, planePlaces, sharesOf } from './fit.ts'

const NONE: Configured = { tactical: false, adapter: false }
const NOTES: Configured = { tactical: true, adapter: false }
const BOTH: Configured = { tactical: true, adapter: true }
const USUAL = { controlPlane: 30, task: 50, tactical: 10, adapter: 10 }
const NO_GROUNDS = { controlPlane: 0, task: 0, tactical: 40, adapter: 10 }

type Four = [controlPlane: number, task: number, tactical: number, adapter: number]

describe('shares', () => {
  const rows: [space: number, partitions: typeof USUAL, configured: Configured, shares: Four][] = [
    [1000, USUAL, BOTH, [300, 500, 100, 100]],
    [1000, USUAL, NOTES, [337, 562, 100, 0]],
    [1000, USUAL, NONE, [375, 625, 0, 0]],
    [0, USUAL, BOTH, [0, 0, 0, 0]],
    [9, USUAL, BOTH, [2, 4, 0, 0]],
    [10, USUAL, BOTH, [3, 5, 1, 1]],
    [100, { controlPlane: 20, task: 20, tactical: 0, adapter: 0 }, BOTH, [50, 50, 0, 0]],
    [100, NO_GROUNDS, BOTH, [0, 50, 40, 10]],
    [100, NO_GROUNDS, NONE, [0, 100, 0, 0]],
  ]
  it.each(rows)('of %d with %j and %j are %j', (space, partitions, configured, shares) => {
    expect(Object.values(sharesOf(space, partitions, configured))).toEqual(shares)
  })

  it('never shrink when the space grows', () => {
    const odd = { controlPlane: 31, task: 37, tactical: 13, adapter: 17 }
    for (let space = 0; space < 500; space++) {
      const [small, large] = [sharesOf(space, odd, BOTH), sharesOf(space + 1, odd, BOTH)]
      expect(small.task).toBeLessThanOrEqual(large.task)
      expect(Object.values(large).reduce((sum, each) => sum + each)).toBeLessThanOrEqual(space + 1)
    }
  })
})

describe('what is left over', () => {
  const rows: [flowing: number, partitions: typeof USUAL, configured: Configured, tactical: number, adapter: number][] =
    [
      [100, USUAL, BOTH, 50, 50],
      [101, USUAL, BOTH, 50, 50],
      [100, USUAL, NOTES, 100, 0],
      [100, USUAL, NONE, 0, 0],
      [100, NO_GROUNDS, BOTH, 80, 20],
      [100, { ...USUAL, tactical: 0, adapter: 0 }, BOTH, 50, 50],
    ]
  it.each(rows)('of %d with %j and %j: %d for notes, %d for adapters', (flowing, partitions, configured, ...parts) => {
    expect(Object.values(partsOf(flowing, partitions, configured))).toEqual(parts)
  })
})

describe('places', () => {
  const rows: [wanted: Four, maxFiles: number, configured: Configured, places: Four][] = [
    [[7, 20, 0, 0], 12, NONE, [7, 5, 0, 0]],
    [[20, 20, 5, 5], 12, BOTH, [12, 0, 0, 0]],
    [[7, 20, 5, 5], 12, BOTH, [7, 3, 1, 1]],
    // Even if they are empty.
    [[7, 20, 0, 0], 12, BOTH, [7, 3, 0, 0]],
    [[0, 20, 5, 5], 12, BOTH, [0, 8, 2, 2]],
    [[0, 20, 5, 0], 12, NOTES, [0, 10, 2, 0]],
    [[2, 1, 9, 9], 12, BOTH, [2, 1, 5, 4]],
    [[2, 1, 0, 9], 12, BOTH, [2, 1, 0, 4]],
    [[2, 1, 9, 9], 12, NOTES, [2, 1, 9, 0]],
    [[1, 1, 1, 1], 0, BOTH, [0, 0, 0, 0]],
    [[1, 1, 1, 1], 2.9, BOTH, [1, 1, 0, 0]],
    [[1, 1, 1, 1], -1, BOTH, [0, 0, 0, 0]],
  ]
  it.each(rows)('%j in %d with %j: %j', ([control_plane, task, tactical, adapter], maxFiles, configured, places) => {
    expect(Object.values(placesOf({ control_plane, task, tactical, adapter }, maxFiles, configured))).toEqual(places)
  })
})

describe('the share of places', () => {
  const rows: [maxFiles: number, controlPlane: number, task: number, places: number][] = [
    [0, 30, 50, 0],
    [1, 30, 50, 0],
    [2, 30, 50, 1],
    [3, 30, 50, 1],
    [4, 30, 50, 2],
    [12, 30, 50, 5],
    [1, 60, 40, 1],
    [12, 0, 50, 0],
    [12, 0, 0, 0],
  ]
  it.each(rows)('of %d with %d to %d is %d', (maxFiles, controlPlane, task, places) => {
    const partitions = { ...USUAL, controlPlane, task }
    expect(planePlaces({ maxFiles, maxCharsPerFile: 1, total: 1, partitions })).toBe(places)
  })
})
