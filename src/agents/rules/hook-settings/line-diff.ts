const CONTEXT = 2
/** With more pairs of lines the comparison takes too long; then all lines in the middle count as changed. */
const MOST_PAIRS = 4_000_000

interface Line {
  sign: ' ' | '+' | '-'
  text: string
}

/** The diff of two texts by lines, with two lines of context. */
export function diffLines(before: string, after: string): string {
  const [old, young] = [linesOf(before), linesOf(after)]
  let head = 0
  while (head < old.length && head < young.length && old[head] === young[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < young.length - head && old.at(-1 - tail) === young.at(-1 - tail)) tail++
  const middle = compare(old.slice(head, old.length - tail), young.slice(head, young.length - tail))
  const all = [...same(old.slice(0, head)), ...middle, ...same(old.slice(old.length - tail))]
  return withContext(all)
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function same(lines: readonly string[]): Line[] {
  return lines.map((text) => ({ sign: ' ', text }))
}

/** By the longest common subsequence. */
function compare(old: readonly string[], young: readonly string[]): Line[] {
  const all: Line[] = []
  const width = young.length + 1
  const isShort = old.length * young.length <= MOST_PAIRS
  const common = new Uint32Array(isShort ? (old.length + 1) * width : 0)
  for (let i = old.length - 1; isShort && i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === young[j]
          ? 1 + (common[(i + 1) * width + j + 1] ?? 0)
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0)
    }
  }
  let [i, j] = [0, 0]
  while (i < old.length || j < young.length) {
    const isSame = isShort && i < old.length && old[i] === young[j]
    const goesOld = j >= young.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0)
    if (isSame) all.push({ sign: ' ', text: old[i++]! }) && j++
    else if (i < old.length && goesOld) all.push({ sign: '-', text: old[i++]! })
    else all.push({ sign: '+', text: young[j++]! })
  }
  return all
}

function withContext(lines: readonly Line[]): string {
  const changed = lines.flatMap(({ sign }, at) => (sign === ' ' ? [] : [at]))
  const shown = lines.map((_, at) => changed.some((each) => Math.abs(each - at) <= CONTEXT))
  return lines
    .flatMap(({ sign, text }, at) => {
      if (!shown[at]) return []
      return [...(at > 0 && !shown[at - 1] ? ['  ...'] : []), `${sign} ${text}`]
    })
    .join('\n')
}
