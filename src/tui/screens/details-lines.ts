import type { SkillView } from '../../loadout.ts'
import { type Line, span, styled, wrapped } from '../frame/line.ts'
import { renderMarkdown } from '../markdown.ts'
import type { Model } from '../model.ts'
import { SIGNS } from '../signs.ts'
import { shortSource } from './filter.ts'
import { agentState, currentSkill } from './inventory-state.ts'

/** Everything about the skill under the cursor: what it is for, who has it, what it says. */
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
  // In a project the user's own copy is worth knowing: it works there as well.
  if (model.scope === 'user' || user === undefined) return [own]
  const { sign: mark, word: standing } = SIGNS[user.state]
  return [own, styled(` ${''.padEnd(9)}${mark} ${standing} in user scope`, 'faint')]
}

function previewLines({ inventory }: Model, skill: SkillView, columns: number): Line[] {
  const { preview } = inventory
  return preview?.skill.name === skill.name ? renderMarkdown(preview.markdown, columns) : []
}
