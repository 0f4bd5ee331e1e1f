// C0 and C1 controls, bidirectional controls, line separators and lone surrogates can repaint, reorder or break a
// terminal. A function, because building the class takes time that plain text never needs.
const unprintable = () =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/gu

const PLAIN_LINE = /^[\x20-\x7e]*$/
const PRINTABLE = /^[\x20-\x7e\n\t]*$/

/** Text for a terminal: makes control characters visible. Tabs and line ends stay. */
export function printable(text: string): string {
  if (PRINTABLE.test(text)) return text
  return text.replace(unprintable(), (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Text for a terminal on one line: for names and summaries inside a row. */
export function printableLine(text: string): string {
  return PLAIN_LINE.test(text) ? text : printable(text.replace(/[\t\r\n]+/g, ' '))
}

/** Escapes characters that JSON allows but a terminal may obey: C1 controls, line separators, direction marks. */
export function printableJson(json: string): string {
  const steering = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
  return json.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Quotes a word for a command that a person copies into a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
