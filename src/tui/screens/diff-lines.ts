import { type Line, plain, styled } from '../frame/line.ts'

/** A unified difference; added and removed lines keep their signs. */
export function unifiedLines(text: string): Line[] {
  const lines = text.trimEnd().split('\n')
  return lines.filter((line) => !/^(?:diff --git|index [0-9a-f]+\.\.)/.test(line)).map(diffLine)
}

function diffLine(line: string): Line {
  // One column for the sign: a tab behind it must not be lost.
  const text = line.replaceAll('\t', '    ')
  if (line.startsWith('+')) return styled(text, 'good')
  if (line.startsWith('-')) return styled(text, 'alert')
  return line.startsWith('@@') ? styled(text, 'accent') : plain(text)
}
