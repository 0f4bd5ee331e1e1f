import { join } from 'node:path'
import { exists } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { compareText } from '../text/values.ts'
import { readAgentSettings } from './disk/sight/agent-settings-file.ts'
import { bodyTokensOf } from './disk/sight/described-skill.ts'
import { findSkills, openScan, type SkillScan } from './disk/sight/found-skills.ts'
import { findPlaces, findPlugins } from './disk/sight/places.ts'
import { requireAgent } from './rules/agents.ts'
import { readingOf, recordedRules } from './rules/recorded-rules.ts'

/** A skill that an agent can call, with its SKILL.md. */
export interface CallableSkill {
  name: string
  description: string
  file: string
}

export { openScan, type SkillScan }

const MOST_SKILLS = 1000

/** The skills in the folders that an agent reads, even if its list has no room for them. The first of each name. */
export function callableSkills(machine: Machine, agentId: string, scan?: SkillScan): CallableSkill[] {
  const agent = requireAgent(agentId)
  const rules = readingOf(agent)
  const skills = new Map<string, CallableSkill>()
  for (const found of findSkills(machine, findPlaces(machine, agent, rules, machine.cwd), rules, scan)) {
    const { name, description, path: file, problem, hidden, isCommand, isWorkflow, scope } = found
    if (
      problem !== undefined ||
      hidden !== undefined ||
      isCommand ||
      isWorkflow ||
      scope === 'agent' ||
      skills.has(name)
    )
      continue
    skills.set(name, { name, description, file })
  }
  return [...skills.values()].slice(0, MOST_SKILLS).sort((a, b) => compareText(a.name, b.name))
}

/** The SKILL.md behind the name that an agent calls; undefined if no folder that it reads has one. */
export function skillFile(machine: Machine, agentId: string, name: string): string | undefined {
  const agent = requireAgent(agentId)
  const rules = readingOf(agent)
  const places = findPlaces(machine, agent, rules, machine.cwd)
  // A skill is nearly always called as its folder; a look at every skill takes long.
  const direct = /^[\w-]+$/.test(name)
    ? places.map(({ path }) => join(path, name, DOCUMENT_FILE)).find(exists)
    : undefined
  if (direct !== undefined) return direct
  const known = recordedRules(agent.id)?.rows.at(-1)?.rules.settings
  const settings = readAgentSettings(machine, agent, known, machine.cwd)
  const plugins = findPlugins(machine, agent, rules, settings, machine.cwd)
  return findSkills(machine, [...places, ...plugins], rules).find(
    (skill) => skill.name === name && !skill.isCommand && !skill.isWorkflow,
  )?.path
}

/** What the text of a SKILL.md costs when an agent opens it, without its frontmatter; 0 if it cannot be read. */
export function bodyTokens(file: string): number {
  return bodyTokensOf(file)
}
