import type { Section } from '../../../text/cut.ts'
import { estimateTokens } from '../../../text/tokens.ts'
import { countLines } from './choice.ts'

/** A paragraph, list item, table row (also HTML) or block of code. */
export interface Statement {
  /** Counted from 1, both included. */
  from: number
  to: number
  text: string
  /** The header lines of its table. */
  head?: { from: number; to: number; text: string }
}

/** Indented lines belong to the statement above, up to this size in tokens. */
const LONG_STATEMENT = 200

/** The statements of a section, without its heading and empty lines. */
export function statementsOf({ text, from: firstLine, height }: Section): Statement[] {
  const lines = text.split('\n')
  const found: Statement[] = []
  let fence: string | undefined
  let open: Statement | undefined
  let blank = 0
  let head: Statement['head']
  const close = () => {
    if (open !== undefined && isHtmlRow(open)) {
      if (!/<td\b/i.test(open.text)) head = open
      else found.push({ ...open, ...(head && { head }) })
    } else if (open !== undefined) found.push(open)
    open = undefined
    blank = 0
  }
  lines.forEach((line, at) => {
    const number = firstLine + at
    const extend = () => {
      open =
        open === undefined
          ? { from: number, to: number, text: line }
          : { ...open, to: number, text: `${open.text}${'\n'.repeat(blank + 1)}${line}` }
      blank = 0
    }
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      extend()
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      return
    }
    const isBlank = line.trim() === ''
    const isRow = /^\s*\|/.test(line)
    if (!isRow && (isBlank || /<table\b/i.test(line))) head = undefined
    if (at < height) close()
    else if (isBlank) {
      if (open !== undefined) blank++
    } else if (isRow) {
      close()
      const next = lines[at + 1] ?? ''
      if (isRule(next)) head = { from: number, to: number + 1, text: `${line}\n${next}` }
      else if (!isRule(line)) found.push({ from: number, to: number, text: line, ...(head && { head }) })
    } else {
      const isItem = /^\s*(?:(?:[-*+]|\d+[.)])\s|<tr\b)/i.test(line)
      const isBelow = () => /^(?: {2,}|\t)/.test(line) && estimateTokens(open?.text ?? '') < LONG_STATEMENT
      if (isItem || (blank > 0 && !isBelow())) close()
      if (mark !== undefined) fence = mark
      extend()
    }
  })
  close()
  return found
}

function isHtmlRow({ text }: Pick<Statement, 'text'>): boolean {
  return /^\s*<tr\b/i.test(text)
}

/** The line below a table header, such as `|---|---|`. */
function isRule(line: string): boolean {
  return /^\s*\|[\s|:-]*-[\s|:-]*$/.test(line)
}

/** A section up to this size is one piece, in tokens. */
const LARGE = 600
/** The size of the pieces of a larger section, in tokens. */
const PIECE = 300

export interface Stretch {
  from: number
  to: number
  text: string
}

/** Cuts a section into the pieces that are ranked: the whole section, or groups of statements. */
export function piecesOf(section: Section): Stretch[] {
  if (estimateTokens(section.text) <= LARGE) return [section]
  const pieces: Stretch[] = []
  let room = 0
  for (const { from, to, text } of statementsOf(section)) {
    const cost = estimateTokens(text)
    const last = pieces.at(-1)
    if (last === undefined || cost > room) {
      pieces.push({ from, to, text })
      room = PIECE - cost
    } else {
      pieces[pieces.length - 1] = { from: last.from, to, text: `${last.text}\n${text}` }
      room -= cost
    }
  }
  return pieces
}

/** The lines to show for pieces of a section: with its heading, and with the headers of their tables. */
export function linesToShow(section: Section, pieces: readonly Pick<Stretch, 'from' | 'to'>[]): Stretch[] {
  if (pieces.length === 0) return []
  const kept = new Set<number>()
  const keep = ({ from, to }: Pick<Stretch, 'from' | 'to'>) => {
    for (let line = from; line <= to; line++) kept.add(line)
  }
  keep({ from: section.from, to: section.from + section.height - 1 })
  pieces.forEach(keep)
  for (const { from, head } of statementsOf(section)) {
    if (head !== undefined && kept.has(from)) keep(head)
  }
  return stretches(section, kept)
}

/** Joins kept lines that follow each other. Keeps empty lines between them. */
function stretches(section: Stretch, kept: ReadonlySet<number>): Stretch[] {
  const lines = section.text.split(/(?<=\n)/).slice(0, countLines(section.text))
  const found: Stretch[] = []
  let blank = ''
  lines.forEach((line, at) => {
    const number = section.from + at
    const last = found.at(-1)
    const isNext = last !== undefined && last.to + countLines(blank) + 1 === number
    if (!kept.has(number)) {
      if (isNext && line.trim() === '') blank += line
      return
    }
    if (isNext) found[found.length - 1] = { from: last.from, to: number, text: last.text + blank + line }
    else found.push({ from: number, to: number, text: line })
    blank = ''
  })
  return found
}
