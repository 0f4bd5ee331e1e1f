import type { IBufferCell, Terminal } from '@xterm/headless'

const TEXT = '#d7dae0'
const GROUND = '#16181d'
export const CELL = { width: 8.4, height: 18 }
export const MARGIN = 14

/** The screen of a terminal as SVG. `normalise` may put other texts in place of some, each as wide as it was. */
export function drawScreen(
  terminal: Terminal,
  size: { columns: number; rows: number },
  label: string,
  normalise: (text: string) => string = (text) => text,
): string {
  const width = px(size.columns * CELL.width + 2 * MARGIN)
  const height = px(size.rows * CELL.height + 2 * MARGIN)
  const rows = Array.from({ length: size.rows }, (_, row) =>
    runsOf(terminal, row, size.columns)
      .map((run) => drawRun(run, row, normalise))
      .join(''),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">
<rect width="100%" height="100%" rx="8" fill="${GROUND}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${rows.filter((row) => row !== '').join('\n')}
</g>
</svg>
`
}

interface Run {
  cells: { column: number; columns: number; text: string }[]
  colour: string
  isBold: boolean
  isInverse: boolean
}

/** Cells that look alike, side by side. */
function runsOf(terminal: Terminal, row: number, columns: number): Run[] {
  const line = terminal.buffer.active.getLine(row)
  const runs: Run[] = []
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column)
    if (cell === undefined || cell.getWidth() === 0) continue
    const look = lookOf(cell)
    const last = runs.at(-1)
    const isSame = last?.colour === look.colour && last.isBold === look.isBold && last.isInverse === look.isInverse
    const drawn = { column, columns: cell.getWidth(), text: cell.getChars() || ' ' }
    if (last !== undefined && isSame) last.cells.push(drawn)
    else runs.push({ cells: [drawn], ...look })
  }
  return runs
}

function lookOf(cell: IBufferCell) {
  const colour = cell.isFgRGB() ? `#${cell.getFgColor().toString(16).padStart(6, '0')}` : TEXT
  return { colour, isBold: cell.isBold() !== 0, isInverse: cell.isInverse() !== 0 }
}

function drawRun({ cells, colour, isBold, isInverse }: Run, row: number, normalise: (text: string) => string): string {
  const [x, y] = [left(cells[0]?.column ?? 0), MARGIN + row * CELL.height]
  const columns = cells.reduce((sum, cell) => sum + cell.columns, 0)
  const width = px(columns * CELL.width)
  const ground = isInverse
    ? `<rect x="${px(x)}" y="${px(y)}" width="${width}" height="${CELL.height}" fill="${colour}"/>`
    : ''
  const look = `y="${px(y + 13.5)}" fill="${isInverse ? GROUND : colour}"${isBold ? ' font-weight="bold"' : ''}`
  return (
    ground +
    piecesOf(cells)
      .map((piece) => drawPiece(piece, look, normalise))
      .join('')
  )
}

/** Cells of one column and one character together; every other one alone, because it has one place only. */
function piecesOf(cells: Run['cells']): Run['cells'][] {
  const pieces: Run['cells'][] = []
  let isOpen = false
  for (const cell of cells) {
    const isPlain = cell.columns === 1 && cell.text.length === 1
    if (isPlain && isOpen) pieces.at(-1)?.push(cell)
    else pieces.push([cell])
    isOpen = isPlain
  }
  return pieces
}

/** Each character at its own place: no font that a reader has can move a column. */
function drawPiece(cells: Run['cells'], look: string, normalise: (text: string) => string): string {
  const whole = normalise(cells.map(({ text }) => text).join(''))
  const text = whole.trim()
  if (text === '') return ''
  const from = whole.length - whole.trimStart().length
  const places = cells.length === 1 ? cells : cells.slice(from, from + text.length)
  const xs = places.map(({ column }) => px(left(column))).join(' ')
  return `<text x="${xs}" ${look} xml:space="preserve">${escapeMarkup(text)}</text>`
}

function left(column: number): number {
  return MARGIN + column * CELL.width
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function px(value: number): string {
  return String(Math.round(value * 10) / 10)
}
