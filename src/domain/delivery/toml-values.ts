/** Texts and switches of a TOML file by their path, its parts joined by a NUL. */
export type TomlValues = ReadonlyMap<string, string | boolean>

export function tomlPath(...parts: readonly string[]): string {
  return parts.join('\0')
}

const NAME = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+))\s*/y

/**
 * Reads what stands on a line of its own: `[table]`, `key = "text"`, `key = true`. Enough to see how a person has set a
 * switch; lists, tables in one line and texts over several are passed over.
 */
export function readToml(text: string): TomlValues {
  const values = new Map<string, string | boolean>()
  let table: string[] = []
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*(\[\[?)(.*?)\]\]?\s*(?:#.*)?$/.exec(line)
    if (header !== null) {
      table = readNames(header[2] ?? '', 0).names
      continue
    }
    const { names, end } = readNames(line, 0)
    const value = /^=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(true|false))\s*(?:#.*)?$/.exec(line.slice(end))
    if (names.length === 0 || value === null) continue
    const [, basic, literal, flag] = value
    const key = tomlPath(...table, ...names)
    values.set(key, flag === undefined ? (literal ?? readEscapes(basic ?? '')) : flag === 'true')
  }
  return values
}

/** Names with dots between them, as far as there are any. */
function readNames(text: string, start: number): { names: string[]; end: number } {
  const names: string[] = []
  let end = start
  for (;;) {
    NAME.lastIndex = end
    const found = NAME.exec(text)
    if (found === null) return { names, end }
    const [all, basic, literal, bare] = found
    names.push(bare ?? literal ?? readEscapes(basic ?? ''))
    end += all.length
    if (text[end] !== '.') return { names, end }
    end++
  }
}

function readEscapes(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}
