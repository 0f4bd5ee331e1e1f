interface Text {
  path: string
  text: string
}

const SAME = 0.8

/**
 * Whether two files are builds of one source: they are in one folder, have one name with different extensions, and
 * almost the same lines. Mirrored trees do not count: a change there changes both.
 */
export function isSameBuild(one: Text, other: Text): boolean {
  if (baseOf(one.path) !== baseOf(other.path)) return false
  const [a, b] = [linesOf(one.text), linesOf(other.text)]
  if (Math.min(a.size, b.size) < SAME * Math.max(a.size, b.size)) return false
  let both = 0
  for (const line of a) if (b.has(line)) both++
  return both >= SAME * (a.size + b.size - both)
}

/** `priv/static/phoenix` of `priv/static/phoenix.cjs.js`. */
function baseOf(path: string): string {
  return /^(?:.*\/)?[^/][^/.]*/.exec(path)?.[0] ?? path
}

function linesOf(text: string): Set<string> {
  return new Set(text.split('\n').map((line) => line.trim()))
}
