import type { Inventory, SkillView } from '../../loadout.ts'
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
import { clamp, problemLines, textPane, windowAround } from '../frame/rows.ts'
import { renderMarkdown } from '../markdown.ts'
import { activeProject, GROUPINGS, type InventoryState, type Model, shortPath, step, type Updated } from '../model.ts'
import { needsAttention, SIGNS } from '../signs.ts'
import { facetRows, groupOf, shortSource, visibleSkills, withFacet } from './filter.ts'
import { inventoryPanes } from './regions.ts'

export function viewInventory(model: Model, size: Size): Line[] {
  const { list, details } = inventoryPanes(size, model.inventory)
  const left = list === undefined ? undefined : viewList(model, list)
  const right = details === undefined ? undefined : viewDetails(model, details)
  return left !== undefined && right !== undefined ? beside(left, right) : (left ?? right ?? [])
}

function viewList(model: Model, size: Size): Line[] {
  const { inventory } = model
  const inside = insideOf(size)
  const rows = listRows(model)
  const columns = agentColumns(model, inside.columns - 2)
  // With fewer rows, all are needed for skills.
  const hasHeads = rows.length > 0 && inside.rows >= 4
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

type InventoryRow = { skill: SkillView; at: number } | { heading: string; count: number }

/** The skills, with a heading before each group. */
function listRows({ inventory }: Model): InventoryRow[] {
  const skills = visibleSkills(inventory)
  if (inventory.grouping === 'none') return skills.map((skill, at) => ({ skill, at }))
  const groups = skills.map((skill) => groupOf(inventory, skill))
  const counts = new Map<string, number>()
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1)
  return skills.flatMap((skill, at): InventoryRow[] => {
    const heading = groups[at] ?? ''
    const row = { skill, at }
    return heading === groups[at - 1] ? [row] : [{ heading, count: counts.get(heading) ?? 0 }, row]
  })
}

function rowLine(
  model: Model,
  row: InventoryRow,
  agents: readonly AgentColumn[],
  columns: number,
  isCurrent: boolean,
): Line {
  if ('heading' in row) return fitLine([span(`${row.heading} ${row.count}`, 'strong')], columns)
  const line = fitLine([span(isCurrent ? '▸ ' : '  '), ...skillLine(model, row.skill, agents, columns - 2)], columns)
  return isCurrent && model.inventory.focus === 'list' ? mark(line, 'chosen') : line
}

function skillLine(model: Model, skill: SkillView, agents: readonly AgentColumn[], columns: number): Line {
  const { marked } = model.inventory
  const { sign, style } = SIGNS[skill.state]
  const attention = needsAttention(skill.state) ? span(` ${sign}`, style) : span('  ')
  const tick = marked.length === 0 ? [] : [span(marked.includes(skill.name) ? '✓ ' : '  ', 'accent')]
  const room = Math.max(0, columns - widthOf(agents) - 2)
  // If less than this is left for the name, the signs are not shown.
  if (room < 8) return [...tick, span(skill.name)]
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
  // The typed filter matters more than the numbers before it.
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

/** The column of an agent: its head, and its width including the gap before it. */
interface AgentColumn {
  agent: string
  head: string
  width: number
}

/** Heads as long as the room allows: whole names, three letters, or one letter each. */
function agentColumns({ inventory, scope }: Model, columns: number): AgentColumn[] {
  const agents = inventory.value?.agents ?? []
  // The state; in a project also whether there is a copy in user scope.
  const cell = scope === 'project' ? 2 : 1
  const headed = (heads: readonly string[]) =>
    agents.map((agent, at) => ({ agent, head: heads[at] ?? '', width: Math.max(heads[at]?.length ?? 0, cell) + 1 }))
  const whole = headed(agents)
  if (widthOf(whole) <= columns * 0.4) return whole
  // Three letters are enough to distinguish agents.
  const short = headed(agents.map((agent) => agent.slice(0, 3)))
  if (widthOf(short) <= columns * 0.5) return short
  const least = headed(letters(agents))
  return cell === 1 ? least.map((each) => ({ ...each, width: 1 })) : least
}

// The keys that equip for these agents.
const INVENTORY_KEYS: ReadonlyMap<string, string> = new Map([
  ['claude', 'c'],
  ['codex', 'x'],
])

/** A letter for each: that of its key, or the first free letter of its name. */
function letters(agents: readonly string[]): string[] {
  const taken = new Set(agents.flatMap((agent) => INVENTORY_KEYS.get(agent) ?? []))
  return agents.map((agent) => {
    const letter = INVENTORY_KEYS.get(agent) ?? [...agent].find((each) => /[a-z]/.test(each) && !taken.has(each)) ?? '·'
    taken.add(letter)
    return letter
  })
}

function widthOf(columns: readonly AgentColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0)
}

/** The heads above the cells. A head of one letter continues below with two more, if there is room. */
function headLines(columns: readonly AgentColumn[], rows: number): Line[] {
  const isShort = columns.some(({ head }) => head.length === 1)
  const count = isShort && rows >= 12 ? 3 : 1
  return Array.from({ length: count }, (_, row) =>
    columns.flatMap(({ agent, head, width }) => {
      const text = count === 1 ? head : (agent[row] ?? ' ')
      return inCell([span(text, 'faint')], head.length, width)
    }),
  )
}

function cellLine(model: Model, columns: readonly AgentColumn[], skill: SkillView): Line {
  return columns.flatMap(({ agent, head, width }) => {
    const { sign, style } = SIGNS[agentState(model, skill, agent)]
    const copy = hasUserCopy(model, skill, agent) ? [span(SIGNS.user.sign, 'faint')] : []
    return inCell([span(sign, style), ...copy], head.length, width)
  })
}

/** The gap comes before the cell, so that its content is under the head. */
function inCell(content: Line, letters: number, width: number): Line {
  const room = Math.max(letters, width - 1)
  const gap = width - room
  return [...(gap > 0 ? [span(' '.repeat(gap))] : []), ...fitLine(content, room)]
}

/** Everything about the skill under the cursor: description, agents, text. */
export function detailsLines(model: Model, columns: number): Line[] {
  const skill = currentSkill(model.inventory)
  if (skill === undefined) return []
  const agents = model.inventory.value?.agents ?? []
  return [
    ...wrapped(skill.description, columns),
    ...(skill.tags.length > 0 ? wrapped(`tags ${skill.tags.join(', ')}`, columns, 'faint') : []),
    ...(skill.source === undefined ? [] : wrapped(`from ${shortSource(skill.source)}`, columns, 'faint')),
    ...skill.problems.flatMap((problem) => wrapped(problem, columns, 'alert')),
    [],
    ...agents.flatMap((agent) => agentRows(model, skill, agent)),
    ...skill.placements.flatMap(({ agents: whose, edit, reason = '' }) =>
      edit === undefined ? [] : wrapped(`${whose.join(', ')}: ${reason}`, columns, 'faint'),
    ),
    styled('─'.repeat(columns), 'faint'),
    ...previewLines(model, skill, columns),
  ]
}

function agentRows(model: Model, skill: SkillView, agent: string): Line[] {
  const state = agentState(model, skill, agent)
  const { sign, word, style } = SIGNS[state]
  const behind = state === 'outdated' && skill.commitsBehind !== undefined ? `, ${skill.commitsBehind} behind` : ''
  const help = state === 'edited' ? '  e diff  E adopt' : ''
  const own: Line = [span(` ${agent.padEnd(9)}`), span(`${sign} ${word}${behind}`, style), span(help, 'faint')]
  const user = skill.placements.find(({ agents, scope }) => scope === 'user' && agents.includes(agent))
  // A copy in user scope works in the project too.
  if (model.scope === 'user' || user === undefined) return [own]
  const { sign: mark, word: standing } = SIGNS[user.state]
  return [own, styled(` ${''.padEnd(9)}${mark} ${standing} in user scope`, 'faint')]
}

function previewLines({ inventory }: Model, skill: SkillView, columns: number): Line[] {
  const { preview } = inventory
  return preview?.skill.name === skill.name ? renderMarkdown(preview.markdown, columns) : []
}

export function currentSkill(inventory: InventoryState): SkillView | undefined {
  return visibleSkills(inventory)[inventory.at]
}

/** The skills for an action: the marked ones, or the one under the cursor. */
export function selectedSkills({ inventory }: Model): SkillView[] {
  const { marked, value } = inventory
  if (marked.length > 0) return (value?.skills ?? []).filter(({ name }) => marked.includes(name))
  const skill = currentSkill(inventory)
  return skill === undefined ? [] : [skill]
}

/** The state of a skill for one agent, in the shown scope. */
export function agentState({ inventory, scope }: Model, skill: SkillView, agent: string): keyof typeof SIGNS {
  if (inventory.pending.some((each) => each.skill === skill.name && each.agent === agent)) return 'pending'
  const placement = skill.placements.find((each) => each.scope === scope && each.agents.includes(agent))
  const shared = skill.placements.find((each) => each.scope === scope && each.alsoReadBy?.includes(agent))
  return (placement ?? shared)?.state ?? (skill.targets.includes(agent) ? 'absent' : 'unfit')
}

/** In a project: whether there is a copy in user scope too. */
function hasUserCopy({ scope }: Model, skill: SkillView, agent: string): boolean {
  return scope === 'project' && skill.placements.some((each) => each.scope === 'user' && each.agents.includes(agent))
}

export function moveCursor(model: Model, at: number): Updated {
  const { inventory } = model
  return withPreview({
    ...model,
    inventory: { ...inventory, at: clamp(at, visibleSkills(inventory).length), scroll: 0 },
  })
}

/** Loads the text of the skill under the cursor, unless it is loaded. */
export function withPreview(model: Model): Updated {
  const isThere = model.inventory.preview?.skill.name === currentSkill(model.inventory)?.name
  return isThere ? step(model) : loadPreview(model)
}

function loadPreview(model: Model): Updated {
  const skill = currentSkill(model.inventory)
  if (skill === undefined || skill.state === 'invalid' || skill.state === 'orphaned') return step(model)
  return step(model, { kind: 'load preview', name: skill.name, project: activeProject(model) })
}

/** Changes the filter or order. The cursor stays on its skill if that is still shown. */
function withView(model: Model, change: Partial<InventoryState>): Updated {
  const name = currentSkill(model.inventory)?.name
  const inventory = { ...model.inventory, ...change, scroll: 0 }
  const at = visibleSkills(inventory).findIndex((skill) => skill.name === name)
  return withPreview({ ...model, inventory: { ...inventory, at: Math.max(0, at) } })
}

/** Puts the cursor on the best match. */
export function setFilter(model: Model, filter: string): Updated {
  const isTyped = model.inventory.isFiltering && filter !== ''
  return isTyped
    ? withPreview({ ...model, inventory: { ...model.inventory, filter, at: 0, scroll: 0 } })
    : withView(model, { filter })
}

export function nextGrouping(model: Model): Updated {
  const { grouping } = model.inventory
  const next = GROUPINGS[(GROUPINGS.indexOf(grouping) + 1) % GROUPINGS.length] ?? 'none'
  const text = next === 'none' ? 'in the order of the library' : `grouped by ${next}`
  return withView({ ...model, notice: { tone: 'plain', text: `${text}   (o goes on)` } }, { grouping: next })
}

export function switchFacet(model: Model, at: number): Updated {
  const row = facetRows(model.inventory)[at]
  return row === undefined ? step(model) : withView(model, { filter: withFacet(model.inventory.filter, row) })
}

/** Opens the skill under the cursor on the whole screen. */
export function openSkill(model: Model): Updated {
  if (currentSkill(model.inventory) === undefined) return step(model)
  return withPreview({ ...model, inventory: { ...model.inventory, focus: 'text', isOpen: true } })
}

/** Marks or unmarks the skill under the cursor. */
export function markOne(model: Model): Updated {
  const { inventory } = model
  const name = currentSkill(inventory)?.name
  if (name === undefined) return step(model)
  const isMarked = inventory.marked.includes(name)
  const marked = isMarked ? inventory.marked.filter((each) => each !== name) : [...inventory.marked, name]
  return step({ ...model, inventory: { ...inventory, marked } })
}

/** Marks all matching skills; again: unmarks them. */
export function markAll(model: Model): Updated {
  const { inventory } = model
  const names = visibleSkills(inventory).map(({ name }) => name)
  const isAll = names.every((name) => inventory.marked.includes(name))
  const others = inventory.marked.filter((name) => !names.includes(name))
  return step({ ...model, inventory: { ...inventory, marked: isAll ? others : [...others, ...names] } })
}

/** Takes a new inventory. The cursor stays on its skill, or on its row if the skill is gone. */
export function withInventory(model: Model, value: Inventory): Updated {
  const before = model.inventory
  const name = currentSkill(before)?.name
  const next: InventoryState = {
    ...before,
    value,
    isStale: false,
    marked: before.marked.filter((each) => value.skills.some((skill) => skill.name === each)),
    pending: before.pending.filter((each) => !each.isDone),
  }
  const skills = visibleSkills(next)
  const found = skills.findIndex((skill) => skill.name === name)
  const at = found >= 0 ? found : clamp(before.at, skills.length)
  const { overlay } = model
  const read: Model = {
    ...model,
    overlay: overlay?.kind === 'agents' ? { ...overlay, at: clamp(overlay.at, value.agents.length) } : overlay,
    inventory: { ...next, at, scroll: found >= 0 ? before.scroll : 0 },
  }
  // The text may have changed: load it again, and show the old one until then.
  return loadPreview(read)
}

export function switchScope(model: Model): Updated {
  if (model.project === undefined) {
    return step({
      ...model,
      notice: { tone: 'plain', text: 'no project here: a git repository with .claude or .codex' },
    })
  }
  const scope = model.scope === 'user' ? 'project' : 'user'
  const inventory = { ...model.inventory, isStale: true }
  const next: Model = { ...model, scope, inventory, notice: scopeCue(scope, shortPath(model, model.project)) }
  return step(next, { kind: 'load inventory', project: activeProject(next) })
}

export function scopeCue(scope: Model['scope'], project: string | undefined): Model['notice'] {
  const text = scope === 'project' ? `project scope: ${project}` : 'user scope: your own skills'
  return { tone: 'plain', text: `${text}   (tab switches)` }
}
