import type { Inventory, SkillView } from '../../loadout.ts'
import { clamp } from '../frame/rows.ts'
import { activeProject, GROUPINGS, type InventoryState, type Model, type Step, shortPath, step } from '../model.ts'
import type { SIGNS } from '../signs.ts'
import { facetRows, visibleSkills, withFacet } from './filter.ts'

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
  return placement?.state ?? (skill.targets.includes(agent) ? 'absent' : 'unfit')
}

/** In a project: whether there is a copy in user scope too. */
export function hasUserCopy({ scope }: Model, skill: SkillView, agent: string): boolean {
  return scope === 'project' && skill.placements.some((each) => each.scope === 'user' && each.agents.includes(agent))
}

export function moveCursor(model: Model, at: number): Step {
  const { inventory } = model
  return withPreview({
    ...model,
    inventory: { ...inventory, at: clamp(at, visibleSkills(inventory).length), scroll: 0 },
  })
}

/** Loads the text of the skill under the cursor, unless it is loaded. */
export function withPreview(model: Model): Step {
  const isThere = model.inventory.preview?.skill.name === currentSkill(model.inventory)?.name
  return isThere ? step(model) : loadPreview(model)
}

function loadPreview(model: Model): Step {
  const skill = currentSkill(model.inventory)
  if (skill === undefined || skill.state === 'invalid' || skill.state === 'orphaned') return step(model)
  return step(model, { kind: 'load preview', name: skill.name, project: activeProject(model) })
}

/** Changes the filter or order. The cursor stays on its skill if that is still shown. */
function withView(model: Model, change: Partial<InventoryState>): Step {
  const name = currentSkill(model.inventory)?.name
  const inventory = { ...model.inventory, ...change, scroll: 0 }
  const at = visibleSkills(inventory).findIndex((skill) => skill.name === name)
  return withPreview({ ...model, inventory: { ...inventory, at: Math.max(0, at) } })
}

/** Puts the cursor on the best match. */
export function setFilter(model: Model, filter: string): Step {
  const isTyped = model.inventory.isFiltering && filter !== ''
  return isTyped
    ? withPreview({ ...model, inventory: { ...model.inventory, filter, at: 0, scroll: 0 } })
    : withView(model, { filter })
}

export function nextGrouping(model: Model): Step {
  const { grouping } = model.inventory
  const next = GROUPINGS[(GROUPINGS.indexOf(grouping) + 1) % GROUPINGS.length] ?? 'none'
  const text = next === 'none' ? 'in the order of the library' : `grouped by ${next}`
  return withView({ ...model, notice: { tone: 'plain', text: `${text}   (o goes on)` } }, { grouping: next })
}

export function switchFacet(model: Model, at: number): Step {
  const row = facetRows(model.inventory)[at]
  return row === undefined ? step(model) : withView(model, { filter: withFacet(model.inventory.filter, row) })
}

/** Opens the skill under the cursor on the whole screen. */
export function openSkill(model: Model): Step {
  if (currentSkill(model.inventory) === undefined) return step(model)
  return withPreview({ ...model, inventory: { ...model.inventory, focus: 'text', isOpen: true } })
}

/** Marks or unmarks the skill under the cursor, and moves to the next one. */
export function markOne(model: Model): Step {
  const { inventory } = model
  const name = currentSkill(inventory)?.name
  if (name === undefined) return step(model)
  const isMarked = inventory.marked.includes(name)
  const marked = isMarked ? inventory.marked.filter((each) => each !== name) : [...inventory.marked, name]
  return moveCursor({ ...model, inventory: { ...inventory, marked } }, inventory.at + 1)
}

/** Marks all matching skills; again: unmarks them. */
export function markAll(model: Model): Step {
  const { inventory } = model
  const names = visibleSkills(inventory).map(({ name }) => name)
  const isAll = names.every((name) => inventory.marked.includes(name))
  const others = inventory.marked.filter((name) => !names.includes(name))
  return step({ ...model, inventory: { ...inventory, marked: isAll ? others : [...others, ...names] } })
}

/** Takes a new inventory. The cursor stays on its skill, or on its row if the skill is gone. */
export function withInventory(model: Model, value: Inventory): Step {
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

export function switchScope(model: Model): Step {
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
