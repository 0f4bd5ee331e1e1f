export { inHome } from '../text/paths.ts'
export { count, grouped }

import { count, grouped } from '../text/count.ts'
import { printableLine, printable as printableText } from '../text/printable.ts'
import { clip, graphemes, graphemeWidth, textWidth } from '../text/text-width.ts'
import type { Finding, LoadoutError } from '../text/trouble.ts'

const WIDTH = 80

/** How text is styled for its destination. */
export interface Screen {
  strong(text: string): string
  faint(text: string): string
  good(text: string): string
  alert(text: string): string
  /** The maximum width of a table row. Output to a pipe or a file is never cut. */
  columns: number
}

const plain = (text: string) => text

export function createScreen(hasColour: boolean, columns = WIDTH): Screen {
  if (!hasColour) return { strong: plain, faint: plain, good: plain, alert: plain, columns }
  const paint = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`
  return { strong: paint(1), faint: paint(2), good: paint(32), alert: paint(33), columns }
}

/** Maximum number of printed rows of one kind; the total shows how many there are. */
export const MOST_SHOWN = 40

/** The title of what a dry run prints. */
export const WOULD = 'Nothing was changed. This would be done:'

/** `commit 3f2a91c` of the library. */
export function commitText(commit: string | undefined): string {
  return commit === undefined ? 'not committed' : `commit ${commit.slice(0, 7)}`
}

/** Rows with aligned columns, two blanks apart; `right` lists the numeric columns. Escapes control characters. */
export function alignRows(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  // Many cells of a table are equal, and measuring one is slow.
  const known = new Map<string, { text: string; columns: number }>()
  const measure = (cell: string) => {
    const found = known.get(cell)
    if (found !== undefined) return found
    const text = printableLine(cell)
    const measured = { text, columns: textWidth(text) }
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

/** The first rows, aligned, and how many more there are. */
export function firstRows(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const more = rows.length - MOST_SHOWN
  return [...alignRows(rows.slice(0, MOST_SHOWN), right), ...(more > 0 ? [`  and ${grouped(more)} more`] : [])]
}

/** Wraps a text into lines of at most 80 columns, each after an indent. A longer word stays whole. */
export function wrap(text: string, indent: number): string[] {
  const wrapped: string[] = []
  let line = ''
  for (const word of printableLine(text).split(' ')) {
    if (line !== '' && indent + textWidth(line) + 1 + textWidth(word) > 80) {
      wrapped.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...wrapped, line].map((each) => ' '.repeat(indent) + each)
}

/** Cuts a text to a number of columns, on one line. */
export function shorten(text: string, columns: number): string {
  return clip(printableLine(text), columns)
}

export function lines(...parts: readonly (string | readonly string[] | undefined | false)[]): string {
  return parts
    .flat()
    .filter((part): part is string => typeof part === 'string')
    .map((line) => `${line}\n`)
    .join('')
}

export { printableLine, printableText }

const SEVERITY_WORDS = { error: 'error', warning: 'warning', info: 'note' } as const

/** `mostNotes`: many notes of one kind would hide what needs an answer, so the first few stand for all. */
export function formatFindings(findings: readonly Finding[], screen: Screen, mostNotes = findings.length): string {
  const notes = new Map<string, number>()
  return lines(
    findings.flatMap(({ severity, message, hint, code }) => {
      const before = notes.get(code) ?? 0
      if (severity === 'info') notes.set(code, before + 1)
      if (before >= mostNotes) return []
      return [
        `${screen.alert(`${SEVERITY_WORDS[severity]}:`)} ${printableLine(message)} ${screen.faint(`[${code}]`)}`,
        ...(hint === undefined ? [] : [`  ${printableLine(hint)}`]),
      ]
    }),
    [...notes].flatMap(([code, all]) =>
      all > mostNotes ? [`note: ${all - mostNotes} more of this kind [${code}]`] : [],
    ),
  )
}

export function formatError(error: LoadoutError, screen: Screen): string {
  return lines(
    `${screen.alert('error:')} ${printableLine(error.message)}`,
    error.hint && `  ${printableLine(error.hint)}`,
  )
}

/** The width of the widest text. */
export function column(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth))
}

/** Cuts the middle out of a path that is too long: its beginning and its name stay readable. */
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

/** A line, and beside it, from a column on, a text that continues below itself, up to a number of lines. */
export function hang(line: string, indent: number, text: string, mostLines = Number.POSITIVE_INFINITY): string[] {
  if (text === '') return [line]
  const from = indent + 2
  const wrapped = wrap(text, from)
  const kept = wrapped.length <= mostLines ? wrapped : wrapped.slice(0, mostLines)
  const cut = kept.map((each, at) => {
    const isLast = at === kept.length - 1 && kept.length < wrapped.length
    return shorten(isLast ? `${each} \u2026` : each, WIDTH)
  })
  const [first = '', ...others] = cut
  return [`${line}${' '.repeat(from - textWidth(line))}${first.slice(from)}`, ...others]
}

export function percent(share: number | null): string {
  return share === null ? '\u2013' : `${(share * 100).toFixed(1)} %`
}
