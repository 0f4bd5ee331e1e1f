/** How much of a content is shown. */
export interface Cut {
  characters: number
  of: number
}

/** Room for a fence; less cannot be answered. */
export const LEAST_CHARACTERS = 1_000

/** The line behind a fence whose content was cut. */
export function cutLine({ characters, of }: Cut): string {
  return `[cut: the first ${characters} of ${of} characters are shown]\n`
}

/**
 * As many whole lines of a content as its wrapper and the line that tells have room for; undefined when all of it fits.
 * The content is cut before it is wrapped, so that no fence is ever cut. Where whole lines would give less than half of
 * what there is room for, as before one endless line, the next one is cut inside.
 * What a wrapper says besides the content is never cut.
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

/** Where lines end, behind their line feed, up to a place. */
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
