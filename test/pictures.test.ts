import { readdirSync, readFileSync } from 'node:fs'
import { Terminal } from '@xterm/headless'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CELL, drawScreen, MARGIN } from '../scripts/draw-screen.ts'
import { type StartedBrowser, startBrowser } from './browser.ts'

let started: StartedBrowser
let page: Page
beforeAll(async () => {
  started = await startBrowser()
  page = await started.browser.newPage()
}, 60_000)
afterAll(() => started?.stop())

interface Drawn {
  text: string
  /** Where the browser puts each character. */
  places: { x: number; y: number; character: string }[]
}

const MEASURE = `[...document.querySelectorAll('text')].map((element) => ({
  text: element.textContent,
  places: Array.from({ length: element.getNumberOfChars() }, (_, at) => {
    const { x, y } = element.getStartPositionOfChar(at)
    return { x, y, character: element.textContent[at] }
  }),
}))`

/** The rows of a picture as a browser shows it; throws for a character that is lost or between two columns. */
async function readPicture(svg: string): Promise<string[]> {
  await page.setContent(`<body style="margin:0">${svg}</body>`)
  const rows: string[][] = []
  for (const { text, places } of await page.evaluate<Drawn[]>(MEASURE)) {
    if (places.length !== text.length) throw new Error(`${JSON.stringify(text)}: ${places.length} characters are shown`)
    const isOne = places.every(({ x }) => x === places[0]?.x)
    for (const { x, y, character } of isOne ? places.slice(0, 1) : places) {
      const column = (x - MARGIN) / CELL.width
      const row = (y - MARGIN - 13.5) / CELL.height
      if (Math.abs(column - Math.round(column)) > 0.02) throw new Error(`${JSON.stringify(text)}: column ${column}`)
      const cells = rows[Math.round(row)] ?? []
      rows[Math.round(row)] = cells
      if (cells[Math.round(column)] !== undefined) throw new Error(`${JSON.stringify(text)}: drawn over another`)
      cells[Math.round(column)] = isOne ? text : character
    }
  }
  return Array.from(rows, (cells) =>
    Array.from(cells ?? [], (cell) => cell ?? ' ')
      .join('')
      .trimEnd(),
  )
}

/** The rows of a terminal, a blank behind each wide character. */
function readTerminal(terminal: Terminal): string[] {
  const rows = Array.from({ length: terminal.rows }, (_, row) => {
    const line = terminal.buffer.active.getLine(row)
    const cells = Array.from({ length: terminal.cols }, (_, column) => line?.getCell(column)?.getChars() || ' ')
    return cells.join('').trimEnd()
  })
  return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1)
}

const TEXT = [
  'plain   with    many     blanks   &  <markup>',
  '\u001b[1mbold  text\u001b[0m  \u001b[7m inverse   text \u001b[0m  end',
  '┌──────────┬─────┐  ╭─╮  █▓▒░  ● ↓ ✎ ○ –',
  '│ 漢字かな │ 한글 │  ｆｕｌｌ  end',
  'e\u0301 a\u0308  combining   👍 emoji   end',
  '      indented  \u001b[38;2;200;10;10mred  red\u001b[0m  end',
].join('\r\n')

async function makeTerminal(): Promise<Terminal> {
  const terminal = new Terminal({ cols: 60, rows: 8, allowProposedApi: true })
  await new Promise<void>((done) => terminal.write(TEXT, done))
  return terminal
}

describe('a picture of a terminal', () => {
  it('has every character in the column where the terminal has it', async () => {
    const terminal = await makeTerminal()
    const svg = drawScreen(terminal, { columns: 60, rows: 8 }, 'a screen')
    expect(await readPicture(svg)).toEqual(readTerminal(terminal))
  })

  it('would lose blanks if only the group around the text asked to keep them', async () => {
    const terminal = await makeTerminal()
    const svg = drawScreen(terminal, { columns: 60, rows: 8 }, 'a screen')
    const old = svg.replaceAll(' xml:space="preserve"', '').replace('<g ', '<g xml:space="preserve" ')
    await expect(readPicture(old)).rejects.toThrow('characters are shown')
  })
})

const PICTURES = readdirSync('docs/pictures').filter((name) => name.endsWith('.svg'))

it.each(PICTURES)('docs/pictures/%s is whole in a browser', async (name) => {
  const rows = await readPicture(readFileSync(`docs/pictures/${name}`, 'utf8'))
  expect(rows.length).toBeGreaterThan(10)
  // Frames stand one below the other.
  const corners = rows.flatMap((row) => (/^ ?[╭│╰┌└├]/.test(row) ? [row.search(/[╭│╰┌└├]/)] : []))
  expect(new Set(corners).size).toBeLessThan(2)
})
