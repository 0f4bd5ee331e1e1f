/**
 * The matches of a pattern with the flag g. `matchAll` makes a copy of the pattern each time: of a large one, for each of
 * many short texts, the copies took fifteen times as long as the search.
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

/** A pattern that is made when it is needed first: making it takes longer than most searches. */
export function once(make: () => RegExp): () => RegExp {
  let made: RegExp | undefined
  return () => {
    made ??= make()
    return made
  }
}
