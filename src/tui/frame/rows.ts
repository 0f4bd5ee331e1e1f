import type { Finding } from '../../text/trouble.ts'
import type { Notice } from '../model.ts'
import { fitLine, insideOf, type Line, lineWidth, mark, pane, plain, type Size, span, styled, wrapped } from './line.ts'

/** Which rows of a list are shown, always including the one under the cursor. */
export function windowAround(at: number, count: number, height: number): { from: number; to: number } {
  const from = Math.max(0, Math.min(at - Math.floor(height / 2), count - height))
  return { from, to: Math.min(count, from + Math.max(0, height)) }
}

export function clamp(at: number, count: number): number {
  return Math.max(0, Math.min(at, count - 1))
}

/** The rows of a list that fit, with a sign at the cursor. Calls `row` only for these. */
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

/** How far lines can be scrolled in a pane: until the last one is at its bottom. */
export function furthestScroll(lines: readonly Line[], size: Size): number {
  return Math.max(0, lines.length - insideOf(size).rows)
}

/** Lines that scroll, in a pane. */
export function textPane(title: Line, lines: readonly Line[], at: number, size: Size, isFocused = true): Line[] {
  return pane(title, lines.slice(Math.min(at, furthestScroll(lines, size))), size, isFocused)
}

/** Why there is nothing to show and what to do; without a problem, what the screen waits for. */
export function problemLines(problem: Notice | undefined, otherwise: string, columns: number): Line[] {
  if (problem === undefined) return wrapped(otherwise, columns)
  const hint = wrapped(problem.hint ?? '', columns)
  return [...wrapped(problem.text, columns, 'alert'), ...(hint.length > 0 ? [[], ...hint] : [])]
}

/** A unified difference; added and removed lines keep their signs. */
export function unifiedLines(text: string): Line[] {
  const lines = text.trimEnd().split('\n')
  return lines.filter((line) => !/^(?:diff --git|index [0-9a-f]+\.\.)/.test(line)).map(diffLine)
}

function diffLine(line: string): Line {
  // The sign takes a column, so a tab after it must become blanks.
  const text = line.replaceAll('\t', '    ')
  if (line.startsWith('+')) return styled(text, 'good')
  if (line.startsWith('-')) return styled(text, 'alert')
  return line.startsWith('@@') ? styled(text, 'accent') : plain(text)
}

// Enough of a text to know whether it is wider than that.
const MOST_MEASURED = 200

/** Aligns the cells of rows in columns; the last cell of a row gets the rest. */
export function inColumns<T>(
  items: readonly T[],
  cells: (item: T) => readonly Line[],
  // A wider column would take the room of the others.
  widest = 36,
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

export function findingLines({ message, hint, severity }: Finding, columns: number): Line[] {
  const help = wrapped(hint ?? '', columns - 2, 'faint').map((line) => [span('  '), ...line])
  return [...wrapped(message, columns, severity === 'info' ? 'faint' : 'alert'), ...help]
}
