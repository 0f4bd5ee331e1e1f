import type { SavedProfile } from '../../loadout.ts'
import { count } from '../../text/count.ts'
import { endOf, insideOf, type Line, pane, plain, type Size, span, spread, styled, wrapped } from '../frame/line.ts'
import { inColumns, listLines, problemLines } from '../frame/rows.ts'
import { keyName, matchingActions } from '../keys.ts'
import type { Model } from '../model.ts'
import { SIGNS } from '../signs.ts'
import { facetRows } from './filter.ts'
import { agentState, selectedSkills } from './inventory.ts'

/** The box over the screen, if there is one. Header and footer stay visible if there is room. */
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
  // The keys stay, however little room there is for the text.
  const kept = lines.slice(0, Math.max(0, insideOf(size).rows - 2))
  return pane(styled(question, 'strong'), [...kept, [], keys], size, true)
}

/** The agents, and the state of the skill for each, if only one is selected. */
function viewAgents(model: Model, at: number, size: Size): Line[] {
  const selected = selectedSkills(model)
  const skill = selected.length === 1 ? selected[0] : undefined
  const lines = listLines(model.inventory.value?.agents ?? [], at, insideOf(size), (agent) => {
    if (skill === undefined) return [span(agent)]
    const { sign, word, style } = SIGNS[agentState(model, skill, agent)]
    return [span(`${agent.padEnd(12)} `), span(`${sign} ${word}`, style)]
  })
  return pane(styled(`Equip ${skill?.name ?? count(selected.length, 'skill')} for…`, 'strong'), lines, size, true)
}

/** States, agents, tags and sources that the list can be filtered by. */
function viewFacets({ inventory }: Model, at: number, size: Size): Line[] {
  const rows = facetRows(inventory)
  const row = inColumns(rows, ({ facet, value, count, isOn }) => [
    plain(isOn ? '☑' : '☐'),
    styled(facet, 'faint'),
    plain(value),
    styled(String(count), 'faint'),
  ])
  return pane(styled('Show only…', 'strong'), listLines(rows, at, insideOf(size), row), size, true)
}

function viewPalette({ query, at }: { query: string; at: number }, size: Size): Line[] {
  const { columns, rows } = insideOf(size)
  const typed: Line = [span(': ', 'accent'), span(`${endOf(query, columns - 3)}▏`)]
  // With one row, the row under the cursor is shown instead of the typed text.
  const room = { columns, rows: rows > 1 ? rows - 1 : rows }
  const lines = listLines(matchingActions(query), at, room, ({ help, keys }) =>
    spread(plain(help), styled(keyName(keys[0] ?? ''), 'accent'), columns - 2),
  )
  const shown = lines.length > 0 ? lines : [plain('no action fits')]
  return pane(styled('Actions', 'strong'), rows > 1 ? [typed, ...shown] : shown, size, true)
}

export function viewProfiles({ profiles, problems }: Model, size: Size): Line[] {
  const { list, at } = profiles
  const inside = insideOf(size)
  const lines = listLines(list ?? [], at, inside, inColumns(list ?? [], profileCells))
  const shown = lines.length > 0 ? lines : noProfiles(list, problems.profiles, inside.columns)
  return pane(styled('Profiles', 'strong'), shown, size, true)
}

function profileCells({ name, profile }: SavedProfile): Line[] {
  const agents = [...new Set(Object.values(profile).flat())]
  return [plain(name), plain(count(Object.keys(profile).length, 'skill')), styled(`for ${agents.join(', ')}`, 'faint')]
}

function noProfiles(list: unknown, problem: Model['notice'], columns: number): Line[] {
  if (list !== undefined) return wrapped('No profile yet. n writes down which agent has which skill now.', columns)
  return problemLines(problem, 'reading…', columns)
}
