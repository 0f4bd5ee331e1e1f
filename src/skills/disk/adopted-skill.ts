import { join } from 'node:path'
import { isFile, readText } from '../../machine/files.ts'
import { readJsonInside } from '../../machine/inside.ts'
import { libraryDocument, readDocument } from '../../machine/skill-document.ts'
import { cutDocument, joinDocument } from '../../text/frontmatter-block.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { getOwn, setOwn } from '../../text/values.ts'
import { EVERY_AGENT, parseSkill, SKILL_FILE, type Skill } from '../rules/skill.ts'
import { buildFor } from './build.ts'
import type { SkillContent } from './foreign-skill.ts'
import { listTree, treeProblem } from './tree.ts'

/**
 * What the library would contain if the edits in an installed copy had been made there. Generated parts (frontmatter,
 * files for one agent) are mapped back to their source.
 */
export function readAdopted(folder: string, skill: Skill, agent: string, installed: string): SkillContent {
  const { files } = listTree(installed)
  const problem = treeProblem(files)
  if (problem !== undefined) {
    throw new LoadoutError(problem.code, `${installed} cannot be adopted: ${problem.message}`, {
      hint: problem.hint,
    })
  }
  const { made } = buildFor(folder, skill, agent)
  const edited = readText(join(installed, DOCUMENT_FILE))
  const expected = made.get(DOCUMENT_FILE) ?? ''
  const base = declaredIn(installed, skill)
  const others = files.filter(({ path }) => path !== DOCUMENT_FILE && path !== SKILL_FILE)
  return {
    skill: edited === expected ? base : withFrontmatter(base, agent, expected, edited),
    document: adoptedDocument(readText(join(folder, DOCUMENT_FILE)), expected, edited),
    files: others.flatMap(({ path, isExecutable }) => {
      const isMade = made.has(path) && made.get(path) === readText(join(installed, path))
      const source = isMade ? folder : installed
      return isMade && !isFile(join(source, path)) ? [] : [{ path, folder: source, isExecutable }]
    }),
  }
}

/** The copy's own skill.json, if it was edited into something that works. */
function declaredIn(installed: string, skill: Skill): Skill {
  const path = join(installed, SKILL_FILE)
  if (!isFile(path)) return skill
  const parsed = parseSkill(readJsonInside(installed, SKILL_FILE), skill.name)
  if (parsed.skill === undefined || parsed.skill.name !== skill.name) {
    const reason = parsed.problems?.join('; ') ?? `it renames the skill to "${parsed.skill?.name}"`
    throw new LoadoutError('INVALID_SKILL', `${path} cannot be adopted: ${reason}`, { hint: 'repair it, then adopt' })
  }
  return parsed.skill
}

/** Changes of the generated frontmatter: the description is the skill's, all else is this agent's. */
function withFrontmatter(skill: Skill, agent: string, expected: string, edited: string): Skill {
  const before = readDocument(expected).frontmatter ?? {}
  const after = readDocument(edited).frontmatter ?? {}
  const metadata: Record<string, unknown> = { ...(getOwn(skill.metadata, agent) ?? {}) }
  for (const [key, value] of Object.entries(after)) {
    const isOwn = key === 'name' || key === 'description'
    if (!isOwn && JSON.stringify(value) !== JSON.stringify(before[key])) setOwn(metadata, key, value)
  }
  const shared = { ...(getOwn(skill.metadata, EVERY_AGENT) ?? {}) }
  for (const key of Object.keys(before)) {
    if (Object.hasOwn(after, key)) continue
    delete metadata[key]
    delete shared[key]
  }
  const description = typeof after.description === 'string' ? after.description : skill.description
  const own = { ...skill.metadata }
  if (Object.keys(metadata).length > 0 || getOwn(skill.metadata, agent) !== undefined) own[agent] = metadata
  if (getOwn(skill.metadata, EVERY_AGENT) !== undefined) own[EVERY_AGENT] = shared
  return { ...skill, description, metadata: own }
}

/** The library's text with the edited body; its own frontmatter, if it has one, stays as it is. */
function adoptedDocument(library: string, expected: string, edited: string): string {
  const { body } = readDocument(edited)
  if (body === readDocument(expected).body) return library
  if (readDocument(library).frontmatter === undefined) return libraryDocument(body)
  return joinDocument(cutDocument(library).block ?? '', body)
}
