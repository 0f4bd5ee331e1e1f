import type { Machine } from '../machine/machine.ts'
import { compareText } from '../text/values.ts'
import { findSkills } from './disk/sight/found-skills.ts'
import { findPlaces } from './disk/sight/places.ts'
import { requireAgent } from './rules/agents.ts'
import { readingOf } from './rules/recorded-rules.ts'

/** A skill that an agent can call, with its SKILL.md. */
export interface CallableSkill {
  name: string
  description: string
  file: string
}

const MOST_SKILLS = 1000

/** The skills in the folders that an agent reads, even if its list has no room for them. The first of each name. */
export function callableSkills(machine: Machine, agentId: string): CallableSkill[] {
  const agent = requireAgent(agentId)
  const rules = readingOf(agent)
  const skills = new Map<string, CallableSkill>()
  for (const found of findSkills(findPlaces(machine, agent, rules, machine.cwd), rules)) {
    const { name, description, path: file, problem, hidden, isCommand, scope } = found
    if (problem !== undefined || hidden !== undefined || isCommand || scope === 'agent' || skills.has(name)) continue
    skills.set(name, { name, description, file })
  }
  return [...skills.values()].slice(0, MOST_SKILLS).sort((a, b) => compareText(a.name, b.name))
}
