import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5'
import { joinBlocks, markdownTable, paragraph } from './markdown.ts'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** The main text of a page. Runs nothing, fetches nothing, and leaves out what a browser does not show. */
export function htmlToMarkdown(bytes: Buffer): string {
  const document = parse(decode(bytes))
  const all = [...elementsIn(document)]
  const body = all.find(({ tagName }) => tagName === 'body')
  const title = all.find(({ tagName }) => tagName === 'title')
  // The element that the page marks as its content.
  const only = (isIt: (element: Element) => boolean) => {
    const found = all.filter((element) => isIt(element) && !isHidden(element))
    return found.length === 1 ? found[0] : undefined
  }
  const main =
    only(({ tagName }) => tagName === 'main') ??
    only((element) => attribute(element, 'role') === 'main') ??
    only(({ tagName }) => tagName === 'article') ??
    only((element) => /^(?:main-?content|content|bodyContent)$/i.test(attribute(element, 'id'))) ??
    body
  if (main === undefined) return ''
  const writer = new Writer(main === body)
  writer.children(main)
  const name = title === undefined ? '' : inlineText(title)
  const hasTitle = writer.blocks.some((block) => block.startsWith('# '))
  return joinBlocks(hasTitle || name === '' ? writer.blocks : [`# ${name}`, ...writer.blocks])
}

/** The encoding that the page names in its first bytes; UTF-8 by default. */
function decode(bytes: Buffer): string {
  const head = bytes.toString('latin1', 0, 2048)
  const named = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ?? /encoding="([\w-]+)"/.exec(head)?.[1]
  try {
    return new TextDecoder(named ?? 'utf-8').decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

function* elementsIn(root: Node): Generator<Element> {
  const waiting: Node[] = [root]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (defaultTreeAdapter.isElementNode(node)) yield node
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) waiting.push(child)
  }
}

function attribute({ attrs }: Element, name: string): string {
  return attrs.find((each) => each.name === name)?.value ?? ''
}

/** Never part of the text. */
const UNSEEN = new Set(
  'script style template noscript svg math iframe object embed canvas audio video head link meta button select textarea input datalist dialog'.split(
    ' ',
  ),
)
/** Around the text of a page that does not mark its content. */
const AROUND = new Set(['nav', 'header', 'footer', 'aside'])

function isHidden(element: Element): boolean {
  if (element.attrs.some(({ name }) => name === 'hidden') || attribute(element, 'aria-hidden') === 'true') return true
  const style = attribute(element, 'style').replace(/\s/g, '').toLowerCase()
  return /display:none|visibility:hidden|font-size:0(?:px|em|rem|%)?(?:;|$)|opacity:0(?:;|$)|(?:left|top|text-indent):-\d{3,}/.test(
    style,
  )
}

const HEADING = /^h([1-6])$/
const BLOCKS = new Set(
  'address article aside blockquote body center details dd div dl dt fieldset figcaption figure footer form header hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)

class Writer {
  readonly blocks: string[] = []
  private readonly hasNoMain: boolean
  private inline = ''
  private depth = 0

  constructor(hasNoMain: boolean) {
    this.hasNoMain = hasNoMain
  }

  children(parent: { childNodes: Node[] }, prefix = ''): void {
    if (this.depth === 400) return
    this.depth++
    for (const node of parent.childNodes) {
      if (defaultTreeAdapter.isTextNode(node)) this.inline += node.value
      else if (defaultTreeAdapter.isElementNode(node)) this.element(node, prefix)
    }
    this.depth--
  }

  private element(element: Element, prefix: string): void {
    const { tagName } = element
    if (UNSEEN.has(tagName) || isHidden(element) || (this.hasNoMain && AROUND.has(tagName))) return
    const level = HEADING.exec(tagName)?.[1]
    if (level !== undefined) {
      this.flush(prefix)
      const text = inlineText(element)
      const id = anchorOf(element)
      if (text !== '') this.blocks.push(`${'#'.repeat(Number(level))} ${text}${id === '' ? '' : ` {#${id}}`}`)
    } else if (tagName === 'br') this.inline += ' '
    else if (!BLOCKS.has(tagName)) this.inline += inlineOf(element)
    else {
      this.flush(prefix)
      if (tagName === 'pre') this.blocks.push(`\`\`\`\n${rawText(element).replace(/^\n|\s+$/g, '')}\n\`\`\``)
      else if (tagName === 'table') this.table(element, prefix)
      else if (tagName === 'ul' || tagName === 'ol') this.list(element, prefix)
      else if (tagName === 'blockquote') this.children(element, prefix)
      else if (tagName === 'dd') this.children(element, '- ')
      else {
        this.children(element, prefix)
        this.flush(prefix)
      }
      this.flush(tagName === 'dd' ? '- ' : prefix)
    }
  }

  private list(list: Element, prefix: string): void {
    const inner = new Writer(this.hasNoMain)
    inner.depth = this.depth
    const items: string[] = []
    for (const item of list.childNodes) {
      if (!defaultTreeAdapter.isElementNode(item) || isHidden(item)) continue
      inner.children(item)
      inner.flush('')
      const text = inner.blocks.splice(0).join('\n')
      if (text !== '') items.push(`- ${text.replaceAll('\n', '\n  ')}`)
    }
    if (items.length > 0) this.blocks.push(`${prefix === '' ? '' : '\n'}${items.join('\n')}`)
  }

  /** A table that only places things becomes plain blocks. */
  private table(table: Element, prefix: string): void {
    const rows = [...elementsIn(table)].filter(({ tagName }) => tagName === 'tr')
    const cells = rows.map((row) =>
      row.childNodes
        .filter(defaultTreeAdapter.isElementNode)
        .filter((cell) => (cell.tagName === 'td' || cell.tagName === 'th') && !isHidden(cell)),
    )
    const isNested = [...elementsIn(table)].some((element) => element !== table && element.tagName === 'table')
    const isLayout = isNested || attribute(table, 'role') === 'presentation' || !cells.some((row) => row.length > 1)
    if (isLayout) {
      for (const row of cells) for (const cell of row) this.children(cell, prefix)
      this.flush(prefix)
      return
    }
    const texts = cells.filter((row) => row.length > 0).map((row) => row.flatMap(spanned))
    // A table without a header still has one in Markdown: an empty one, so that its first row stays a fact.
    const hasHead = cells[0]?.every(({ tagName }) => tagName === 'th') ?? false
    this.blocks.push(markdownTable(hasHead ? texts : [texts[0]!.map(() => ''), ...texts]))
  }

  flush(prefix: string): void {
    const text = paragraph(this.inline)
    this.inline = ''
    if (text !== '') this.blocks.push(`${prefix}${text}`)
  }
}

function spanned(cell: Element): string[] {
  const width = Math.min(20, Number(attribute(cell, 'colspan')) || 1)
  return [inlineText(cell), ...Array.from({ length: width - 1 }, () => '')]
}

/** The name by which a browser opens a heading: its own, that of a target in it, or that of its section. */
function anchorOf(heading: Element): string {
  const inside = [...elementsIn(heading)].map(
    (each) => attribute(each, 'id') || (each.tagName === 'a' ? attribute(each, 'name') : ''),
  )
  const { parentNode } = heading
  const around =
    parentNode !== null && defaultTreeAdapter.isElementNode(parentNode) && /^(?:section|div)$/.test(parentNode.tagName)
      ? attribute(parentNode, 'id')
      : ''
  const id = inside.find((each) => each !== '') ?? around
  return /^[\w.:-]{1,100}$/.test(id) ? id : ''
}

/** The text of a phrase in Markdown: code and links keep their marks. */
function inlineOf(element: Element): string {
  if (UNSEEN.has(element.tagName) || isHidden(element)) return ''
  if (element.tagName === 'img') return attribute(element, 'alt')
  if (element.tagName === 'br') return ' '
  const text = element.childNodes
    .map((node) =>
      defaultTreeAdapter.isTextNode(node) ? node.value : defaultTreeAdapter.isElementNode(node) ? inlineOf(node) : '',
    )
    .join(BLOCKS.has(element.tagName) ? ' ' : '')
  const flat = text.replace(/\s+/g, ' ').trim()
  if (flat === '') return text
  const [before, after] = [/^\s/.test(text) ? ' ' : '', /\s$/.test(text) ? ' ' : '']
  if (/^(?:code|kbd|samp|tt)$/.test(element.tagName) && !flat.includes('`')) return `${before}\`${flat}\`${after}`
  const href = element.tagName === 'a' ? attribute(element, 'href') : ''
  // A link within the collection can bring its other page; any other address says nothing to a reader.
  const isPage = /^[^\s()#?:]+\.(?:html?|md|pdf|docx)(?:#[^\s()]*)?$/i.test(href) && !href.startsWith('//')
  return isPage
    ? `${before}[${flat.replace(/[[\]]/g, '')}](${href})${after}`
    : BLOCKS.has(element.tagName)
      ? ` ${text} `
      : text
}

function inlineText(element: Element): string {
  return inlineOf(element)
    .replace(/\s+/g, ' ')
    .replace(/[\u00b6\uf0c1]/g, '')
    .trim()
}

function rawText(element: Element): string {
  return element.childNodes
    .map((node) =>
      defaultTreeAdapter.isTextNode(node)
        ? node.value
        : defaultTreeAdapter.isElementNode(node) && !UNSEEN.has(node.tagName)
          ? node.tagName === 'br'
            ? '\n'
            : rawText(node)
          : '',
    )
    .join('')
}
