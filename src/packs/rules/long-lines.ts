/** A longer line of prose was written without line breaks. In characters. */
const LONG_LINE = 2_000
/** The approximate length of the paragraphs made from it. */
const PARAGRAPH = 400

/** Breaks long lines into paragraphs of whole sentences, so that search can find a part of them. */
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
