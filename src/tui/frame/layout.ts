import { clipLine, fitLine, type Line, lineWidth, type Span, span } from './line.ts'

export interface Size {
  columns: number
  rows: number
}

/** The room for content in a pane of this size. What is too small for a box is all content. */
export function insideOf({ columns, rows }: Size): Size {
  return hasBox({ columns, rows }) ? { columns: columns - 4, rows: rows - 2 } : { columns, rows: Math.max(0, rows) }
}

function hasBox({ columns, rows }: Size): boolean {
  return columns > 4 && rows > 2
}

/** A box with a title in its upper edge. Exactly as large as asked. */
export function pane(title: Line, content: readonly Line[], size: Size, isFocused: boolean): Line[] {
  if (!hasBox(size)) return block(content, size)
  const { columns } = size
  const edge = (text: string): Span => span(text, isFocused ? 'accent' : 'faint')
  const name = clipLine(title, columns - 5)
  const rest = columns - 4 - lineWidth(name)
  const [left, right] = [edge('│ '), edge(' │')]
  return [
    [edge('╭ '), ...name, edge(` ${'─'.repeat(rest)}╮`)],
    ...block(content, insideOf(size)).map((line) => [left, ...line, right]),
    [edge(`╰${'─'.repeat(columns - 2)}╯`)],
  ]
}

/** Exactly so many lines, each exactly so wide. */
export function block(content: readonly Line[], { columns, rows }: Size): Line[] {
  return Array.from({ length: Math.max(0, rows) }, (_, row) => fitLine(content[row] ?? [], columns))
}

export function beside(left: readonly Line[], right: readonly Line[]): Line[] {
  return left.map((line, row) => [...line, ...(right[row] ?? [])])
}

/** A box over the middle of a screen. */
export function overlay(screen: readonly Line[], box: readonly Line[], { columns, rows }: Size): Line[] {
  const width = box.length === 0 ? 0 : lineWidth(box[0]!)
  const left = Math.max(0, Math.floor((columns - width) / 2))
  const top = Math.max(0, Math.floor((rows - box.length) / 2))
  return screen.map((line, row) => {
    const over = box[row - top]
    return over === undefined ? line : fitLine([{ text: ' '.repeat(left) }, ...over], columns)
  })
}
