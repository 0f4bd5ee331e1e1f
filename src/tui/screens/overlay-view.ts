import { endOf, insideOf, type Line, pane, plain, type Size, styled, wrapped } from '../frame/line.ts'
import type { Model } from '../model.ts'
import { viewAgents } from './agents-view.ts'
import { viewFacets } from './facets-view.ts'
import { facetRows } from './filter.ts'
import { viewPalette } from './palette-view.ts'

/** The box over the screen, if there is one. It leaves header and footer visible where it can. */
export function viewOverlay(model: Model): Line[] | undefined {
  const { overlay: box, size } = model
  if (box === undefined) return undefined
  const columns = size.columns > 8 ? Math.min(60, size.columns - 2) : size.columns
  const room = (rows: number): Size => ({ columns, rows: Math.min(rows, size.rows > 4 ? size.rows - 2 : size.rows) })
  switch (box.kind) {
    case 'ask':
      return viewAsk(box, room(3))
    case 'agents':
      return viewAgents(model, box.at, room((model.inventory.value?.agents.length ?? 0) + 2))
    case 'facets':
      return viewFacets(model, box.at, room(facetRows(model.inventory).length + 2))
    case 'confirm':
      return viewConfirm(box, room)
    case 'palette':
      return viewPalette(box, room(16))
  }
}

function viewAsk({ question, text }: { question: string; text: string }, size: Size): Line[] {
  return pane(styled(question, 'strong'), [plain(`${endOf(text, insideOf(size).columns - 1)}▏`)], size, true)
}

function viewConfirm({ question, text }: { question: string; text: string }, room: (rows: number) => Size): Line[] {
  const lines = wrapped(text, insideOf(room(9)).columns)
  const keys: Line = [...styled('y', 'accent'), ...plain(' yes   '), ...styled('n', 'accent'), ...plain(' no')]
  const size = room(lines.length + 4)
  // The keys stay, however little room there is for the reason.
  const kept = lines.slice(0, Math.max(0, insideOf(size).rows - 2))
  return pane(styled(question, 'strong'), [...kept, [], keys], size, true)
}
