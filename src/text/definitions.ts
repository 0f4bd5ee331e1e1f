/** A definition in code, and its line. */
export interface Definition {
  name: string
  line: number
}

interface DefinedSection {
  /** Where it starts, counted from 0. */
  line: number
  symbols: Definition[]
}

const MODIFIERS =
  '(?:(?:export|default|declare|pub(?:\\([^)]*\\))?|public|private|protected|static|async|abstract|local|unsafe|override|final|internal|open|readonly|extern(?: "[^"]*")?|inline|virtual|sealed|partial|suspend|data)\\s+)*'
const KEYWORDS =
  'def|class|function\\*?|func|fn|struct|enum|trait|interface|type|const|let|var|impl|mod|module|fun|object|val|macro_rules!|namespace|union|record|protocol|extension|defmodule|defp|static|#define'
const DEFINITION = new RegExp(
  `^([ \\t]*)${MODIFIERS}(${KEYWORDS})(?:\\s+|(?=<))(?:\\([^)]{0,200}\\)\\s*)?(?:<[^>]{0,200}>\\s*)?(?:[A-Za-z_$][\\w$]*(?:\\.|::))*([A-Za-z_$][\\w$]*)`,
)
const METHOD =
  /^[ \t]{1,8}(?:(?:public|private|protected|static|async|override|readonly|get|set|final|virtual|synchronized)\s+)*(?:([A-Za-z_][\w<>[\],.?]*)\s+)?(#?[A-Za-z_$][\w$]*)\s*(?:<[^>]{0,200}>)?\([^;]{0,300}\)\s*(?:(?::|throws\b|const\b|noexcept\b)[^{;]{0,200})?\{\s*$/
/** In C, the return type precedes the name, and the brace is often on the next line. */
const C_FUNCTION =
  /^(?!(?:return|else|if|for|while|switch|case|goto|typedef|using)\b)[A-Za-z_][\w:<>,*& \t]{0,120}?[*& \t:]([A-Za-z_]\w*)\s*\([^;=]{0,300}$/
/** They start a block or an expression: `return func(…) {`, `if isReady(…) {`, `when (…) {`. */
const NOT_METHODS = new Set(
  'if for while switch catch return else do try with let var const val function func fun fn new await typeof match loop unless foreach elif when until case select defer go guard using lock synchronized yield throw assert super this not and or in is as'.split(
    ' ',
  ),
)
const LOCAL = new Set(['const', 'let', 'var', 'val', 'static', 'type'])

/** Its long comments are indented like code, and their lines may begin with any word. */
const PYTHON = /\.pyi?$/i
const PYTHON_DEFINITION = /^\s*(?:async\s+)?(?:def|class|type)\s+\w+\s*[(:[=]/
const C_LIKE = /\.(?:c|h|cc|hh|cpp|hpp|cxx|hxx|m|mm|cu)$/i

/** A definition starts with the comment and the decorators above it. */
const ABOVE = /^\s*(?:\/\/|\/\*|\*|#|@|"""|'''|--|;|<!--|\[)/

/** A function up to this many lines is one section with the functions inside it. */
const WHOLE_LINES = 60
const FUNCTION = /^\s*(?!.*\bclass\s)(?:.*\b(?:def|defp|function\*?|func|fun|fn)\b|.*=>|.*\)[^;]*\{\s*$|.*\($)/
/** Lines that do not end the function above, although they are not indented deeper. */
const CONTINUES = /^\s*(?:[)}\]{]|$)/

/** The sections of code, by patterns that fit most languages. */
export function findDefinitions(path: string, lines: readonly string[], firstLine: number): DefinedSection[] {
  const isCLike = C_LIKE.test(path)
  const isPython = PYTHON.test(path)
  const found: (DefinedSection & { isInner: boolean })[] = []
  let before = -1
  // The indent of the function that a line may be inside.
  let outer = Number.POSITIVE_INFINITY
  for (const [line, text] of lines.entries()) {
    const indent = text.length - text.trimStart().length
    const isInner = indent > outer
    if (!isInner && !CONTINUES.test(text)) outer = Number.POSITIVE_INFINITY
    const name = isPython && !PYTHON_DEFINITION.test(text) ? undefined : nameIn(text, isCLike)
    if (name === undefined) continue
    if (!isInner && FUNCTION.test(text)) outer = indent
    let start = line
    while (start > before + 1 && ABOVE.test(lines[start - 1]!)) start--
    // Lines such as `#define` are both: the definition before starts where this one would.
    const isSame = start === before + 1 && before >= 0 && ABOVE.test(lines[before]!)
    if (!isSame) found.push({ line: start, symbols: [], isInner })
    found.at(-1)!.symbols.push({ name, line: firstLine + line })
    before = line
  }
  return joinInner(found, lines.length)
}

function joinInner(found: readonly (DefinedSection & { isInner: boolean })[], lines: number): DefinedSection[] {
  const joined: DefinedSection[] = []
  for (let at = 0; at < found.length; ) {
    let next = at + 1
    while (found[next]?.isInner) next++
    const isWhole = (found[next]?.line ?? lines) - found[at]!.line <= WHOLE_LINES
    const own = found.slice(at, next)
    if (isWhole) joined.push({ line: found[at]!.line, symbols: own.flatMap(({ symbols }) => symbols) })
    else joined.push(...own)
    at = next
  }
  return joined
}

function nameIn(text: string, isCLike: boolean): string | undefined {
  if (text.length > 300) return undefined
  const inC = isCLike ? C_FUNCTION.exec(text)?.[1] : undefined
  if (inC !== undefined) return inC
  const [, indent = '', keyword = '', name = ''] = DEFINITION.exec(text) ?? []
  if (name !== '' && indent.length <= 8 && (indent === '' || !LOCAL.has(keyword))) return name
  const [, type = '', method = ''] = METHOD.exec(text) ?? []
  return method === '' || NOT_METHODS.has(method) || NOT_METHODS.has(type) ? undefined : method
}
