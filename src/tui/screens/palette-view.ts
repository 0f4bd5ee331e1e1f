import { endOf, insideOf, type Line, pane, plain, type Size, span, spread, styled } from '../frame/line.ts'
import { listLines } from '../frame/list.ts'
import { keyName } from './help-view.ts'
import { matchingActions } from './palette-state.ts'

export function viewPalette({ query, at }: { query: string; at: number }, size: Size): Line[] {
  const { columns, rows } = insideOf(size)
  const typed: Line = [span(': ', 'accent'), span(`${endOf(query, columns - 3)}▏`)]
  // The row under the cursor comes before what was typed.
  const room = { columns, rows: rows > 1 ? rows - 1 : rows }
  const lines = listLines(matchingActions(query), at, room, ({ help, keys }) =>
    spread(plain(help), styled(keyName(keys[0] ?? ''), 'accent'), columns - 2),
  )
  const shown = lines.length > 0 ? lines : [plain('no action fits')]
  return pane(styled('Actions', 'strong'), rows > 1 ? [typed, ...shown] : shown, size, true)
}
