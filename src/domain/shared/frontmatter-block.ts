const BOM = '\ufeff'

export type LineEnd = '\n' | '\r\n'

/** A Markdown document in parts. Whether the block is frontmatter or prose between two rules is for a YAML reader to say. */
export interface DocumentParts {
  bom: string
  /** The raw lines between the first `---` and the next; undefined when there are no two such lines. */
  block: string | undefined
  /** What follows, without the one empty line that separates it from the closing `---`. */
  body: string
  /** How the first line ends. */
  lineEnd: LineEnd
}

/** Cuts at the fences. Without them everything but the byte order mark is body. */
export function cutDocument(text: string): DocumentParts {
  const bom = text.startsWith(BOM) ? BOM : ''
  const whole = text.slice(bom.length)
  const lineEnd = lineEndOf(text)
  const opening = /^---[ \t]*\r?\n/.exec(whole)
  if (opening === null) return { bom, block: undefined, body: whole, lineEnd }
  // From the line end of the opening fence, so that an empty block is found. No `m` flag: it would also stop at a lone
  // CR and at Unicode line separators.
  const closing = /\n---[ \t]*(?:\r?\n|$)/g
  closing.lastIndex = opening[0].length - 1
  const end = closing.exec(whole)
  if (end === null) return { bom, block: undefined, body: whole, lineEnd }
  const block = whole.slice(opening[0].length, end.index + 1)
  return { bom, block, body: whole.slice(closing.lastIndex).replace(/^\r?\n/, ''), lineEnd }
}

/** Fences a block and puts it before a body. The body's byte order mark moves to the front; its other bytes stay. */
export function joinDocument(block: string, body: string): string {
  const bom = body.startsWith(BOM) ? BOM : ''
  const head = `---\n${block === '' || block.endsWith('\n') ? block : `${block}\n`}---\n\n`
  return bom + head.replace(/\r?\n/g, lineEndOf(body)) + body.slice(bom.length)
}

/** The first line end of a text; `\n` when it has none. */
export function lineEndOf(text: string): LineEnd {
  const at = text.indexOf('\n')
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n'
}
