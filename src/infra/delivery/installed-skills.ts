import { readdirSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { compareText } from '../../domain/shared/order.ts'
import { requireAgent } from '../../domain/skills/agents.ts'
import { DOCUMENT_FILE } from '../../domain/skills/skill.ts'
import { isFile, readText } from '../files.ts'
import type { Machine } from '../machine.ts'
import { readConfig } from '../skills/config-file.ts'
import { importedDocument } from '../skills/skill-document.ts'
import { userRoot } from '../skills/target-roots.ts'

/** A skill that an agent can call, with the file that says how. */
export interface InstalledSkill {
  name: string
  description: string
  file: string
}

const MOST_SKILLS = 1000
const LARGEST_DOCUMENT = 256 * 1024

/** What an agent has in the folders that it reads, the project's first; of one name the first. Others' are left out. */
export function installedSkills(machine: Machine, agentId: string, project: string): InstalledSkill[] {
  const agent = requireAgent(agentId)
  const others = agent.alsoReads.map((place) =>
    place.startsWith('~/') ? join(machine.home, place.slice(2)) : isAbsolute(place) ? place : join(project, place),
  )
  const roots = [join(project, agent.projectFolder), userRoot(machine, readConfig(machine), agent), ...others]
  const found = new Map<string, InstalledSkill>()
  for (const root of new Set(roots)) {
    for (const name of namesIn(root)) {
      if (found.size >= MOST_SKILLS || found.has(name)) continue
      const skill = readSkill(name, join(root, name, DOCUMENT_FILE))
      if (skill !== undefined) found.set(name, skill)
    }
  }
  return [...found.values()].sort((a, b) => compareText(a.name, b.name))
}

function namesIn(root: string): string[] {
  try {
    return readdirSync(root).filter((name) => !name.startsWith('.'))
  } catch {
    return []
  }
}

/** Undefined for what is no skill, or none that an agent calls by itself. */
function readSkill(name: string, file: string): InstalledSkill | undefined {
  if (!isFile(file)) return undefined
  try {
    const { description, metadata } = importedDocument(readText(file, LARGEST_DOCUMENT))
    if (description === undefined || metadata['disable-model-invocation'] === true) return undefined
    return { name, description, file }
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}
