/** A line of prose above this is a text that was written without line ends. */
const LONG_LINE = 2_000
/** About so much of one becomes a paragraph. */
const PARAGRAPH = 400

/** A text whose long lines are paragraphs of whole sentences, so that a part of them can be found and given. */
export function breakLongLines(text: string): string {
  if (text.length <= LONG_LINE) return text
  return text
    .split('\n')
    .map((line) => (line.length > LONG_LINE && !/^\s*\|/.test(line) ? toParagraphs(line) : line))
    .join('\n')
}

function toParagraphs(line: string): string {
  const paragraphs: string[] = []
  let open = ''
  for (const sentence of line.split(/(?<=[.!?] )|(?<=[\u3002\uff01\uff1f])/)) {
    if (open !== '' && open.length + sentence.length > PARAGRAPH) {
      paragraphs.push(open.trimEnd())
      open = ''
    }
    open += sentence
  }
  return [...paragraphs, open].join('\n\n')
}
