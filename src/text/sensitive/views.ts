import { lettersOf, longWords } from './long-words.ts'

/** One reading of a text, each character with its original position. */
export interface TextView {
  text: string
  startOf(index: number): number
  endOf(index: number): number
}

/** A range of the text and its decoded form. */
interface Reading {
  start: number
  end: number
  says: string
}

const MOST_LAYERS = 3

/**
 * The original text, then without hidden characters, then with its escapes decoded, layer by layer: a secret in the
 * JSON of a URL of a JSON document is still one.
 */
export function readViews(text: string): TextView[] {
  const plain = { text, startOf: (index: number) => index, endOf: (index: number) => index + 1 }
  const views: TextView[] = [plain]
  let view = plain
  for (const find of [findHidden, ...Array.from({ length: MOST_LAYERS }, () => findEscapes)]) {
    const readings = find(view.text)
    if (readings.length === 0) continue
    view = readAs(view, readings)
    views.push(view)
  }
  return views
}

const PLAIN = /^[\t\n\r\x20-\x7e]*$/

function findHidden(text: string): Reading[] {
  if (PLAIN.test(text)) return []
  const readings: Reading[] = []
  for (const match of text.matchAll(/[^\t\n\r\x20-\x7e\u00c0-\u02af\u0370-\u1fff\u4e00-\u9fff\uac00-\ud7a3]/gu)) {
    const [character] = match
    const says = HIDDEN().test(character) ? '' : character.normalize('NFKC')
    if (says !== character) readings.push({ start: match.index, end: match.index + character.length, says })
  }
  return readings
}

const HIDDEN = () => /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

function readAs(view: TextView, readings: readonly Reading[]): TextView {
  const pieces: string[] = []
  /** The start of each reading in the new text. */
  const places = new Uint32Array(readings.length)
  let [from, shift] = [0, 0]
  for (const [index, { start, end, says }] of readings.entries()) {
    pieces.push(view.text.slice(from, start), says)
    places[index] = start + shift
    shift += says.length - (end - start)
    from = end
  }
  pieces.push(view.text.slice(from))
  const rangeOf = (place: number) => {
    const index = lastAtMost(places, place)
    const reading = readings[index]
    if (reading === undefined) return { start: place, end: place + 1 }
    const after = place - (places[index] ?? 0) - reading.says.length
    return after < 0 ? reading : { start: reading.end + after, end: reading.end + after + 1 }
  }
  return {
    text: pieces.join(''),
    startOf: (place) => view.startOf(rangeOf(place).start),
    endOf: (place) => view.endOf(rangeOf(place).end - 1),
  }
}

/** The last of the sorted positions at or before this one; -1 for none. */
function lastAtMost(places: Uint32Array, place: number): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle] ?? 0) <= place) low = middle + 1
    else high = middle
  }
  return low - 1
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', commat: '@' }
const AFTER_BACKSLASH: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '/': '/', '\\': '\\' }

/** `\"` and `\u0041` of JSON, `%2B` of URLs, `&quot;` and `&#65;` of HTML. */
function findEscapes(text: string): Reading[] {
  if (!/[\\%&]/.test(text)) return []
  const escapes =
    /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([nrt"'/\\]))|((?:%[89a-f][0-9a-f])+)|%([0-7][0-9a-f])|&(?:(amp|lt|gt|quot|apos|nbsp|commat)|#(\d{2,7})|#x([0-9a-f]{2,6}));/gi
  const found: Reading[] = []
  for (const match of text.matchAll(escapes)) {
    const [whole, unicode, byte, letter, beyond, percent, name, decimal, hex] = match
    const says =
      letter !== undefined
        ? (AFTER_BACKSLASH[letter] ?? whole)
        : name !== undefined
          ? (NAMED[name.toLowerCase()] ?? whole)
          : beyond !== undefined
            ? decodePercents(beyond)
            : characterOf(
                decimal === undefined ? Number.parseInt(unicode ?? byte ?? percent ?? hex ?? '', 16) : Number(decimal),
              )
    if (says !== undefined && says !== whole) found.push({ start: match.index, end: match.index + whole.length, says })
  }
  return found
}

function characterOf(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

function decodePercents(escaped: string): string | undefined {
  try {
    return decodeURIComponent(escaped)
  } catch {
    return undefined
  }
}

/** A word that is another text in base64. */
export interface EncodedText {
  start: number
  end: number
  text: string
}

/** A key of 8,192 bits with its markers; anything longer is an image or an archive. */
const LONGEST = 16_384
const SHORTEST = 16
/** This many letters distinguish a text from bytes. */
const SAMPLE = 24

const BASE64 = lettersOf(/[A-Za-z0-9+/_-]/)
/** Others stand for a byte beyond ASCII. */
const FIRST_OF_TEXT = lettersOf(/[A-Za-f]/)

export function findEncodedTexts(text: string): EncodedText[] {
  const found: EncodedText[] = []
  for (const [start, end] of longWords(text, BASE64, SHORTEST)) {
    if (end - start > LONGEST || FIRST_OF_TEXT[text.charCodeAt(start)] !== 1) continue
    if (decode(text.slice(start, Math.min(end, start + SAMPLE))) === undefined) continue
    const decoded = decode(text.slice(start, end))
    if (decoded === undefined) continue
    const padding = text.startsWith('==', end) ? 2 : text[end] === '=' ? 1 : 0
    found.push({ start, end: end + padding, text: decoded })
  }
  return found
}

/** Undefined unless the bytes are text. */
function decode(word: string): string | undefined {
  if (word.length % 4 === 1) return undefined
  // Reads both alphabets, ten times as fast as atob.
  const bytes = Buffer.from(word, 'base64').toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what makes it a text
  return /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xff]/.test(bytes) ? undefined : bytes
}
