/** How much of a content is shown. */
export interface Cut {
  characters: number
  of: number
}

/** The minimum, enough for a fence. */
export const LEAST_CHARACTERS = 1_000

/** The line after the fence of a truncated content. */
export function cutLine({ characters, of }: Cut): string {
  return `[cut: the first ${characters} of ${of} characters are shown]\n`
}

/**
 * Returns as many whole lines of a content as fit beside its wrapper and the truncation line; undefined when all of it
 * fits. Truncates before wrapping, so that a fence always stays whole. If whole lines would fill less than half of the
 * room, for example before one endless line, cuts inside the next line. Never cuts the wrapper's own text.
 */
export function findCut(content: string, most: number, wrap: (content: string) => string): Cut | undefined {
  const of = content.length
  if (wrap(content).length <= most) return undefined
  const fits = (characters: number) =>
    wrap(content.slice(0, characters)).length + cutLine({ characters, of }).length <= most
  const lines = lastOf(lineEnds(content, most), fits) ?? 0
  const all = lastOf(
    Array.from({ length: Math.min(of, most) }, (_, at) => at + 1),
    fits,
  )
  return { characters: all !== undefined && lines < all / 2 ? all : lines, of }
}

/** The positions after each line feed, up to a limit. */
function lineEnds(text: string, most: number): number[] {
  const ends: number[] = []
  for (let at = text.indexOf('\n'); at >= 0 && at < most; at = text.indexOf('\n', at + 1)) ends.push(at + 1)
  return ends
}

/** The last of ascending numbers that fits. */
function lastOf(numbers: readonly number[], fits: (number: number) => boolean): number | undefined {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (fits(numbers[middle] ?? 0)) low = middle + 1
    else high = middle
  }
  return numbers[low - 1]
}
