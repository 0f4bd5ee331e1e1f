import { endLine, harmlessLine, neutralise, removeInvisible } from '../../../text/fence.ts'
import type { PackWarning } from '../pack.ts'

/** Fenced text for a model, and the changes that made its content harmless. */
export interface Wrapper {
  text: string
  /** A value that content cannot guess; in the opening tag and in each line between files. */
  boundary: string
  neutralised: { path: string; line: number; count: number }[]
  removed: { path: string; count: number }[]
  /** One per file and kind, with the line of the first. */
  warnings: PackWarning[]
}

/** Makes text of a pack harmless for one wrapper, and counts the changes. */
export interface FenceLog extends Pick<Wrapper, 'neutralised' | 'removed'> {
  /** Text with several lines. `firstLine` is its first line in its file. */
  block(path: string, text: string, firstLine: number | undefined): string
  /** Text inside one of our own lines. */
  line(path: string, text: string, longest?: number): string
  warnings(): PackWarning[]
}

export function createFenceLog(boundary: string): FenceLog {
  const neutralised: Wrapper['neutralised'] = []
  const removed: Wrapper['removed'] = []
  const placed = new Map<string, number>()
  const place = (kind: string, path: string, line: number | undefined) => {
    const key = `${kind} ${path}`
    if (line !== undefined) placed.set(key, Math.min(line, placed.get(key) ?? line))
  }
  return {
    neutralised,
    removed,
    block(path, text, firstLine) {
      const raw = text.replace(/\r\n?/g, '\n')
      const cleaned = removeInvisible(raw)
      const harmless = neutralise(cleaned.text, boundary)
      if (cleaned.firstAt !== undefined) {
        addTo(removed, path, cleaned.count)
        if (firstLine !== undefined) place('removed', path, firstLine + countLineEnds(raw, 0, cleaned.firstAt))
      }
      for (const { offset, count } of linesOf(cleaned.text, harmless.tokens)) {
        neutralised.push({ path, line: (firstLine ?? 1) + offset, count })
        if (firstLine !== undefined) place('neutralised', path, firstLine + offset)
      }
      return endLine(harmless.text)
    },
    line(path, text, longest) {
      const harmless = harmlessLine(text, boundary, longest)
      if (harmless.count > 0) neutralised.push({ path, line: 1, count: harmless.count })
      return harmless.text
    },
    warnings: () => [
      ...totals(neutralised).map(({ path, count }) =>
        fenceWarning('fence.neutralised', path, placed.get(`neutralised ${path}`), tokensMessage(count)),
      ),
      ...removed.map(({ path, count }) =>
        fenceWarning('fence.removed', path, placed.get(`removed ${path}`), charactersMessage(count)),
      ),
    ],
  }
}

function tokensMessage(count: number): string {
  return count === 1 ? 'a fence-like token was made harmless' : `${count} fence-like tokens were made harmless`
}

function charactersMessage(count: number): string {
  return count === 1
    ? 'a control or invisible character was removed'
    : `${count} control or invisible characters were removed`
}

function fenceWarning(
  code: 'fence.neutralised' | 'fence.removed',
  path: string,
  line: number | undefined,
  message: string,
): PackWarning {
  return { severity: 'warning', code, path, message, ...(line === undefined ? {} : { line }) }
}

function addTo(list: { path: string; count: number }[], path: string, count: number): void {
  const known = list.find((item) => item.path === path)
  if (known === undefined) list.push({ path, count })
  else known.count += count
}

function totals(list: readonly { path: string; count: number }[]): { path: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { path, count } of list) counts.set(path, (counts.get(path) ?? 0) + count)
  return [...counts].map(([path, count]) => ({ path, count }))
}

/** The number of tokens per line; lines are counted from 0. */
function linesOf(text: string, tokens: readonly { start: number }[]): { offset: number; count: number }[] {
  const lines: { offset: number; count: number }[] = []
  let [offset, from] = [0, 0]
  for (const { start } of tokens) {
    offset += countLineEnds(text, from, start)
    from = start
    const last = lines.at(-1)
    if (last?.offset === offset) last.count++
    else lines.push({ offset, count: 1 })
  }
  return lines
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}
