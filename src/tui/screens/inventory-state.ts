import type { Inventory, SkillView } from '../../loadout.ts'
import type { Effect } from '../effect.ts'
import { clamp } from '../frame/list.ts'
import { activeProject, type InventoryState, type Model, type Pending } from '../model.ts'
import type { SIGNS } from '../signs.ts'
import { type Step, step } from '../step.ts'

/** The skills that the filter leaves, in the order of the library. */
export function visibleSkills({ value, filter }: InventoryState): SkillView[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const skills = value?.skills ?? []
  if (words.length === 0) return skills
  return skills.filter(({ name, description, tags, state }) => {
    const text = `${name} ${description} ${tags.join(' ')} ${state}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

export function currentSkill(inventory: InventoryState): SkillView | undefined {
  return visibleSkills(inventory)[inventory.at]
}

/** How one agent stands to a skill, in the scope that is shown. */
export function agentState({ inventory, scope }: Model, skill: SkillView, agent: string): keyof typeof SIGNS {
  if (inventory.pending.some((each) => each.skill === skill.name && each.agent === agent)) return 'pending'
  const placement = skill.placements.find((each) => each.scope === scope && each.agents.includes(agent))
  return placement?.state ?? (skill.targets.includes(agent) ? 'absent' : 'unfit')
}

export function moveCursor(model: Model, at: number): Step {
  const { inventory } = model
  return withPreview({
    ...model,
    inventory: { ...inventory, at: clamp(at, visibleSkills(inventory).length), scroll: 0 },
  })
}

/** Asks for the text of the skill under the cursor, unless it is there. */
export function withPreview(model: Model): Step {
  const isThere = model.inventory.preview?.skill.name === currentSkill(model.inventory)?.name
  return isThere ? step(model) : loadPreview(model)
}

function loadPreview(model: Model): Step {
  const skill = currentSkill(model.inventory)
  if (skill === undefined || skill.state === 'invalid' || skill.state === 'orphaned') return step(model)
  return step(model, { kind: 'load preview', name: skill.name, project: activeProject(model) })
}

export function setFilter(model: Model, filter: string): Step {
  const name = currentSkill(model.inventory)?.name
  const inventory = { ...model.inventory, filter, scroll: 0 }
  const at = visibleSkills(inventory).findIndex((skill) => skill.name === name)
  return withPreview({ ...model, inventory: { ...inventory, at: Math.max(0, at) } })
}

/** Agents for which the skill is installed by us, in the scope that is shown. */
function equippedAgents({ placements }: SkillView, scope: Model['scope']): string[] {
  const managed = placements.filter(
    (each) => each.scope === scope && each.state !== 'unmanaged' && each.state !== 'broken',
  )
  return managed.flatMap(({ agents }) => agents)
}

/** Equips the skill for agents that lack it; if none does, takes it from them. */
export function toggle(model: Model, wanted: readonly string[]): Step {
  const skill = currentSkill(model.inventory)
  const value = model.inventory.value
  if (skill === undefined || value === undefined) return step(model)
  const possible = wanted.filter((agent) => value.agents.includes(agent))
  // What is being changed now has no state that could be turned round.
  if (possible.some((agent) => agentState(model, skill, agent) === 'pending')) {
    return step({ ...model, notice: { tone: 'plain', text: `${skill.name} is still being changed` } })
  }
  const equipped = equippedAgents(skill, model.scope).filter((agent) => possible.includes(agent))
  const lacking = possible.filter((agent) => skill.targets.includes(agent) && !equipped.includes(agent))
  const agents = lacking.length > 0 ? lacking : equipped
  if (agents.length === 0)
    return step({ ...model, notice: { tone: 'alert', text: cannot(skill, wanted, value.agents) } })
  const [names, isOn, project] = [[skill.name], lacking.length > 0, activeProject(model)]
  return startToggle(model, { kind: 'toggle', names, agents, isOn, project })
}

type Toggle = Effect & { kind: 'toggle' }

/** The agents show that they are being changed until that is done and read again. */
export function startToggle(model: Model, effect: Toggle): Step {
  const pending = [...model.inventory.pending, ...pendingOf(effect)]
  return step({ ...model, inventory: { ...model.inventory, pending } }, effect)
}

function pendingOf({ names, agents }: Toggle): Pending[] {
  return names.flatMap((skill) => agents.map((agent) => ({ skill, agent, isDone: false })))
}

/** What remains when a change has ended: done changes are shown until the inventory is read, failed ones are not. */
export function endToggle(model: Model, { names, agents }: Toggle, isDone: boolean): Model {
  const isMeant = (each: Pending) => names.includes(each.skill) && agents.includes(each.agent)
  const pending = isDone
    ? model.inventory.pending.map((each) => (isMeant(each) ? { ...each, isDone } : each))
    : model.inventory.pending.filter((each) => !isMeant(each))
  return { ...model, inventory: { ...model.inventory, pending } }
}

function cannot({ name, targets }: SkillView, wanted: readonly string[], enabled: readonly string[]): string {
  if (wanted.length === 0) return 'no agent is enabled: p opens the settings'
  const off = wanted.filter((agent) => !enabled.includes(agent))
  if (off.length === wanted.length) return `${off.join(', ')} is not enabled: p opens the settings`
  return targets.length === 0 ? `${name} cannot be equipped` : `${name} supports only ${targets.join(', ')}`
}

/** Lists the agents, if there are any. */
export function pickAgent(model: Model): Step {
  const { value } = model.inventory
  if (currentSkill(model.inventory) === undefined || value === undefined) return step(model)
  if (value.agents.length > 0) return step({ ...model, overlay: { kind: 'agents', at: 0 } })
  return step({ ...model, notice: { tone: 'alert', text: 'no agent is enabled: p opens the settings' } })
}

/** A new reading. The cursor stays on its skill; where that is gone, on its row. */
export function withInventory(model: Model, value: Inventory): Step {
  const before = model.inventory
  const name = currentSkill(before)?.name
  const next: InventoryState = {
    ...before,
    value,
    isStale: false,
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
  // Its text may have changed: it is asked for anew, and shown as it was until then.
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
  const next: Model = { ...model, scope, inventory, notice: scopeCue(scope, model.project) }
  return step(next, { kind: 'load inventory', project: activeProject(next) })
}

export function scopeCue(scope: Model['scope'], project: string | undefined): Model['notice'] {
  const text = scope === 'project' ? `project scope: ${project}` : 'user scope: your own skills'
  return { tone: 'plain', text: `${text}   (tab switches)` }
}
