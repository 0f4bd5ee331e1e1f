// Images, badges and the links around them; HTML tags, also over several lines; definitions of links; reStructuredText's
// images and their options.
const TAG = /<!--[\s\S]*?-->|<\/?[a-z][^<>]{0,2000}>/gi
const IMAGE = /!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g
const EMPTY_LINK = /\[\s*\](?:\([^)]*\)|\[[^\]]*\])/g
const DEFINITION =
  /^\s*\[[^\]]+\]:\s|^\s*\.\. (?:image|figure|\|[^|]*\| image|_[^:]+):|^\s+:(?:target|alt|height|width|align|scale):/
const SAYS = /[\p{L}\p{N}]/u

/**
 * What a text says without logos, badges and definitions of links, as it is written: a mark stands for lines left out.
 * The lines count from `first`.
 */
export function withoutOrnaments(text: string, first = 1): string {
  const bare = text
    .replace(TAG, (tag) => tag.replace(/[^\n]+/g, ''))
    .replace(IMAGE, '')
    .replace(EMPTY_LINK, '')
    .split('\n')
  const kept: string[] = []
  let [isGap, isBlank] = [first > 1, true]
  text.split('\n').forEach((line, at) => {
    const rest = bare[at] ?? ''
    const isOrnament = DEFINITION.test(line) || (rest !== line && !SAYS.test(rest))
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
