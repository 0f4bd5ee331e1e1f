import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

interface Column<Row> {
  name: string
  /** A width of a CSS grid: `12rem`, `1fr`. */
  width: string
  cell(row: Row): ComponentChildren
  isNumber?: boolean
  /** Hidden on narrow screens. */
  isExtra?: boolean
}

interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  current?: string
  onMove?(row: Row): void
  /** On Enter or a click. */
  onOpen?(row: Row): void
  /** On the space bar. */
  onToggle?(row: Row): void
  isDim?(row: Row): boolean
  empty?: string
}

const ROW = 34
const HEAD = 32
const BEYOND = 8

const narrow = matchMedia('(max-width: 40rem)')
export const isNarrow = signal(narrow.matches)
narrow.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})

/**
 * A table of any length: only visible rows are in the document. The focus is on the table as a whole; arrows, page, home
 * and end keys move through it, Enter opens a row, the space bar toggles it.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, rows, keyOf, current, empty = 'Nothing here.' } = props
  const columns = props.columns.filter(({ isExtra }) => !(isExtra && isNarrow.value))
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const { top, height } = useScroll(scroller)
  const first = Math.max(0, Math.floor(top / ROW) - BEYOND)
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW) + BEYOND)
  const at = rows.findIndex((row) => keyOf(row) === current)
  const style = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') }
  const move = (to: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))]
    if (row === undefined) return
    props.onMove?.(row)
    reveal(scroller.current, Math.max(0, Math.min(rows.length - 1, to)))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / ROW) - 2)
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    }
    const to = steps[event.key]
    const row = rows[at]
    if (to !== undefined) move(to)
    else if (event.key === 'Enter' && row !== undefined) props.onOpen?.(row)
    else if (event.key === ' ' && row !== undefined) props.onToggle?.(row)
    else return
    event.preventDefault()
  }
  return (
    <div
      class="table"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      // The focus stays on the table; the next attribute names the current row.
      tabIndex={0}
      aria-activedescendant={at >= first && at < last ? `${id}-${at}` : undefined}
      onKeyDown={onKeyDown}
      ref={scroller}
    >
      <div class="table-inner" role="presentation">
        <div role="row" aria-rowindex={1} class="table-head" style={style}>
          {columns.map(({ name, isNumber }) => (
            <div key={name} role="columnheader" class={isNumber ? 'is-number' : ''}>
              {name}
            </div>
          ))}
        </div>
        {rows.length === 0 && <p class="muted table-empty">{empty}</p>}
        <div class="table-space" role="presentation" style={{ height: `${rows.length * ROW}px` }}>
          {rows.slice(first, last).map((row, offset) => {
            const index = first + offset
            const key = keyOf(row)
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
              <div
                key={key}
                id={`${id}-${index}`}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={index === at}
                class={`table-row${index === at ? ' is-current' : ''}${props.isDim?.(row) ? ' is-dim' : ''}`}
                style={{ ...style, transform: `translateY(${index * ROW}px)` }}
                onClick={() => {
                  props.onMove?.(row)
                  props.onOpen?.(row)
                }}
              >
                {columns.map(({ name, cell, isNumber }) => (
                  <div key={name} role="gridcell" class={isNumber ? 'is-number' : ''}>
                    {cell(row)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

function reveal(body: HTMLElement | null, at: number): void {
  if (body === null) return
  // The sticky head covers rows that scroll below it.
  const [above, below] = [at * ROW, (at + 1) * ROW + HEAD]
  if (above < body.scrollTop) body.scrollTop = above
  else if (below > body.scrollTop + body.clientHeight) body.scrollTop = below - body.clientHeight
}

function useScroll(element: { current: HTMLElement | null }): { top: number; height: number } {
  const [place, setPlace] = useState({ top: 0, height: 800 })
  useEffect(() => {
    const body = element.current
    if (body === null) return
    const read = () => setPlace({ top: body.scrollTop, height: body.clientHeight })
    const sizes = new ResizeObserver(read)
    sizes.observe(body)
    body.addEventListener('scroll', read, { passive: true })
    return () => {
      sizes.disconnect()
      body.removeEventListener('scroll', read)
    }
  }, [element])
  return place
}
