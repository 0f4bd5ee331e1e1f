import type { SkillView } from '../../loadout.ts'
import {
  beside,
  clipLine,
  endOf,
  fitLine,
  insideOf,
  type Line,
  lineWidth,
  mark,
  pane,
  plain,
  type Size,
  span,
  spread,
  styled,
  wrapped,
} from '../frame/line.ts'
import { clamp, textPane, windowAround } from '../frame/list.ts'
import type { Model } from '../model.ts'
import { needsAttention, SIGNS } from '../signs.ts'
import { type AgentColumn, agentColumns, cellLine, headLines, widthOf } from './agent-columns.ts'
import { detailsLines } from './details-lines.ts'
import { groupOf, visibleSkills } from './filter.ts'
import { currentSkill } from './inventory-state.ts'
import { problemLines } from './problem-lines.ts'
import { inventoryPanes } from './regions.ts'

export function viewInventory(model: Model, size: Size): Line[] {
  const { list, details } = inventoryPanes(size, model.inventory)
  const left = list === undefined ? undefined : viewList(model, list)
  const right = details === undefined ? undefined : viewDetails(model, details)
  return left !== undefined && right !== undefined ? beside(left, right) : (left ?? right ?? [])
}

// In fewer rows than this every one is needed for a skill.
const ROWS_WITH_HEADS = 4

function viewList(model: Model, size: Size): Line[] {
  const { inventory } = model
  const inside = insideOf(size)
  const rows = listRows(model)
  const columns = agentColumns(model, inside.columns - 2)
  const hasHeads = rows.length > 0 && inside.rows >= ROWS_WITH_HEADS
  const heads = hasHeads
    ? headLines(columns, inside.rows).map((line) => spread([], [...line, span('  ')], inside.columns))
    : []
  const room = inside.rows - heads.length
  const cursor = clamp(inventory.at, visibleSkills(inventory).length)
  const at = rows.findIndex((row) => 'skill' in row && row.at === cursor)
  const { from, to } = windowAround(Math.max(0, at), rows.length, room)
  const lines = rows
    .slice(from, to)
    .map((row, index) => rowLine(model, row, columns, inside.columns, from + index === at))
  const shown = rows.length > 0 ? [...heads, ...lines] : emptyList(model, inside.columns)
  return pane(listTitle(model, inside.columns), shown, size, inventory.focus === 'list')
}

type Row = { skill: SkillView; at: number } | { heading: string; count: number }

/** The skills, with a heading where another group begins. */
function listRows({ inventory }: Model): Row[] {
  const skills = visibleSkills(inventory)
  if (inventory.grouping === 'none') return skills.map((skill, at) => ({ skill, at }))
  const groups = skills.map((skill) => groupOf(inventory, skill))
  const counts = new Map<string, number>()
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1)
  return skills.flatMap((skill, at): Row[] => {
    const heading = groups[at] ?? ''
    const row = { skill, at }
    return heading === groups[at - 1] ? [row] : [{ heading, count: counts.get(heading) ?? 0 }, row]
  })
}

function rowLine(model: Model, row: Row, agents: readonly AgentColumn[], columns: number, isCurrent: boolean): Line {
  if ('heading' in row) return fitLine([span(`${row.heading} ${row.count}`, 'strong')], columns)
  const line = fitLine([span(isCurrent ? '▸ ' : '  '), ...skillLine(model, row.skill, agents, columns - 2)], columns)
  return isCurrent && model.inventory.focus === 'list' ? mark(line, 'chosen') : line
}

// A name of which less than this is left says nothing: then the signs go.
const LEAST_NAME = 8

function skillLine(model: Model, skill: SkillView, agents: readonly AgentColumn[], columns: number): Line {
  const { marked } = model.inventory
  const { sign, style } = SIGNS[skill.state]
  const attention = needsAttention(skill.state) ? span(` ${sign}`, style) : span('  ')
  const tick = marked.length === 0 ? [] : [span(marked.includes(skill.name) ? '✓ ' : '  ', 'accent')]
  const room = Math.max(0, columns - widthOf(agents) - 2)
  if (room < LEAST_NAME) return [...tick, span(skill.name)]
  const name = fitLine(clipLine([...tick, span(skill.name)], room), room)
  return [...name, ...cellLine(model, agents, skill), attention]
}

function listTitle({ inventory }: Model, columns: number): Line {
  const all = inventory.value?.skills.length ?? 0
  const shown = visibleSkills(inventory).length
  const marked = inventory.marked.length
  const number = inventory.value === undefined ? '' : ` ${shown === all ? all : `${shown}/${all}`}`
  const counts = `Skills${number}${marked > 0 ? ` ✓${marked}` : ''}`
  const hasFilter = inventory.filter !== '' || inventory.isFiltering
  const group = inventory.grouping === 'none' ? '' : ` by ${inventory.grouping}`
  const title: Line = [span(counts, 'strong'), span(group, 'faint')]
  if (!hasFilter) return title
  const cursor = inventory.isFiltering ? '▏' : ''
  // What is being typed is worth more than the number before it.
  const room = columns - 2 - cursor.length
  const kept = room - lineWidth(title) - 2 >= 8 ? title : []
  const typed = `/${endOf(inventory.filter, room - lineWidth(kept) - 2)}${cursor}`
  return [...kept, span(kept.length > 0 ? ' ' : ''), span(typed, 'accent')]
}

function emptyList({ inventory, problems }: Model, columns: number): Line[] {
  const { value, filter } = inventory
  if (problems.inventory !== undefined) {
    const help = 'd doctor, p settings, L another library and ? help work all the same; r reads again.'
    return [...problemLines(problems.inventory, '', columns), [], ...wrapped(help, columns)]
  }
  if (value === undefined) return wrapped('reading the library…', columns)
  if (filter !== '')
    return [...wrapped(`no skill fits "${filter}"`, columns), ...wrapped('esc drops the filter', columns)]
  const help = 'i imports skills: from the agents’ folders, from any folder, or from an address'
  return [...wrapped('The library is empty.', columns), [], ...wrapped(help, columns)]
}

function viewDetails(model: Model, size: Size): Line[] {
  const { inventory } = model
  const title = styled(currentSkill(inventory)?.name ?? '', 'strong')
  const lines = detailsLines(model, insideOf(size).columns)
  return textPane(title, lines.length > 0 ? lines : [plain('')], inventory.scroll, size, inventory.focus === 'text')
}
