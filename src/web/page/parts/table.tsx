import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { choose, chosen } from '../address.ts'
import { Tick } from './screen.tsx'

export interface Column<Row> {
  name: string
  /** A width of a CSS grid: `12rem`, `1fr`. */
  width: string
  cell(row: Row): ComponentChildren
  /** What a click on the name orders by; undefined stands last. Without it the table cannot be ordered by this. */
  by?(row: Row): string | number | undefined
  isNumber?: boolean
  /** Hidden on narrow screens. */
  isExtra?: boolean
}

interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  /** In the order that is useful without a choice. */
  rows: readonly Row[]
  keyOf(row: Row): string
  /** The parameter of the address that says what the table is ordered by; `-` before the name turns it round. */
  order?: string
  current?: string
  onMove?(row: Row): void
  /** On Enter or a click. */
  onOpen?(row: Row): void
  /** On the space bar. */
  onToggle?(row: Row): void
  /** Several rows can be chosen: with a click on the box, the space bar, shift and arrows, ctrl-a. */
  selected?: ReadonlySet<string>
  onSelect?(keys: ReadonlySet<string>): void
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
 * and end keys move through it, Enter opens a row, the space bar toggles or selects it. The names of columns order it.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, keyOf, current, selected, empty = 'Nothing here.' } = props
  const columns = props.columns.filter(({ isExtra }) => !(isExtra && isNarrow.value))
  const [order, setOrder] = useOrder(props.order)
  const rows = useMemo(() => ordered(props.rows, props.columns, order), [props.rows, props.columns.length, order])
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const { top, height } = useScroll(scroller)
  const first = Math.max(0, Math.floor(top / ROW) - BEYOND)
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW) + BEYOND)
  const at = rows.findIndex((row) => keyOf(row) === current)
  const isOpened = useRef(false)
  useEffect(() => {
    // A row that a link names may be far down.
    if (at >= 0 && !isOpened.current) reveal(scroller.current, at)
    if (at >= 0) isOpened.current = true
  }, [at])
  const style = {
    gridTemplateColumns: [...(selected ? ['1.25rem'] : []), ...columns.map(({ width }) => width)].join(' '),
  }
  const move = (to: number) => {
    const place = Math.max(0, Math.min(rows.length - 1, to))
    const row = rows[place]
    if (row === undefined) return
    props.onMove?.(row)
    reveal(scroller.current, place)
  }
  const select = (keys: readonly string[], isOn: boolean) => {
    const next = new Set(selected)
    for (const key of keys) isOn ? next.add(key) : next.delete(key)
    props.onSelect?.(next)
  }
  const toggle = (row: Row) => select([keyOf(row)], !selected?.has(keyOf(row)))
  const onKeyDown = (event: KeyboardEvent) => {
    // A key on the name of a column is for its button.
    if (event.target !== event.currentTarget) return
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
    if (to !== undefined) {
      const [from, until] = [Math.min(at, to), Math.max(at, to)]
      if (event.shiftKey && selected) select(rows.slice(Math.max(0, from), until + 1).map(keyOf), true)
      move(to)
    } else if (event.key === 'Enter' && row !== undefined) props.onOpen?.(row)
    else if (event.key === ' ' && row !== undefined) selected ? toggle(row) : props.onToggle?.(row)
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey) && selected) select(rows.map(keyOf), true)
    else if (event.key === 'Escape' && selected && selected.size > 0) props.onSelect?.(new Set())
    else return
    event.preventDefault()
  }
  return (
    <div
      class="table"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + (selected ? 1 : 0)}
      aria-multiselectable={selected ? true : undefined}
      // The focus stays on the table; the next attribute names the current row.
      tabIndex={0}
      aria-activedescendant={at >= first && at < last ? `${id}-${at}` : undefined}
      onKeyDown={onKeyDown}
      ref={scroller}
    >
      <div class="table-inner" role="presentation">
        <div role="row" aria-rowindex={1} class="table-head" style={style}>
          {selected && (
            <div role="columnheader">
              <span class="unseen">selected</span>
            </div>
          )}
          {columns.map(({ name, isNumber, by }) => (
            <div
              key={name}
              role="columnheader"
              class={isNumber ? 'is-number' : ''}
              aria-sort={order === name ? 'ascending' : order === `-${name}` ? 'descending' : undefined}
            >
              {by ? (
                <button type="button" onClick={() => setOrder(nextOrder(name, order, isNumber))}>
                  {name}
                  <span aria-hidden="true">{order === name ? ' ↑' : order === `-${name}` ? ' ↓' : ''}</span>
                </button>
              ) : (
                name
              )}
            </div>
          ))}
        </div>
        {rows.length === 0 && <p class="muted table-empty">{empty}</p>}
        <div class="table-space" role="presentation" style={{ height: `${rows.length * ROW}px` }}>
          {rows.slice(first, last).map((row, offset) => {
            const index = first + offset
            const key = keyOf(row)
            const isChosen = selected?.has(key) ?? index === at
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
              <div
                key={key}
                id={`${id}-${index}`}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={isChosen}
                class={`table-row${index === at ? ' is-current' : ''}${props.isDim?.(row) ? ' is-dim' : ''}`}
                style={{ ...style, transform: `translateY(${index * ROW}px)` }}
                onClick={() => {
                  props.onMove?.(row)
                  props.onOpen?.(row)
                }}
              >
                {selected && (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
                  <div
                    role="gridcell"
                    onClick={(event) => {
                      event.stopPropagation()
                      toggle(row)
                    }}
                  >
                    <Tick isOn={isChosen} />
                    <span class="unseen">{isChosen ? 'selected' : ''}</span>
                  </div>
                )}
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

/** In the address, so that a link keeps it; in this table alone without a parameter for it. */
function useOrder(param: string | undefined): [order: string, setOrder: (order: string) => void] {
  const [own, setOwn] = useState('')
  return param === undefined ? [own, setOwn] : [chosen(param), (order) => choose({ [param]: order })]
}

/** Numbers begin with the largest. A third click gives the useful order back. */
function nextOrder(name: string, now: string, isNumber = false): string {
  const [first, second] = isNumber ? [`-${name}`, name] : [name, `-${name}`]
  return now === first ? second : now === second ? '' : first
}

function ordered<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: string): readonly Row[] {
  const isDown = order.startsWith('-')
  const by = columns.find(({ name }) => name === (isDown ? order.slice(1) : order))?.by
  if (by === undefined) return rows
  const keyed = rows.map((row) => ({ row, key: by(row) }))
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)
  keyed.sort((a, b) => {
    if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined)
    return isDown ? compare(b.key, a.key) : compare(a.key, b.key)
  })
  return keyed.map(({ row }) => row)
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
