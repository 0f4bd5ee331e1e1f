import { Session } from 'node:inspector'

interface Coverage {
  result: { functions: { ranges: { count: number }[] }[] }[]
}

const session = new Session()
session.connect()

// Answers of an inspector in the same thread arrive before `post` returns.
function ask(method: string, values: object = {}): unknown {
  let answer: unknown
  session.post(method, values, (_, result) => {
    answer = result
  })
  return answer
}

// Only functions that are compiled from now on count their blocks.
ask('Profiler.enable')
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/**
 * The work of a function, the same on every machine: how often each block of code ran, how many characters patterns and
 * searches passed, and how many items loops and spreads of arrays took. What a pattern does with one character is not
 * counted.
 */
export function countSteps(run: () => unknown): number {
  let passed = 0
  const { exec } = RegExp.prototype
  const { indexOf } = String.prototype
  const items = Object.getPrototypeOf([][Symbol.iterator]())
  const { next } = items
  items.next = function (): unknown {
    passed++
    return next.call(this)
  }
  RegExp.prototype.exec = function (text) {
    const from = this.global || this.sticky ? this.lastIndex : 0
    const found = exec.call(this, text)
    const end = found === null ? (this.sticky ? from : String(text).length) : found.index + found[0].length
    passed += 1 + Math.max(0, end - from)
    return found
  }
  String.prototype.indexOf = function (what, from = 0) {
    const at = indexOf.call(this, what, from)
    passed += 1 + (at < 0 ? this.length : at) - from
    return at
  }
  try {
    // Taking the counts sets them to 0.
    ask('Profiler.takePreciseCoverage')
    run()
    const { result } = ask('Profiler.takePreciseCoverage') as Coverage
    const blocks = result.flatMap(({ functions }) =>
      functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)),
    )
    return passed + blocks.reduce((sum, count) => sum + count, 0)
  } finally {
    Object.assign(RegExp.prototype, { exec })
    Object.assign(String.prototype, { indexOf })
    Object.assign(items, { next })
  }
}
