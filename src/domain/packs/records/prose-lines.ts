/** For each line whether it is prose: not part of a code block or of a comment, at whatever depth of a list. */
export function findProse(lines: readonly string[]): boolean[] {
  let fence: string | undefined
  let isComment = false
  return lines.map((line) => {
    const mark = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})/.exec(line.slice(0, 400))?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      return false
    }
    if (isComment) {
      isComment = !line.includes('-->')
      return false
    }
    if (mark !== undefined) {
      fence = mark
      return false
    }
    const start = line.lastIndexOf('<!--')
    isComment = start !== -1 && !line.includes('-->', start)
    return !/^\s*<!--/.test(line)
  })
}

/** A piece of code within a line of prose. */
export interface CodeSpan {
  text: string
  from: number
  to: number
}

/** Longer texts are no sentence that anybody wrote; the limit keeps a hostile one cheap. */
const LONGEST_SENTENCE = 4000

/** What stands between backticks, as many before as behind. */
export function findCodeSpans(text: string): CodeSpan[] {
  const runs = [...text.slice(0, LONGEST_SENTENCE).matchAll(/`+/g)]
  const spans: CodeSpan[] = []
  for (let at = 0; at < runs.length; at++) {
    const [open, from] = [runs[at]![0], runs[at]!.index]
    const end = runs.findIndex((run, other) => other > at && run[0] === open)
    if (end === -1) continue
    const to = runs[end]!.index + open.length
    spans.push({ text: text.slice(from + open.length, to - open.length).trim(), from, to })
    at = end
  }
  return spans
}

/** A text with its code taken out, place for place, by blanks. */
export function withoutCode(text: string): string {
  let prose = text
  for (const { from, to } of findCodeSpans(text)) {
    prose = prose.slice(0, from) + ' '.repeat(to - from) + prose.slice(to)
  }
  return prose
}
