import { openExamples } from '../examples/examples.ts'
import { learnFromUse } from '../examples/learn.ts'
import { openRanking } from '../machine/ranking.ts'
import type { Why } from '../search/document.ts'
import { withheldIn } from './gate.ts'
import { type Installs, type ScopeRequest, withInstalls } from './installs.ts'
import { observe, recoverAll } from './observe.ts'
import { type RegisteredSkill, type SkillStatus, supports } from './rules/skill.ts'
import { type KeptSkill, librarySegment, skillsOf } from './skill-source.ts'

export interface Suggestion {
  name: string
  description: string
  /** 0 to 1. */
  confidence: number
  why: readonly Why[]
  /** Agents that have it now. */
  equipped: string[]
  /** Enabled agents that it supports and that do not have it. */
  missing: string[]
}

export interface Suggestions {
  task: string
  /** How many skills were searched. */
  known: number
  skills: Suggestion[]
  /** The command that equips the missing skills; undefined if none is missing. */
  command?: string
}

/** The skills of the library that match a task, which agents have them, and how to equip the rest. */
export const suggestSkills = withInstalls(
  async (installs, request: ScopeRequest & { task: string; limit?: number }): Promise<Suggestions> => {
    const roots = installs.everyRoot()
    await recoverAll(installs, roots)
    const { statuses, registry } = await observe(installs, roots)
    const byName = new Map(statuses.map((status) => [status.name, status]))
    const withheld = withheldIn(installs.repo, registry)
    const cleared = registry.skills.filter(({ skill }) => !withheld.has(skill.name))
    const { machine, library } = installs
    const describe = (id: string) => cleared.find(({ skill }) => skill.name === id)?.skill.description
    learnFromUse(machine, ({ kind, id }) => (kind === 'skill' ? describe(id) : undefined))
    const examples = openExamples(machine, { library }, 'here')
    const hits = openRanking(machine, [librarySegment(library, skillsOf(library, cleared), examples)]).rank(
      request.task,
      { limit: request.limit ?? 5 },
    )
    const skills = hits.flatMap(({ kept, confidence, why }) => {
      const status = byName.get((kept as KeptSkill).name)
      return status?.registered === undefined
        ? []
        : [suggestionOf(installs, status, status.registered, confidence, why)]
    })
    const wanting = skills.filter(({ missing }) => missing.length > 0).map(({ name }) => name)
    const scope = installs.project === undefined ? '' : ' --project .'
    const value = {
      task: request.task,
      known: cleared.length,
      skills,
      command: wanting.length > 0 ? `loadout equip ${wanting.join(' ')}${scope}` : undefined,
    }
    installs.machine.report(...registry.findings)
    return value
  },
)

function suggestionOf(
  { roots }: Installs,
  { name, placements }: SkillStatus,
  { skill }: RegisteredSkill,
  confidence: number,
  why: readonly Why[],
): Suggestion {
  const managed = placements.filter(({ state }) => state !== 'unmanaged' && state !== 'broken')
  const equipped = [...new Set(managed.flatMap(({ placement }) => placement.root.agents))]
  const enabled = roots.flatMap(({ agents }) => agents)
  const missing = enabled.filter((agent) => supports(skill, agent) && !equipped.includes(agent))
  return { name, description: skill.description, confidence, why, equipped, missing }
}
