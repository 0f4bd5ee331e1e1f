const PLAIN = /^[\x20-\x7e]*$/
const ESCAPE = '\u001b'
const BEL = '\u0007'

// Functions, because building these classes takes time that plain text never needs. Joiners stay: scripts need them.
const terminalSequence = () =>
  new RegExp(
    `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${BEL}${ESCAPE}]*(?:${BEL}|${ESCAPE}\\\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]`,
    'g',
  )
const unseen = () => /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** Text of a pack as it may be shown, on one line: nothing in it steers a terminal or reorders what is read. */
export function shownText(text: string, limit = 200): string {
  return cutText(harmless(text), limit)
}

/** For a message of ours: in quotes, and never long. */
export function quoted(text: string): string {
  // Cut before too: a word of a megabyte is not to be cleaned for the sake of a few letters.
  const shown = harmless(text.slice(0, 1000))
  return lengthOf(shown) > LONGEST_QUOTE ? `"${cutText(shown, LONGEST_QUOTE - 3)}..."` : `"${shown}"`
}

const LONGEST_QUOTE = 80

/** In characters, not in code units. */
export function lengthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let length = 0
  for (const _ of text) length++
  return length
}

/** Whether some of it would not be seen, or be obeyed rather than seen. */
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
