import { AGENTS } from '../agents/rules/agents.ts'
import { type AgentSight, seeAgent } from '../agents/see.ts'
import type { Machine } from '../machine/machine.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'

/** Says which agents cannot show their model all the skills that are installed, and what helps. */
export function listingFindings(machine: Machine, agents: readonly string[], project: string | undefined): Finding[] {
  const limited = AGENTS.filter(({ id, replay }) => agents.includes(id) && replay?.listing !== undefined)
  return limited.flatMap(({ id }) => {
    try {
      return crowded(seeAgent(machine, { agent: id, project }).value, project)
    } catch (error) {
      // Settings of an agent that cannot be read are told by `loadout see`.
      if (error instanceof LoadoutError) return []
      throw error
    }
  })
}

function crowded({ agent, label, skills, budget, used = 0 }: AgentSight, project: string | undefined): Finding[] {
  const dropped = skills.filter(({ fate }) => fate === 'dropped').length
  const cut = skills.filter(({ fate }) => fate === 'cut').length
  if (budget === undefined || dropped + cut === 0) return []
  const unit = budget.unit === 'columns' ? 'characters' : 'tokens'
  const what = [
    dropped > 0 ? `does not show the descriptions of ${dropped} of ${skills.length} skills` : '',
    cut > 0 ? `cuts ${cut} of ${skills.length} descriptions` : '',
  ].filter((part) => part !== '')
  const needed = used > budget.budget ? `, and the names alone take ${used}` : ''
  const room = `${budget.budget} ${unit}`
  const message = `${label} ${what.join(' and ')}: its list has room for ${room}${needed}`
  const scope = project === undefined ? '' : ' --project .'
  const hint = `loadout see ${agent} --longest${scope} shows what to shorten; loadout unequip --unused${scope} removes what nobody used`
  return [{ severity: 'warning', code: 'NOT_SEEN', message, subject: agent, hint }]
}
