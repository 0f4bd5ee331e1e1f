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
  'if for while switch catch return else do try with function func fun fn new await typeof match loop unless foreach elif when until case select defer go guard using lock synchronized yield throw assert super this not and or in is as'.split(
    ' ',
  ),
)
const LOCAL = new Set(['const', 'let', 'var', 'val', 'static', 'type'])
const LONGEST_LINE = 300
const DEEPEST = 8

const C_LIKE = /\.(?:c|h|cc|hh|cpp|hpp|cxx|hxx|m|mm|cu)$/i

/** A definition starts with the comment and the decorators above it. */
const ABOVE = /^\s*(?:\/\/|\/\*|\*|#|@|"""|'''|--|;|<!--|\[)/

/** The sections of code, by patterns that fit most languages. */
export function findDefinitions(path: string, lines: readonly string[], firstLine: number): DefinedSection[] {
  const isCLike = C_LIKE.test(path)
  const found: DefinedSection[] = []
  let before = -1
  for (const [line, text] of lines.entries()) {
    const name = nameIn(text, isCLike)
    if (name === undefined) continue
    let start = line
    while (start > before + 1 && ABOVE.test(lines[start - 1]!)) start--
    // Lines such as `#define` are both: the definition before starts where this one would.
    const isSame = start === before + 1 && before >= 0 && ABOVE.test(lines[before]!)
    if (!isSame) found.push({ line: start, symbols: [] })
    found.at(-1)!.symbols.push({ name, line: firstLine + line })
    before = line
  }
  return found
}

function nameIn(text: string, isCLike: boolean): string | undefined {
  if (text.length > LONGEST_LINE) return undefined
  const inC = isCLike ? C_FUNCTION.exec(text)?.[1] : undefined
  if (inC !== undefined) return inC
  const [, indent = '', keyword = '', name = ''] = DEFINITION.exec(text) ?? []
  if (name !== '' && indent.length <= DEEPEST && (indent === '' || !LOCAL.has(keyword))) return name
  const [, type = '', method = ''] = METHOD.exec(text) ?? []
  return method === '' || NOT_METHODS.has(method) || NOT_METHODS.has(type) ? undefined : method
}
