import { join } from 'node:path'
import type { Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { DOCUMENT_FILE, parseSkill, requireName, SKILL_FILE } from '../../domain/skills/skill.ts'
import { readText } from '../../infra/files.ts'
import { readJson } from '../../infra/json-file.ts'
import type { Machine } from '../../infra/machine.ts'
import { SKILLS_FOLDER } from '../../infra/skills/registry.ts'
import { inspectSkill, type SkillPreview } from './inspect.ts'
import { openSetup, type ScopeRequest } from './setup.ts'

export type SkillText = Pick<SkillPreview, 'skill' | 'markdown'>

/**
 * The text of one skill and nothing about its installs: cheap enough for every step of a cursor, however large the
 * library is. Only a skill whose folder has another name has to be searched.
 */
export async function previewSkill(
  machine: Machine,
  request: ScopeRequest & { name: string },
): Promise<Report<SkillText>> {
  const name = requireName(request.name)
  const folder = join(openSetup(machine, request).library, SKILLS_FOLDER, name)
  const skill = readSkill(folder, name)
  if (skill?.name !== name) return inspectSkill(machine, request)
  return { value: { skill, markdown: readText(join(folder, DOCUMENT_FILE)) }, findings: [] }
}

function readSkill(folder: string, name: string): SkillText['skill'] | undefined {
  try {
    return parseSkill(readJson(join(folder, SKILL_FILE)), name).skill
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}
