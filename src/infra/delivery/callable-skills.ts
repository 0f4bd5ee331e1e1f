import { isAbsolute, join } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { compareText } from '../../domain/shared/order.ts'
import { requireAgent } from '../../domain/skills/agents.ts'
import type { TargetRoot } from '../../domain/skills/placement.ts'
import { DOCUMENT_FILE } from '../../domain/skills/skill.ts'
import { readText } from '../files.ts'
import type { Machine } from '../machine.ts'
import { readConfig } from '../skills/config-file.ts'
import { installedSkills } from '../skills/installed-skills.ts'
import { importedDocument } from '../skills/skill-document.ts'
import { userRoot } from '../skills/target-roots.ts'

/** A skill that an agent can call by itself, with the file that says how. */
export interface CallableSkill {
  name: string
  description: string
  file: string
}

const MOST_SKILLS = 1000
const LARGEST_DOCUMENT = 256 * 1024

/** What an agent finds in the folders that it reads, the project's first, by name. */
export function callableSkills(machine: Machine, agentId: string, project: string): CallableSkill[] {
  return installedSkills(rootsOf(machine, agentId, project))
    .slice(0, MOST_SKILLS)
    .flatMap(({ name, folder }) => readSkill(name, join(folder, DOCUMENT_FILE)) ?? [])
    .sort((a, b) => compareText(a.name, b.name))
}

function rootsOf(machine: Machine, agentId: string, project: string): TargetRoot[] {
  const agent = requireAgent(agentId)
  const agents = [agent.id]
  const inProject = [agent.projectFolder, ...agent.alsoReads.filter((place) => !/^[~/]/.test(place))]
  const ofUser = agent.alsoReads.filter((place) => /^[~/]/.test(place))
  return [
    ...inProject.map((place) => ({ path: join(project, place), scope: 'project' as const, agents })),
    { path: userRoot(machine, readConfig(machine), agent), scope: 'user', agents },
    ...ofUser.map((place) => {
      const path = isAbsolute(place) ? place : join(machine.home, place.slice(2))
      return { path, scope: 'user' as const, agents }
    }),
  ]
}

/** Undefined for one without a description, and for one that only a person calls. */
function readSkill(name: string, file: string): CallableSkill | undefined {
  try {
    const { description, metadata } = importedDocument(readText(file, LARGEST_DOCUMENT))
    if (description === undefined || metadata['disable-model-invocation'] === true) return undefined
    return { name, description, file }
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}
