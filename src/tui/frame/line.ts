import { printableLine } from '../../text/printable.ts'
import { clip, graphemes, graphemeWidth, textWidth } from '../../text/text-width.ts'

/** How a text should look. `paint.ts` maps it to colours. */
export type Style = 'strong' | 'faint' | 'good' | 'alert' | 'accent' | 'chosen'

/** Made only by `span`, which removes everything that could control the terminal. */
export interface Span {
  text: string
  style?: Style
}

/** One line of the screen. */
export type Line = readonly Span[]

// Longer than any line of a terminal: the rest would cost time and never be seen.
const LONGEST_SPAN = 2_000
const LONGEST_WRAPPED = 8_000

export function span(text: string, style?: Style): Span {
  const harmless = closed(printableLine(text.slice(0, LONGEST_SPAN)))
  return style === undefined ? { text: harmless } : { text: harmless, style }
}

/** Removes marks at the end that join the next character: they would join the first one of the next span. */
function closed(text: string): string {
  let end = text
  while (end !== '' && graphemes(`${end.slice(-2)} `).at(-1) !== ' ') end = [...end].slice(0, -1).join('')
  return end
}

export function plain(text: string): Line {
  return [span(text)]
}

export function styled(text: string, style: Style): Line {
  return [span(text, style)]
}

export function lineWidth(line: Line): number {
  return line.reduce((columns, { text }) => columns + textWidth(text), 0)
}

/** At most so many columns; the last one shows that the line was cut. */
export function clipLine(line: Line, columns: number): Line {
  if (lineWidth(line) <= columns) return line
  const kept: Span[] = []
  let left = columns
  for (const [at, { text, ...rest }] of line.entries()) {
    const isCut = textWidth(text) > left || (textWidth(text) === left && lineWidth(line.slice(at + 1)) > 0)
    // One character too many makes `clip` show that the text was cut.
    const shown = isCut ? clip(`${text} `, left) : text
    left -= textWidth(shown)
    kept.push({ text: shown, ...rest })
    if (isCut) break
  }
  return kept
}

/** The end of a text that is being typed; cuts the beginning if it does not fit. */
export function endOf(text: string, columns: number): string {
  const harmless = printableLine(text.slice(-LONGEST_SPAN))
  if (textWidth(harmless) <= columns) return harmless
  const kept: string[] = []
  let left = columns - 1
  for (const grapheme of graphemes(harmless).reverse()) {
    left -= graphemeWidth(grapheme)
    if (left < 0) break
    kept.unshift(grapheme)
  }
  return `…${kept.join('')}`
}

/** Exactly so many columns: longer is cut, shorter is filled. */
export function fitLine(line: Line, columns: number): Line {
  const clipped = clipLine(line, columns)
  const left = columns - lineWidth(clipped)
  return left > 0 ? [...clipped, { text: ' '.repeat(left) }] : clipped
}

/** A left and a right part, as far apart as the line allows; the right one is cut first. */
export function spread(left: Line, right: Line, columns: number): Line {
  const gap = columns - lineWidth(left) - lineWidth(right)
  return gap < 1 ? fitLine(left, columns) : [...left, { text: ' '.repeat(gap) }, ...right]
}

/** The whole line in one style: a row that is chosen. */
export function mark(line: Line, style: Style): Line {
  return [{ text: line.map(({ text }) => text).join(''), style }]
}

/** Wraps words to lines of at most so many columns. Splits a longer word, or a text without blanks. */
export function wrapText(text: string, columns: number): string[] {
  if (columns < 1) return []
  const wrapped: string[] = []
  let line = ''
  const shown = text.length > LONGEST_WRAPPED ? `${text.slice(0, LONGEST_WRAPPED)}…` : text
  for (const word of printableLine(shown).split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (textWidth(longer) <= columns) {
      line = longer
      continue
    }
    if (line !== '') wrapped.push(line)
    const pieces = splitWord(word, columns)
    line = pieces.pop() ?? ''
    wrapped.push(...pieces)
  }
  return line === '' ? wrapped : [...wrapped, line]
}

/** Like `wrapText`, as lines in one style. */
export function wrapped(text: string, columns: number, style?: Style): Line[] {
  return wrapText(text, columns).map((line) => [span(line, style)])
}

function splitWord(word: string, columns: number): string[] {
  const pieces = ['']
  let used = 0
  for (const grapheme of graphemes(word)) {
    const width = graphemeWidth(grapheme)
    // A character that is wider than the line cannot be shown.
    if (width > columns) continue
    used += width
    if (used > columns) {
      pieces.push('')
      used = width
    }
    pieces[pieces.length - 1] += grapheme
  }
  return pieces
}

export interface Size {
  columns: number
  rows: number
}

/** The room for content in a pane of this size. A pane that is too small for a border is all content. */
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
