import { type Definition, findDefinitions } from './definitions.ts'

/** A part of a text: from one heading to the next or, in code, from one definition to the next. */
export interface Section {
  /** Its lines, counted from 1, both included. */
  from: number
  to: number
  /** The last line of it and of the sections below it. */
  end: number
  text: string
  /** Its heading; empty before the first heading, and in code. */
  title: string
  /** The level of its heading, from 1; 0 without one. */
  level: number
  /** How many of its first lines are its heading. */
  height: number
  /** What it defines, in code. Several definitions if only comments stand between them. */
  symbols: readonly Definition[]
}

/** The start of a section. Its line is counted from 0. */
interface Start extends Pick<Section, 'title' | 'level' | 'height' | 'symbols'> {
  line: number
}

/**
 * Cuts a text at its headings or definitions. The file name tells its form. The sections cover the text in order: joined,
 * they give it back. `firstLine`: the number of the first line, if the text is a part of a file.
 */
export function cut(path: string, text: string, firstLine = 1): Section[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const starts = findStarts(path, lines, firstLine)
  if (starts[0]?.line !== 0 && lines.length > 0) starts.unshift(startAt(0, 0, '', 0))
  const sections: Section[] = []
  const open: Section[] = []
  let [line, offset] = [0, 0]
  starts.forEach((start, at) => {
    const next = starts[at + 1]?.line ?? lines.length
    const from = offset
    for (; line < next; line++) offset += lines[line]!.length + 1
    while (open.length > 0 && open.at(-1)!.level >= start.level) open.pop()!.end = firstLine + start.line - 1
    const { line: first, ...heading } = start
    const to = firstLine + next - 1
    const end = heading.level === 0 ? to : firstLine + lines.length - 1
    const section = { from: firstLine + first, to, end, text: text.slice(from, offset), ...heading }
    sections.push(section)
    if (heading.level > 0) open.push(section)
  })
  return sections
}

const MARKDOWN = /\.(?:md|mdx|mdc|markdown)$/i
const TEXT_FILE = /\.txt$/i

/**
 * `#` in Markdown, `=` in AsciiDoc, an underlined title in reStructuredText. A plain or Markdown text without hashes may
 * underline its titles too. Everything else is code.
 */
function findStarts(path: string, lines: readonly string[], firstLine: number): Start[] {
  if (/\.rst$/i.test(path)) return findUnderlined(lines)
  if (/\.(?:adoc|asciidoc)$/i.test(path)) return findEqualSigns(lines)
  if (!MARKDOWN.test(path) && !TEXT_FILE.test(path)) {
    return findDefinitions(path, lines, firstLine).map(({ line, symbols }) => ({ ...startAt(line, 0, '', 0), symbols }))
  }
  const hashes = findHashes(lines)
  // A single hash is a comment in many plain texts: `requirements.txt`, `CMakeLists.txt`.
  const isMarked = TEXT_FILE.test(path) ? hashes.some(({ level }) => level > 1) : hashes.length > 0
  return isMarked ? hashes : findUnderlined(lines)
}

function startAt(line: number, level: number, title: string, height = 1): Start {
  return { line, level, title, height, symbols: [] }
}

/** Headings with leading hashes, outside code blocks, comments and frontmatter. */
function findHashes(lines: readonly string[]): Start[] {
  const found: Start[] = []
  let fence: string | undefined
  let isComment = false
  for (let line = endOfFrontmatter(lines); line < lines.length; line++) {
    const text = lines[line]!
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
      const [, hashes, title = ''] = /^ {0,3}(#{1,6})(?=[ \t\r]|$)(.*)/.exec(text) ?? []
      // `## Title {#its-link}`: the name of the link is not part of the title.
      const plain = withoutClosing(title.trim()).replace(/\s*\{#[\w.:-]{1,100}\}$/, '')
      if (hashes !== undefined) found.push(startAt(line, hashes.length, plain))
    }
  }
  return found
}

/** Without the closing hashes of a heading. */
function withoutClosing(title: string): string {
  let end = title.length
  while (title[end - 1] === '#') end--
  return end === 0 || title[end - 1] === ' ' || title[end - 1] === '\t' ? title.slice(0, end).trim() : title
}

function endOfFrontmatter(lines: readonly string[]): number {
  if (lines[0]?.replace('\ufeff', '').trim() !== '---') return 0
  const end = lines.findIndex((line, at) => at > 0 && line.trim() === '---')
  return end < 0 ? 0 : end + 1
}

/** Every style of line is a level of its own, in order of first use. */
function findUnderlined(lines: readonly string[]): Start[] {
  const styles: string[] = []
  const found: Start[] = []
  let end = 0
  for (let at = 0; at + 1 < lines.length; at++) {
    const title = lines[at]!.trimEnd()
    const below = drawn(lines[at + 1]!)
    if (title === '' || below === undefined || below.length < title.trim().length || drawn(title) !== undefined)
      continue
    // The line above may be the one below the heading before.
    const isBoxed = at > end && drawn(lines[at - 1]!) === below
    if (!isBoxed && (/^\s/.test(title) || (at !== end && lines[at - 1]!.trim() !== ''))) continue
    const style = `${isBoxed ? 'boxed ' : ''}${below[0]}`
    if (!styles.includes(style)) styles.push(style)
    found.push(startAt(isBoxed ? at - 1 : at, styles.indexOf(style) + 1, title.trim(), isBoxed ? 3 : 2))
    end = at + 2
  }
  return found
}

/** A line of one repeated punctuation character. */
function drawn(line: string): string | undefined {
  const text = line.trimEnd()
  return /^([=\-~`.^"'*+#:_])\1{2,}$/.test(text) ? text : undefined
}

/** Headings with leading equal signs, outside blocks of code and comments. */
function findEqualSigns(lines: readonly string[]): Start[] {
  const found: Start[] = []
  let block: string | undefined
  for (const [line, written] of lines.entries()) {
    const text = written.trimEnd()
    if (block !== undefined) {
      if (text === block) block = undefined
    } else if (/^(?:-{4,}|\.{4,}|\+{4,}|\/{4,})$/.test(text)) block = text
    else {
      const [, signs, title = ''] = /^(={1,6})[ \t]+(\S.*)$/.exec(text) ?? []
      if (signs !== undefined) found.push(startAt(line, signs.length, title))
    }
  }
  return found
}
