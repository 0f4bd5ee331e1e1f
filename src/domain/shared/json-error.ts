// One token each, from where the last one ended.
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they may not stand in a JSON string
  /[ \t\r\n]*(?:([{}[\],:])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'

/** Where a text stops being JSON. JSON.parse does not always say, and its message quotes the text. */
export function findJsonError(text: string): number {
  const open: string[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(text)
    const next: Expected | undefined = token === null ? undefined : accept(token, expected, open)
    if (next === undefined) return at + (/^[ \t\r\n]*/.exec(text.slice(at, at + 10_000))?.[0].length ?? 0)
    expected = next
    at = TOKEN.lastIndex
  }
}

/** What may follow, or undefined when the token may not stand here. `open` holds the brackets that are still open. */
function accept([, sign, string, other]: RegExpExecArray, expected: Expected, open: string[]): Expected | undefined {
  const isEnd = (sign === '}' && open.at(-1) === '{') || (sign === ']' && open.at(-1) === '[')
  if (isEnd && (expected === 'comma or end' || expected === (sign === '}' ? 'key or end' : 'value or end'))) {
    open.pop()
    return afterValue(open)
  }
  if (expected === 'key' || expected === 'key or end') return string === undefined ? undefined : 'colon'
  if (expected === 'colon') return sign === ':' ? 'value' : undefined
  if (expected === 'comma or end') return sign !== ',' ? undefined : open.at(-1) === '{' ? 'key' : 'value'
  if (expected === 'nothing') return undefined
  if (sign === '{' || sign === '[') {
    open.push(sign)
    return sign === '{' ? 'key or end' : 'value or end'
  }
  return string === undefined && other === undefined ? undefined : afterValue(open)
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? 'nothing' : 'comma or end'
}
