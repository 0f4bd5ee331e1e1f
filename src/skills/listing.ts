import { RECORDED_AGENTS } from '../agents/rules/recorded-rules.ts'
import { isCrowdedOut } from '../agents/rules/visibility.ts'
import { seeAgent } from '../agents/see.ts'
import type { Machine } from '../machine/machine.ts'
import { grouped } from '../text/count.ts'
import { type Finding, LoadoutError, report } from '../text/trouble.ts'
import { enabledAgents, type ScopeRequest, withInstalls } from './installs.ts'

/** How full an agent's list of skills for its model is. */
export interface ListingRoom {
  agent: string
  label: string
  /** Skills in the list, with or without their whole descriptions. */
  skills: number
  cut: number
  dropped: number
  used: number
  /** The maximum size of the list, and its unit. */
  room: number
  unit: 'characters' | 'tokens'
  /** What to do if the list is too full. */
  problem?: Finding
}

/** The room in the lists of the enabled agents, if their rules are known. */
export const readListing = withInstalls((installs, _: ScopeRequest): ListingRoom[] => {
  const { machine, config, project } = installs
  return seeRooms(machine, enabledAgents(config), project)
})

/** Reports which agents cannot show their model all installed skills, and what helps. */
export function listingFindings(machine: Machine, agents: readonly string[], project: string | undefined): Finding[] {
  return seeRooms(machine, agents, project).flatMap(({ problem }) => problem ?? [])
}

function seeRooms(machine: Machine, agents: readonly string[], project: string | undefined): ListingRoom[] {
  const limited = RECORDED_AGENTS.filter((id) => agents.includes(id))
  return limited.flatMap((id) => {
    try {
      const seen = seeAgent(machine.quiet(), { agent: id, project })
      const { agent, label, budget, used = 0 } = seen
      if (budget === undefined) return []
      const listed = seen.skills.filter(({ fate }) => LISTED.includes(fate))
      const crowded = listed.filter(isCrowdedOut)
      const cut = crowded.filter(({ fate }) => fate === 'cut')
      const dropped = crowded.filter(({ fate }) => fate === 'dropped')
      const room: ListingRoom = {
        agent,
        label,
        skills: listed.length,
        cut: cut.length,
        dropped: dropped.length,
        used,
        room: budget.budget,
        unit: budget.unit === 'tokens' ? 'tokens' : 'characters',
      }
      return [crowded.length > 0 ? { ...room, problem: problemOf(room, project) } : room]
    } catch (error) {
      // `loadout see` reports settings of an agent that cannot be read.
      if (error instanceof LoadoutError) return []
      throw error
    }
  })
}

const LISTED: readonly string[] = ['visible', 'named', 'undescribed', 'cut', 'dropped']

function problemOf({ agent, label, skills, cut, dropped }: ListingRoom, project: string | undefined): Finding {
  const facts = { label, agent, skills: grouped(skills), crowded: grouped(cut + dropped) }
  return report('NOT_SEEN/full', { ...facts, scope: project === undefined ? '' : ' --project .' }, { subject: agent })
}
