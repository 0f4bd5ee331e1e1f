/** Helpers that every reader uses to write Markdown. */

/** A table. The first row is its header. Rows may differ in length. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = Math.max(0, ...rows.map((row) => row.length))
  if (width === 0) return ''
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => cellText(row[at] ?? '')).join(' | ')} |\n`
  const [head = [], ...rest] = rows
  return `${line(head)}|${' --- |'.repeat(width)}\n${rest.map(line).join('')}`
}

function cellText(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')
}

/** Text that stands in a paragraph: on one line, and not read as a heading, list or code block. */
export function paragraph(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return /^(?:[#>]|[-+*]\s|`{3}|~{3}|---\s*$)/.test(line) ? `\\${line}` : line
}

/** Joins blocks with one blank line between them. */
export function joinBlocks(blocks: readonly string[]): string {
  return blocks
    .map((block) => block.replace(/\s+$/, ''))
    .filter((block) => block !== '')
    .join('\n\n')
    .concat('\n')
}
