import { getDocumentProxy } from 'unpdf'
import { joinBlocks, paragraph } from './markdown.ts'
import { UnreadableDocument } from './unreadable.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** A line of a page: where it stands, and how large its letters are. */
interface Line {
  text: string
  x: number
  y: number
  size: number
  isCode: boolean
}

/** The text of a PDF, with a heading for each page: `## Page 12: the title of its section`. */
export async function pdfToMarkdown(bytes: Buffer, onPage: () => void): Promise<string> {
  const pdf = await openPdf(bytes)
  const pages: Line[][] = []
  for (let number = 1; number <= Math.min(pdf.numPages, 20_000); number++) {
    const page = await pdf.getPage(number)
    pages.push(linesOf(await page.getTextContent()))
    page.cleanup()
    onPage()
  }
  if (pages.every((lines) => lines.every(({ text }) => text.trim() === ''))) {
    throw new UnreadableDocument(
      'has no text, only pictures or form fields: recognize its text first, for example with ocrmypdf',
    )
  }
  const outline = await bookmarksOf(pdf)
  const body = commonSize(pages.flat())
  const repeated = repeatedLines(pages, body)
  let title = ''
  const blocks = pages.flatMap((lines, at) => {
    const number = at + 1
    // A line of a table of contents or index: a title, dots and a number. It would look like the place itself.
    const kept = lines.filter(
      (line) => !repeated.has(placed(line)) && !/(?:\.\s?){5,}\s*(?:\d+|[ivxlc]+)?\s*$/i.test(line.text),
    )
    const written = writePage(kept, body)
    const starts = outline.get(number)
    const heading = `## Page ${number}${title === '' ? '' : `: ${title}`}`
    title = starts?.at(-1) ?? written.findLast((block) => block.startsWith('### '))?.slice(4) ?? title
    return written.length === 0 ? [] : [heading, ...written]
  })
  const name = await titleOf(pdf)
  return joinBlocks(name === '' ? blocks : [`# ${name}`, ...blocks])
}

async function titleOf(pdf: Pdf): Promise<string> {
  try {
    const { info } = await pdf.getMetadata()
    const title = 'Title' in info && typeof info.Title === 'string' ? info.Title.replace(/\s+/g, ' ').trim() : ''
    // Programs write the name of their own file.
    return /\.\w{2,4}$|^untitled/i.test(title) ? '' : title.slice(0, 120)
  } catch {
    return ''
  }
}

async function openPdf(bytes: Buffer): Promise<Pdf> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      isEvalSupported: false,
      disableFontFace: true,
    })
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    throw new UnreadableDocument(name === 'PasswordException' ? 'is encrypted' : 'is not a PDF that can be read')
  }
}

type Content = Awaited<ReturnType<Awaited<ReturnType<Pdf['getPage']>>['getTextContent']>>

function linesOf({ items, styles }: Content): Line[] {
  const lines: Line[] = []
  let open: Line | undefined
  let right = 0
  for (const item of items) {
    if (!('str' in item)) continue
    const [, , , , x = 0, y = 0] = item.transform as number[]
    const size = item.height
    const isNext = open !== undefined && Math.abs(y - open.y) <= 0.6 * Math.max(open.size, size, 1)
    if (item.str !== '') {
      if (open === undefined || !isNext) {
        open = { text: '', x, y, size, isCode: true }
        lines.push(open)
        right = x
      }
      // Letters that stand apart without a blank between them: two columns of a table.
      const gap = x - right
      const isApart = open.text !== '' && !/\s$/.test(open.text) && gap > 0.25 * Math.max(size, 1)
      open.text += `${isApart ? ' ' : ''}${item.str}`
      open.size = Math.max(open.size, size)
      open.isCode &&= item.str.trim() === '' || styles[item.fontName]?.fontFamily === 'monospace'
      right = x + item.width
    }
    if (item.hasEOL) open = undefined
  }
  return lines.filter(({ text }) => text.trim() !== '')
}

/** The size of most letters. */
function commonSize(lines: readonly Line[]): number {
  const counts = new Map<number, number>()
  for (const { size, text } of lines) {
    const rounded = Math.round(size * 2) / 2
    counts.set(rounded, (counts.get(rounded) ?? 0) + text.length)
  }
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0])[0]
}

/** Headers and footers: first and last lines of at least three pages that differ only in numbers. */
function repeatedLines(pages: readonly Line[][], body: number): Set<string> {
  const counts = new Map<string, number>()
  for (const lines of pages) {
    const edge = [...lines.slice(0, 1), ...lines.slice(-1)].filter(({ size }) => size <= LARGE * body)
    for (const line of edge) counts.set(placed(line), (counts.get(placed(line)) ?? 0) + 1)
  }
  return new Set([...counts].filter(([, count]) => count >= 3).map(([text]) => text))
}

/** Headings are larger than the text by this factor. */
const LARGE = 1.12

function placed({ text, y }: Line): string {
  return `${Math.round(y)} ${text
    .replace(/\d+|\b[ivxlc]+\b/gi, '#')
    .replace(/\s+/g, ' ')
    .trim()}`
}

/** The blocks of a page: headings by the size of their letters, paragraphs by the distance of their lines. */
function writePage(lines: readonly Line[], body: number): string[] {
  const steps = lines.slice(1).map(({ y }, at) => lines[at]!.y - y)
  const ordered = steps.filter((step) => step > 0).sort((a, b) => a - b)
  const usual = ordered[Math.floor(ordered.length / 2)] ?? 0
  const left = Math.min(...lines.map(({ x }) => x))
  const blocks: string[] = []
  let isOpen = false
  let kind = ''
  lines.forEach((line, at) => {
    const text = line.text.replace(/\s+/g, ' ').trim()
    const isHeading = line.size > LARGE * body && text.length <= 120 && /\p{L}/u.test(text)
    const step = at === 0 ? 0 : steps[at - 1]!
    const isApart = step < 0 || step > 1.25 * usual
    const isItem = /^[\u2022\u25cf\u25e6\u2023\u2043\u25aa]\s?/.test(text)
    const isIndented =
      at > 0 && line.x > left + body && lines[at - 1]!.x < line.x - body && !blocks.at(-1)?.startsWith('- ')
    const next = isHeading ? 'heading' : line.isCode ? 'code' : 'text'
    const last = blocks.length - 1
    if (isHeading) {
      if (kind === 'heading' && !isApart) blocks[last] += ` ${text}`
      else blocks.push(`### ${text}`)
    } else if (line.isCode) {
      if (kind === 'code' && step < 2 * usual) blocks[last] += `\n    ${line.text.trimEnd()}`
      else blocks.push(`    ${line.text.trimEnd()}`)
    } else if (isOpen && kind === 'text' && !isApart && !isItem && !isIndented) {
      const before = blocks[last]!
      blocks[last] = /\p{L}-$/u.test(before) && /^\p{Ll}/u.test(text) ? before.slice(0, -1) + text : `${before} ${text}`
    } else blocks.push(isItem ? `- ${text.replace(/^\S\s?/, '')}` : paragraph(text))
    kind = next
    isOpen = next === 'text'
  })
  return blocks
}

/** The titles of the outline, by the page where each begins. */
async function bookmarksOf(pdf: Pdf): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  try {
    const waiting = [...((await pdf.getOutline()) ?? [])]
    for (let count = 0; waiting.length > 0 && count < 5_000; count++) {
      const { title, dest, items } = waiting.shift()!
      waiting.unshift(...items)
      const place = typeof dest === 'string' ? await pdf.getDestination(dest) : dest
      const page = place?.[0]
      if (page === undefined || page === null) continue
      const number = 1 + (typeof page === 'number' ? page : await pdf.getPageIndex(page))
      found.set(number, [...(found.get(number) ?? []), title.replace(/\s+/g, ' ').trim()])
    }
  } catch {
    // A damaged outline: the headings on the pages are enough.
  }
  return found
}
