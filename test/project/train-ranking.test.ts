import { expect, it } from 'vitest'
import { randomFrom } from '../../bench/boosted-trees.ts'
import type { TaskRow } from '../../bench/ranking-rows.ts'
import { modelFile, trainModel } from '../../bench/train-ranking.ts'
import { judge, probabilityOf } from '../../src/project/rules/learned.ts'
import { SIGNALS } from '../../src/project/rules/signals.ts'
import { quickDigest } from '../../src/text/values.ts'

const BOOSTING = { trees: 8, rate: 0.3, restraint: 2, least: 1 }

/** Tasks of six repositories in which the file with the largest first and third signal is needed. */
function syntheticRows(): TaskRow[] {
  const random = randomFrom(3)
  return Array.from({ length: 60 }, (_, at) => {
    const signals = Array.from({ length: 12 }, () => SIGNALS.map(() => Number(random().toFixed(3))))
    const best = signals.reduce((a, b) => (b[0]! + b[2]! > a[0]! + a[2]! ? b : a))
    const paths = signals.map((_, file) => `src/${file}.ts`)
    const files = [paths[signals.indexOf(best)]!]
    const known = { base: '', commit: undefined, terms: [] }
    return { repo: `r/${at % 6}`, task: 't', ...known, hasHistory: true, files, tests: [], count: 12, paths, signals }
  })
}

it('the same rows give the same model, and the model has learnt what they show', () => {
  const rows = syntheticRows()
  const model = trainModel(rows, BOOSTING)
  expect(modelFile(trainModel(syntheticRows(), BOOSTING))).toBe(modelFile(model))
  // A change of the trainer changes this: train the shipped model again.
  expect(quickDigest(modelFile(model))).toBe('adfce31e83628e3b')

  const likely = rows.flatMap(({ signals, files }) =>
    signals.map((row, at) => ({
      probability: probabilityOf(model, judge(model, row, at)),
      isNeeded: files[0] === `src/${at}.ts`,
    })),
  )
  const mean = (isNeeded: boolean) => {
    const own = likely.filter((each) => each.isNeeded === isNeeded)
    return own.reduce((sum, { probability }) => sum + probability, 0) / own.length
  }
  expect(mean(true)).toBeGreaterThan(3 * mean(false))
  expect(model.probabilities).toEqual([...model.probabilities].sort((a, b) => a - b))
})
