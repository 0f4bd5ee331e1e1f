// Boosted trees with the logistic loss, small and deterministic: the same rows give the same model.
import { INNER, LEAVES, LEVELS, type Model } from '../src/project/rules/learned.ts'

export interface TrainingRows {
  columns: number
  /** Row by row. */
  values: Float64Array
  /** 1 for needed. */
  labels: Uint8Array
  /** The task that a row belongs to; the rows of a task lie together. */
  tasks: Uint32Array
  /** Columns of which more never speaks against a file. */
  rising?: ReadonlySet<number>
}

export interface Boosting {
  trees: number
  rate: number
  /** Pulls leaves with little evidence to 0. */
  restraint: number
  /** The minimum evidence in a leaf. */
  least: number
}

export const BOOSTING: Boosting = { trees: 180, rate: 0.1, restraint: 8, least: 4 }
const BINS = 64
const COLUMN_SHARE = 0.6
const ROW_SHARE = 0.8

/** A small generator of pseudo-random numbers from 0 to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const round = (value: number, digits: number) => Number(value.toFixed(digits))

export function boost(
  { columns, values, labels, tasks, rising = new Set() }: TrainingRows,
  { trees, rate, restraint, least }: Boosting = BOOSTING,
): Pick<Model, 'columns' | 'limits' | 'leaves'> {
  const rows = labels.length
  const limits = Array.from({ length: columns }, (_, column) => binLimits(values, columns, column))
  const bins = limits.map((own, column) => {
    const binned = new Uint8Array(rows)
    for (let row = 0; row < rows; row++) {
      const value = values[row * columns + column]!
      let [low, high] = [0, own.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (value > own[middle]!) low = middle + 1
        else high = middle
      }
      binned[row] = low
    }
    return binned
  })
  const random = randomFrom(7)
  const sums = new Float64Array(rows)
  const [slopes, bends] = [new Float64Array(rows), new Float64Array(rows)]
  const nodes = new Uint8Array(rows)
  const model = {
    columns: new Uint8Array(trees * INNER),
    limits: new Float64Array(trees * INNER),
    leaves: new Float64Array(trees * LEAVES),
  }
  for (let tree = 0; tree < trees; tree++) {
    let isUsed = true
    for (let row = 0; row < rows; row++) {
      if (row === 0 || tasks[row] !== tasks[row - 1]) isUsed = random() < ROW_SHARE
      const probability = 1 / (1 + Math.exp(-sums[row]!))
      slopes[row] = isUsed ? labels[row]! - probability : 0
      bends[row] = isUsed ? probability * (1 - probability) : 0
    }
    const used = limits.flatMap((own, column) => (own.length > 0 && random() < COLUMN_SHARE ? column : []))
    nodes.fill(0)
    for (let level = 0; level < LEVELS; level++) {
      const [first, width] = [2 ** level - 1, 2 ** level]
      const best = Array.from({ length: width }, () => ({ gain: 0, column: 0, bin: -1 }))
      for (const column of used) {
        const slopeSums = new Float64Array(width * BINS)
        const bendSums = new Float64Array(width * BINS)
        const own = bins[column]!
        for (let row = 0; row < rows; row++) {
          const at = (nodes[row]! - first) * BINS + own[row]!
          slopeSums[at]! += slopes[row]!
          bendSums[at]! += bends[row]!
        }
        for (let node = 0; node < width; node++) {
          let [allSlope, allBend] = [0, 0]
          for (let bin = 0; bin < BINS; bin++) {
            allSlope += slopeSums[node * BINS + bin]!
            allBend += bendSums[node * BINS + bin]!
          }
          const whole = (allSlope * allSlope) / (allBend + restraint)
          let [slope, bend] = [0, 0]
          for (let bin = 0; bin < limits[column]!.length; bin++) {
            slope += slopeSums[node * BINS + bin]!
            bend += bendSums[node * BINS + bin]!
            if (bend < least || allBend - bend < least) continue
            const [otherSlope, otherBend] = [allSlope - slope, allBend - bend]
            if (rising.has(column) && slope / (bend + restraint) > otherSlope / (otherBend + restraint)) continue
            const gain =
              (slope * slope) / (bend + restraint) + (otherSlope * otherSlope) / (otherBend + restraint) - whole
            if (gain > best[node]!.gain + 1e-9) best[node] = { gain, column, bin }
          }
        }
      }
      best.forEach(({ column, bin }, node) => {
        const at = tree * INNER + first + node
        model.columns[at] = column
        model.limits[at] = bin < 0 ? 1e9 : limits[column]![bin]!
      })
      for (let row = 0; row < rows; row++) {
        const { column, bin } = best[nodes[row]! - first]!
        const isRight = bin >= 0 && bins[column]![row]! > bin
        nodes[row] = 2 * nodes[row]! + (isRight ? 2 : 1)
      }
    }
    const slopeSums = new Float64Array(LEAVES)
    const bendSums = new Float64Array(LEAVES)
    for (let row = 0; row < rows; row++) {
      slopeSums[nodes[row]! - INNER]! += slopes[row]!
      bendSums[nodes[row]! - INNER]! += bends[row]!
    }
    const leaves = slopeSums.map((slope, leaf) => round((rate * slope) / (bendSums[leaf]! + restraint), 4))
    model.leaves.set(leaves, tree * LEAVES)
    for (let row = 0; row < rows; row++) sums[row]! += leaves[nodes[row]! - INNER]!
  }
  return model
}

/** Values between which rows are told apart: at most BINS parts of about the same size. */
function binLimits(values: Float64Array, columns: number, column: number): number[] {
  const sorted = new Float64Array(values.length / columns)
  for (let row = 0; row < sorted.length; row++) sorted[row] = values[row * columns + column]!
  sorted.sort()
  const limits = new Set<number>()
  const distinct = [...new Set(sorted)]
  const among = distinct.length <= BINS ? distinct : sorted
  for (let bin = 1; bin < Math.min(BINS, among.length); bin++) {
    const at = Math.floor((bin * among.length) / Math.min(BINS, among.length))
    if (among[at - 1]! < among[at]!) limits.add(round((among[at - 1]! + among[at]!) / 2, 4))
  }
  return [...limits].filter((limit) => limit < sorted.at(-1)!).sort((a, b) => a - b)
}

const STEPS = 24

/** A table from sums to probabilities that never falls, from rows that the model was not trained on. */
export function calibrate(sums: readonly number[], labels: readonly number[]): Pick<Model, 'sums' | 'probabilities'> {
  const order = sums.map((_, at) => at).sort((a, b) => sums[a]! - sums[b]! || a - b)
  // Pools of neighbours, merged while a later one has a smaller share.
  const pools: { mass: number; needed: number; rows: number }[] = []
  for (const at of order) {
    pools.push({ mass: sums[at]!, needed: labels[at]!, rows: 1 })
    for (let last = pools.at(-1)!, before = pools.at(-2); before !== undefined; before = pools.at(-2)) {
      if (before.needed * last.rows < last.needed * before.rows) break
      pools.splice(-2, 2, {
        mass: before.mass + last.mass,
        needed: before.needed + last.needed,
        rows: before.rows + last.rows,
      })
      last = pools.at(-1)!
    }
  }
  // Small pools would be certain of what few rows show.
  const total = labels.reduce((sum, label) => sum + label, 0)
  const table: { sum: number; probability: number }[] = []
  let [needed, rows, mass] = [0, 0, 0]
  for (const pool of pools) {
    needed += pool.needed
    rows += pool.rows
    mass += pool.mass
    if (needed < total / STEPS && pool !== pools.at(-1)) continue
    table.push({ sum: round(mass / rows, 3), probability: round((needed + 0.5) / (rows + 1), 4) })
    needed = rows = mass = 0
  }
  const kept = table.filter(
    ({ sum, probability }, at) => at === 0 || (sum > table[at - 1]!.sum && probability >= table[at - 1]!.probability),
  )
  return { sums: kept.map(({ sum }) => sum), probabilities: kept.map(({ probability }) => probability) }
}
