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
  const seen = new Uint8Array(PLACES / 8)
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
const PLACES = 2 ** 15

function next(place: number, letter: number): number {
  return ((place << 5) | (letter & 31)) & (PLACES - 1)
}

/** A word, and the cells of its sequences of three characters. */
interface Word {
  word: string
  places: readonly number[]
}

// The lists are constants, and each is used for many texts.
const known = new WeakMap<readonly string[], Word[]>()

function wordsOf(list: readonly string[]): Word[] {
  const before = known.get(list)
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
  known.set(list, words)
  return words
}
