import { join } from 'node:path'
import { findLibrary } from '../agents/config.ts'
import { isFolder, isLink } from '../machine/files.ts'
import { readJsonInside, staysInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { recordUsage } from '../usage/record.ts'
import { type Build, buildFor, readBuild, readBuildFile } from './disk/build.ts'
import { readLibrary, SKILLS_FOLDER } from './disk/registry.ts'
import { findQuarantined, quarantineFinding } from './quarantine.ts'
import { nameProblem, parseSkill, type RegisteredSkill, SKILL_FILE } from './rules/skill.ts'

export interface LibrarySkill {
  name: string
  description: string
}

/** The usable skills of the library, by name. Empty without a library. */
export function listLibrarySkills(machine: Machine, _: object): Report<LibrarySkill[]> {
  const library = findLibrary(machine)
  if (library === undefined) return { value: [], findings: [] }
  const { skills, findings } = readLibrary(machine, library)
  return { value: skills.map(({ skill: { name, description } }) => ({ name, description })), findings }
}

/** All files of one skill by path, in the general form for agents; undefined if the skill does not exist. */
export function openLibrarySkill(
  machine: Machine,
  { name }: { name: string },
): Report<Record<string, Uint8Array> | undefined> {
  const build = buildSkill(machine, name)
  return { value: build && readBuild(build), findings: [] }
}

/** One file of a skill; undefined if it does not exist. Reading its text counts as a use. */
export function readLibraryFile(
  machine: Machine,
  { name, path }: { name: string; path: string },
): Report<Uint8Array | undefined> {
  const build = buildSkill(machine, name)
  const value = build && readBuildFile(build, path)
  return { value, findings: path === DOCUMENT_FILE && value !== undefined ? recordRead(machine, name, value) : [] }
}

function recordRead(machine: Machine, name: string, document: Uint8Array): Finding[] {
  const tokens = estimateTokens(Buffer.from(document).toString())
  const entry = { id: name, kind: 'skill', trigger: 'lookup', mode: 'manual', tokens } as const
  return recordUsage(machine, { task: `skill ${name}`, stage: 'used', entries: [entry] })
}

function buildSkill(machine: Machine, name: string): Build | undefined {
  const library = findLibrary(machine)
  if (library === undefined || nameProblem(name) !== undefined) return undefined
  const found =
    findByFolder(library, name) ?? readLibrary(machine, library).skills.find(({ skill }) => skill.name === name)
  if (found === undefined || !staysInside(library, found.folder)) return undefined
  if (found.skill.source !== undefined) refuseQuarantined(machine, library, name)
  return buildFor(join(library, found.folder), found.skill, 'agents')
}

/** Clients may not read a skill that is in quarantine. */
function refuseQuarantined(machine: Machine, library: string, name: string): void {
  const registry = readLibrary(machine, library)
  const wanted = registry.skills.filter(({ skill }) => skill.name === name)
  const [quarantine] = findQuarantined(machine, library, registry, wanted)
  if (quarantine === undefined) return
  const { code, message, hint } = quarantineFinding(quarantine)
  throw new LoadoutError(code, message, { ...(hint !== undefined && { hint }) })
}

/** Most skills are in a folder of the same name. For the others Loadout reads the whole library. */
function findByFolder(library: string, name: string): Pick<RegisteredSkill, 'skill' | 'folder'> | undefined {
  const folder = `${SKILLS_FOLDER}/${name}`
  const path = join(library, folder)
  if (isLink(path) || !isFolder(path)) return undefined
  try {
    const { skill } = parseSkill(readJsonInside(path, SKILL_FILE), name)
    return skill?.name === name ? { skill, folder } : undefined
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}
