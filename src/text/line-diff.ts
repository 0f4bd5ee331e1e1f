/** For each line of the first text the index of its partner in the second, or -1. Partners are equal and in order. */
export type LineMatches = Int32Array

/** With more differences than this, the whole middle counts as changed: correct, but coarse. */
const MOST_EDITS = 2000

/** A longest common subsequence of two lists of lines (Myers), after removing equal lines at both ends. */
export function matchLines(from: readonly string[], to: readonly string[]): LineMatches {
  const matches = new Int32Array(from.length).fill(-1)
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && from[start] === to[start]) matches[start] = start++
  let end = 0
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) {
    end++
    matches[from.length - end] = to.length - end
  }
  const middle = [from.slice(start, from.length - end), to.slice(start, to.length - end)] as const
  for (const [a, b] of commonLines(...middle)) matches[start + a] = start + b
  return matches
}

/** Pairs of equal lines, from the last to the first. */
function commonLines(a: readonly string[], b: readonly string[]): [number, number][] {
  const trace = furthestPoints(a, b)
  if (trace === undefined) return []
  const pairs: [number, number][] = []
  let [x, y] = [a.length, b.length]
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const before = trace[edits]!
    const diagonal = x - y
    const isDown = edits > 0 && takesDown(before, edits, diagonal)
    const previous = edits === 0 ? 0 : isDown ? diagonal + 1 : diagonal - 1
    const startX = edits === 0 ? 0 : before[previous + edits]! + (isDown ? 0 : 1)
    while (x > startX && y > 0) pairs.push([--x, --y])
    if (edits === 0) break
    x = before[previous + edits]!
    y = x - previous
  }
  return pairs
}

/**
 * Before each number of edits, how far every diagonal reaches; diagonal k lies at `k + edits` of the row. Undefined
 * when the lists differ too much.
 */
function furthestPoints(a: readonly string[], b: readonly string[]): Int32Array[] | undefined {
  if (a.length === 0 || b.length === 0) return undefined
  const most = Math.min(a.length + b.length, MOST_EDITS)
  const trace: Int32Array[] = []
  let reach = new Int32Array(1)
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reach)
    const next = new Int32Array(2 * edits + 3)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = 0
      if (edits > 0) {
        x = takesDown(reach, edits, diagonal) ? reach[diagonal + 1 + edits]! : reach[diagonal - 1 + edits]! + 1
      }
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++
      next[diagonal + edits + 1] = x
      if (x >= a.length && x - diagonal >= b.length) return trace
    }
    reach = next
  }
  return undefined
}

/** Whether a diagonal is reached by inserting a line of the second list rather than deleting one of the first. */
function takesDown(reach: Int32Array, edits: number, diagonal: number): boolean {
  return diagonal === -edits || (diagonal !== edits && reach[diagonal - 1 + edits]! < reach[diagonal + 1 + edits]!)
}

/** The lines that two texts do not share, removed before added ones, with two lines of context. */
export function diffLines(before: string, after: string): string {
  const [from, to] = [linesOf(before), linesOf(after)]
  const rows: string[] = []
  let next = 0
  const addUntil = (end: number) => {
    while (next < end) rows.push(`+ ${to[next++]}`)
  }
  for (const [at, partner] of matchLines(from, to).entries()) {
    if (partner !== -1) addUntil(partner)
    rows.push(`${partner === -1 ? '-' : ' '} ${from[at]}`)
    if (partner !== -1) next++
  }
  addUntil(to.length)
  const shown = new Set(rows.flatMap((row, at) => (row.startsWith(' ') ? [] : [-2, -1, 0, 1, 2].map((by) => at + by))))
  return rows
    .flatMap((row, at) => (!shown.has(at) ? [] : at > 0 && !shown.has(at - 1) ? ['  ...', row] : [row]))
    .join('\n')
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
