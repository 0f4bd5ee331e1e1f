/** A range of a text; the end is exclusive. */
export interface TextSpan<Kind extends string> {
  kind: Kind
  start: number
  end: number
}

/**
 * The matches of a pattern with the flag g. `matchAll` copies the pattern on each call: for a large pattern and many
 * short texts, the copies took fifteen times as long as the search.
 */
export function* eachMatch(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let from = 0
  for (;;) {
    pattern.lastIndex = from
    const match = pattern.exec(text)
    if (match === null) return
    from = match.index + Math.max(1, match[0].length)
    yield match
  }
}

/** A pattern that is compiled on first use: compiling takes longer than most searches. */
export function once(make: () => RegExp): () => RegExp {
  let made: RegExp | undefined
  return () => {
    made ??= make()
    return made
  }
}
