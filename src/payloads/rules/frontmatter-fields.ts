/**
 * The small language of payload frontmatter: texts, booleans, inline and block lists, and one level of nesting.
 * Parsed by hand on purpose: no YAML library, no evaluation, keys in maps so that none is special.
 */
type Scalar = string | boolean
export type Value = Scalar | string[] | Map<string, Scalar>

export function readFields(lines: readonly string[]): { fields: Map<string, Value>; problems: string[] } {
  const fields = new Map<string, Value>()
  const problems: string[] = []
  let indent: number | undefined
  let at = 0
  // After a list that no line closes, none of the lines below closes another one: each is read once.
  let lastLine = lines.length
  while (at < lines.length) {
    const line = lines[at] ?? ''
    at++
    if (isBlank(line)) continue
    indent ??= indentOf(line)
    if (indentOf(line) > indent) {
      // It belongs to the line above it, so it is not a field of the payload.
      problems.push(`"${line.trim()}" is ignored: an indented line belongs to the one above it`)
      continue
    }
    const pair = readPair(line)
    if (pair === undefined) {
      problems.push(`"${line.trim()}" is not a "key: value" line`)
      continue
    }
    if (pair.text === '') {
      const block = readBlock(lines, at, indent)
      if (block.value !== undefined) fields.set(pair.key, block.value)
      at = block.next
    } else if (pair.text.startsWith('[')) {
      const list = readInlineList(pair.text, lines, at, lastLine)
      if (list === undefined) {
        problems.push(`the list of ${pair.key} is not closed with ]`)
        lastLine = 0
      }
      if (list?.rest) problems.push(`"${list.rest}" after the list of ${pair.key} is ignored`)
      fields.set(pair.key, list?.items ?? pair.text)
      at = list?.next ?? at
    } else if (/^[|>][+-]?[1-9]?[+-]?$/.test(pair.text)) {
      const text = readTextBlock(lines, at, indent, pair.text.startsWith('|') ? '\n' : ' ')
      fields.set(pair.key, text.value)
      at = text.next
    } else fields.set(pair.key, readScalar(pair.text))
  }
  return { fields, problems }
}

function readPair(line: string): { key: string; text: string } | undefined {
  const colon = line.indexOf(':')
  if (colon < 0 || isBlank(line)) return undefined
  const text = line.slice(colon + 1).trim()
  return { key: line.slice(0, colon).trim(), text: text.startsWith('[') ? text : dropComment(text) }
}

function isBlank(line: string): boolean {
  const text = line.trim()
  return text === '' || text.startsWith('#')
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** The indented lines below `>` or `|` as one text. */
function readTextBlock(lines: readonly string[], from: number, indent: number, joiner: string) {
  let next = from
  while (next < lines.length && (lines[next]?.trim() === '' || indentOf(lines[next] ?? '') > indent)) next++
  const texts = lines.slice(from, next).map((line) => line.trim())
  return { value: texts.join(joiner).trim(), next }
}

/** The block below a key without a value: list items, or indented pairs. */
function readBlock(lines: readonly string[], from: number, indent: number): { value: Value | undefined; next: number } {
  const items: string[] = []
  const pairs = new Map<string, Scalar>()
  let at = from
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (isBlank(line)) continue
    const trimmed = line.trimStart()
    const item = /^-\s/.test(trimmed) ? trimmed.slice(2) : undefined
    const pair = indentOf(line) > indent ? readPair(line) : undefined
    if (item !== undefined && pairs.size === 0) items.push(unquote(dropComment(item.trim())))
    else if (pair !== undefined && items.length === 0) pairs.set(pair.key, readScalar(pair.text))
    else break
  }
  const value = items.length > 0 ? items : pairs.size > 0 ? pairs : undefined
  return { value, next: at }
}

/** `[a, "b, c"]`, possibly over several lines. */
function readInlineList(
  text: string,
  lines: readonly string[],
  next: number,
  lastLine: number,
): { items: string[]; rest: string; next: number } | undefined {
  const items: string[] = []
  let rest = text.slice(1)
  let following = next
  for (;;) {
    rest = rest.trimStart()
    if (rest === '' || rest.startsWith('#')) {
      if (following >= lastLine) return undefined
      rest = lines[following] ?? ''
      following++
    } else if (rest.startsWith(']')) {
      return { items, rest: dropComment(rest.slice(1).trim()), next: following }
    } else if (rest.startsWith(',')) {
      rest = rest.slice(1)
    } else {
      const length = quotedLength(rest) ?? bareLength(rest)
      items.push(unquote(rest.slice(0, length).trim()))
      rest = rest.slice(length)
    }
  }
}

function bareLength(text: string): number {
  const end = text.search(/[,\]]|\s#/)
  return end < 0 ? text.length : end
}

/** The length of the quoted text that starts here, if there is one and it is closed. */
function quotedLength(text: string): number | undefined {
  const quote = text[0]
  if (quote !== '"' && quote !== "'") return undefined
  for (let at = 1; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++
    else if (text[at] === quote) {
      if (quote === "'" && text[at + 1] === "'") at++
      else return at + 1
    }
  }
  return undefined
}

function readScalar(text: string): Scalar {
  if (text === 'true') return true
  if (text === 'false') return false
  return unquote(text)
}

function unquote(text: string): string {
  if (quotedLength(text) !== text.length || text.length < 2) return text
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'")
  try {
    return String(JSON.parse(text))
  } catch {
    return text.slice(1, -1)
  }
}

/** Without a comment: ` #` outside quotes ends a value, as in YAML. */
function dropComment(text: string): string {
  if (text.startsWith('#')) return ''
  const from = quotedLength(text) ?? 0
  const comment = text.slice(from).search(/\s#/)
  return comment < 0 ? text : text.slice(0, from + comment).trimEnd()
}
