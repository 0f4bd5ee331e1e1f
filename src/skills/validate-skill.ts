import { basename, dirname, join } from 'node:path'
import { Config } from '../agents/config.ts'
import { AGENT_IDS } from '../agents/rules/agents.ts'
import { exists, isFile, isFolder, readText } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import { readDocument } from '../machine/skill-document.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { asFinding, type Finding, report } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { buildFor } from './disk/build.ts'
import { readForeignSkill } from './disk/foreign-skill.ts'
import { readForReview, SKILLS_FOLDER } from './disk/registry.ts'
import { type RegisteredSkill, SKILL_FILE, type Skill, supports } from './rules/skill.ts'

/** Whether a path is a skill or a library of skills. */
export function recognizeSkill(path: string): 'skill' | 'library' | undefined {
  if (isFolder(path)) {
    if (exists(join(path, DOCUMENT_FILE)) || exists(join(path, SKILL_FILE))) return 'skill'
    return isFolder(join(path, SKILLS_FOLDER)) ? 'library' : undefined
  }
  return [DOCUMENT_FILE, SKILL_FILE].includes(basename(path)) && isFile(path) ? 'skill' : undefined
}

/** Checks every skill of a library. A broken skill is an error; one that exceeds the public format is a warning. */
export function checkLibrary(machine: Machine, library: string): Finding[] {
  const { skills, findings } = readForReview(new Repository(machine, library))
  return [...findings, ...skills.flatMap((registered) => checkInstalls(library, registered))]
}

/** Checks one skill, from a library or from anywhere. */
export function checkSkill(machine: Machine, path: string): Finding[] {
  const folder = isFolder(path) ? path : dirname(path)
  const library = dirname(dirname(folder))
  const isOurs = () => exists(join(folder, SKILL_FILE)) || library === configuredLibrary(machine)
  const isInLibrary = basename(dirname(folder)) === SKILLS_FOLDER && isOurs()
  if (isInLibrary) {
    const place = `${SKILLS_FOLDER}/${basename(folder)}`
    const { skills, findings } = readForReview(new Repository(machine, library))
    const registered = skills.filter((each) => each.folder === place)
    const own = findings.filter(({ message }) => message.startsWith(`${place} `))
    return [...own, ...registered.flatMap((each) => checkInstalls(library, each))]
  }
  return attempt(folder, () => {
    const { skill, document } = readForeignSkill(folder, { agents: [], targets: AGENT_IDS })
    return formatWarnings(skill, document)
  })
}

/** A skill works if Loadout can build it for every agent that it names. */
function checkInstalls(library: string, { skill, folder }: RegisteredSkill): Finding[] {
  const path = join(library, folder)
  return attempt(skill.name, () => {
    for (const agent of AGENT_IDS.filter((id) => supports(skill, id))) buildFor(path, skill, agent)
    const document = readText(join(path, DOCUMENT_FILE))
    return [...formatWarnings(skill, document), ...frontmatterWarnings(skill.name, folder, document)]
  })
}

/** Reports a block that looks like frontmatter but cannot be parsed: it stays part of the text. */
function frontmatterWarnings(subject: string, folder: string, document: string): Finding[] {
  const { problem } = readDocument(document)
  if (problem === undefined) return []
  return [report('BAD_FRONTMATTER/document', { folder, documentFile: DOCUMENT_FILE, problem }, { subject })]
}

function attempt(subject: string, check: () => Finding[]): Finding[] {
  try {
    return check()
  } catch (error) {
    return [asFinding(error, { severity: 'error', subject })]
  }
}

/** The library of this machine, if it exists. */
export function configuredLibrary(machine: Machine): string | undefined {
  const path = new Config(machine).library
  return path !== undefined && isFolder(path) ? path : undefined
}

const LONGEST_DESCRIPTION = 1_024
const LONGEST_COMPATIBILITY = 500
const MOST_LINES = 500

/** Where a skill exceeds the public Agent Skills format. Many published skills do, so this is only a warning. */
export function formatWarnings(skill: Skill, document: string): Finding[] {
  const { name, description, metadata } = skill
  const problems: string[] = []
  if (name.includes('--')) problems.push('its name has two hyphens in a row, which the format does not allow')
  if (description.length > LONGEST_DESCRIPTION) {
    problems.push(`its description has ${description.length} characters; the format allows ${LONGEST_DESCRIPTION}`)
  }
  for (const [agent, own] of Object.entries(metadata)) problems.push(...metadataProblems(agent, own))
  const lines = document.split('\n').length
  if (lines > MOST_LINES)
    problems.push(`its text has ${lines} lines; beyond ${MOST_LINES} they belong in files beside it`)
  return problems.map((problem) => report('INVALID_SKILL/format', { name, problem }, { subject: name }))
}

function metadataProblems(agent: string, { compatibility, metadata }: Record<string, unknown>): string[] {
  const problems: string[] = []
  if (typeof compatibility === 'string' && compatibility.length > LONGEST_COMPATIBILITY) {
    problems.push(
      `"compatibility" for ${agent} has ${compatibility.length} characters; the format allows ${LONGEST_COMPATIBILITY}`,
    )
  }
  const isPlain = isRecord(metadata) && Object.values(metadata).every((value) => typeof value === 'string')
  if (metadata !== undefined && !isPlain) problems.push(`"metadata" for ${agent} should map texts to texts`)
  return problems
}
