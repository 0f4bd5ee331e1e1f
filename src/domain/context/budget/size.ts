/** How long a text is, in characters or in tokens. Of two joined texts it is at most the sum. */
export type Measure = (text: string) => number

export const countCharacters: Measure = (text) => text.length

/** The longest beginning of a text, as `cut` makes it, that is no larger than a size. */
export function cutToSize(
  text: string,
  size: number,
  measure: Measure,
  cut: (text: string, characters: number) => string,
): string {
  if (size <= 0) return ''
  if (measure === countCharacters) return cut(text, Math.floor(size))
  if (measure(text) <= size) return cut(text, text.length)
  let [fits, tooLong] = [0, text.length]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (measure(cut(text, middle)) <= size) fits = middle
    else tooLong = middle
  }
  return cut(text, fits)
}
