import { join } from 'node:path'
import { readText } from '../machine/files.ts'
import { readJsonInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { SKILLS_FOLDER } from './disk/registry.ts'
import { listTree } from './disk/tree.ts'
import { type PlacementView, viewPlacement } from './inventory.ts'
import { observe, recoverAll } from './observe.ts'
import { sheetOfFolder } from './quarantine.ts'
import { findTwinIn } from './rules/review/appearance.ts'
import type { Capability } from './rules/review/sheet.ts'
import { missing, parseSkill, requireName, SKILL_FILE, type Skill } from './rules/skill.ts'
import { everyRoot, openSetup, type ScopeRequest } from './setup.ts'

export interface SkillPreview {
  skill: Skill
  path: string
  files: { path: string; bytes: number }[]
  placements: PlacementView[]
  /** The library's SKILL.md. */
  markdown: string
  /** What it can do, worst first; empty for your own skills. */
  review: Capability[]
}

/** One skill, with its text from the library. */
export async function inspectSkill(
  machine: Machine,
  request: ScopeRequest & { name: string },
): Promise<Report<SkillPreview>> {
  const name = requireName(request.name)
  const setup = openSetup(machine, request)
  const roots = everyRoot(setup)
  const findings = await recoverAll(setup, roots)
  const { statuses } = await observe(setup, roots)
  const status = statuses.find((each) => each.name === name)
  if (status?.registered === undefined) throw missing(name, status, statuses)
  const { registered } = status
  const { skill } = registered
  const path = join(setup.library, registered.folder)
  const findTwin = findTwinIn(statuses.flatMap((each) => each.registered?.skill.name ?? []))
  const value = {
    skill,
    path,
    files: listTree(path).files.map(({ path: file, size }) => ({ path: file, bytes: size })),
    placements: status.placements.map((found) => viewPlacement(found)),
    markdown: readText(join(path, DOCUMENT_FILE)),
    review: skill.source === undefined ? [] : await sheetOfFolder(path, skill, findTwin),
  }
  return { value, findings }
}

export type SkillText = Pick<SkillPreview, 'skill' | 'markdown'>

/**
 * The text of one skill without its installs: fast enough for every cursor movement, in a library of any size. Reads
 * the whole library only for a skill whose folder has another name.
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
    return parseSkill(readJsonInside(folder, SKILL_FILE), name).skill
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}
