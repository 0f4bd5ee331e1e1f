const REVIEW_RULES = [
  'download-and-run',
  'hidden-command',
  'remote-shell',
  'persistence',
  'destruction',
  'exfiltration',
  'credentials',
  'orders',
  'invisible-text',
  'look-alike',
  'executable',
  'install-script',
  'permissions',
  'secret',
  'network',
  'not-read',
  'not-fetched',
] as const

/** A finding at an offset in a text, before its line is known. */
export interface Spot {
  severity: 'severe' | 'warning' | 'info'
  rule: (typeof REVIEW_RULES)[number]
  at: number
  message: string
}

/** Returns a function that finds the line of an offset, by binary search. */
export function lineCounter(text: string): (at: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (at) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= at) low = middle
      else high = middle
    }
    return low + 1
  }
}
