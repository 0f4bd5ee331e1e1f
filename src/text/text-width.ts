// Characters of one column: ASCII, Latin, Greek, Cyrillic, punctuation, boxes and the signs that Loadout draws. For
// most text this avoids the segmenter and the large tables of the Unicode classes.
const NARROW =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03a1\u03a3-\u0482\u2010-\u2027\u2190-\u2193\u2500-\u25fc\u2610\u2611\u270e\u2717]*$/

let segmenter: Intl.Segmenter | undefined

/** What a reader sees as single characters. */
export function graphemes(text: string): string[] {
  if (NARROW.test(text)) return [...text]
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const found: string[] = []
  for (let from = 0; from < text.length; ) {
    const to = pieceEnd(text, from)
    for (const { segment } of segmenter.segment(text.slice(from, to))) found.push(segment)
    from = to
  }
  return found
}

// The time of the segmenter grows with the square of the length.
const PIECE = 256
const LONGEST_PIECE = 4 * PIECE

/** A position soon after this many characters where a text can be cut. */
function pieceEnd(text: string, from: number): number {
  const most = Math.min(text.length, from + LONGEST_PIECE)
  for (let at = from + PIECE; at < most; at++) {
    const isPairBefore = (text.codePointAt(at - 2) ?? 0) > 0xffff
    if (!isInPair(text, at) && unicode().apart.test(text.slice(isPairBefore ? at - 2 : at - 1, at + 2))) return at
  }
  return isInPair(text, most) ? most - 1 : most
}

function isInPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff
}

/** Columns a text takes in a terminal: East Asian characters and emoji take two, combining marks none. */
export function textWidth(text: string): number {
  if (NARROW.test(text)) return text.length
  let columns = 0
  for (const grapheme of graphemes(text)) columns += graphemeWidth(grapheme)
  return columns
}

export function graphemeWidth(grapheme: string): number {
  if (NARROW.test(grapheme)) return grapheme.length
  const { visible, picture, syllable, takesRoom } = unicode()
  const start = grapheme.search(visible)
  if (start < 0) return 0
  if (picture.test(grapheme)) return 2
  // Hangul may come in parts: the parts of one syllable share its two columns.
  const [base = '', ...others] = grapheme.slice(start).replace(syllable, '\uac00')
  return others.filter((each) => takesRoom.test(each)).reduce((sum, each) => sum + charWidth(each), charWidth(base))
}

function charWidth(character: string): number {
  const { visible, wide, wideEmoji } = unicode()
  if (!visible.test(character)) return 0
  return wide.test(character) || wideEmoji.test(character) ? 2 : 1
}

let classes: ReturnType<typeof makeClasses> | undefined

/** Created on first use: the tables would cost every start of the program milliseconds. */
function unicode(): ReturnType<typeof makeClasses> {
  classes ??= makeClasses()
  return classes
}

function makeClasses() {
  return {
    // Two code points that never form one character: the second does not join, and the first does not ask for it.
    apart:
      /^[^\p{M}\p{Cf}\p{Cs}\u0d4e\u{111c2}\u{111c3}\u{1193f}\u{11941}\u{11a3a}\u{11a84}-\u{11a89}\u{11d46}\u{11f02}\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb\u{1f1e6}-\u{1f1ff}][^\p{M}\p{Cf}\p{Cs}\p{Grapheme_Extend}\p{Emoji_Modifier}\u0e33\u0eb3\u1160-\u11ff\ud7b0-\ud7fb\u{1f1e6}-\u{1f1ff}]/u,
    visible: /[^\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Cs}]/u,
    // Wide and fullwidth characters by Unicode, except emoji.
    wide: /^[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18df2}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f320}\u{20000}-\u{3fffd}]/u,
    wideEmoji: /^(?![\u{1f1e6}-\u{1f1ff}])\p{Emoji_Presentation}/u,
    // One picture of several characters: a flag, a keycap, a sign shown as emoji, a skin tone, people joined to a
    // group.
    picture:
      /^(?:[\u{1f1e6}-\u{1f1ff}]{2}|[\d#*]\ufe0f?\u20e3|(?![\d#*])\p{Emoji}\ufe0f|\p{Emoji_Modifier_Base}\p{Emoji_Modifier})|\p{Extended_Pictographic}.*\u200d.*\p{Extended_Pictographic}/u,
    syllable: /[\u1100-\u115f\ua960-\ua97c][\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7fb]?/gu,
    takesRoom: /\p{Mc}|[\uff00-\uffef\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb\uac00-\ud7a3]/u,
  }
}

/** The beginning of a text that fits; the last column marks a cut. */
export function clip(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  if (columns <= 0) return ''
  let clipped = ''
  let used = 0
  for (const grapheme of graphemes(text)) {
    used += graphemeWidth(grapheme)
    if (used > columns - 1) break
    clipped += grapheme
  }
  return `${clipped}\u2026`
}
