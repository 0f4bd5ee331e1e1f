import type { SkillView } from '../../loadout.ts'
import {
  beside,
  clipLine,
  endOf,
  insideOf,
  type Line,
  lineWidth,
  pane,
  plain,
  type Size,
  span,
  spread,
  styled,
  wrapped,
} from '../frame/line.ts'
import { listLines, textPane } from '../frame/list.ts'
import type { Model } from '../model.ts'
import { needsAttention, SIGNS } from '../signs.ts'
import { detailsLines } from './details-lines.ts'
import { agentState, currentSkill, visibleSkills } from './inventory-state.ts'
import { problemLines } from './problem-lines.ts'
import { inventoryPanes } from './regions.ts'

export function viewInventory(model: Model, size: Size): Line[] {
  const { list, details } = inventoryPanes(size, model.inventory.focus)
  const left = list === undefined ? undefined : viewList(model, list)
  const right = details === undefined ? undefined : viewDetails(model, details)
  return left !== undefined && right !== undefined ? beside(left, right) : (left ?? right ?? [])
}

function viewList(model: Model, size: Size): Line[] {
  const { inventory } = model
  const skills = visibleSkills(inventory)
  const inside = insideOf(size)
  const isFocused = inventory.focus === 'list'
  const lines = listLines(skills, inventory.at, inside, (skill) => listRow(model, skill, inside.columns - 2), isFocused)
  const shown = lines.length > 0 ? lines : emptyList(model, inside.columns)
  return pane(listTitle(model, skills.length, inside.columns), shown, size, isFocused)
}

function listTitle({ inventory }: Model, shown: number, columns: number): Line {
  const all = inventory.value?.skills.length ?? 0
  const counts = `Skills ${shown === all ? all : `${shown}/${all}`}`
  if (inventory.filter === '' && !inventory.isFiltering) return styled(counts, 'strong')
  const cursor = inventory.isFiltering ? '▏' : ''
  const filter = endOf(inventory.filter, Math.max(1, columns - counts.length - 4))
  return [span(counts, 'strong'), span(` /${filter}${cursor}`, 'accent')]
}

// A name of which less than this is left says nothing: then the signs go.
const LEAST_NAME = 8

function listRow(model: Model, skill: SkillView, columns: number): Line {
  const signs = (model.inventory.value?.agents ?? []).map((agent) => signOf(agentState(model, skill, agent)))
  const { sign, style } = SIGNS[skill.state]
  const right: Line = [...signs, needsAttention(skill.state) ? span(` ${sign}`, style) : span('  ')]
  const room = columns - lineWidth(right) - 1
  return room < LEAST_NAME ? plain(skill.name) : spread(clipLine(plain(skill.name), room), right, columns)
}

function signOf(state: keyof typeof SIGNS) {
  return span(SIGNS[state].sign, SIGNS[state].style)
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
  return [...wrapped('The library is empty.', columns), [], ...wrapped('i imports what lies around', columns)]
}

function viewDetails(model: Model, size: Size): Line[] {
  const { scroll, focus } = model.inventory
  const name = currentSkill(model.inventory)?.name ?? ''
  const lines = detailsLines(model, insideOf(size).columns)
  return textPane(styled(name, 'strong'), lines, scroll, size, focus === 'details')
}
