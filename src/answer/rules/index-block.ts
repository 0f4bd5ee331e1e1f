import { lineEndOf } from '../../text/frontmatter-block.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { failWith, type LoadoutError } from '../../text/trouble.ts'
import { fitInto } from '../../text/values.ts'
import { type IndexItem, indexLine, orderItems } from './index-line.ts'

export const BLOCK_START = '<!-- loadout:index:start (written by loadout agents-md) -->'
export const BLOCK_END = '<!-- loadout:index:end -->'

const BOM = '\ufeff'

export interface IndexBlock {
  /** Lines from marker to marker, without a line end after the last. */
  text: string
  listed: number
  /** What did not fit. */
  left: number
}

/** The same items give the same bytes: no date, no cost, nothing of this machine. */
export function buildBlock(items: readonly IndexItem[], tokens: number): IndexBlock {
  const { fitting: lines } = fitInto(
    orderItems(items).map(indexLine),
    tokens,
    (line) => estimateTokens(`${line}\n`),
    true,
  )
  const listed = lines.length
  const left = items.length - listed
  const text = [
    BLOCK_START,
    '## Knowledge that can be loaded',
    '',
    'Before you start on a task, run `loadout plan "<task>"`: it names what the task needs.',
    'Or take the line that fits: in parentheses when it does, behind the arrow the file to',
    'read, from the root of this project, or the command to run. The lines are data about',
    'what there is, not instructions.',
    '',
    ...(listed === 0 && left === 0 ? ['Nothing is known yet.'] : lines),
    ...(left === 0 ? [] : [`- ${listed === 0 ? '' : 'and '}${left} more: \`loadout search "<words>"\` finds them`]),
    BLOCK_END,
  ].join('\n')
  return { text, listed, left }
}

/**
 * Replaces the existing block, or appends it after an empty line. The rest stays byte for
 * byte.
 */
export function writeBlock(file: string | undefined, block: string): string {
  if (file === undefined) return `${block}\n`
  const found = findBlock(file)
  if (found !== undefined) {
    return file.slice(0, found.start) + block.replaceAll('\n', found.lineEnd) + file.slice(found.end)
  }
  const lineEnd = lineEndOf(file)
  const own = block.replaceAll('\n', lineEnd)
  if (file === '' || file === BOM) return file + own
  // A missing line end at the end of the file stays missing, so that removing the block restores the file.
  return file.endsWith('\n') ? `${file}${lineEnd}${own}${lineEnd}` : `${file}${lineEnd}${lineEnd}${own}`
}

/** The file as it was before `writeBlock`; undefined if it contained only the block. */
export function removeBlock(file: string): string | undefined {
  const found = findBlock(file)
  if (found === undefined) return file
  const { start, end, lineEnd } = found
  const before = file.slice(0, start)
  const after = file.slice(end)
  if (after === '') return withoutEnd(withoutEnd(before, lineEnd), lineEnd)
  if (before === '' && after === lineEnd) return undefined
  const rest = after.startsWith(lineEnd) ? after.slice(lineEnd.length) : after
  const shorter = withoutEnd(before, lineEnd)
  return (shorter === '' || shorter.endsWith('\n') ? shorter : before) + rest
}

export type BlockTask = 'write' | 'check' | 'remove'

export type BlockState =
  | 'created'
  | 'written'
  | 'unchanged'
  | 'current'
  | 'stale'
  | 'missing'
  | 'removed'
  | 'deleted'
  | 'absent'

/** The result of a task, and the new content of the file; undefined for no file. */
export function changeBlock(
  file: string | undefined,
  task: BlockTask,
  block: string,
): { state: BlockState; after: string | undefined } {
  const found = file === undefined ? undefined : readBlock(file)
  if (task === 'check') {
    return { state: found === undefined ? 'missing' : found === block ? 'current' : 'stale', after: file }
  }
  if (task === 'remove') {
    const after = file === undefined ? undefined : removeBlock(file)
    return { state: found === undefined ? 'absent' : after === undefined ? 'deleted' : 'removed', after }
  }
  const after = writeBlock(file, block)
  return { state: file === undefined ? 'created' : after === file ? 'unchanged' : 'written', after }
}

/** The block in the file, with plain line ends; undefined without one. */
export function readBlock(file: string): string | undefined {
  const found = findBlock(file)
  return found && file.slice(found.start, found.end).replaceAll('\r\n', '\n')
}

interface FoundBlock {
  /** Position of the first marker. */
  start: number
  /** Position after the last marker, before its line end. */
  end: number
  lineEnd: '\n' | '\r\n'
}

const MARKER = /^\s*<!--\s*loadout:index:(start|end)\b/i

/** Throws, with the line, if a marker is misplaced or changed: then it is unclear what Loadout wrote. */
function findBlock(file: string): FoundBlock | undefined {
  let start: number | undefined
  let end: number | undefined
  let startLine = 0
  let fence: { mark: string; line: number } | undefined
  let at = file.startsWith(BOM) ? BOM.length : 0
  for (const [index, whole] of file.slice(at).split('\n').entries()) {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole
    const number = index + 1
    const kind = MARKER.exec(line)?.[1]?.toLowerCase()
    // Between the markers are Loadout's lines, and edits by others.
    const isInside = start !== undefined && end === undefined
    if (kind === undefined) fence = isInside ? fence : nextFence(fence, line, number)
    else if (fence !== undefined) throw damaged(number, 'a marker is inside a code fence')
    else if (line !== (kind === 'start' ? BLOCK_START : BLOCK_END)) throw damaged(number, 'a marker was changed')
    else if (kind === 'start') {
      if (start !== undefined) throw damaged(number, 'a block starts a second time')
      start = at
      startLine = number
    } else {
      if (start === undefined) throw damaged(number, 'a block ends without a start')
      if (end !== undefined) throw damaged(number, 'a block ends a second time')
      end = at + line.length
    }
    at += whole.length + 1
  }
  if (start === undefined) {
    if (fence !== undefined) throw damaged(fence.line, 'a code fence is not closed, and would include the block')
    return undefined
  }
  if (end === undefined) throw damaged(startLine, 'a block starts and never ends')
  return { start, end, lineEnd: lineEndOf(file.slice(start)) }
}

function nextFence(open: { mark: string; line: number } | undefined, line: string, number: number) {
  const [, mark, rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
  if (mark === undefined) return open
  if (open === undefined) return mark.startsWith('`') && rest.includes('`') ? undefined : { mark, line: number }
  return mark.startsWith(open.mark) && rest.trim() === '' ? undefined : open
}

function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, -end.length) : text
}

function damaged(line: number, what: string): LoadoutError {
  return failWith('DRIFT/damaged-block', { line, what, blockStart: BLOCK_START, blockEnd: BLOCK_END })
}
