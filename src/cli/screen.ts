import { printableLine, printable as printableText } from '../domain/shared/printable.ts'
import { clip, textWidth as width } from '../domain/shared/text-width.ts'

/** How text may look where it is going. */
export interface Screen {
  strong(text: string): string
  faint(text: string): string
  good(text: string): string
  alert(text: string): string
}

const plain = (text: string) => text

export function createScreen(hasColour: boolean): Screen {
  if (!hasColour) return { strong: plain, faint: plain, good: plain, alert: plain }
  const paint = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`
  return { strong: paint(1), faint: paint(2), good: paint(32), alert: paint(33) }
}

/** Rows with aligned columns, two blanks apart; `right` names the columns of numbers. Texts from files are made harmless. */
export function alignRows(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  // Many cells of a table say the same, and measuring one takes a while.
  const known = new Map<string, { text: string; columns: number }>()
  const measure = (cell: string) => {
    const found = known.get(cell)
    if (found !== undefined) return found
    const text = printableLine(cell)
    const measured = { text, columns: width(text) }
    known.set(cell, measured)
    return measured
  }
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, measure(cell).columns)
    })
  }
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const { text, columns } = measure(cell)
        const padding = ' '.repeat((widths[column] ?? 0) - columns)
        return right.includes(column) ? padding + text : text + padding
      })
      .join('  ')
      .trimEnd(),
  )
}

/** A text in lines of at most 80 columns, each after an indent. A word longer than that stays whole. */
export function wrap(text: string, indent: number): string[] {
  const wrapped: string[] = []
  let line = ''
  for (const word of printableLine(text).split(' ')) {
    if (line !== '' && indent + width(line) + 1 + width(word) > 80) {
      wrapped.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...wrapped, line].map((each) => ' '.repeat(indent) + each)
}

/** At most so many columns of a text, on one line. */
export function shorten(text: string, columns: number): string {
  return clip(printableLine(text), columns)
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : many}`
}

/** Thousands apart, the same in every locale. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

export function lines(...parts: readonly (string | readonly string[] | undefined | false)[]): string {
  return parts
    .flat()
    .filter((part): part is string => typeof part === 'string')
    .map((line) => `${line}\n`)
    .join('')
}

export { printableLine, printableText }
