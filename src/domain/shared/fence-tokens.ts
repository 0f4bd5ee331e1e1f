import { readAsSeen, type SeenText } from './as-seen.ts'

/** Element names that mark data for a model. No content may open or close one of them. */
export const RESERVED_ELEMENTS = [
  'loadout_payload',
  'loadout_skill',
  'loadout_index',
  'knowledge_pack',
  'knowledge_pack_guide',
  'knowledge_resources',
  'available_knowledge_packs',
  'loadout_context',
  'loadout_file',
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

// Reading a text as seen takes time. It is done only from something that can be a bracket or can spell one, up to
// something that no tag has between its bracket and the end of its name. No name is shorter than this.
const STRETCH =
  /[<&%\\\u02c2\u1438\u2039\u226e\u2329\u276c\u276e\u27e8\u3008\ufe3f\ufe60\ufe64\uff05\uff06\uff1c\uff3c\ufe6a\ufe68\u2216\u29f5][^"'()*+,.:=>?@[\]^`|~!$\u4e00-\u9fff]{9,}/g

/** Tags of a reserved element, however they are spelt: case, blanks, look-alikes, entities, hidden characters. */
export function findTokens(text: string): FenceToken[] {
  const tokens: FenceToken[] = []
  for (const { 0: stretch, index } of text.matchAll(STRETCH)) {
    const readings = readAsSeen(stretch).map((seen) => readTokens(text, seen, index))
    for (const token of readings.length === 1 ? (readings[0] ?? []) : mergeTokens(readings.flat())) tokens.push(token)
  }
  return tokens
}

function readTokens(text: string, seen: SeenText, offset: number): FenceToken[] {
  const tokens: FenceToken[] = []
  for (const opening of seen.text.matchAll(OPENING)) {
    const name = longestName(seen, opening.index + opening[0].length, (end) => !continuesName(text, offset + end))
    if (name === undefined) continue
    const closes = /[/\\f]/i.test(opening[1] ?? '')
    tokens.push({ element: name.element, start: offset + seen.startOf(opening.index), end: offset + name.end, closes })
  }
  return tokens
}

/** What two readings found, in order. Where they overlap it is one token. */
function mergeTokens(tokens: readonly FenceToken[]): FenceToken[] {
  const merged: FenceToken[] = []
  for (const token of [...tokens].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (last === undefined || token.start >= last.end) merged.push({ ...token })
    else last.end = Math.max(last.end, token.end)
  }
  return merged
}

interface Name {
  element: ReservedElement
  end: number
}

/** The longest reserved name that ends where a name can end, so that a guide is not taken for a pack. */
function longestName(seen: SeenText, from: number, mayEnd: (end: number) => boolean): Name | undefined {
  let longest: Name | undefined
  for (const { element, pattern } of NAMES) {
    pattern.lastIndex = from
    const found = pattern.exec(seen.text)
    if (found === null) continue
    const end = seen.endOf(from + found[0].length - 1)
    if (end > (longest?.end ?? 0) && mayEnd(end)) longest = { element, end }
  }
  return longest
}

/** Only a plain letter, written as such, makes it another name. A letter that a mark changes is no plain one. */
function continuesName(text: string, position: number): boolean {
  return /^[a-z0-9_](?!\p{M})/iu.test(text.slice(position, position + 3))
}
