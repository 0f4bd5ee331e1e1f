const PLAIN = /^[\x20-\x7e]*$/
const ESCAPE = '\u001b'
const BEL = '\u0007'

// Functions, because building these expressions takes time that plain text does not need. Keeps joiners, which some
// scripts need.
const terminalSequence = () =>
  new RegExp(
    `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${BEL}${ESCAPE}]*(?:${BEL}|${ESCAPE}\\\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]`,
    'g',
  )
const unseen = () => /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** Text of a pack on one line, safe to show: without terminal sequences and direction marks. */
export function shownText(text: string, limit = 200): string {
  return cutText(harmless(text), limit)
}

/** The text in quotes for a message, cut to 80 characters. */
export function quoted(text: string): string {
  // Cut first: cleaning a megabyte for a few characters would waste time.
  const shown = harmless(text.slice(0, 1000))
  return lengthOf(shown) > LONGEST_QUOTE ? `"${cutText(shown, LONGEST_QUOTE - 3)}..."` : `"${shown}"`
}

const LONGEST_QUOTE = 80

/** Counts characters, not code units. */
export function lengthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let length = 0
  for (const _ of text) length++
  return length
}

/** Whether the text has invisible or control characters. */
export function hasUnseen(text: string): boolean {
  return !PLAIN.test(text) && unseen().test(text)
}

function harmless(text: string): string {
  if (PLAIN.test(text)) return text.trim()
  return text
    .replace(/[\t\r\n\u0085\u2028\u2029]+/g, ' ')
    .replace(terminalSequence(), '')
    .replace(unseen(), '')
    .trim()
}

function cutText(text: string, limit: number): string {
  return text.length <= limit ? text : Array.from(text).slice(0, limit).join('')
}

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
