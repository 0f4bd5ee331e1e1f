/** A part of a text. */
interface Span {
  start: number
  end: number
}

/** A parsed settings file with the position of every value, so that one can be changed without changing the rest. */
export interface SettingsTree {
  path: string
  text: string
  root: SettingsValue
  comments: readonly Comment[]
}

export interface Comment extends Span {
  /** It ends at the end of the line. */
  isLine: boolean
}

export type SettingsValue = Container | Literal

export interface Container extends Span {
  kind: 'object' | 'array'
  items: Item[]
  /** The offset of the comma after each item. One less than the items, or as many with a trailing comma. */
  commas: number[]
}

export interface Literal extends Span {
  kind: 'literal'
  value: string | number | boolean | null
}

/** An element of a list, or a property from its key to its value. */
export interface Item extends Span {
  key?: string
  value: SettingsValue
}

export function findProperty({ value }: { value: SettingsValue }, key: string): Item | undefined {
  return value.kind === 'object' ? value.items.find((item) => item.key === key) : undefined
}

export function textAt(owner: { value: SettingsValue }, key: string): string | undefined {
  const value = findProperty(owner, key)?.value
  return value?.kind === 'literal' && typeof value.value === 'string' ? value.value : undefined
}

/** For people: both count from 1. */
export function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/)
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

export interface Edit extends Span {
  text: string
}

/** Edits at the same offset keep their order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}

/** A value to write, with its key if it goes into an object. */
export interface NewItem {
  key?: string
  value: unknown
}

/**
 * Adds an item after the others, in the same layout. `removeItem` undoes exactly these edits. If the container was
 * empty, the blanks before its end may change, and `blanks` has the original ones.
 */
export function appendItem(
  tree: SettingsTree,
  container: Container,
  item: NewItem,
): { edits: Edit[]; blanks?: string } {
  const { text } = tree
  const close = container.end - 1
  const last = container.items.at(-1)
  const hasTrailingComma = last !== undefined && container.commas.length === container.items.length
  const { end: at, comment } = lastToken(tree, container, close)
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
  const unit = indentUnit(tree)
  if (last === undefined) {
    const blanks = text.slice(at, close)
    if (isOneLine(tree)) return { edits: [{ start: at, end: at, text: renderInline(item) }], blanks }
    const outer = indentAt(text, container.start)
    const body = render(item, outer + unit, unit, eol)
    const before = `${eol}${outer}${unit}`
    const after = /[\r\n]/.test(blanks) ? blanks : `${eol}${outer}`
    return { edits: [{ start: at, end: close, text: before + body + after }], blanks }
  }
  const indent = indentAt(text, last.start)
  const startsLine = text.slice(lineStart(text, last.start), last.start) === indent
  const isWide = startsLine || /[\r\n]/.test(text.slice(last.start, last.end))
  const before = startsLine || comment?.isLine ? `${eol}${indent}` : ' '
  const body = isWide ? render(item, indent, unit, eol) : renderInline(item)
  const added = { start: at, end: at, text: before + body + (hasTrailingComma ? ',' : '') }
  return { edits: hasTrailingComma ? [added] : [{ start: last.end, end: last.end, text: ',' }, added] }
}

/**
 * Removes an item, with the blanks before it and the comma that was added with it. `blanks` goes before the end of a
 * container that becomes empty.
 */
export function removeItem(tree: SettingsTree, container: Container, item: Item, blanks: string | undefined): Edit[] {
  const { text } = tree
  const index = container.items.indexOf(item)
  const previous = lastToken(tree, container, item.start)
  const commaAfter = container.commas[index]
  const comma = commaAfter ?? container.commas[index - 1]
  const close = container.end - 1
  const from = commaAfter === undefined ? item.end : commaAfter + 1
  const isEmptied = container.items.length === 1 && blanks !== undefined && text.slice(from, close).trim() === ''
  const rest = isEmptied ? blanks : text.slice(item.end).replace(commaAfter === item.end ? ',' : '', '')
  let { end: start } = previous
  // Without its line end, a comment would include the text after it.
  if (previous.comment?.isLine && !/^[ \t]*[\r\n]/.test(rest)) start += /^\r?\n|^\r/.exec(text.slice(start))![0].length
  const edits = [{ start, end: item.end, text: '' }]
  if (comma !== undefined) edits.push({ start: comma, end: comma + 1, text: '' })
  return isEmptied ? [...edits, { start: from, end: close, text: blanks }] : edits
}

/** Whether a container has only this item, and no comment outside of it. */
export function isAlone({ comments }: SettingsTree, container: Container, item: Item): boolean {
  const isOutside = ({ start, end }: Comment) => end <= item.start || start >= item.end
  return (
    container.items.length === 1 &&
    !comments.some((comment) => comment.start > container.start && comment.end < container.end && isOutside(comment))
  )
}

/** The end of the last item, comma, comment or bracket before an offset in a container. */
function lastToken(
  { comments }: SettingsTree,
  container: Container,
  before: number,
): { end: number; comment: Comment | undefined } {
  const item = container.items.findLast(({ end }) => end <= before)
  const comma = container.commas.findLast((offset) => offset < before)
  const end = Math.max(container.start + 1, item?.end ?? 0, comma === undefined ? 0 : comma + 1)
  const comment = comments.findLast((each) => each.start >= end && each.end <= before)
  return { end: comment?.end ?? end, comment }
}

function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
}

/** The blanks at the beginning of the line at an offset. */
function indentAt(text: string, offset: number): string {
  const start = lineStart(text, offset)
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

/** The indentation of one level, from the first indented line of the file. */
function indentUnit({ text, root }: SettingsTree): string {
  const first = root.kind === 'literal' ? undefined : root.items[0]
  if (first === undefined || lineStart(text, first.start) <= root.start) return '  '
  return indentAt(text, first.start).slice(indentAt(text, root.start).length)
}

function isOneLine({ text, root }: SettingsTree): boolean {
  return root.kind !== 'literal' && root.items.length > 0 && !/[\r\n]/.test(text.slice(root.start, root.end))
}

function render({ key, value }: NewItem, indent: string, unit: string, eol: string): string {
  const [first = '', ...rest] = JSON.stringify(value, null, '\t').split('\n')
  const lines = rest.map((line) => indent + line.replace(/^\t+/, (tabs) => unit.repeat(tabs.length)))
  return [`${key === undefined ? '' : `${JSON.stringify(key)}: `}${first}`, ...lines].join(eol)
}

function renderInline(item: NewItem): string {
  return render(item, '', '', '\n')
    .replace(/([[{])\n/g, '$1')
    .replace(/\n([\]}])/g, '$1')
    .replaceAll('\n', ' ')
}
