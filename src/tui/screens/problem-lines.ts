import { type Line, wrapped } from '../frame/line.ts'
import type { Notice } from '../model.ts'

/** Why there is nothing to see, and what to do; else what is being waited for. */
export function problemLines(problem: Notice | undefined, otherwise: string, columns: number): Line[] {
  if (problem === undefined) return wrapped(otherwise, columns)
  const hint = wrapped(problem.hint ?? '', columns)
  return [...wrapped(problem.text, columns, 'alert'), ...(hint.length > 0 ? [[], ...hint] : [])]
}
