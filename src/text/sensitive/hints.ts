/** Words of ASCII in lower case: of each list a text must hold at least one, or a pattern cannot match it. */
export type Hints = readonly (readonly string[])[]

/** Says whether a pattern with these hints may match. */
export type HintReader = (hints: Hints) => boolean

/**
 * Reads a text once for all hints: which three characters follow each other. Most words are not there and are known by
 * that alone. A pattern costs a hundred times as much, and those of a review are many.
 */
export function readHints(text: string): HintReader {
  // One byte for each character: one that is cut short may at most look like a hint.
  const bytes = Buffer.from(text, 'latin1')
  const seen = new Uint8Array(PLACES / 8)
  let place = 0
  for (let at = 0; at < bytes.length; at++) {
    place = next(place, LOWER[bytes[at]!]!)
    seen[place >> 3]! |= 1 << (place & 7)
  }
  const known = new Map<string, boolean>()
  let lower: string | undefined
  const holds = (word: string) => {
    const before = known.get(word)
    if (before !== undefined) return before
    lower ??= bytes.toString('latin1').toLowerCase()
    const isThere = mayHold(seen, word) && lower.includes(word)
    known.set(word, isThere)
    return isThere
  }
  return (hints) => hints.every((words) => words.some(holds))
}

/** Five bits for each of three characters: upper and lower case, and some others, share a place. */
const PLACES = 2 ** 15
const LOWER = Uint8Array.from({ length: 256 }, (_, code) => String.fromCharCode(code).toLowerCase().charCodeAt(0) & 31)

function next(place: number, letter: number): number {
  return ((place << 5) | letter) & (PLACES - 1)
}

function mayHold(seen: Uint8Array, word: string): boolean {
  let place = 0
  for (let at = 0; at < word.length; at++) {
    place = next(place, word.charCodeAt(at) & 31)
    if (at >= 2 && (seen[place >> 3]! & (1 << (place & 7))) === 0) return false
  }
  return true
}
