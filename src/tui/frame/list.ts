import { fitLine, insideOf, type Line, mark, pane, type Size, span } from './line.ts'

/** Which rows of a list are shown: the one under the cursor is always among them. */
export function windowAround(at: number, count: number, height: number): { from: number; to: number } {
  const from = Math.max(0, Math.min(at - Math.floor(height / 2), count - height))
  return { from, to: Math.min(count, from + Math.max(0, height)) }
}

export function clamp(at: number, count: number): number {
  return Math.max(0, Math.min(at, count - 1))
}

/** The rows of a list that fit, the one under the cursor with its sign. `row` is asked only for what is shown. */
export function listLines<T>(
  items: readonly T[],
  at: number,
  { columns, rows }: Size,
  row: (item: T) => Line,
  isFocused = true,
): Line[] {
  const cursor = clamp(at, items.length)
  const { from, to } = windowAround(cursor, items.length, rows)
  return items.slice(from, to).map((item, index) => {
    const isCurrent = from + index === cursor
    const line = fitLine([span(isCurrent ? '▸ ' : '  '), ...row(item)], columns)
    return isCurrent && isFocused ? mark(line, 'chosen') : line
  })
}

/** How far down lines can be scrolled in a pane: until the last one is at its end. */
export function furthestScroll(lines: readonly Line[], size: Size): number {
  return Math.max(0, lines.length - insideOf(size).rows)
}

/** Lines that scroll, in a pane. */
export function textPane(title: Line, lines: readonly Line[], at: number, size: Size, isFocused = true): Line[] {
  return pane(title, lines.slice(Math.min(at, furthestScroll(lines, size))), size, isFocused)
}
