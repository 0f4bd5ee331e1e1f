export interface Excerpt {
  /** A beginning of the text. */
  excerpt: string
  isTruncated: boolean
}

/**
 * At most `limit` characters (code units) of a normalised text: up to a line end if one is near, never inside a visible
 * character. A smaller limit never gives more.
 */
export function cutExcerpt(text: string, limit: number): Excerpt {
  if (text.length <= limit) return { excerpt: text, isTruncated: false }
  return { excerpt: text.slice(0, cutAt(text, Math.floor(limit))), isTruncated: true }
}

function cutAt(text: string, limit: number): number {
  if (!(limit > 0)) return 0
  const lineEnd = text.lastIndexOf('\n', limit)
  return lineEnd >= limit - limit / 4 ? lineEnd : characterStart(text, limit)
}

/** How far before the cut to look for a certain character border. */
const WINDOW = 4096

/**
 * The last position up to `limit` at which a character starts. Counts characters from the nearest certain border, so
 * that two limits with the same border agree; without one, only code points stay whole.
 */
function characterStart(text: string, limit: number): number {
  let border = limit
  const first = Math.max(0, limit - WINDOW)
  while (border > first && !isBorder(text, border)) border--
  if (border === limit) return limit
  if (border > 0 && border === first) return isInsidePair(text, limit) ? limit - 1 : limit
  let start = border
  // Whether a character starts at the limit depends only on the next code point.
  for (const { index } of new Intl.Segmenter('und').segment(text.slice(border, limit + 2))) {
    if (border + index > limit) break
    start = border + index
  }
  return start
}

/** True where characters are certainly separate, whatever surrounds them: cheap, and enough for most texts. */
function isBorder(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  return before === NEWLINE || after === NEWLINE || (isSimple(before) && isSimple(after))
}

const NEWLINE = 10

/** Letters and signs that are characters by themselves unless a mark follows: Latin, Cyrillic, kana, Han, Hangul. */
function isSimple(unit: number): boolean {
  if (unit < 0x7f) return unit >= 0x20
  return (
    (unit >= 0xc0 && unit <= 0x24f) ||
    (unit >= 0x410 && unit <= 0x44f) ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3)
  )
}

function isInsidePair(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
}

// Images, badges and the links around them; HTML tags, also over several lines; definitions of links; images of
// reStructuredText and their options.
const TAG = /<!--[\s\S]*?-->|<\/?[a-z][^<>]{0,2000}>/gi
const DEFINITION =
  /^\s*\[[^\]]+\]:\s|^\s*\.\. (?:image|figure|\|[^|]*\| image|_[^:]+):|^\s+:(?:target|alt|height|width|align|scale):/

/**
 * Removes logos, badges and definitions of links; `… line 9` marks the gaps. `first` is the number of the first line.
 */
export function withoutOrnaments(text: string, first = 1): string {
  const bare = text
    .replace(TAG, (tag) => tag.replace(/[^\n]+/g, ''))
    .replace(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g, '')
    .replace(/\[\s*\](?:\([^)]*\)|\[[^\]]*\])/g, '')
    .split('\n')
  const kept: string[] = []
  let [isGap, isBlank] = [first > 1, true]
  text.split('\n').forEach((line, at) => {
    const rest = bare[at] ?? ''
    const isOrnament = DEFINITION.test(line) || (rest !== line && !/[\p{L}\p{N}]/u.test(rest))
    if (line.trim() === '') isBlank = true
    else if (isOrnament) isGap = true
    else {
      if (isGap) kept.push(`\u2026 line ${first + at}`)
      else if (isBlank && kept.length > 0) kept.push('')
      kept.push(line)
      isGap = isBlank = false
    }
  })
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`
}
