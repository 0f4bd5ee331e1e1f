import { fitLine, type Line, lineWidth, span } from './line.ts'

// Beyond this a column takes the room of the others.
const WIDEST = 36
// More of a text says nothing about whether it is wider than that.
const MOST_MEASURED = 200

/** Draws rows whose cells stand under each other; the last cell of a row takes what is left. */
export function inColumns<T>(
  items: readonly T[],
  cells: (item: T) => readonly Line[],
  widest = WIDEST,
): (item: T) => Line {
  const widths: number[] = []
  for (const item of items) {
    for (const [at, cell] of cells(item).entries()) {
      widths[at] = Math.max(widths[at] ?? 0, Math.min(widest, measure(cell)))
    }
  }
  return (item) => {
    const row = cells(item)
    return row.flatMap((cell, at) => (at === row.length - 1 ? cell : [...fitLine(cell, widths[at] ?? 0), span('  ')]))
  }
}

function measure(cell: Line): number {
  return lineWidth(cell.map(({ text }) => ({ text: text.slice(0, MOST_MEASURED) })))
}
