import { type ParseError, printParseErrorCode, visit } from 'jsonc-parser'
import { failWith, type LoadoutError } from '../../../text/trouble.ts'
import {
  type Comment,
  type Container,
  type Item,
  type Literal,
  lineAndColumn,
  type SettingsTree,
  type SettingsValue,
} from '../../rules/hook-settings/settings-layout.ts'

const BYTE_ORDER_MARK = '\ufeff'

export function splitMark(text: string): { mark: string; body: string } {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  return { mark, body: text.slice(mark.length) }
}

/**
 * Parses JSON with comments and trailing commas. Throws for other syntax, with line and column: editing a file that
 * Loadout does not understand could break it.
 */
export function readSettings(text: string, path: string): SettingsTree {
  const comments: Comment[] = []
  const root: Item = { start: 0, end: 0, value: { kind: 'literal', value: null, start: 0, end: 0 } }
  const open: Container[] = []
  let property: Pick<Item, 'start' | 'key'> | undefined
  const errors: ParseError[] = []

  const place = (value: SettingsValue) => {
    const item = { start: value.start, end: value.end, ...property, value }
    property = undefined
    const around = open.at(-1)
    if (around === undefined) Object.assign(root, item)
    else around.items.push(item)
  }
  const begin = (kind: Container['kind'], start: number) => {
    const container: Container = { kind, start, end: start, items: [], commas: [] }
    place(container)
    open.push(container)
  }
  const finish = (end: number) => {
    const container = open.pop()
    if (container === undefined) return
    container.end = end
    const item = open.at(-1)?.items.at(-1)
    if (item !== undefined) item.end = end
  }
  try {
    visit(
      text,
      {
        onObjectBegin: (offset) => begin('object', offset),
        onArrayBegin: (offset) => begin('array', offset),
        onObjectEnd: (offset, length) => finish(offset + length),
        onArrayEnd: (offset, length) => finish(offset + length),
        onObjectProperty: (key, start) => {
          property = { start, key }
        },
        onLiteralValue: (value: Literal['value'], start, length) =>
          place({ kind: 'literal', value, start, end: start + length }),
        onSeparator: (sign, offset) => {
          if (sign === ',') open.at(-1)?.commas.push(offset)
        },
        onComment: (start, length) =>
          comments.push({ start, end: start + length, isLine: text.startsWith('//', start) }),
        onError: (error, offset, length) => errors.push({ error, offset, length }),
      },
      { allowTrailingComma: true },
    )
  } catch (error) {
    throw failWith('BAD_JSON/too-deep', { path }, { cause: error })
  }
  const [first] = errors
  if (first !== undefined) throw badSyntax(text, path, first)
  return { path, text, root: root.value, comments }
}

function badSyntax(text: string, path: string, { error, offset }: ParseError): LoadoutError {
  const words = printParseErrorCode(error).replace(/([a-z])([A-Z])/g, '$1 $2')
  const problem = words.toLowerCase().replace('end of file expected', 'something follows the end')
  return failWith('BAD_JSON/syntax', { path, problem, text: lineAndColumn(text, offset) })
}
