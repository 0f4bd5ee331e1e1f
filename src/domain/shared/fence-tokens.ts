import { readAsSeen } from './as-seen.ts'

/** Element names that mark data for a model. No content may open or close one of them. */
export const RESERVED_ELEMENTS = [
  'loadout_payload',
  'knowledge_pack',
  'knowledge_pack_guide',
  'knowledge_resources',
  'available_knowledge_packs',
] as const

export type ReservedElement = (typeof RESERVED_ELEMENTS)[number]

/** A tag of a reserved element, from its bracket to the end of its name. */
export interface FenceToken {
  start: number
  end: number
  element: ReservedElement
  closes: boolean
}

// A bracket, also as programs and addresses write it, then blanks and slashes, then what may be a reserved name.
const OPENING = /(?:<|%3c|\\u003c|\\u\{0*3c\}|\\x3c)((?:[\s/\\]|%2[0f]|u002f|x2f)*)(?=know|avail|load)/gi

const NAMES = RESERVED_ELEMENTS.map((element) => ({
  element,
  pattern: new RegExp(element.replaceAll('_', '[\\s_-]+'), 'iy'),
}))

/** Tags of a reserved element, however they are spelt: case, blanks, look-alikes, entities, hidden characters. */
export function findTokens(text: string): FenceToken[] {
  const tokens: FenceToken[] = []
  const seen = readAsSeen(text)
  for (const opening of seen.text.matchAll(OPENING)) {
    const name = longestName(text, seen, opening.index + opening[0].length)
    if (name === undefined) continue
    tokens.push({ ...name, start: seen.startOf(opening.index), closes: /[/\\f]/i.test(opening[1] ?? '') })
  }
  return tokens
}

type Seen = ReturnType<typeof readAsSeen>

/** The longest reserved name that ends where a name can end, so that a guide is not taken for a pack. */
function longestName(text: string, seen: Seen, from: number): Pick<FenceToken, 'element' | 'end'> | undefined {
  let longest: Pick<FenceToken, 'element' | 'end'> | undefined
  for (const { element, pattern } of NAMES) {
    pattern.lastIndex = from
    const found = pattern.exec(seen.text)
    if (found === null) continue
    const end = seen.endOf(from + found[0].length - 1)
    if (end > (longest?.end ?? 0) && !continuesName(text, end)) longest = { element, end }
  }
  return longest
}

/** Only a plain letter, written as such, makes it another name. A letter that a mark changes is no plain one. */
function continuesName(text: string, position: number): boolean {
  return /^[a-z0-9_](?!\p{M})/iu.test(text.slice(position, position + 3))
}
