import { cutAtFences } from './frontmatter-block.ts'
import { findHeadings, type Heading } from './sections.ts'

/** A heading in a text of any form. */
export interface FormedHeading extends Heading {
  /** The number of lines it takes, with the lines drawn above and below it. */
  height: number
}

/**
 * The headings of a text, by its file name: `#` in Markdown, `=` in AsciiDoc, an underlined title in reStructuredText.
 * A plain or Markdown text without hashes may underline its titles too.
 */
export function headingsOf(path: string, lines: readonly string[]): FormedHeading[] {
  if (/\.rst$/i.test(path)) return underlined(lines)
  if (/\.(?:adoc|asciidoc)$/i.test(path)) return equalSigns(lines)
  const hashes = findHeadings(lines)
  return hashes.length > 0 ? hashes.map((heading) => ({ ...heading, height: 1 })) : underlined(lines)
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

/** Every style of line is a level of its own, in order of first use. */
function underlined(lines: readonly string[]): FormedHeading[] {
  const styles: string[] = []
  const headings: FormedHeading[] = []
  for (let at = 0; at + 1 < lines.length; at++) {
    const title = (lines[at] ?? '').trimEnd()
    const below = drawn(lines[at + 1])
    if (
      below === undefined ||
      drawn(title) !== undefined ||
      title.trim() === '' ||
      below.length < title.trim().length
    ) {
      continue
    }
    const isBoxed = drawn(lines[at - 1]) === below
    if (!isBoxed && (/^\s/.test(title) || (lines[at - 1] ?? '').trim() !== '')) continue
    const style = `${isBoxed ? 'boxed ' : ''}${below[0]}`
    if (!styles.includes(style)) styles.push(style)
    const level = styles.indexOf(style) + 1
    headings.push({ line: isBoxed ? at - 1 : at, level, title: title.trim(), height: isBoxed ? 3 : 2 })
  }
  return headings
}

/** A line of one repeated punctuation character. */
function drawn(line: string | undefined): string | undefined {
  const text = line?.trimEnd() ?? ''
  return /^([=\-~`.^"'*+#:_])\1{2,}$/.test(text) ? text : undefined
}

function equalSigns(lines: readonly string[]): FormedHeading[] {
  const headings: FormedHeading[] = []
  let block: string | undefined
  lines.forEach((line, at) => {
    const text = line.trimEnd()
    if (block !== undefined) {
      if (text === block) block = undefined
    } else if (/^(?:-{4,}|\.{4,}|\+{4,}|\/{4,})$/.test(text)) block = text
    else {
      const [, signs = '', title = ''] = /^(={1,6})[ \t]+(\S.*)$/.exec(text) ?? []
      if (signs !== '') headings.push({ line: at, level: signs.length, title, height: 1 })
    }
  })
  return headings
}
