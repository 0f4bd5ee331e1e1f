/** A Markdown file cut at its headings. Joining the texts gives the file back. */
export interface Section {
  /** Empty for the text before the first heading. */
  heading: string
  /** How many hashes the heading has; 0 before the first. */
  level: number
  text: string
}

/** Splits at headings of a level and above; by default at the highest level that occurs more than once. */
export function splitSections(markdown: string, level?: number): Section[] {
  const lines = markdown.split(/(?<=\n)/)
  const headings = findHeadings(lines)
  const depth = level ?? busiestLevel(headings.map((heading) => heading.level))
  const sections: Section[] = []
  let from = 0
  let start: Pick<Section, 'heading' | 'level'> = { heading: '', level: 0 }
  for (const heading of headings) {
    if (heading.level > depth) continue
    if (heading.line > from) sections.push({ ...start, text: lines.slice(from, heading.line).join('') })
    start = { heading: heading.title, level: heading.level }
    from = heading.line
  }
  if (from < lines.length && markdown !== '') sections.push({ ...start, text: lines.slice(from).join('') })
  return sections
}

export interface Heading {
  line: number
  level: number
  title: string
}

/** Headings with leading hashes, outside code blocks, comments and frontmatter. */
export function findHeadings(lines: readonly string[]): Heading[] {
  const headings: Heading[] = []
  let fence: string | undefined
  let isComment = false
  for (let line = endOfFrontmatter(lines); line < lines.length; line++) {
    const text = lines[line] ?? ''
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && text.trim() === mark) fence = undefined
    } else if (isComment) {
      isComment = !text.includes('-->')
    } else if (mark !== undefined) {
      fence = mark
    } else if (/^ {0,3}<!--/.test(text) && !text.includes('-->')) {
      isComment = true
    } else {
      const found = /^ {0,3}(#{1,6})(?=[ \t\r\n]|$)(.*)/.exec(text)
      if (found?.[1] !== undefined) headings.push({ line, level: found[1].length, title: titleOf(found[2] ?? '') })
    }
  }
  return headings
}

/** Without the closing hashes of a heading. */
function titleOf(text: string): string {
  const title = text.trim()
  let end = title.length
  while (title[end - 1] === '#') end--
  return end === 0 || title[end - 1] === ' ' || title[end - 1] === '\t' ? title.slice(0, end).trim() : title
}

function endOfFrontmatter(lines: readonly string[]): number {
  if (lines[0]?.replace('\ufeff', '').trim() !== '---') return 0
  const end = lines.findIndex((line, at) => at > 0 && line.trim() === '---')
  return end < 0 ? 0 : end + 1
}

function busiestLevel(levels: readonly number[]): number {
  const repeated = [1, 2, 3, 4, 5, 6].find((level) => levels.filter((other) => other === level).length > 1)
  return repeated ?? Math.min(...levels, 6)
}
