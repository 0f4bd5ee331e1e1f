import { basename, dirname, join } from 'node:path'
import { Config } from '../agents/config.ts'
import { type Examples, openExamples } from '../examples/examples.ts'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import type { Segment, Source } from '../machine/ranking.ts'
import { Repository } from '../machine/repository.ts'
import { importedDocument } from '../machine/skill-document.ts'
import type { RankDocument } from '../search/document.ts'
import type { CheckedText } from '../text/checked-text.ts'
import { cut } from '../text/cut.ts'
import { fence, fenceFindings } from '../text/fence.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { asFinding, type Finding, failWith, LoadoutError, unlessTrouble } from '../text/trouble.ts'
import { nearest, quickDigest } from '../text/values.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { findSkillFolders, requireLibraryFolder } from './disk/registry.ts'
import { listTree } from './disk/tree.ts'
import { type ClearedRegistry, deniedSkills, readLibrary } from './gate.ts'
import type { RegisteredSkill } from './rules/skill.ts'

export interface UsableSkill {
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
  source: UsableSkill['source']
  /** Its folder. */
  path: string
}

/** Does not find a skill behind its gate: not even its description may be shown. */
export interface SkillSource extends Source<UsableSkill, SkillDetails> {
  kind: 'skill'
  /** The library's folder, if there is one. */
  library: string | undefined
}

/**
 * The skills of the library that may be used, if there is one, and those in agents' folders that it lacks and that were
 * not denied.
 */
export function openSkills(machine: Machine, project: Project): SkillSource {
  const { skills, findings, library, withheld } = collectSkills(machine, project)
  const examples = openExamples({ project: project.root })
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  return {
    kind: 'skill',
    library,
    names: [...byName.keys()],
    segments: [
      ...(library === undefined ? [] : [librarySegment(library, skills.filter(isOwn), openExamples({ library }))]),
      skillSegment([project.root, library ?? ''], skills.filter((skill) => !isOwn(skill)).map(cardOf), examples),
    ],
    describe: (name) => {
      const skill = byName.get(name)
      return skill && { summary: descriptionOf(skill), source: skill.source, path: skill.folder }
    },
    find: (name) => byName.get(name),
    gate: (name) => withheld.get(name),
    read: (name, path) => openSkill(byName.get(name)!, path),
    findings,
  }
}

function isOwn({ source }: UsableSkill): boolean {
  return source === 'library'
}

/** Stored with the document of a skill. */
export interface KeptSkill {
  kind: 'skill'
  name: string
  description: string
  /** Its SKILL.md. */
  file: string
}

/** A skill as its segment reads it. */
interface SkillCard extends Pick<UsableSkill, 'name' | 'description' | 'tags'> {
  file: string
  isProjects?: boolean
}

/** Skills by their metadata and their SKILL.md. `isOfFiles`: the metadata is that of the files. */
export function skillSegment(
  name: readonly string[],
  skills: readonly SkillCard[],
  examples: Examples,
  isOfFiles = false,
): Segment {
  return {
    kind: 'skills',
    isPrivate: examples.isPrivate,
    name,
    state: quickDigest(JSON.stringify(isOfFiles ? skills.map(({ name, file }) => [name, file]) : skills)),
    paths: [...skills.map(({ file }) => file), ...examples.paths],
    readDocuments: (findings) =>
      skills.map(({ isProjects, ...skill }) => {
        const document = examples.into('skill', skillDocument(skill, findings), isProjects ?? false)
        const kept: KeptSkill = {
          kind: 'skill',
          name: skill.name,
          description: document.description ?? '',
          file: skill.file,
        }
        return { ...document, id: entryId('skill', skill.name), kept }
      }),
  }
}

export function librarySegment(library: string, skills: readonly UsableSkill[], examples: Examples): Segment {
  return skillSegment([library], skills.map(cardOf), examples)
}

/** Without the text of SKILL.md, and with a finding, if it cannot be read. */
function skillDocument(skill: SkillCard, findings: Finding[]): RankDocument {
  try {
    return rankedSkill(skill, readTextInside(dirname(skill.file), basename(skill.file)).replace(/^\ufeff/, ''))
  } catch (error) {
    findings.push(asFinding(error, { subject: skill.name }))
    return rankedSkill(skill, '')
  }
}

function cardOf({ name, description, tags, folder, source }: UsableSkill): SkillCard {
  return { name, description, tags, file: join(folder, DOCUMENT_FILE), isProjects: source === 'project' }
}

interface CollectedSkills {
  skills: UsableSkill[]
  findings: Finding[]
  /** The library's folder, if there is one. */
  library: string | undefined
  withheld: ClearedRegistry['withheld']
}

function collectSkills(machine: Machine, opened: Project): CollectedSkills {
  const config = new Config(machine)
  const findings: Finding[] = []
  const library = config.library
  const denied = deniedSkills(machine.approvals)
  const { skills: own, withheld } =
    library === undefined ? NO_SKILLS : librarySkills(new Repository(machine, library), findings)
  const project = config.findProject(opened)
  const roots = [...(project === undefined ? [] : config.targetRoots(project)), ...config.targetRoots()]
  const known = new Set([...own.map(({ name }) => name), ...withheld.keys(), ...denied])
  const others = findSkillFolders(roots)
    .filter(({ name }) => !known.has(name))
    .map(({ name, path, scope }): UsableSkill => ({ name, folder: path, source: scope }))
  return { skills: [...own, ...others], findings, library, withheld }
}

type OwnSkills = Pick<CollectedSkills, 'skills' | 'withheld'>
const NO_SKILLS: OwnSkills = { skills: [], withheld: new Map() }

function librarySkills(repo: Repository, findings: Finding[]): OwnSkills {
  const { path: library } = repo
  try {
    requireLibraryFolder(library)
    const registry = readLibrary(repo)
    const broken = registry.findings.filter(({ code }) => code !== 'NAME_DIFFERS')
    findings.push(...broken.map((finding): Finding => ({ ...finding, severity: 'warning' })))
    return { skills: skillsOf(library, registry.skills), withheld: registry.withheld }
  } catch (error) {
    findings.push(asFinding(error))
    return NO_SKILLS
  }
}

/** The skills of a library. */
export function skillsOf(library: string, skills: readonly RegisteredSkill[]): UsableSkill[] {
  return skills.map(({ skill: { name, description, tags }, folder }) => {
    return { name, folder: join(library, folder), source: 'library', description, tags }
  })
}

/** The description from skill.json, else from SKILL.md; empty if that cannot be read. */
export function descriptionOf(skill: UsableSkill): string {
  if (skill.description !== undefined) return skill.description
  return unlessTrouble(() => importedDocument(readSkillText(skill, DOCUMENT_FILE)).description ?? '', '')
}

/** The text of one file of a skill. */
function readSkillText({ folder }: UsableSkill, path: string): string {
  return readTextInside(folder, path).replace(/^\ufeff/, '')
}

/** Its files, sorted by path. */
export function filesOf({ folder }: UsableSkill): { path: string; bytes: number }[] {
  return listTree(folder).files.map(({ path, size }) => ({ path, bytes: size }))
}

/** SKILL.md without its frontmatter, or another file of the skill unchanged. */
function openSkill(skill: UsableSkill, path = DOCUMENT_FILE): CheckedText {
  const { name, folder, source } = skill
  const text = readFile(skill, path)
  const id = entryId('skill', name)
  return {
    layer: source,
    path: join(folder, path),
    body: path === DOCUMENT_FILE ? importedDocument(text).body : text,
    wrap: (body) => {
      const fenced = fence('loadout_skill', { id, path }, body)
      return { text: fenced.text, findings: fenceFindings(fenced, id, path) }
    },
  }
}

function readFile(skill: UsableSkill, path: string): string {
  try {
    return readSkillText(skill, path)
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code !== 'FILE_NOT_FOUND') throw error
    const { name } = skill
    const files = filesOf(skill).map((file) => file.path)
    const close = nearest(path, files)
    const meant = close === undefined ? '' : `; did you mean ${entryId('skill', name, close)}?`
    throw failWith(
      'ENTRY_NOT_FOUND/skill-file',
      { name, path: path.slice(0, 80), meant, entryId: entryId('skill', name) },
      { cause: error },
    )
  }
}

/** What the ranker reads of a skill: its metadata, and its SKILL.md. */
export function rankedSkill(
  { name, description, tags = [] }: { name: string; description?: string; tags?: readonly string[] },
  markdown: string,
): RankDocument {
  const document = importedDocument(markdown)
  const headings = cut(DOCUMENT_FILE, document.body).map(({ title }) => title)
  const said = description ?? document.description ?? ''
  return { id: name, name, description: said, keywords: tags, headings, body: document.body }
}
