import type { SkillView } from '../../loadout.ts'
import { count } from '../../text/count.ts'
import type { Effect, TogglePart } from '../message.ts'
import { activeProject, type Model, type Notice, type Pending, step, type Updated } from '../model.ts'
import { agentState, selectedSkills } from './inventory.ts'

type Toggle = Effect & { kind: 'toggle' }

/** Agents for which Loadout installed the skill, in the shown scope. */
function equippedAgents({ placements }: SkillView, scope: Model['scope']): string[] {
  const managed = placements.filter(
    (each) => each.scope === scope && each.state !== 'unmanaged' && each.state !== 'broken',
  )
  return managed.flatMap(({ agents }) => agents)
}

/** Equips skills for agents that lack them; if none lacks any, removes them from these agents. */
export function toggle(model: Model, wanted: readonly string[]): Updated {
  const skills = selectedSkills(model)
  const { value } = model.inventory
  if (skills.length === 0 || value === undefined) return step(model)
  const possible = wanted.filter((agent) => value.agents.includes(agent))
  // A placement that is being changed has no state to toggle.
  const changing = skills.find((skill) => possible.some((agent) => agentState(model, skill, agent) === 'pending'))
  if (changing !== undefined) return told(model, { tone: 'plain', text: `${changing.name} is still being changed` })
  const has = (skill: SkillView) => equippedAgents(skill, model.scope).filter((agent) => possible.includes(agent))
  const lacks = (skill: SkillView) =>
    possible.filter((agent) => skill.targets.includes(agent) && !has(skill).includes(agent))
  const isOn = skills.some((skill) => lacks(skill).length > 0)
  const parts = partsOf(skills.map((skill) => [skill.name, isOn ? lacks(skill) : has(skill)]))
  if (parts.length === 0) return told(model, { tone: 'alert', text: cannot(skills, wanted, value.agents) })
  return startToggle(model, { kind: 'toggle', parts, isOn, project: activeProject(model) })
}

/** Groups skills that change for the same agents. */
export function partsOf(changes: readonly (readonly [name: string, agents: readonly string[]])[]): TogglePart[] {
  const parts = new Map<string, TogglePart>()
  for (const [name, agents] of changes) {
    if (agents.length === 0) continue
    const key = agents.join(' ')
    const part = parts.get(key) ?? { names: [], agents: [...agents] }
    part.names.push(name)
    parts.set(key, part)
  }
  return [...parts.values()]
}

function told(model: Model, notice: Notice): Updated {
  return step({ ...model, notice })
}

/** Shows the placements as changing until the inventory is read again. */
export function startToggle(model: Model, effect: Toggle): Updated {
  const pending = [...model.inventory.pending, ...pendingOf(effect)]
  return step({ ...model, inventory: { ...model.inventory, pending } }, effect)
}

function pendingOf({ parts }: Toggle): Pending[] {
  return parts.flatMap(({ names, agents }) =>
    names.flatMap((skill) => agents.map((agent) => ({ skill, agent, isDone: false }))),
  )
}

/** Ends a change. A successful one stays marked until the inventory is read; a failed one does not. */
export function endToggle(model: Model, { parts }: Toggle, isDone: boolean): Model {
  const isMeant = (each: Pending) =>
    parts.some(({ names, agents }) => names.includes(each.skill) && agents.includes(each.agent))
  const pending = isDone
    ? model.inventory.pending.map((each) => (isMeant(each) ? { ...each, isDone } : each))
    : model.inventory.pending.filter((each) => !isMeant(each))
  return { ...model, inventory: { ...model.inventory, pending } }
}

function cannot(skills: readonly SkillView[], wanted: readonly string[], enabled: readonly string[]): string {
  if (wanted.length === 0) return 'no agent is enabled: p opens the settings'
  const off = wanted.filter((agent) => !enabled.includes(agent))
  if (off.length === wanted.length) return `${off.join(', ')} is not enabled: p opens the settings`
  const [first] = skills
  if (skills.length !== 1 || first === undefined) {
    return `none of the ${count(skills.length, 'skill')} can be equipped for ${wanted.join(', ')}`
  }
  const { name, targets } = first
  return targets.length === 0 ? `${name} cannot be equipped` : `${name} supports only ${targets.join(', ')}`
}

/** Lists the agents, if there are any. */
export function pickAgent(model: Model): Updated {
  const { value } = model.inventory
  if (selectedSkills(model).length === 0 || value === undefined) return step(model)
  if (value.agents.length > 0) return step({ ...model, overlay: { kind: 'agents', at: 0 } })
  return told(model, { tone: 'alert', text: 'no agent is enabled: p opens the settings' })
}
