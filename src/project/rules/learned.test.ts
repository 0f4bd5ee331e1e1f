import { describe, expect, it } from 'vitest'
import { INNER, judge, LEAVES, probabilityOf, readModel, writeModel } from './learned.ts'
import { RANKING_MODEL } from './ranking-model.ts'
import { SIGNALS } from './signals.ts'

const model = {
  signals: ['a', 'b'],
  columns: new Uint8Array(INNER).fill(1, 1),
  limits: new Float64Array(INNER).fill(0.5),
  leaves: Float64Array.from({ length: LEAVES }, (_, at) => at),
  sums: [0, 10, 20],
  probabilities: [0.1, 0.2, 0.8],
}

describe('a model', () => {
  it('goes right where a value is above the limit', () => {
    expect(judge(model, [0, 0], 0)).toBe(0)
    expect(judge(model, [0, 1], 0)).toBe(LEAVES / 2 - 1)
    expect(judge(model, [1, 0], 0)).toBe(LEAVES / 2)
    expect(judge(model, [1, 1], 0)).toBe(LEAVES - 1)
    expect(judge(model, [1, 1], 5)).toBeLessThan(LEAVES - 1)
  })

  it.each([
    [-5, 0.1],
    [0, 0.1],
    [5, 0.15],
    [20, 0.8],
    [99, 0.8],
  ])('gives the sum %d the probability %d', (sum, probability) => {
    expect(probabilityOf(model, sum)).toBeCloseTo(probability, 10)
  })

  it('is the same after it was written and read', () => {
    expect(readModel(writeModel(model), model.signals)).toEqual(model)
  })
})

describe('the shipped model', () => {
  it('fits the signals, and is small', () => {
    expect(readModel(RANKING_MODEL, SIGNALS)).toBeDefined()
    expect(RANKING_MODEL.length).toBeLessThan(150_000)
  })

  it('is refused when one byte of it changed, when a part is missing, and for other signals', () => {
    for (let at = 0; at < RANKING_MODEL.length; at += 997) {
      const other = RANKING_MODEL[at] === '1' ? '2' : '1'
      expect(readModel(RANKING_MODEL.slice(0, at) + other + RANKING_MODEL.slice(at + 1), SIGNALS)).toBeUndefined()
    }
    expect(readModel('', SIGNALS)).toBeUndefined()
    expect(readModel(RANKING_MODEL.slice(0, -2), SIGNALS)).toBeUndefined()
    expect(readModel(RANKING_MODEL, SIGNALS.slice(1))).toBeUndefined()
  })
})
