import { joinBlocks, markdownTable, paragraph } from './markdown.ts'
import { readZip } from './zip.ts'

/** The text of a Word document. Leaves out deleted and hidden text, comments, headers and the table of contents. */
export async function docxToMarkdown(bytes: Buffer): Promise<string> {
  const parts = new Map<string, string>()
  for await (const { name, read } of readZip(bytes)) {
    if (/^word\/(?:styles|footnotes|document)\.xml$/.test(name)) {
      parts.set(name, (await read(64 * 1024 * 1024)).toString('utf8'))
    }
  }
  const part = (name: string) => parts.get(name) ?? ''
  const styles = readStyles(part('word/styles.xml'))
  const notes = new Map<string, string>()
  for (const [, id = '', inner = ''] of part('word/footnotes.xml').matchAll(
    /<w:footnote\b[^>]*?w:id="(\d+)"[^>]*>([\s\S]*?)<\/w:footnote>/g,
  )) {
    const text = new BodyReader(styles).read(inner).join(' ').trim()
    if (text !== '') notes.set(id, text)
  }
  const reader = new BodyReader(styles)
  const blocks = reader.read(part('word/document.xml'))
  const used = [...notes].filter(([id]) => reader.notes.has(id)).map(([id, text]) => `[^${id}]: ${text}`)
  return joinBlocks([...blocks, ...used])
}

interface Style {
  /** 1 to 6 for a heading. */
  level?: number
  isContents?: boolean
}

/** The headings among the styles, by the id that paragraphs name. A style inherits from the one it is based on. */
function readStyles(xml: string): Map<string, Style> {
  const raw = new Map<string, Style & { base?: string }>()
  for (const [, attributes = '', inner = ''] of xml.matchAll(/<w:style\b([^>]*)>([\s\S]*?)<\/w:style>/g)) {
    const id = attributeOf(attributes, 'w:styleId')
    const name = /<w:name\b[^>]*w:val="([^"]*)"/.exec(inner)?.[1] ?? ''
    const named = name.toLowerCase() === 'title' ? 1 : Number(/^heading (\d)$/i.exec(name)?.[1] ?? 0)
    const outline = /<w:outlineLvl\b[^>]*w:val="(\d)"/.exec(inner)?.[1]
    const level = named || (outline === undefined ? 0 : Number(outline) + 1)
    const base = /<w:basedOn\b[^>]*w:val="([^"]*)"/.exec(inner)?.[1]
    raw.set(id, { level: level >= 1 && level <= 6 ? level : undefined, isContents: /^toc /i.test(name), base })
  }
  const found = new Map<string, Style>()
  for (const [id, style] of raw) {
    let at: (Style & { base?: string }) | undefined = style
    for (let depth = 0; depth < 8 && at !== undefined && at.level === undefined; depth++) at = raw.get(at.base ?? '')
    found.set(id, { level: at?.level, isContents: style.isContents })
  }
  return found
}

function attributeOf(attributes: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''
}

/** Their content is not part of the text: deleted or moved text, codes of fields, and what a newer form replaces. */
const LEFT_OUT = new Set(['w:del', 'w:moveFrom', 'w:instrText', 'mc:Fallback', 'w:txbxContent', 'w:sectPr'])

interface Paragraph {
  text: string
  style: Style | undefined
  /** The depth in a list, from 0. */
  depth: number | undefined
  /** How many characters are bold. */
  bold: number
}

/** Reads the body of a document in one pass over its tags. */
class BodyReader {
  readonly notes = new Set<string>()
  private readonly styles: ReadonlyMap<string, Style>
  private readonly blocks: string[] = []
  /** Rows of the open tables, the innermost last. */
  private readonly tables: string[][][] = []
  private open: Paragraph = emptyParagraph()
  private cell: string[] = []

  constructor(styles: ReadonlyMap<string, Style>) {
    this.styles = styles
  }

  read(xml: string): string[] {
    let left = 0
    let leaving = ''
    let isText = false
    let run = { isBold: false, isHidden: false }
    for (const [whole, close, name = '', attributes = '', empty] of xml.matchAll(
      /<(\/?)([\w:.-]+)([^<>]*?)(\/?)>|[^<]+/g,
    )) {
      if (leaving !== '') {
        if (name === leaving) left += close ? -1 : empty ? 0 : 1
        if (left === 0) leaving = ''
        continue
      }
      if (name === '') {
        if (isText && !run.isHidden) this.add(decode(whole), run.isBold)
      } else if (close) {
        if (name === 'w:t') isText = false
        else this.close(name)
      } else if (LEFT_OUT.has(name)) {
        if (!empty) [left, leaving] = [1, name]
      } else if (name === 'w:t') isText = !empty
      else if (name === 'w:r') run = { isBold: false, isHidden: false }
      else if (name === 'w:b') run.isBold = !/w:val="(?:0|false)"/.test(attributes)
      else if (name === 'w:vanish') run.isHidden = !/w:val="(?:0|false)"/.test(attributes)
      else this.start(name, attributes)
    }
    this.endParagraph()
    return this.blocks
  }

  private add(text: string, isBold: boolean): void {
    this.open.text += text
    if (isBold) this.open.bold += text.trim().length
  }

  private start(name: string, attributes: string): void {
    const value = () => attributeOf(attributes, 'w:val')
    if (name === 'w:tab' || name === 'w:br' || name === 'w:cr') this.open.text += ' '
    else if (name === 'w:noBreakHyphen') this.open.text += '-'
    else if (name === 'w:pStyle') this.open.style = this.styles.get(value())
    else if (name === 'w:numPr') this.open.depth ??= 0
    else if (name === 'w:ilvl') this.open.depth = Math.min(8, Number(value()) || 0)
    else if (name === 'w:numId' && value() === '0') this.open.depth = undefined
    else if (name === 'w:footnoteReference') {
      const id = attributeOf(attributes, 'w:id')
      this.notes.add(id)
      this.open.text += `[^${id}]`
    } else if (name === 'w:tbl') {
      this.endParagraph()
      this.tables.push([])
    } else if (name === 'w:tr') this.tables.at(-1)?.push([])
    else if (name === 'w:tc') this.cell = []
  }

  private close(name: string): void {
    if (name === 'w:p') this.endParagraph()
    else if (name === 'w:tc') this.tables.at(-1)?.at(-1)?.push(this.cell.splice(0).join(' '))
    else if (name === 'w:tbl') {
      const table = markdownTable((this.tables.pop() ?? []).filter((row) => row.some((cell) => cell !== '')))
      if (this.tables.length === 0) this.blocks.push(table)
      else this.cell.push(table.replace(/\|[ -]*(?=\|)|\|/g, ' '))
    }
  }

  private endParagraph(): void {
    const { text, style, depth, bold } = this.open
    this.open = emptyParagraph()
    const line = text.replace(/\s+/g, ' ').trim()
    if (line === '' || style?.isContents) return
    if (this.tables.length > 0) {
      this.cell.push(line)
      return
    }
    // Many people make a heading by hand: a short line in bold.
    const isByHand = depth === undefined && line.length <= 80 && bold >= line.replaceAll(' ', '').length
    if (style?.level !== undefined) this.blocks.push(`${'#'.repeat(style.level)} ${line}`)
    else if (isByHand && !/[.;,]$/.test(line)) this.blocks.push(`#### ${line.replace(/:$/, '')}`)
    else if (depth === undefined) this.blocks.push(paragraph(line))
    else this.item(`${'  '.repeat(depth)}- ${line}`)
  }

  /** Items of a list stand on lines that follow each other. */
  private item(line: string): void {
    const last = this.blocks.at(-1)
    if (last !== undefined && /^ *- /.test(last)) this.blocks[this.blocks.length - 1] = `${last}\n${line}`
    else this.blocks.push(line)
  }
}

function emptyParagraph(): Paragraph {
  return { text: '', style: undefined, depth: undefined, bold: 0 }
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Only the five entities of XML and numbers: a document cannot define its own. */
function decode(text: string): string {
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}
