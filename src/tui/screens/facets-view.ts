import { inColumns } from '../frame/columns.ts'
import { insideOf, type Line, pane, plain, type Size, styled } from '../frame/line.ts'
import { listLines } from '../frame/list.ts'
import type { Model } from '../model.ts'
import { facetRows } from './filter.ts'

/** States, agents, tags and sources that the list can be filtered by. */
export function viewFacets({ inventory }: Model, at: number, size: Size): Line[] {
  const rows = facetRows(inventory)
  const row = inColumns(rows, ({ facet, value, count, isOn }) => [
    plain(isOn ? '☑' : '☐'),
    styled(facet, 'faint'),
    plain(value),
    styled(String(count), 'faint'),
  ])
  return pane(styled('Show only…', 'strong'), listLines(rows, at, insideOf(size), row), size, true)
}
