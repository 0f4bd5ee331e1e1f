const BOM = '\ufeff'

export type LineEnd = '\n' | '\r\n'

/** The parts of a Markdown document. Only a YAML reader can decide whether the block is frontmatter or prose. */
export interface DocumentParts {
  bom: string
  /** The raw lines between the first `---` and the next; undefined without two such lines. */
  block: string | undefined
  /** The rest, without the one empty line after the closing `---`. */
  body: string
  /** How the first line ends. */
  lineEnd: LineEnd
}

/** Splits at the fences. Without them everything except the byte order mark is body. */
export function cutDocument(text: string): DocumentParts {
  const bom = text.startsWith(BOM) ? BOM : ''
  const whole = text.slice(bom.length)
  const lineEnd = lineEndOf(text)
  const { block, rest } = cutAtFences(whole, (line) => /^---[ \t]*(?:\r?\n)?$/.test(line))
  return { bom, block, body: block === undefined ? whole : rest.replace(/^\r?\n/, ''), lineEnd }
}

/**
 * The lines between the first line, if it is a fence, and the next fence; and the rest. Without a block all is rest.
 */
export function cutAtFences(text: string, isFence: (line: string) => boolean): { block?: string; rest: string } {
  const start = nextLine(text, 0)
  if (!isFence(text.slice(0, start))) return { rest: text }
  for (let from = start; from < text.length; ) {
    const to = nextLine(text, from)
    if (isFence(text.slice(from, to))) return { block: text.slice(start, from), rest: text.slice(to) }
    from = to
  }
  return { rest: text }
}

/** The title in the frontmatter of a document; empty without one. */
export function frontmatterTitle(text: string): string {
  if (!text.startsWith('---')) return ''
  const { block = '' } = cutAtFences(text, (line) => line.trimEnd() === '---')
  return (
    /^title:[ \t]*(\S.*)$/m
      .exec(block)?.[1]
      ?.trim()
      .replace(/^(["'])(.*)\1$/, '$2') ?? ''
  )
}

function nextLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end + 1
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
