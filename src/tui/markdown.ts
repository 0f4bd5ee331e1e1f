import { Lexer, type Token, type Tokens } from 'marked'
import { printable } from '../text/printable.ts'
import { clipLine, fitLine, type Line, lineWidth, mark, span, styled, wrapped } from './frame/line.ts'

// Marks inside a longer paragraph are shown as written: parsing them takes time quadratic in its length.
const LONGEST_INLINE = 2_000
const DEEPEST_QUOTE = /^((?:[ \t]*>){8})(?:[ \t]*>)+/gm

let last: { markdown: string; columns: number; lines: Line[] } | undefined

/**
 * Renders Markdown as lines of a pane, none wider than `columns`. Removes everything that could control the terminal.
 */
export function renderMarkdown(markdown: string, columns: number): Line[] {
  // Every key draws the same text again.
  if (last?.markdown === markdown && last.columns === columns) return last.lines
  const lines = renderAll(parseMarkdown(markdown), columns).map((line) => clipLine(line, columns))
  last = { markdown, columns, lines }
  return lines
}

function parseMarkdown(markdown: string): Token[] {
  const lexer = new Lexer()
  // Enough for a preview.
  const text = markdown.slice(0, 60_000).replace(/\r\n?/g, '\n').replace(DEEPEST_QUOTE, '$1')
  const blocks = lexer.blockTokens(text, lexer.tokens)
  // The loop adds more to the queue.
  for (const { src, tokens } of lexer.inlineQueue) {
    if (src.length <= LONGEST_INLINE) lexer.inlineTokens(src, tokens)
    else tokens.push({ type: 'text', raw: src, text: src })
  }
  return blocks
}

function renderAll(tokens: readonly Token[], columns: number): Line[] {
  return tokens.flatMap((token) => renderBlock(token, columns))
}

function renderBlock(token: Token, columns: number): Line[] {
  switch (token.type) {
    case 'heading':
      return [...wrapped(plainText(token), columns, 'strong'), []]
    case 'paragraph':
    case 'text':
      return [...wrapped(plainText(token), columns), []]
    case 'code':
      return [...codeLines(String(token.text)), []]
    case 'list':
      return [...renderList(token as Tokens.List, columns), []]
    case 'blockquote':
      return [...renderQuote(token as Tokens.Blockquote, columns), []]
    case 'hr':
      return [styled('─'.repeat(Math.max(0, columns)), 'faint'), []]
    case 'table':
      return [...renderTable(token as Tokens.Table), []]
    case 'space':
    case 'checkbox':
    case 'def':
      return []
    default:
      return [...wrapped(token.raw, columns), []]
  }
}

function codeLines(code: string): Line[] {
  const lines = printable(code).replaceAll('\t', '    ').split('\n')
  return lines.map((line) => styled(`  ${line}`, 'faint'))
}

function renderList({ items, ordered, start }: Tokens.List, columns: number): Line[] {
  return items.flatMap((item, at) => {
    const mark = ordered ? `${Number(start || 1) + at}. ` : item.task ? (item.checked ? '☑ ' : '☐ ') : '• '
    const lines = renderAll(item.tokens, columns - mark.length).filter((line) => line.length > 0)
    const shown = lines.length > 0 ? lines : [[]]
    return shown.map((line, row) => [span(row === 0 ? mark : ' '.repeat(mark.length)), ...line])
  })
}

function renderQuote({ tokens }: Tokens.Blockquote, columns: number): Line[] {
  const lines = renderAll(tokens, columns - 2)
  // The blank line after the last block is not part of the quote.
  const shown = lines.at(-1)?.length === 0 ? lines.slice(0, -1) : lines
  return shown.map((line) => [span('│ ', 'faint'), ...line])
}

function renderTable({ header, rows }: Tokens.Table): Line[] {
  const all = [header, ...rows].map((row) =>
    // A wider column would take the room of the others.
    row.map(({ tokens }) => clipLine([span(tokens.map(plainText).join(''))], 40)),
  )
  const widths = header.map((_, column) => Math.max(...all.map((row) => lineWidth(row[column] ?? []))))
  return all.map((row, at) => {
    const cells = row.flatMap((cell, column) => [...fitLine(cell, widths[column] ?? 0), span('  ')])
    return at === 0 ? mark(cells, 'strong') : cells
  })
}

/** The words of a block, without its marks. */
function plainText(token: Token): string {
  if ('tokens' in token && Array.isArray(token.tokens)) return token.tokens.map(plainText).join('')
  if (token.type === 'br') return ' '
  if (token.type === 'checkbox') return ''
  return 'text' in token ? String(token.text) : token.raw
}
