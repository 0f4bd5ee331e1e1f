import { insideOf, type Line, plain, type Size, styled } from '../frame/line.ts'
import { problemLines, textPane, unifiedLines } from '../frame/rows.ts'
import { type Model, shortPath } from '../model.ts'

export function viewDiff(model: Model, size: Size): Line[] {
  const { name, value, at } = model.diff
  const title = value === undefined || value.differences.length === 0 ? name : `${name}: library → installed`
  return textPane(styled(title, 'strong'), diffLines(model, insideOf(size).columns), at, size)
}

/** How every installed copy differs. */
export function diffLines(model: Model, columns: number): Line[] {
  const { value } = model.diff
  if (value === undefined) return problemLines(model.problems.diff, 'comparing…', columns)
  if (value.differences.length === 0) return [plain('No installed copy differs from the library.')]
  return value.differences.flatMap(({ agents, path, text }): Line[] => [
    styled(`${agents.join(', ')}  ${shortPath(model, path)}`, 'strong'),
    ...unifiedLines(text),
  ])
}
