import type { Size } from '../frame/line.ts'
import type { InventoryState } from '../model.ts'

/** What header and footer leave. In a terminal of one or two lines the screen itself comes first. */
export function middleOf({ columns, rows }: Size): Size {
  return { columns, rows: rows > 2 ? rows - 2 : Math.min(rows, 1) }
}

// Narrower than this, list and details take turns.
const BOTH_PANES = 70

/** The panes of the inventory that are shown, and how large. */
export function inventoryPanes(
  { columns, rows }: Size,
  focus: InventoryState['focus'],
): { list: Size | undefined; details: Size | undefined } {
  const whole = { columns, rows }
  if (columns < BOTH_PANES) {
    return focus === 'list' ? { list: whole, details: undefined } : { list: undefined, details: whole }
  }
  const left = Math.max(30, Math.min(60, Math.floor(columns * 0.42)))
  return { list: { columns: left, rows }, details: { columns: columns - left, rows } }
}

/** A list, and below it a pane about the row under the cursor, where there is room for both. */
export function withPaneBelow(size: Size, wanted: number): { list: Size; below: Size | undefined } {
  if (size.rows < 12) return { list: size, below: undefined }
  const rows = Math.min(wanted, Math.floor(size.rows / 2))
  return { list: { ...size, rows: size.rows - rows }, below: { ...size, rows } }
}
