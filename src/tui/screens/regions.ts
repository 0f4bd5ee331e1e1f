import type { Size } from '../frame/line.ts'
import type { InventoryState } from '../model.ts'

export function hasStatusLine({ rows }: Size): boolean {
  // With fewer rows the header shows the most important part of the status line.
  return rows >= 16
}

/**
 * The room between header, status line and footer. A terminal of one or two lines shows only the screen and the footer.
 */
export function middleOf({ columns, rows }: Size): Size {
  if (rows <= 2) return { columns, rows: Math.min(rows, 1) }
  return { columns, rows: rows - (hasStatusLine({ columns, rows }) ? 3 : 2) }
}

/** The panes of the inventory that are shown, and how large. */
export function inventoryPanes(
  { columns, rows }: Size,
  { focus, isOpen }: Pick<InventoryState, 'focus' | 'isOpen'>,
): { list: Size | undefined; details: Size | undefined } {
  const whole = { columns, rows }
  if (focus === 'text' && isOpen) return { list: undefined, details: whole }
  // On a narrower screen, either the list or the details are shown.
  if (columns < 70) {
    return focus === 'list' ? { list: whole, details: undefined } : { list: undefined, details: whole }
  }
  const left = Math.max(30, Math.min(60, Math.floor(columns * 0.42)))
  return { list: { columns: left, rows }, details: { columns: columns - left, rows } }
}

/** A list, and below it a text about the row under the cursor. With room for one, the focus decides which is shown. */
export function splitPanes(
  size: Size,
  wanted: number,
  focus: 'list' | 'text',
): { list: Size | undefined; below: Size | undefined } {
  if (size.rows < 12) return focus === 'list' ? { list: size, below: undefined } : { list: undefined, below: size }
  const rows = Math.min(wanted, Math.floor(size.rows / 2))
  return { list: { ...size, rows: size.rows - rows }, below: { ...size, rows } }
}

/** A list, and below it a pane about the row under the cursor, if there is room for both. */
export function withPaneBelow(size: Size, wanted: number): { list: Size; below: Size | undefined } {
  const { list = size, below } = splitPanes(size, wanted, 'list')
  return { list, below }
}
