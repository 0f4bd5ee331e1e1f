import { RECORDED_AGENTS } from '../agents/rules/recorded-rules.ts'
import { type AgentSight, seeAgent } from '../agents/see.ts'
import type { Machine } from '../machine/machine.ts'
import { grouped } from '../text/count.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { enabledAgents, openSetup, type ScopeRequest } from './setup.ts'

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
export function readListing(machine: Machine, request: ScopeRequest): Report<ListingRoom[]> {
  const { config, project } = openSetup(machine, request)
  return { value: seeRooms(machine, enabledAgents(config), project), findings: [] }
}

/** Reports which agents cannot show their model all installed skills, and what helps. */
export function listingFindings(machine: Machine, agents: readonly string[], project: string | undefined): Finding[] {
  return seeRooms(machine, agents, project).flatMap(({ problem }) => problem ?? [])
}

function seeRooms(machine: Machine, agents: readonly string[], project: string | undefined): ListingRoom[] {
  const limited = RECORDED_AGENTS.filter((id) => agents.includes(id))
  return limited.flatMap((id) => {
    try {
      return roomOf(seeAgent(machine, { agent: id, project }).value, project)
    } catch (error) {
      // `loadout see` reports settings of an agent that cannot be read.
      if (error instanceof LoadoutError) return []
      throw error
    }
  })
}

const LISTED: readonly string[] = ['visible', 'undescribed', 'cut', 'dropped']

function roomOf(sight: AgentSight, project: string | undefined): ListingRoom[] {
  const { agent, label, budget, used = 0 } = sight
  if (budget === undefined) return []
  const listed = sight.skills.filter(({ fate }) => LISTED.includes(fate))
  const cut = listed.filter(({ fate }) => fate === 'cut')
  const dropped = listed.filter(({ fate }) => fate === 'dropped')
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
  const isCrowded = room.cut + room.dropped > 0
  return [isCrowded ? { ...room, problem: crowded(room, sight.skills.length, project) } : room]
}

function crowded(
  { agent, label, cut, dropped, used, room, unit }: ListingRoom,
  all: number,
  project?: string,
): Finding {
  const what = [
    dropped > 0 ? `does not show the descriptions of ${grouped(dropped)} of ${grouped(all)} skills` : '',
    cut > 0 ? `cuts ${cut} of ${all} descriptions` : '',
  ].filter((part) => part !== '')
  const needed = used > room ? `, and the names alone take ${grouped(used)}` : ''
  const message = `${label} ${what.join(' and ')}: its list has room for ${grouped(room)} ${unit}${needed}`
  const scope = project === undefined ? '' : ' --project .'
  const hint = `loadout see ${agent} --fix --dry-run${scope} shows what makes room; loadout see ${agent} --longest${scope} what takes it`
  return { severity: 'warning', code: 'NOT_SEEN', message, subject: agent, hint }
}
