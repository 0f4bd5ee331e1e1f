import { estimateTokens } from '../../../text/tokens.ts'
import { countLines } from './choice.ts'

/** Lines of a text that say one thing: a paragraph, an item of a list, a row of a table, a block of code. */
export interface Statement {
  /** Counted from 1, both included. */
  from: number
  to: number
  text: string
  /** The lines that name the columns of its table. */
  head?: { from: number; to: number; text: string }
}

/** Cuts a text into what it states. Headings and empty lines are in none of them. */
export function statementsOf(text: string, firstLine = 1): Statement[] {
  const lines = text.split('\n')
  const found: Statement[] = []
  let fence: string | undefined
  let open: Statement | undefined
  let head: Statement['head']
  const close = () => {
    if (open !== undefined) found.push(open)
    open = undefined
  }
  lines.forEach((line, at) => {
    const number = firstLine + at
    const extend = () => {
      open =
        open === undefined
          ? { from: number, to: number, text: line }
          : { ...open, to: number, text: `${open.text}\n${line}` }
    }
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      extend()
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      return
    }
    const isRow = /^\s*\|/.test(line)
    if (!isRow) head = undefined
    if (mark !== undefined) {
      fence = mark
      extend()
    } else if (/^\s*$/.test(line) || /^ {0,3}#{1,6}(?:\s|$)/.test(line)) close()
    else if (isRow) {
      close()
      if (head === undefined) head = { from: number, to: number, text: line }
      else if (/^[\s|:-]+$/.test(line)) head = { ...head, to: number, text: `${head.text}\n${line}` }
      else found.push({ from: number, to: number, text: line, head })
    } else {
      if (/^\s*(?:[-*+]|\d+[.)])\s/.test(line)) close()
      extend()
    }
  })
  close()
  return found
}

/** A section up to this size is given whole. */
const LARGE = 450
/** What is left of a larger one. */
const CUT = 300

export interface Stretch {
  from: number
  to: number
  text: string
}

/**
 * A section as it is given: whole, or of a large one its heading and the statements that are worth most, each in full
 * and in their order, with the head of their table.
 */
export function cutSection(section: Stretch, worth: (text: string) => number): Stretch[] {
  if (estimateTokens(section.text) <= LARGE) return [section]
  const statements = statementsOf(section.text, section.from)
  const ranked = statements
    .map((statement, at) => ({ statement, at, worth: worth(statement.text) }))
    .filter((each) => each.worth > 0)
    .sort((a, b) => b.worth - a.worth || a.at - b.at)
  const best = ranked[0]
  if (best === undefined) return []
  const kept = new Set<number>()
  const [firstLine = ''] = section.text.split('\n', 1)
  if (/^ {0,3}#/.test(firstLine)) kept.add(section.from)
  let left = CUT
  for (const { statement, worth: value } of ranked) {
    const cost = estimateTokens(statement.text)
    // The best one is given whatever it costs; the budget of the whole has the last word.
    if (statement !== best.statement && (cost > left || value < best.worth / 3)) continue
    left -= cost
    for (const { from, to } of [statement, ...(statement.head === undefined ? [] : [statement.head])]) {
      for (let line = from; line <= to; line++) kept.add(line)
    }
  }
  return stretches(section, kept)
}

/** Lines that follow one another are one stretch; empty lines between two kept ones are kept too. */
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
