import { join } from 'node:path'
import { findLibrary, findProject, readConfig, targetRoots } from '../agents/config.ts'
import { openExamples } from '../examples/examples.ts'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { importedDocument } from '../machine/skill-document.ts'
import type { RankDocument } from '../search/document.ts'
import type { Shelf } from '../search/shelf.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { asFinding, type Finding, LoadoutError } from '../text/trouble.ts'
import { findSkillFolders, requireLibraryFolder } from './disk/registry.ts'
import { listTree } from './disk/tree.ts'
import { type ClearedRegistry, deniedSkills, readLibrary } from './gate.ts'
import { rankedSkill } from './ranked-skill.ts'
import { SKILL_FILE } from './rules/skill.ts'

export interface ShelvedSkill {
  name: string
  /** On this machine. */
  folder: string
  /** The library, or the user's or the project's folder of an agent. */
  source: 'library' | 'user' | 'project'
  /** From its skill.json. */
  description?: string
  tags?: readonly string[]
}

export interface SkillDetails {
  summary: string
  source: ShelvedSkill['source']
  /** Its folder. */
  path: string
}

export interface SkillShelf extends Shelf<SkillDetails> {
  kind: 'skill'
  /** The library's folder, if there is one. */
  library: string | undefined
  find(name: string): ShelvedSkill | undefined
  /** The skills of the library that may not be used, with the reason. */
  withheld: ClearedRegistry['withheld']
}

/**
 * The skills of the library that may be used, if there is one, and those in agents' folders that it lacks and that were
 * not denied.
 */
export function openSkills(machine: Machine, project: Project): SkillShelf {
  const { skills, findings, library, withheld } = collectSkills(machine, project)
  const examples = openExamples(machine, { project: project.root, library }, 'committed')
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  return {
    kind: 'skill',
    library,
    names: [...byName.keys()],
    paths: [
      ...skills.flatMap(({ folder }) => [join(folder, SKILL_FILE), join(folder, DOCUMENT_FILE)]),
      ...examples.paths,
    ],
    documents: (findings) =>
      skills.map((skill) => examples.into('skill', skillDocument(skill, findings), skill.source === 'project')),
    describe: (name) => {
      const skill = byName.get(name)
      return skill && { summary: descriptionOf(skill), source: skill.source, path: skill.folder }
    },
    find: (name) => byName.get(name),
    withheld,
    findings,
  }
}

interface CollectedSkills {
  skills: ShelvedSkill[]
  findings: Finding[]
  /** The library's folder, if there is one. */
  library: string | undefined
  withheld: SkillShelf['withheld']
}

function collectSkills(machine: Machine, opened: Project): CollectedSkills {
  const config = readConfig(machine)
  const findings: Finding[] = []
  const library = findLibrary(machine, config)
  const denied = deniedSkills(machine)
  const { skills: own, withheld } = library === undefined ? NO_SKILLS : librarySkills(machine, library, findings)
  const project = findProject(machine, config, opened)
  const roots = [
    ...(project === undefined ? [] : targetRoots(machine, config, project)),
    ...targetRoots(machine, config, undefined),
  ]
  const known = new Set([...own.map(({ name }) => name), ...withheld.keys(), ...denied])
  const others = findSkillFolders(roots)
    .filter(({ name }) => !known.has(name))
    .map(({ name, path, scope }): ShelvedSkill => ({ name, folder: path, source: scope }))
  return { skills: [...own, ...others], findings, library, withheld }
}

type OwnSkills = Pick<CollectedSkills, 'skills' | 'withheld'>
const NO_SKILLS: OwnSkills = { skills: [], withheld: new Map() }

function librarySkills(machine: Machine, library: string, findings: Finding[]): OwnSkills {
  try {
    requireLibraryFolder(library)
    const registry = readLibrary(machine, library)
    const broken = registry.findings.filter(({ code }) => code !== 'NAME_DIFFERS')
    findings.push(...broken.map((finding): Finding => ({ ...finding, severity: 'warning' })))
    const skills = registry.skills.map(({ skill: { name, description, tags }, folder }): ShelvedSkill => {
      return { name, folder: join(library, folder), source: 'library', description, tags }
    })
    return { skills, withheld: registry.withheld }
  } catch (error) {
    findings.push(asFinding(error))
    return NO_SKILLS
  }
}

function skillDocument(skill: ShelvedSkill, findings: Finding[]): RankDocument {
  try {
    return rankedSkill(skill, readShelved(skill, DOCUMENT_FILE))
  } catch (error) {
    findings.push({ ...asFinding(error), subject: skill.name })
    return rankedSkill(skill, '')
  }
}

/** The description from skill.json, else from SKILL.md; empty if that cannot be read. */
export function descriptionOf(skill: ShelvedSkill): string {
  if (skill.description !== undefined) return skill.description
  try {
    return importedDocument(readShelved(skill, DOCUMENT_FILE)).description ?? ''
  } catch (error) {
    if (error instanceof LoadoutError) return ''
    throw error
  }
}

/** The text of one file of a skill. */
export function readShelved({ folder }: ShelvedSkill, path: string): string {
  return readTextInside(folder, path).replace(/^\ufeff/, '')
}

/** Its files, sorted by path. */
export function filesOf({ folder }: ShelvedSkill): { path: string; bytes: number }[] {
  return listTree(folder).files.map(({ path, size }) => ({ path, bytes: size }))
}
