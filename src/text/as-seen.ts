import { getOwn } from './values.ts'

/** A text as a lenient reader may read it, in lower-case ASCII, each letter with its position in the original. */
export interface SeenText {
  text: string
  startOf(index: number): number
  endOf(index: number): number
}

/** Replaces a character that resembles nothing in a tag. */
const OTHER = 0xfffd

const AMPERSAND = 0x26

// A text without ampersands, controls and non-ASCII characters is what it looks like.
const SEEN_AS_WRITTEN = /^[\t\n\x20-\x25\x27-\x7e]*$/

/**
 * Folds compatibility forms, look-alikes and case, drops hidden characters, decodes entities until none is left.
 * Returns two readings where entities are ambiguous.
 */
export function readAsSeen(text: string): SeenText[] {
  if (SEEN_AS_WRITTEN.test(text)) return [{ text, startOf: (index) => index, endOf: (index) => index + 1 }]
  const letters = foldText(text)
  if (!letters.codes.includes(AMPERSAND)) return [seenText(letters, text.length)]
  const again = withRoom(letters, letters.codes.length)
  return [seenText(decodeEntities(letters, text), text.length), seenText(decodeEntities(again), text.length)]
}

function seenText({ codes, starts, ends, first }: Letters, length: number): SeenText {
  return {
    text: textOf(codes.subarray(first)),
    startOf: (index) => starts[first + index] ?? length,
    endOf: (index) => ends[first + index] ?? length,
  }
}

/** The letters from `first` on, each with its range in the original text. */
interface Letters {
  codes: Uint16Array
  starts: Uint32Array
  ends: Uint32Array
  first: number
}

function textOf(codes: Uint16Array): string {
  let text = ''
  // Not spread: that would walk an iterator over many thousand letters.
  for (let at = 0; at < codes.length; at += 4096) {
    text += String.fromCharCode.apply(null, codes.subarray(at, at + 4096) as unknown as number[])
  }
  return text
}

function foldText(text: string): Letters {
  // Few characters look like more than one letter, and none like more than MOST_LETTERS.
  let room = emptyLetters(text.length + MOST_LETTERS)
  let size = 0
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? OTHER
    const end = at + (code > 0xffff ? 2 : 1)
    if (isPlain(code)) put(room, size++, code, at, end)
    else {
      const letters = fold(code)
      for (let index = 0; index < letters.length; index++) put(room, size++, letters.charCodeAt(index), at, end)
      if (size + text.length - end + MOST_LETTERS > room.codes.length) room = withRoom(room, 2 * room.codes.length)
    }
    at = end
  }
  return {
    codes: room.codes.subarray(0, size),
    starts: room.starts.subarray(0, size),
    ends: room.ends.subarray(0, size),
    first: 0,
  }
}

function emptyLetters(size: number): Letters {
  return { codes: new Uint16Array(size), starts: new Uint32Array(size), ends: new Uint32Array(size), first: 0 }
}

function withRoom(letters: Letters, size: number): Letters {
  const larger = emptyLetters(size)
  for (const list of ['codes', 'starts', 'ends'] as const) larger[list].set(letters[list])
  return larger
}

function put({ codes, starts, ends }: Letters, index: number, code: number, start: number, end: number): void {
  codes[index] = code
  starts[index] = start
  ends[index] = end
}

// Lower-case letters, digits and punctuation stay as they are; so do common Chinese characters, which no tag contains.
function isPlain(code: number): boolean {
  return (code >= 0x20 && code < 0x41) || (code > 0x5a && code < 0x7f) || (code >= 0x4e00 && code < 0xa000)
}

/**
 * In place, from the right, so that everything after an ampersand is already decoded: one pass for any depth. An entity
 * is longer than what it decodes to, so the letters move right and leave free cells in front. With the original text, a
 * number may end where folding or decoding turned the next character into a digit.
 */
function decodeEntities(letters: Letters, original?: string): Letters {
  const { codes, starts, ends } = letters
  let first = codes.length
  for (let index = codes.length - 1; index >= 0; index--) {
    put(letters, --first, codes[index] ?? OTHER, starts[index] ?? 0, ends[index] ?? 0)
    while (codes[first] === AMPERSAND) {
      const entity = readEntity(letters, first, original)
      if (entity === undefined) break
      const [start = 0, end = 0] = [starts[first], ends[first + entity.length - 1]]
      first += entity.length
      const decoded = fold(entity.code)
      for (let at = decoded.length - 1; at >= 0; at--) put(letters, --first, decoded.charCodeAt(at), start, end)
    }
  }
  letters.first = first
  return letters
}

interface Entity {
  code: number
  /** In letters, from the ampersand on. */
  length: number
}

/** The entity of the ampersand at a place. */
function readEntity(letters: Letters, place: number, original: string | undefined): Entity | undefined {
  return letters.codes[place + 1] === 0x23 ? readNumber(letters, place, original) : readName(letters.codes, place)
}

// biome-ignore format: a table to scan
const NAMED: Record<string, number> = {
  lt: 0x3c, amp: 0x26, sol: 0x2f, bsol: 0x5c, num: 0x23, semi: 0x3b, lowbar: 0x5f, underbar: 0x5f, hyphen: 0x2d,
  dash: 0x2d, minus: 0x2d, ndash: 0x2d, mdash: 0x2d, horbar: 0x2d, shy: 0xad, nbsp: 0x20, nonbreakingspace: 0x20,
  tab: 0x20, newline: 0x20, ensp: 0x20, emsp: 0x20, thinsp: 0x20, thinspace: 0x20, hairsp: 0x20, verythinspace: 0x20,
  numsp: 0x20, puncsp: 0x20, mediumspace: 0x20, zerowidthspace: 0x200b, nobreak: 0x2060, zwj: 0x200d, zwnj: 0x200c,
  lrm: 0x200e, rlm: 0x200f, lang: 0x3c, langle: 0x3c, leftanglebracket: 0x3c, lsaquo: 0x3c, nvlt: 0x3c, nlt: 0x3c,
  imath: 0x69, inodot: 0x69,
}

// Created on first use: most texts have none.
let entityNames: RegExp | undefined

function readName(codes: Uint16Array, place: number): Entity | undefined {
  const next = codes[place + 1] ?? 0
  if (next < 0x61 || next > 0x7a) return undefined
  entityNames ??= new RegExp(`^(?:(${Object.keys(NAMED).sort().reverse().join('|')})|([a-z])(?:fr|opf|scr));?`)
  const found = entityNames.exec(textOf(codes.subarray(place + 1, place + 20)))
  if (found === null) return undefined
  const [whole, name, letter = ''] = found
  const code = name === undefined ? letter.charCodeAt(0) : (NAMED[name] ?? OTHER)
  return { code, length: 1 + whole.length }
}

/**
 * Decoders differ on a number without a semicolon. A bracket or an ampersand is taken as soon as its digits are
 * complete. Otherwise a reader that decodes before folding ends the number before a digit that was not written as one,
 * next to the last. Of several such ends, the first one that gives a letter counts.
 */
function readNumber(letters: Letters, place: number, original: string | undefined): Entity | undefined {
  const { codes } = letters
  const base = codes[place + 2] === 0x78 ? 16 : 10
  const from = place + (base === 16 ? 3 : 2)
  let [code, at] = [0, from]
  let apart: Entity | undefined
  for (let digit = digitOf(codes[at], base); digit !== undefined; digit = digitOf(codes[at], base)) {
    const mayEnd = original !== undefined && at > from && !isWritten(letters, at, original)
    if (mayEnd && /^[\x20-\x7e]$/.test(fold(code))) apart ??= { code, length: at - place }
    code = Math.min(code * base + digit, 0x110000)
    at++
    if (code === 0x3c || code === AMPERSAND) {
      apart = undefined
      break
    }
  }
  if (at === from) return undefined
  return apart ?? { code, length: (codes[at] === 0x3b ? at + 1 : at) - place }
}

/** Whether a letter stands unchanged in the text, directly after the previous one. */
function isWritten({ starts, ends }: Letters, at: number, original: string): boolean {
  const [start = 0, end = 0] = [starts[at], ends[at]]
  return start === ends[at - 1] && end === start + 1 && original.charCodeAt(start) < 0x80
}

function digitOf(code: number | undefined, base: number): number | undefined {
  if (code === undefined) return undefined
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  return base === 16 && code >= 0x61 && code <= 0x66 ? code - 0x57 : undefined
}

// Letters of other alphabets that resemble those of the reserved names, brackets, and strokes that resemble a slash.
// biome-ignore format: a table to scan
const LOOK_ALIKES: Record<string, string> = {
  '\u0430': 'a', '\u03b1': 'a', '\u0251': 'a', '\u1d00': 'a', '\u0299': 'b', '\u0441': 'c', '\u03f2': 'c', '\u1d04': 'c',
  '\u0501': 'd', '\u1d05': 'd', '\u0435': 'e', '\u03b5': 'e', '\u1d07': 'e', '\u0261': 'g', '\u0262': 'g', '\u0456': 'i',
  '\u03b9': 'i', '\u0131': 'i', '\u026a': 'i', '\u043a': 'k', '\u03ba': 'k', '\u1d0b': 'k', '\u04cf': 'l', '\u01c0': 'l',
  '\u029f': 'l', '\u0578': 'n', '\u0274': 'n', '\u043e': 'o', '\u03bf': 'o', '\u0585': 'o', '\u1d0f': 'o', '\u0440': 'p',
  '\u03c1': 'p', '\u1d18': 'p', '\u0433': 'r', '\u0280': 'r', '\u0455': 's', '\ua731': 's', '\u0442': 't', '\u03c4': 't',
  '\u1d1b': 't', '\u03c5': 'u', '\u057d': 'u', '\u1d1c': 'u', '\u03bd': 'v', '\u0475': 'v', '\u1d20': 'v', '\u0461': 'w',
  '\u051d': 'w', '\u1d21': 'w', '\u0443': 'y', '\u03b3': 'y', '\u028f': 'y',
  '\u2215': '/', '\u2044': '/', '\u29f8': '/', '\u2571': '/', '\u2216': '\\', '\u29f5': '\\',
  '\u2039': '<', '\u3008': '<', '\u27e8': '<', '\u276c': '<', '\u276e': '<', '\u02c2': '<', '\u1438': '<',
  '\u2212': '-', '\u2800': ' ',
}

/** No run of letters in a reserved name has a longer compatibility form. */
const MOST_LETTERS = 3
const seenCharacters = new Map<number, string>()

/** What one character resembles: ASCII, nothing, or OTHER. */
function fold(code: number): string {
  const folded = seenCharacters.get(code)
  if (folded !== undefined) return folded
  const plain = code > 0x10ffff ? '' : String.fromCodePoint(code).normalize('NFKD').toLowerCase()
  const seen = [...plain].map(look).join('')
  const letters = seen.length > MOST_LETTERS ? String.fromCharCode(OTHER) : seen
  if (seenCharacters.size === 4096) seenCharacters.clear()
  seenCharacters.set(code, letters)
  return letters
}

function look(character: string): string {
  if (/\p{White_Space}/u.test(character)) return ' '
  if (/[\p{M}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(character)) return ''
  const alike = getOwn(LOOK_ALIKES, character)
  if (alike !== undefined) return alike
  if (character <= '\u007e') return character
  return /[\p{Pd}\p{Pc}]/u.test(character) ? '-' : String.fromCharCode(OTHER)
}
