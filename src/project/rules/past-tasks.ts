import { leftOutByPath, roleOf } from './candidates.ts'

/** A past commit as a task with a known answer. */
export interface PastTask {
  commit: string
  /** The commit before it: the tree in which the task starts. */
  base: string
  task: string
  /** The changed files that existed before, without tests, changelogs and files that are never shown. */
  files: readonly string[]
}

export const PAST_FORMAT = '--format=%x01%H%x02%P%x02%<(300,trunc)%s%x03'

const ROUTINE =
  /^(?:merge|revert|release|bump|v?\d+\.\d+|update dependenc|(?:chore|build|fix)\(deps|deps:|style|fmt|typo|lint|prepare|version packages|\[?pre-commit)|dependabot|renovate|changelog/i
const MOST_CHANGES = 12
const MOST_FILES = 5
const SHORTEST = 18
const FEWEST_WORDS = 4

/** Parses the output of `git log --name-status -z` with PAST_FORMAT. Skips commits that are not usable as tasks. */
export function readPastTasks(log: string, prefix: string): PastTask[] {
  return log
    .split('\x01')
    .slice(1)
    .flatMap((block): PastTask[] => {
      const [head = '', list = ''] = block.split('\x03')
      const [commit = '', parents = '', subject = ''] = head.split('\x02')
      const base = parents.split(' ')[0] ?? ''
      const task = subject.trim().replace(/\s*\(?#\d+\)?$/, '')
      if (base === '' || ROUTINE.test(task) || task.length < SHORTEST || task.split(/\s+/).length < FEWEST_WORDS)
        return []
      const changes = readChanges(list)
      if (changes.length > MOST_CHANGES) return []
      const files = changes.flatMap(([status, path]) => {
        if (status !== 'M' || !path.startsWith(prefix)) return []
        const { isTest, isLog } = roleOf(path)
        return isTest || isLog || leftOutByPath(path) !== undefined ? [] : [path.slice(prefix.length)]
      })
      return files.length === 0 || files.length > MOST_FILES ? [] : [{ commit, base, task, files }]
    })
}

function readChanges(list: string): [status: string, path: string][] {
  const fields = list
    .split('\0')
    .map((field) => field.replace(/^\n/, ''))
    .filter((field) => field !== '')
  const changes: [string, string][] = []
  for (let at = 0; at + 1 < fields.length; at += 2) changes.push([fields[at]!, fields[at + 1]!])
  return changes
}

/** The old lines that a commit changed, from `git diff -U0`; for a pure insertion the line above it. */
export function readChangedLines(diff: string, prefix: string): Map<string, number[]> {
  const lines = new Map<string, number[]>()
  let file = ''
  for (const line of diff.split('\n')) {
    if (line.startsWith('--- a/')) file = line.slice(6 + prefix.length)
    const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line)
    if (hunk === null || file === '') continue
    const from = Number(hunk[1])
    const count = hunk[2] === undefined ? 1 : Number(hunk[2])
    const changed = count === 0 ? [from] : Array.from({ length: count }, (_, at) => from + at)
    lines.set(file, [...(lines.get(file) ?? []), ...changed])
  }
  return lines
}

/** Shares, from 0 to 1. */
export interface Recall {
  first: number
  five: number
  all: number
  /** Undefined when no line of some length was changed. */
  lines: number | undefined
}

/** Of at least one row. */
export function meanRecall(rows: readonly Recall[]): Recall {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
  const lines = rows.flatMap((row) => row.lines ?? [])
  return {
    first: mean(rows.map(({ first }) => first)),
    five: mean(rows.map(({ five }) => five)),
    all: mean(rows.map(({ all }) => all)),
    lines: lines.length === 0 ? undefined : mean(lines),
  }
}

/** Which lines of which file are shown, from 1. */
export type LineRanges = Map<string, { start: number; end: number }[]>

const SHORTEST_LINE = 8

/** The share of the changed lines that is shown. Ignores brackets and empty lines. */
export function shareOfLines(
  changed: ReadonlyMap<string, readonly number[]>,
  shown: LineRanges,
  linesOf: (path: string) => readonly string[],
): number | undefined {
  let [all, found] = [0, 0]
  for (const [path, numbers] of changed) {
    const lines = linesOf(path)
    for (const number of numbers) {
      if ((lines[number - 1] ?? '').trim().length < SHORTEST_LINE) continue
      all++
      if (shown.get(path)?.some(({ start, end }) => number >= start && number <= end)) found++
    }
  }
  return all === 0 ? undefined : found / all
}
