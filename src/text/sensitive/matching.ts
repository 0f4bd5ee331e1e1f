/** A range of a text; the end is exclusive. */
export interface TextSpan<Kind extends string> {
  kind: Kind
  start: number
  end: number
}

/**
 * The matches of a pattern with the flag g. `matchAll` copies the pattern on each call: for a large pattern and many
 * short texts, the copies took fifteen times as long as the search.
 */
export function* eachMatch(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let from = 0
  for (;;) {
    pattern.lastIndex = from
    const match = pattern.exec(text)
    if (match === null) return
    from = match.index + Math.max(1, match[0].length)
    yield match
  }
}

/** A pattern that is compiled on first use: compiling takes longer than most searches. */
export function once(make: () => RegExp): () => RegExp {
  let made: RegExp | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The ASCII characters of a word: 1 at the code of each. */
export function lettersOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0))
}

/**
 * The whole words of at least this many letters. Checks one character in that many and reads on only from a letter:
 * five times as fast as a pattern, for words of 16.
 */
export function longWords(text: string, letters: Uint8Array, shortest: number): [start: number, end: number][] {
  const found: [number, number][] = []
  let from = 0
  while (from + shortest <= text.length) {
    const probe = from + shortest - 1
    if (letters[text.charCodeAt(probe)] !== 1) {
      from = probe + 1
      continue
    }
    let [start, end] = [probe, probe + 1]
    while (start > from && letters[text.charCodeAt(start - 1)] === 1) start--
    while (end < text.length && letters[text.charCodeAt(end)] === 1) end++
    if (end - start >= shortest) found.push([start, end])
    from = end
  }
  return found
}

// This many letters do not occur together by chance in a token.
const LONG_WORDS =
  /example|placeholder|change.?me|redacted|dummy|sample|insert|replace|masked|xxxx|x-x-x|your[_-]|\.\.\.|\u2026|\*\*\*|####|abcdefghijklmnop|1234567890123456/i

// These do: they count only as words of their own, with nothing random beside them.
const SHORT_WORDS = /^(?:your|todo|fake)|(?<![a-z0-9])(?:your|todo|fake|here)(?![a-z0-9])/i
const RANDOM_RUN = /(?=[a-z]{0,64}\d)(?=\d{0,64}[a-z])[a-z0-9]{16}/i

// `A` and `_` stand for zeros and ones in base64.
const ONE_LETTER = /^(.)\1*$|([^A_=-])\2{7,4000}/

/** A placeholder for a secret: `ghp_xxxx…`, `AKIA…EXAMPLE`, `your-key-here`. */
export function isPlaceholder(value: string): boolean {
  if (LONG_WORDS.test(value) || 2 * (ONE_LETTER.exec(value)?.[0].length ?? 0) >= value.length) return true
  return SHORT_WORDS.test(value) && !RANDOM_RUN.test(value)
}

/** Not a variable, a blank to fill in, or a path. */
export function isReal(value: string): boolean {
  if (
    /^[<{[(]|^\$(?:[{(]|\w+$)|^%\w{1,100}%$|^(?:process|os|env|config|secrets|vault|var)\b|^(?:~|\.{0,2})\/[\w./-]*$|^\.\w+$/.test(
      value,
    )
  )
    return false
  if (/^(?:pass(?:word)?|passwd|pwd?|secret|token|user(?:name)?|key|test)$/i.test(value)) return false
  return !isPlaceholder(value)
}

export function isMixed(secret: string): boolean {
  return /\d/.test(secret) && /[a-z]/i.test(secret) && isReal(secret)
}

/**
 * Lower-case words of which one names what it stands for: `my-secret-key`, `forgot_password`. This is a name, not a
 * secret.
 */
export function isName(value: string): boolean {
  return (
    /^[a-z]{1,20}(?:[-_./][a-z]{1,20}){0,8}$/.test(value) &&
    /(?:^|[-_./])(?:pass|passw(?:or)?ds?|pwd|passphrase|tokens?|secrets?|keys?|credentials?)(?:$|[-_./])/.test(value)
  )
}

/** Lower-case ASCII words. A pattern can match only a text that contains at least one word of each list. */
export type Hints = readonly (readonly string[])[]

/** Whether a pattern with these hints may match. */
export type HintReader = (hints: Hints) => boolean

/**
 * Reads a text once for all hints and records its sequences of three characters, which rule out most words. A pattern
 * costs a hundred times as much, and a review has many.
 */
export function readHints(text: string): HintReader {
  // Several detectors read the same text, one after another.
  if (last?.text !== text) last = { text, isPossible: readAnew(text) }
  return last.isPossible
}

let last: { text: string; isPossible: HintReader } | undefined

function readAnew(text: string): HintReader {
  // One byte per character: a truncated character may at most resemble a hint.
  const bytes = Buffer.from(text, 'latin1')
  const seen = new Uint8Array(SEQUENCES / 8)
  let place = 0
  for (let at = 0; at < bytes.length; at++) {
    place = next(place, bytes[at]!)
    seen[place >> 3]! |= 1 << (place & 7)
  }
  let lower: string | undefined
  const holds = ({ word, places }: Word) => {
    for (let at = 0; at < places.length; at++) {
      if ((seen[places[at]! >> 3]! & (1 << (places[at]! & 7))) === 0) return false
    }
    lower ??= bytes.toString('latin1').toLowerCase()
    return lower.includes(word)
  }
  return (hints) => hints.every((words) => wordsOf(words).some(holds))
}

/** Five bits for each of three characters: upper and lower case, and some others, collide. */
const SEQUENCES = 2 ** 15

function next(place: number, letter: number): number {
  return ((place << 5) | (letter & 31)) & (SEQUENCES - 1)
}

/** A word, and the cells of its sequences of three characters. */
interface Word {
  word: string
  places: readonly number[]
}

// The lists are constants, and each is used for many texts.
const wordsOfLists = new WeakMap<readonly string[], Word[]>()

function wordsOf(list: readonly string[]): Word[] {
  const before = wordsOfLists.get(list)
  if (before !== undefined) return before
  const words = list.map((word) => {
    const places: number[] = []
    let place = 0
    for (let at = 0; at < word.length; at++) {
      place = next(place, word.charCodeAt(at))
      if (at >= 2) places.push(place)
    }
    return { word, places }
  })
  wordsOfLists.set(list, words)
  return words
}

/**
 * For each secretlint rule, the words without which it finds nothing. The test verifies this with the rules themselves.
 */
const SCANNER_HINTS: readonly { hints: Hints; shape?: RegExp }[] = [
  { hints: [['secretaccess', 'secret_access'], ['key']] },
  { hints: [['-----begin'], ['private key']] },
  { hints: [['npm_', 'gsk_', 'hf_', 'ntn_', 'ops_ey', 'lin_api_', 'dckr_pat_', 'figd_', 'glc_', 'glsa_', 'glpat-']] },
  { hints: [['://'], ['@']], shape: /:\/\/[-\w]+:[-\w]+@/ },
  { hints: [['xoxb-', 'xoxp-', 'xapp-', 'xoxa-', 'xoxo-', 'xoxr-', 'hooks.slack.com/services/']] },
  { hints: [['sg.']], shape: /SG\.\w+\.\w/ },
  { hints: [['shppa_', 'shpca_', 'shpat_', 'shpss_']] },
  { hints: [['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_']] },
  { hints: [['t3blbkfj', 'sk-ant-api0']] },
  { hints: [['mongodb'], ['://']] },
  { hints: [['mysql://', 'mysqlx://', 'postgres://', 'postgresql://']] },
  { hints: [['hvs.', 'hvb.', 'hvr.', 'vcp_', 'vci_', 'vca_', 'vcr_', 'vck_']] },
  { hints: [['dapi']], shape: /dapi[A-Fa-f0-9]{32}/ },
]

/** Whether secretlint can find anything: loading and running it takes longer than all of our own rules. */
export function mayHoldSecret(text: string): boolean {
  const isPossible = readHints(text)
  return SCANNER_HINTS.some(({ hints, shape }) => isPossible(hints) && shape?.test(text) !== false)
}

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

const ASCII_LINES = /^[\t\n\r\x20-\x7e]*$/

function findHidden(text: string): Reading[] {
  if (ASCII_LINES.test(text)) return []
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

const HTML_CHARACTERS: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  commat: '@',
}
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
          ? (HTML_CHARACTERS[name.toLowerCase()] ?? whole)
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
const LONGEST_ENCODED = 16_384
const SHORTEST_ENCODED = 16
/** This many letters distinguish a text from bytes. */
const SAMPLE = 24

const BASE64 = lettersOf(/[A-Za-z0-9+/_-]/)
/** Others stand for a byte beyond ASCII. */
const FIRST_OF_TEXT = lettersOf(/[A-Za-f]/)

export function findEncodedTexts(text: string): EncodedText[] {
  const found: EncodedText[] = []
  for (const [start, end] of longWords(text, BASE64, SHORTEST_ENCODED)) {
    if (end - start > LONGEST_ENCODED || FIRST_OF_TEXT[text.charCodeAt(start)] !== 1) continue
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
