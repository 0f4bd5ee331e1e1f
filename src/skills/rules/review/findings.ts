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

/** Something in a skill that a person should know before it is installed. Severe: it is not installed unseen. */
export interface ReviewFinding {
  severity: 'severe' | 'warning' | 'info'
  rule: (typeof REVIEW_RULES)[number]
  path: string
  /** Counted from 1; 0 for the file as a whole. */
  line: number
  message: string
}

/** A place in a text, before it has a line. */
export interface Spot {
  severity: ReviewFinding['severity']
  rule: ReviewFinding['rule']
  at: number
  message: string
}

/** Lines of places in a text, each found by halving. */
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
