import { count } from '../../text/count.ts'
import { insideOf, type Line, pane, type Size, span, styled } from '../frame/line.ts'
import { listLines } from '../frame/list.ts'
import type { Model } from '../model.ts'
import { SIGNS } from '../signs.ts'
import { agentState, meantSkills } from './inventory-state.ts'

/** The agents, and how each stands to the skill, if only one is meant. */
export function viewAgents(model: Model, at: number, size: Size): Line[] {
  const meant = meantSkills(model)
  const skill = meant.length === 1 ? meant[0] : undefined
  const lines = listLines(model.inventory.value?.agents ?? [], at, insideOf(size), (agent) => {
    if (skill === undefined) return [span(agent)]
    const { sign, word, style } = SIGNS[agentState(model, skill, agent)]
    return [span(`${agent.padEnd(12)} `), span(`${sign} ${word}`, style)]
  })
  return pane(styled(`Equip ${skill?.name ?? count(meant.length, 'skill')} for…`, 'strong'), lines, size, true)
}
