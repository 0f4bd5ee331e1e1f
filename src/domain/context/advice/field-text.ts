// Functions, because building the classes takes time that plain text never needs.
const lineEnds = () => /\r\n?|[\v\f\u0085\u2028\u2029]/g

// Controls, bidirectional marks, lone surrogates, and characters that nobody sees but a model reads.
const hidden = () =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
  /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu

const PLAIN = /^[\x20-\x7e\n\t]*$/

/** A text as it may be shown: line ends are `\n`, what is invisible or steers a terminal is gone. Tabs stay. */
export function cleanText(text: string, longest: number): string {
  const clean = PLAIN.test(text) ? text : text.replace(lineEnds(), '\n').replace(hidden(), '')
  return cap(clean.trim(), longest)
}

/** The same on one line, with single blanks between the words: a field. */
export function cleanLine(text: string, longest: number): string {
  // Twice the length is more than enough to fill a field, and folding a megabyte for it is not.
  const clean = cleanText(cap(text, longest * 2 + 1024), text.length)
  return cap(clean.replace(/\s+/g, ' ').trim(), longest)
}

const ELLIPSIS = '\u2026'

/** At most so many characters; what was cut ends in an ellipsis, and no pair of surrogates is parted. */
function cap(text: string, longest: number): string {
  if (text.length <= longest) return text
  const end = longest - ELLIPSIS.length
  if (end < 0) return ''
  return `${text.slice(0, isInPair(text, end) ? end - 1 : end).trimEnd()}${ELLIPSIS}`
}

function isInPair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff
}
