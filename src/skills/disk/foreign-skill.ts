import { basename, join } from 'node:path'
import { exists, readJson, readText } from '../../machine/files.ts'
import { readJsonInside } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import { importedDocument, libraryDocument } from '../../machine/skill-document.ts'
import { DOCUMENT_FILE, firstHeading, firstParagraph, STANDARD_KEYS, slug } from '../../text/skill-document.ts'
import { type Finding, failWith, LoadoutError } from '../../text/trouble.ts'
import { getOwn, isRecord, setOwn } from '../../text/values.ts'
import type { ForeignSkill } from '../rules/candidates.ts'
import { isPointer } from '../rules/review/files.ts'
import {
  EVERY_AGENT,
  formatSkill,
  isForEveryAgent,
  metadataFor,
  nameProblem,
  parseSkill,
  SKILL_FILE,
  type Skill,
  type SkillSource,
  supports,
} from '../rules/skill.ts'
import { copyFile, type HashRow, hashFile, hashRows, listTree, treeProblem, writeTreeFile } from './tree.ts'

export interface ForeignOptions {
  /** The agents that read the folder it is in. */
  agents: readonly string[]
  /** The agents that the user named with `--targets`. */
  targets?: readonly string[]
  /** The agents that are enabled here. A skill that names none needs one. */
  enabled?: readonly string[]
}

/** Reads any skill folder, with or without skill.json. Throws for a skill that cannot be imported. */
export function readForeignSkill(path: string, options: ForeignOptions): ForeignSkill {
  const { agents, targets = agents, enabled } = options
  const { files } = listTree(path)
  const problem = treeProblem(files)
  if (problem !== undefined) throw refused(path, problem.message, problem.hint, problem.code)
  if (!files.some((file) => file.path === DOCUMENT_FILE)) throw refused(path, `${DOCUMENT_FILE} is missing`)
  // The same limit as for installing.
  const text = readText(join(path, DOCUMENT_FILE), 16 * 1024 * 1024)
  if (isPointer(text)) {
    const hint = 'clone the source, run git lfs pull, and import that folder'
    throw refused(path, `${DOCUMENT_FILE} is only a pointer of Git LFS`, hint)
  }
  const document = importedDocument(text)
  if (document.problem !== undefined) {
    throw refused(path, `${DOCUMENT_FILE}, ${document.problem}`, 'repair its frontmatter: what it says would be lost')
  }
  const json = files.some((file) => file.path === SKILL_FILE) ? readJsonInside(path, SKILL_FILE) : {}
  const isDeclared = !isRecord(json) || json.targets !== undefined
  if (!isDeclared && targets.length === 0 && enabled?.length === 0) {
    const hint = 'loadout agents enable claude, or --agents claude'
    throw refused(path, 'it names no agents, and none is enabled here', hint)
  }
  const { skill, badName } = complete(path, json, document, targets)
  // Copies frontmatter into the skill that skill.json lacks: keys of the public format for all agents, other
  // keys for the agents that read the folder.
  const finders = agents.filter((agent) => supports(skill, agent))
  const holders = isForEveryAgent(skill) ? [EVERY_AGENT, ...finders] : skill.targets
  for (const holder of holders) {
    const isFinder = finders.length === 0 || finders.includes(holder)
    const own: Record<string, unknown> = { ...(getOwn(skill.metadata, holder) ?? {}) }
    const known = metadataFor(skill, holder)
    for (const [key, value] of Object.entries(document.metadata)) {
      if (!Object.hasOwn(known, key) && (isFinder || STANDARD_KEYS.includes(key))) setOwn(own, key, value)
    }
    if (Object.keys(own).length > 0) skill.metadata[holder] = own
  }
  const rows = files.map((file): HashRow => [file.path, file.isExecutable, hashFile(path, file)])
  return {
    path,
    agents,
    skill,
    isDeclared,
    document: libraryDocument(document.body),
    files: new Map(
      rows
        .filter(([name]) => name !== DOCUMENT_FILE && name !== SKILL_FILE)
        .map(([name, isExecutable, hash]) => [name, `${isExecutable ? 'x' : '-'} ${hash}`]),
    ),
    treeHash: hashRows(rows),
    badName,
  }
}

/**
 * Takes fields from skill.json, which may be missing or from another program; the rest from the frontmatter, else from
 * the first heading and paragraph. An invalid name is replaced by the name of the folder.
 */
function complete(
  path: string,
  json: unknown,
  document: ReturnType<typeof importedDocument>,
  targets: readonly string[],
): { skill: Skill; badName?: string } {
  if (!isRecord(json)) throw refused(path, `${SKILL_FILE} must contain an object`, `repair its ${SKILL_FILE}`)
  const folder = asName(basename(path))
  const badName = typeof json.name === 'string' && nameProblem(json.name) !== undefined ? json.name : undefined
  const isOurs = json.targets !== undefined
  const name = badName === undefined ? (json.name ?? (isOurs ? folder : inferredName(document, folder))) : folder
  if (name === '') throw refused(path, 'no name could be made for it', 'add a frontmatter with a name')
  const description = json.description ?? document.description ?? firstParagraph(document.body)
  if (description === undefined || (typeof description === 'string' && description.trim() === '')) {
    throw refused(path, 'it has no description', `add a frontmatter with a description to its ${DOCUMENT_FILE}`)
  }
  const declared = isOurs ? json.targets : targets.length > 0 ? [...targets] : undefined
  const { skill, problems } = parseSkill({ ...json, name, description, targets: declared }, folder)
  if (skill === undefined) throw refused(path, problems.join('; '), `repair its ${SKILL_FILE}`)
  return { skill, badName }
}

function inferredName({ name = '', body }: ReturnType<typeof importedDocument>, folder: string): string {
  return asName(name) || asName(firstHeading(body) ?? '') || folder
}

function asName(text: string): string {
  return nameProblem(text) === undefined ? text : slug(text)
}

/** A skill in its form for the library: the texts to write, and where to copy its other files from. */
export interface SkillContent {
  skill: Skill
  document: string
  files: readonly { path: string; folder: string; isExecutable: boolean }[]
}

export function contentOf({ path, skill, document, files }: ForeignSkill): SkillContent {
  const copied = [...files].map(([file, identity]) => {
    return { path: file, folder: path, isExecutable: identity.startsWith('x') }
  })
  return { skill, document, files: copied }
}

/** Writes a skill into a new folder. */
export function writeSkillFolder({ skill, document, files }: SkillContent, target: string): void {
  for (const { path, folder, isExecutable } of files) copyFile(folder, path, join(target, path), isExecutable)
  writeTreeFile(join(target, DOCUMENT_FILE), document, false)
  writeTreeFile(join(target, SKILL_FILE), formatSkill(skill), false)
}

function refused(
  path: string,
  problem: string,
  hint = 'repair it, then import it',
  code: LoadoutError['code'] = 'INVALID_SKILL',
) {
  return new LoadoutError(code, `${path} cannot be imported: ${problem}`, { hint })
}

/** A skill that another manager installed, and its source. */
export interface LockedSkill {
  /** As written in the lock file. */
  from: string
  /** In the form that Loadout records, if the lock file has enough details. */
  origin?: Pick<SkillSource, 'url' | 'path' | 'folder' | 'ref'>
}

/** Reads the lock file of `npx skills`: of a project, or of the user. Loadout never writes it. */
export function readSkillsLock(
  machine: Machine,
  project: string | undefined,
): { skills: ReadonlyMap<string, LockedSkill>; findings: Finding[] } {
  const path = lockPath(machine, project)
  if (!exists(path)) return { skills: new Map(), findings: [] }
  try {
    const json = readJson(path)
    const { skills = {} } = isRecord(json) ? json : { skills: undefined }
    if (!isRecord(json) || !isRecord(skills)) throw failWith('BAD_JSON/skills-lock', { path })
    const rows = Object.entries(skills).map(([name, row]) => [name, lockedSkill(row)] as const)
    return { skills: new Map(rows), findings: [] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `the lock file of another manager was skipped: ${error.message}`
    return { skills: new Map(), findings: [{ severity: 'warning', code: error.code, message, subject: path }] }
  }
}

function lockPath({ home, env }: Machine, project: string | undefined): string {
  if (project !== undefined) return join(project, 'skills-lock.json')
  const state = env.XDG_STATE_HOME
  return state ? join(state, 'skills', '.skill-lock.json') : join(home, '.agents', '.skill-lock.json')
}

function lockedSkill(row: unknown): LockedSkill {
  if (!isRecord(row)) return { from: 'an unknown source' }
  const { source, sourceType, sourceUrl, ref, skillPath } = row
  const from = [source, sourceUrl].find((value) => typeof value === 'string') ?? 'an unknown source'
  const folder = typeof skillPath === 'string' ? skillPath.replace(/\\/g, '/').replace(/\/?SKILL\.md$/, '') : undefined
  const place = placeOf(source, sourceType, sourceUrl)
  if (place === undefined || folder === undefined) return { from }
  return { from, origin: { ...place, folder, ref: typeof ref === 'string' ? ref : undefined } }
}

function placeOf(source: unknown, type: unknown, url: unknown): Pick<SkillSource, 'url' | 'path'> | undefined {
  if (type === 'local') return typeof source === 'string' ? { path: source } : undefined
  if (typeof url === 'string' && /^(?:https?|ssh|git|file):|^[\w.-]+@[\w.-]+:/.test(url)) return { url }
  return type === 'github' && typeof source === 'string' ? { url: `https://github.com/${source}` } : undefined
}
