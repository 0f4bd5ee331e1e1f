/** What the runs of one prompt showed: which skills were opened, and whether one that counts was. */
export interface RunOutcome {
  opened: readonly string[]
  /** Absent: the run gave no result, for this reason. */
  problem?: string
}

export interface Verdict {
  verdict: 'fired' | 'not fired' | 'another fired' | 'no result'
  /** In how many of the runs with a result the skill was opened. */
  fired: number
  of: number
  /** Other skills that were opened where it was not → in how many runs. */
  others: Record<string, number>
  /** Undefined without a result. */
  isRight?: boolean
  /** Not the same in all runs. */
  isFlaky: boolean
  /** Where the share of runs in which it fires lies, with 95 % confidence. */
  interval?: Interval
}

type Interval = readonly [low: number, high: number]

/** `counts`: the skills of which one must be opened, or with `expects: 'quiet'` none may be. */
export function judgeRuns(runs: readonly RunOutcome[], counts: readonly string[], expects: 'fires' | 'quiet'): Verdict {
  const valid = runs.filter(({ problem }) => problem === undefined)
  const isFired = ({ opened }: RunOutcome) => opened.some((name) => counts.includes(name))
  const fired = valid.filter(isFired).length
  const of = valid.length
  const others: Record<string, number> = {}
  for (const { opened } of valid.filter((run) => !isFired(run))) {
    for (const name of opened) others[name] = (others[name] ?? 0) + 1
  }
  if (of === 0) return { verdict: 'no result', fired, of, others, isFlaky: false }
  const isMostly = fired * 2 >= of
  const verdict = isMostly ? 'fired' : Object.keys(others).length > 0 ? 'another fired' : 'not fired'
  const isRight = expects === 'fires' ? isMostly : fired * 2 < of
  return { verdict, fired, of, others, isRight, isFlaky: fired > 0 && fired < of, interval: shareInterval(fired, of) }
}

const Z = 1.96

/** Wilson's interval: it also holds for few runs. */
function shareInterval(hits: number, of: number): Interval {
  if (of === 0) return [0, 1]
  const share = hits / of
  const bottom = 1 + (Z * Z) / of
  const middle = (share + (Z * Z) / (2 * of)) / bottom
  const half = (Z * Math.sqrt((share * (1 - share)) / of + (Z * Z) / (4 * of * of))) / bottom
  return [round(Math.max(0, middle - half)), round(Math.min(1, middle + half))]
}

/** Newcombe's interval of the difference of two shares. */
function differenceInterval(a: Hits, b: Hits): Interval {
  const [p, q] = [a, b].map(({ held, of }) => (of === 0 ? 0 : held / of)) as [number, number]
  const [[lowA, highA], [lowB, highB]] = [shareInterval(a.held, a.of), shareInterval(b.held, b.of)]
  const low = p - q - Math.hypot(p - lowA, highB - q)
  const high = p - q + Math.hypot(highA - p, q - lowB)
  return [round(Math.max(-1, low)), round(Math.min(1, high))]
}

interface Hits {
  held: number
  of: number
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** One side of a comparison: the assertions that held, and what the runs took on average. */
export interface Side extends Hits {
  runs: number
  turns: number
  tokens?: number
  seconds: number
}

/** The same task without and with a skill. */
export interface Comparison {
  skill: string
  prompt: string
  agent: string
  version?: string
  without: Side
  with: Side
  /** Of the share that held: with minus without. */
  difference: Interval
  /** Whether these runs show anything. */
  shows: 'helps' | 'harms' | 'nothing'
  /** Assertions that were not checked, and why. */
  unchecked: string[]
}

export function compareSides(without: Side, with_: Side): Pick<Comparison, 'difference' | 'shows'> {
  const difference = differenceInterval(with_, without)
  return { difference, shows: difference[0] > 0 ? 'helps' : difference[1] < 0 ? 'harms' : 'nothing' }
}
