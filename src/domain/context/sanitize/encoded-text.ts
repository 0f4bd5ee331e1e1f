/** A word of a text that is another text in base64. */
export interface EncodedText {
  start: number
  end: number
  text: string
}

/** A key of 8,192 bits with its marks; what is longer is an image or an archive. */
const LONGEST = 16_384
const SHORTEST = 16
/** So many letters tell a text from bytes. */
const SAMPLE = 24

export function findEncodedTexts(text: string): EncodedText[] {
  const found: EncodedText[] = []
  for (const match of text.matchAll(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}/g)) {
    const [word] = match
    if (word.length > LONGEST || word.length < SHORTEST) continue
    if (decode(word.slice(0, SAMPLE)) === undefined) continue
    const decoded = decode(word)
    if (decoded !== undefined) found.push({ start: match.index, end: match.index + word.length, text: decoded })
  }
  return found
}

/** Undefined for what is no text. */
function decode(word: string): string | undefined {
  const letters = word.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  if (letters.length % 4 === 1) return undefined
  const bytes = atob(letters)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what makes it a text
  return /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xff]/.test(bytes) ? undefined : bytes
}
