import { quickDigest } from '../../text/values.ts'

/** Small decision trees whose values are added up, and the probability that belongs to a sum. */
export interface Model {
  /** The columns of a row, in this order. */
  signals: readonly string[]
  /** Of each tree: a column and a limit for each inner node, level by level. A value above the limit goes right. */
  columns: Uint8Array
  limits: Float64Array
  leaves: Float64Array
  /** Ascending sums and the probability of each. */
  sums: readonly number[]
  probabilities: readonly number[]
}

/** Every tree has this many levels: nodes that nothing splits send all to the left. */
export const LEVELS = 4
export const INNER = 2 ** LEVELS - 1
export const LEAVES = 2 ** LEVELS

/** The text of a model. The first line is the checksum of all others. */
export function writeModel({ signals, columns, limits, leaves, sums, probabilities }: Model): string {
  const lines = [signals.join(' '), sums.join(' '), probabilities.join(' ')]
  for (let tree = 0; tree * LEAVES < leaves.length; tree++) {
    const own = <T>(all: ArrayLike<T>, size: number) => Array.from({ length: size }, (_, at) => all[tree * size + at]!)
    lines.push([...own(columns, INNER), ...own(limits, INNER), ...own(leaves, LEAVES)].join(' '))
  }
  const body = `${lines.join('\n')}\n`
  return `${quickDigest(body)}\n${body}`
}

/** Undefined if anything about the text is not as `writeModel` wrote it for these signals. */
export function readModel(text: string, expected: readonly string[]): Model | undefined {
  const end = text.indexOf('\n')
  const body = text.slice(end + 1)
  if (end < 0 || quickDigest(body) !== text.slice(0, end)) return undefined
  const [names = '', sumLine = '', probabilityLine = '', ...trees] = body.trimEnd().split('\n')
  if (names !== expected.join(' ')) return undefined
  const numbers = (line: string) => line.split(' ').map(Number)
  const rows = trees.map(numbers)
  return {
    signals: expected,
    columns: Uint8Array.from(rows.flatMap((row) => row.slice(0, INNER))),
    limits: Float64Array.from(rows.flatMap((row) => row.slice(INNER, 2 * INNER))),
    leaves: Float64Array.from(rows.flatMap((row) => row.slice(2 * INNER))),
    sums: numbers(sumLine),
    probabilities: numbers(probabilityLine),
  }
}

/** What the trees say about a row of signals, together with its place (from 0) in the plain ranking. */
export function judge(
  { columns, limits, leaves }: Pick<Model, 'columns' | 'limits' | 'leaves'>,
  row: ArrayLike<number>,
  place: number,
): number {
  // The place in the plain ranking keeps a say: trees alone trust small differences too much.
  let sum = -0.45 * Math.log(1 + place)
  for (let inner = 0, leaf = 0; leaf < leaves.length; inner += INNER, leaf += LEAVES) {
    let node = 0
    while (node < INNER) node = 2 * node + (row[columns[inner + node]!]! > limits[inner + node]! ? 2 : 1)
    sum += leaves[leaf + node - INNER]!
  }
  return sum
}

/** Between two sums of the table, the probability changes evenly. */
export function probabilityOf({ sums, probabilities }: Pick<Model, 'sums' | 'probabilities'>, sum: number): number {
  let at = 0
  while (at < sums.length && sums[at]! < sum) at++
  if (at === 0) return probabilities[0] ?? 0
  if (at === sums.length) return probabilities.at(-1)!
  const share = (sum - sums[at - 1]!) / (sums[at]! - sums[at - 1]!)
  return probabilities[at - 1]! + share * (probabilities[at]! - probabilities[at - 1]!)
}
