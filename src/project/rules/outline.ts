import { findHeadings } from '../../text/sections.ts'

/** A definition or heading of a file, and its line, from 0. */
export interface Definition {
  line: number
  name: string
  isHeading: boolean
  /** Its indentation. 0: at the top level of the file. */
  depth: number
}

const MODIFIERS =
  '(?:(?:export|default|declare|pub(?:\\([^)]*\\))?|public|private|protected|static|async|abstract|local|unsafe|override|final|internal|open|readonly|extern(?: "[^"]*")?|inline|virtual|sealed|partial|suspend|data)\\s+)*'
const KEYWORDS =
  'def|class|function\\*?|func|fn|struct|enum|trait|interface|type|const|let|var|impl|mod|module|fun|object|val|macro_rules!|namespace|union|record|protocol|extension|defmodule|defp|static|#define'
const DEFINITION = new RegExp(
  `^([ \\t]*)${MODIFIERS}(${KEYWORDS})(?:\\s+|(?=<))(?:\\([^)]{0,200}\\)\\s*)?(?:<[^>]{0,200}>\\s*)?(?:[A-Za-z_$][\\w$]*(?:\\.|::))*([A-Za-z_$][\\w$]*)`,
)
const METHOD =
  /^([ \t]{1,8})(?:(?:public|private|protected|static|async|override|readonly|get|set|final|virtual|synchronized)\s+)*(?:[A-Za-z_][\w<>[\],.?]*\s+)?(#?[A-Za-z_$][\w$]*)\s*(?:<[^>]{0,200}>)?\([^;]{0,300}\)\s*(?:(?::|throws\b|const\b|noexcept\b)[^{;]{0,200})?\{\s*$/
/** In C, the return type precedes the name, and the brace is often on the next line. */
const C_FUNCTION =
  /^(?!(?:return|else|if|for|while|switch|case|goto|typedef|using)\b)[A-Za-z_][\w:<>,*& \t]{0,120}?[*& \t:]([A-Za-z_]\w*)\s*\([^;=]{0,300}$/
const NOT_METHODS = new Set(
  'if for while switch catch return else do try with function new await typeof match loop unless foreach elif'.split(
    ' ',
  ),
)
const LOCAL = new Set(['const', 'let', 'var', 'val', 'static', 'type'])
const LONGEST_LINE = 300
const DEEPEST = 8

const MARKDOWN = /\.(?:md|mdx|markdown)$/i
const RST = /\.(?:rst|txt)$/i
const C_LIKE = /\.(?:c|h|cc|hh|cpp|hpp|cxx|hxx|m|mm|cu)$/i
const ASCIIDOC = /\.(?:adoc|asciidoc)$/i

/** The definitions of a file, in the order of its lines, by patterns that fit most languages. */
export function outlineOf(path: string, lines: readonly string[]): Definition[] {
  if (MARKDOWN.test(path)) {
    return findHeadings(lines).map(({ line, level, title }) => heading(line, title, level - 1))
  }
  if (RST.test(path)) return underlined(lines)
  if (ASCIIDOC.test(path)) return lines.flatMap((text, line) => asciidocHeading(text, line) ?? [])
  const isCLike = C_LIKE.test(path)
  return lines.flatMap((text, line) => definitionIn(text, line, isCLike) ?? [])
}

function heading(line: number, name: string, depth: number): Definition {
  return { line, name, isHeading: true, depth }
}

function asciidocHeading(text: string, line: number): Definition | undefined {
  const found = /^(={1,6})\s+(\S.*)$/.exec(text)
  return found === null ? undefined : heading(line, found[2] ?? '', (found[1] ?? '').length - 1)
}

const UNDERLINE = /^([=\-~^"'#*+.`:])\1{2,}\s*$/

/** reStructuredText: the depth of a mark follows from the order of first use. */
function underlined(lines: readonly string[]): Definition[] {
  const marks: string[] = []
  const found: Definition[] = []
  for (let line = 1; line < lines.length; line++) {
    const mark = UNDERLINE.exec(lines[line] ?? '')?.[1]
    const title = (lines[line - 1] ?? '').trim()
    if (mark === undefined || title === '' || UNDERLINE.test(title)) continue
    if ((lines[line] ?? '').trim().length < title.length * 0.8) continue
    if (!marks.includes(mark)) marks.push(mark)
    found.push(heading(line - 1, title, marks.indexOf(mark)))
  }
  return found
}

function definitionIn(text: string, line: number, isCLike: boolean): Definition | undefined {
  if (text.length > LONGEST_LINE) return undefined
  const inC = isCLike ? C_FUNCTION.exec(text)?.[1] : undefined
  if (inC !== undefined) return { line, name: inC, isHeading: false, depth: 0 }
  const [, indent = '', keyword = '', name = ''] = DEFINITION.exec(text) ?? []
  if (name !== '' && indent.length <= DEEPEST && (indent === '' || !LOCAL.has(keyword))) {
    return { line, name, isHeading: false, depth: indent === '' ? 0 : 1 }
  }
  const method = METHOD.exec(text)?.[2]
  if (method === undefined || NOT_METHODS.has(method)) return undefined
  return { line, name: method, isHeading: false, depth: 1 }
}
