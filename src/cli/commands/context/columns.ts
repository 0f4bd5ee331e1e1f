import { graphemes, graphemeWidth, textWidth } from '../../../domain/shared/text-width.ts'
import { printableLine, shorten, wrap } from '../../screen.ts'

const WIDTH = 80
const GAP = 2

/** A text from elsewhere, harmless and on one line. */
export const cell = printableLine

/** The columns that the widest of some texts takes. */
export function column(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth))
}

/** A path whose middle is left out when it is too long: where it begins and what it is called stay readable. */
export function shortenMiddle(path: string, columns: number): string {
  const line = printableLine(path)
  if (textWidth(line) <= columns) return line
  const all = graphemes(line)
  const tail = takeWhileFits(all.slice().reverse(), Math.floor((columns * 2) / 3)).reverse()
  const head = takeWhileFits(all, columns - 1 - column([tail.join('')]))
  return `${head.join('')}\u2026${tail.join('')}`
}

function takeWhileFits(characters: readonly string[], columns: number): string[] {
  let left = columns
  const end = characters.findIndex((character) => {
    left -= graphemeWidth(character)
    return left < 0
  })
  return characters.slice(0, end < 0 ? undefined : end)
}

/** A line, and beside it, from a column on, a text that goes on below itself. Beyond so many lines it is cut. */
export function hang(line: string, indent: number, text: string, mostLines = Number.POSITIVE_INFINITY): string[] {
  if (text === '') return [line]
  const from = indent + GAP
  const wrapped = wrap(text, from)
  const kept = wrapped.length <= mostLines ? wrapped : wrapped.slice(0, mostLines)
  const cut = kept.map((each, at) => {
    const isLast = at === kept.length - 1 && kept.length < wrapped.length
    return shorten(isLast ? `${each} \u2026` : each, WIDTH)
  })
  const [first = '', ...others] = cut
  return [`${line}${' '.repeat(from - textWidth(line))}${first.slice(from)}`, ...others]
}
