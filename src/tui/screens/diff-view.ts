import { insideOf, type Line, plain, type Size, styled } from '../frame/line.ts'
import { textPane } from '../frame/list.ts'
import type { Model } from '../model.ts'
import { problemLines } from './problem-lines.ts'

export function viewDiff(model: Model, size: Size): Line[] {
  const { name, value, at } = model.diff
  const title = value === undefined || value.differences.length === 0 ? name : `${name}: library → installed`
  return textPane(styled(title, 'strong'), diffLines(model, insideOf(size).columns), at, size)
}

/** How every installed copy differs. */
export function diffLines({ diff, problems }: Model, columns: number): Line[] {
  const { value } = diff
  if (value === undefined) return problemLines(problems.diff, 'comparing…', columns)
  if (value.differences.length === 0) return [plain('No installed copy differs from the library.')]
  return value.differences.flatMap(({ agents, path, text }): Line[] => [
    styled(`${agents.join(', ')}  ${path}`, 'strong'),
    ...text.trimEnd().split('\n').map(diffLine),
  ])
}

function diffLine(line: string): Line {
  // One column for the sign: a tab behind it must not be lost.
  const text = line.replaceAll('\t', '    ')
  if (line.startsWith('+')) return styled(text, 'good')
  if (line.startsWith('-')) return styled(text, 'alert')
  return line.startsWith('@@') ? styled(text, 'accent') : plain(text)
}
