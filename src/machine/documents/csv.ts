import { markdownTable } from './markdown.ts'

/** The rows of a table with commas, semicolons or tabs as Markdown. */
export function csvToMarkdown(bytes: Buffer): string {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  const head = text.slice(0, Math.max(0, text.indexOf('\n')))
  const separator = [',', ';', '\t'].reduce((best, each) =>
    head.split(each).length > head.split(best).length ? each : best,
  )
  const rows: string[][] = []
  const row: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length && rows.length < 20_000; at++) {
    const sign = text[at]!
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (text[at + 1] === '"') cell += text[++at]
      else isQuoted = false
    } else if (sign === '"' && cell === '') isQuoted = true
    else if (sign === separator || sign === '\n') {
      row.push(cell)
      cell = ''
      if (sign === '\n') rows.push(row.splice(0))
    } else cell += sign
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return markdownTable(rows.filter((each) => each.some((value) => value.trim() !== '')))
}
