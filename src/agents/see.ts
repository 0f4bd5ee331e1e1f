import type { Machine } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { readAgentSettings } from './disk/sight/agent-settings-file.ts'
import { findSkills } from './disk/sight/found-skills.ts'
import { findInstructions } from './disk/sight/instruction-files.ts'
import { type FoundPlace, findPlaces, findPlugins } from './disk/sight/skill-places.ts'
import { type Agent, readingOf, requireAgent } from './rules/agents.ts'
import {
  type AgentSettings,
  decideInstructions,
  type InstructionSight,
  type Limits,
  limitsOf,
} from './rules/sight/agent-settings.ts'
import { decideFates, type Fate, type Sight } from './rules/sight/visibility.ts'

export interface SeeRequest {
  agent: string
  /** Where the agent works; undefined for no project. */
  project?: string | undefined
  /** Of the model, in tokens. */
  window?: number | undefined
}

export interface AgentSight extends Sight {
  agent: string
  label: string
  /** The version of the agent that its rules were read from; absent when they are not known. */
  readFrom?: string
  /** What must be given before it reads the folders of a project; absent when nothing must. */
  trust?: string
  cwd?: string
  home: string
  places: FoundPlace[]
  /** What the list may take; absent when no limit is known, or there is none. */
  budget?: Limits & { unit: 'columns' | 'tokens'; model?: string }
  instructions: InstructionSight[]
  mostInstructionBytes?: number
}

const TROUBLE: readonly Fate[] = ['undescribed', 'cut', 'dropped', 'shadowed', 'ambiguous', 'unreadable']

/** Replays what an agent's own program does with the skills and instructions on this machine. */
export function seeAgent(machine: Machine, request: SeeRequest): Report<AgentSight> {
  const agent = requireAgent(request.agent)
  if (request.window === 0) {
    throw new LoadoutError('USAGE', 'a window of 0 tokens holds nothing', { hint: 'name one: --window 200000' })
  }
  const cwd = request.project === undefined ? undefined : openProject(machine, request.project).place
  const rules = readingOf(agent)
  const settings = readAgentSettings(machine, agent, cwd)
  const places = [...findPlaces(machine, agent, rules, cwd), ...findPlugins(machine, agent, rules, settings, cwd)]
  const found = findSkills(places, rules)
  const listing = agent.replay?.listing
  const limits = listing && limitsOf(listing, settings, request.window)
  const frame = agent.replay?.frame
  const whole = frame === undefined ? undefined : { frame }
  const sight = decideFates(found, rules, settings, listing && limits ? { listing, limits } : whole)
  const value: AgentSight = {
    agent: agent.id,
    label: agent.label,
    ...(agent.replay && { readFrom: agent.replay.readFrom }),
    ...(rules.trust !== undefined && cwd !== undefined && { trust: rules.trust }),
    ...(cwd === undefined ? {} : { cwd }),
    home: machine.home,
    places,
    ...(listing && limits && { budget: { ...limits, unit: listing.unit, ...modelOf(settings) } }),
    ...sight,
    ...seeInstructions(machine, agent, settings, cwd),
  }
  return { value, findings: findingsOf(value) }
}

function modelOf({ model }: AgentSettings): { model?: string } {
  return model === undefined ? {} : { model }
}

function seeInstructions(machine: Machine, agent: Agent, settings: AgentSettings, cwd: string | undefined) {
  const rules = agent.replay?.instructions
  if (rules === undefined) return { instructions: [] }
  const files = findInstructions(machine, agent, rules, settings.moreNames, cwd)
  const most = rules.mostBytes === undefined ? undefined : (settings.mostBytes ?? rules.mostBytes)
  const instructions = decideInstructions(files, rules, most)
  return { instructions, ...(most === undefined ? {} : { mostInstructionBytes: most }) }
}

/** One for each that needs action; the answer itself names them all. */
function findingsOf({ skills, places, instructions }: AgentSight): Finding[] {
  return [
    ...places.flatMap(({ state, path, why = '' }) =>
      state === 'unreadable' ? [trouble(path, `${path}: ${why}`)] : [],
    ),
    ...skills.flatMap(({ name, path, fate, why }) =>
      TROUBLE.includes(fate) ? [trouble(path, `${name} is ${fate}: ${why}`)] : [],
    ),
    ...instructions.flatMap(({ path, state, why }) =>
      state === 'cut' || state === 'unreadable' ? [trouble(path, `${path}: ${why}`)] : [],
    ),
  ]
}

function trouble(subject: string, message: string): Finding {
  return { severity: 'error', code: 'NOT_SEEN', message, subject }
}
