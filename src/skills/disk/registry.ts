import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TargetRoot } from '../../agents/rules/agents.ts'
import { asLoadoutError, exists, isFile, isFolder, isLink, makeFolders } from '../../machine/files.ts'
import { ownedName, removeOrphans, withScratch } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { realOrSame } from '../../machine/open-project.ts'
import { move } from '../../machine/platform.ts'
import type { Repository } from '../../machine/repository.ts'
import { ANY_NAME, type Verdict, whyHeld } from '../../machine/rules/approval.ts'
import { parseJson } from '../../text/json.ts'
import { shellWord } from '../../text/printable.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { type Finding, failWith, LoadoutError, report } from '../../text/trouble.ts'
import { attempt, compareText, sortedBy } from '../../text/values.ts'
import { MARKER_FILE, parseMarker } from '../rules/reconcile.ts'
import {
  type Placement,
  parseSkill,
  type RegisteredSkill,
  type Registry,
  SKILL_FILE,
  type SkillStatus,
  supports,
} from '../rules/skill.ts'
import { checkOutSnapshot } from './library-git.ts'
import { buildFor, copyTree, hashBuild, hashPath, listTree, treeProblem } from './tree.ts'
import { type FolderState, type Label, TreeCache } from './tree-cache.ts'

export const SKILLS_FOLDER = 'skills'

export interface RegistryReading extends Registry {
  findings: Finding[]
}

/** Reads the library. `invalid` has broken folders with the reason; the others still work. */
export function readRegistry(library: string, cache: TreeCache): RegistryReading {
  const read = skillFolders(library).map((entry) => {
    const { name } = entry
    // Its files are outside of the repository, so no commit has them.
    if (entry.isSymbolicLink()) {
      return { name, folder: `${SKILLS_FOLDER}/${name}`, problems: ['it is a symbolic link, not a folder'] }
    }
    return readSkillAt(join(library, SKILLS_FOLDER, name), name, cache)
  })
  const working = read.flatMap((each) => ('skill' in each ? [each] : []))
  const invalid = read.flatMap((each) => ('problems' in each ? [each] : []))
  const [unique, duplicates] = splitDuplicates(working)
  return {
    skills: sortedBy(unique, ({ skill }) => skill.name),
    invalid: sortedBy([...invalid, ...duplicates], ({ folder }) => folder),
    findings: [
      ...[...invalid, ...duplicates].map(({ name, folder, problems }) =>
        report('INVALID_SKILL/unusable', { folder, problems: problems.join('; ') }, { subject: name }),
      ),
      ...unique.flatMap(nameFindings),
    ],
  }
}

/**
 * Reads the library, and caches the hashes of its folders. Every skill, whether or not it may be used: for looking at one
 * before a decision, and for changing the library. Whatever hands skills out uses `readLibrary` of the gate.
 */
export function readForReview(repo: Repository): RegistryReading {
  const cache = new TreeCache(repo.machine)
  const registry = readRegistry(repo.path, cache)
  cache.save()
  return registry
}

function skillFolders(library: string): Dirent[] {
  const path = join(library, SKILLS_FOLDER)
  if (!exists(path)) return []
  try {
    const entries = readdirSync(path, { withFileTypes: true })
    const named = entries.filter(
      (entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()),
    )
    return named.sort((a, b) => compareText(a.name, b.name))
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  }
}

type Invalid = Registry['invalid'][number]

/** Reads a skill of the library from `path`, which may be a copy of an older version. */
function readSkillAt(path: string, name: string, cache: TreeCache): RegisteredSkill | Invalid {
  const folder = `${SKILLS_FOLDER}/${name}`
  try {
    const state = cache.read(path)
    const problem = folderProblem(path, state)
    if (problem !== undefined) return { name, folder, problems: [problem] }
    const parsed = parseSkill(state.label === undefined ? undefined : labelValue(state.label), name)
    if (parsed.skill === undefined) return { name, folder, problems: parsed.problems }
    return { skill: parsed.skill, folder, sourceHash: state.hash }
  } catch (error) {
    if (error instanceof LoadoutError) return { name, folder, problems: [error.message] }
    throw error
  }
}

/** The folder with the files to install: of the approved version, else of the library. */
export function skillPlace(library: string, { folder, version }: RegisteredSkill): string {
  return version?.place ?? join(library, folder)
}

function folderProblem(path: string, state: FolderState): string | undefined {
  const { label } = state
  const names = [SKILL_FILE, DOCUMENT_FILE].filter((name) => state.kindOf(name) === undefined)
  if (names.length > 0) return `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} missing`
  const problem = state.isPlain ? undefined : treeProblem(listTree(path).files)
  if (problem !== undefined) return problem.message
  if (state.kindOf(MARKER_FILE) !== undefined)
    return 'it contains a marker of an installed copy (.loadout); remove that file'
  return label === undefined ? `${SKILL_FILE} cannot be read as text` : undefined
}

function labelValue(label: Label): unknown {
  if ('json' in label) return label.json
  const { value, problem } = parseJson(label.text.replace(/^\ufeff/, ''))
  if (problem === undefined) return value
  throw failWith('BAD_JSON/label', { file: SKILL_FILE, problem: problem.replace(/^it /, '') })
}

/** Two folders with the same skill name are ambiguous, so neither is used. */
function splitDuplicates(skills: readonly RegisteredSkill[]): [RegisteredSkill[], Invalid[]] {
  const byName = new Map<string, RegisteredSkill[]>()
  for (const each of skills) byName.set(each.skill.name, [...(byName.get(each.skill.name) ?? []), each])
  const duplicates = [...byName.values()].filter((group) => group.length > 1).flat()
  const invalid = duplicates.map(({ skill: { name }, folder }) => {
    const others = (byName.get(name) ?? []).filter((each) => each.folder !== folder)
    return { name, folder, problems: [`${others.map((each) => each.folder).join(', ')} has the same name "${name}"`] }
  })
  return [skills.filter((each) => !duplicates.includes(each)), invalid]
}

function nameFindings({ skill: { name }, folder }: RegisteredSkill): Finding[] {
  if (folder === `${SKILLS_FOLDER}/${name}`) return []
  return [
    report(
      'NAME_DIFFERS/folder',
      { folder, name, folder2: shellWord(folder), skillsFolder: SKILLS_FOLDER },
      { subject: name },
    ),
  ]
}

/** Throws if the folder of the library is missing. Does not check whether it is a git repository. */
export function requireLibraryFolder(library: string): void {
  if (isFolder(library)) return
  const problem = exists(library) ? 'is not a folder' : 'does not exist'
  throw failWith('REPO_NOT_FOUND/library-folder', { library, problem })
}

/** A folder with a SKILL.md that agents read, from any source. */
export interface SkillFolder {
  name: string
  path: string
  scope: TargetRoot['scope']
}

/**
 * The skill folders in agents' folders, the first of each name. Skips links, whose targets have their own place. Opens
 * no file; a root that cannot be read counts as empty.
 */
export function findSkillFolders(roots: readonly TargetRoot[]): SkillFolder[] {
  const found = new Map<string, SkillFolder>()
  for (const root of roots) {
    for (const name of foldersIn(root.path)) {
      const path = join(root.path, name)
      const document = join(path, DOCUMENT_FILE)
      if (!found.has(name) && isFile(document) && !isLink(document)) found.set(name, { name, path, scope: root.scope })
    }
  }
  return [...found.values()]
}

function foldersIn(path: string): string[] {
  return attempt(
    () =>
      readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
        .map(({ name }) => name)
        .sort(compareText),
    [],
  )
}

/** Reads everything in a root except hidden entries. A missing root is empty. */
export function readPlacements(root: TargetRoot, cache: TreeCache): Placement[] {
  if (!isFolder(root.path)) return []
  try {
    const entries = readdirSync(root.path, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))
    entries.sort((a, b) => compareText(a.name, b.name))
    return entries.flatMap((entry) => {
      if (entry.isDirectory()) {
        // A writer may swap the folder while Loadout reads it, so a wrong state counts only if two readings agree.
        const name = entry.name
        let placement = readOnce(root, name, cache)
        for (
          let reading = 1;
          reading < 5 &&
          placement.marker !== undefined &&
          ('problem' in placement.marker || placement.marker.contentHash !== placement.contentHash);
          reading++
        ) {
          if (!isFolder(`${root.path}/${name}`)) return []
          const again = readOnce(root, name, cache)
          if (JSON.stringify(again) === JSON.stringify(placement)) break
          placement = again
        }
        return [placement]
      }
      return entry.isSymbolicLink() ? readLink(root, entry.name) : { name: entry.name, root, kind: 'file' }
    })
  } catch (error) {
    throw asLoadoutError(error, root.path, 'read')
  }
}

/** Usually an install of another manager: a link to a folder elsewhere. */
function readLink(root: TargetRoot, name: string): Placement {
  const path = join(root.path, name)
  const link = realOrSame(path)
  return { name, root, kind: 'link', link, isSkill: isFile(join(path, DOCUMENT_FILE)) }
}

function readOnce(root: TargetRoot, name: string, cache: TreeCache): Placement {
  const placement = { name, root, kind: 'folder' as const }
  try {
    const state = cache.read(`${root.path}/${name}`)
    const kind = state.kindOf(MARKER_FILE)
    const marker =
      kind === undefined
        ? undefined
        : kind !== 'file'
          ? { problem: `${MARKER_FILE} is not a file` }
          : state.label === undefined
            ? { problem: `${MARKER_FILE} cannot be read as text` }
            : 'json' in state.label
              ? parseMarker(state.label.json)
              : { problem: `${MARKER_FILE} is not valid JSON` }
    const isSkill = state.kindOf(DOCUMENT_FILE) !== undefined
    return { ...placement, isSkill, contentHash: state.hash, marker }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    // Loadout cannot tell whether it installed this folder, so it reports it as broken and does not change it.
    return { ...placement, marker: { problem: error.message }, problem: error.message }
  }
}

/**
 * Adds the hash of what an install would contain now: for a marker of an older program, and before a change for an
 * unmanaged folder, because Loadout can take over an identical one.
 */
export function withExpectation(
  library: string,
  placement: Placement,
  registered: RegisteredSkill | undefined,
  willChange: boolean,
): Placement {
  const { marker, root, kind } = placement
  const isLoose = marker === undefined && kind === 'folder'
  const isAsked = isLoose ? willChange : marker !== undefined && !('problem' in marker) && !marker.contentHash
  if (registered === undefined || !isAsked) return placement
  try {
    const marked = marker !== undefined && 'commit' in marker ? marker.agent : undefined
    const agent = marked ?? root.agents.find((id) => supports(registered.skill, id)) ?? root.agents[0] ?? ''
    const build = buildFor(skillPlace(library, registered), registered.skill, agent)
    return { ...placement, expectedHash: hashBuild(build) }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    return { ...placement, expectedHash: '' }
  }
}

/** The files of one version of a skill, kept by their hash or by the key of a lock. */
export function versionPlace(machine: Machine, hash: string, name: string): string {
  return join(machine.cacheFolder, 'versions', hash, name)
}

/** Fills the place of a version: beside it first, so that it is there as a whole or not at all. */
export function keepVersion(machine: Machine, hash: string, name: string, write: (place: string) => void): void {
  const folder = join(machine.cacheFolder, 'versions')
  const stage = join(folder, ownedName(hash))
  makeFolders(folder)
  removeOrphans(folder)
  write(join(stage, name))
  if (!exists(join(folder, hash))) move(stage, join(folder, hash))
}

type Refusals = Map<string, NonNullable<SkillStatus['refusal']>>

/**
 * Applies the verdicts of the catalog: an approved version replaces the newest one, and `refusals` has the skills that
 * may not be installed. `repo` has the commits; the registry may have been read from a copy.
 */
export async function withVerdicts(
  { verdicts, repo }: { verdicts: readonly Verdict[]; repo: Repository },
  registry: RegistryReading,
  cache: TreeCache,
): Promise<{ registry: RegistryReading; refusals: Refusals }> {
  const refusals: Refusals = new Map()
  const approved = new Map<string, RegisteredSkill>()
  for (const verdict of verdicts) {
    const { kind, name, state } = verdict
    if (kind !== 'skill' || name === ANY_NAME) continue
    const why = whyHeld(verdict)
    if (why !== undefined) {
      refusals.set(name, { kind: state === 'retired' ? state : 'held', why })
      continue
    }
    const newest = registry.skills.find(({ skill }) => skill.name === name)
    if (newest?.sourceHash === verdict.digest) continue
    const version = await readVersion(repo, verdict, cache)
    if (typeof version === 'string') refusals.set(name, { kind: 'held', why: version })
    else approved.set(name, version)
  }
  const unlisted = verdicts.find(({ kind, name }) => kind === 'skill' && name === ANY_NAME)
  if (unlisted !== undefined) {
    const listed = new Set(verdicts.map(({ kind, name }) => `${kind}:${name}`))
    for (const { skill } of registry.skills) {
      if (!listed.has(`skill:${skill.name}`)) refusals.set(skill.name, { kind: 'held', why: whyHeld(unlisted) ?? '' })
    }
  }
  if (approved.size === 0) return { registry, refusals }
  const others = registry.skills.filter(({ skill }) => !approved.has(skill.name))
  const skills = [...others, ...approved.values()].sort((a, b) => (a.skill.name < b.skill.name ? -1 : 1))
  return { registry: { ...registry, skills }, refusals }
}

/** The approved version of a skill, or why it is not available. Caches its files by their hash. */
async function readVersion(
  repo: Repository,
  { name: skill, version, commit = '', digest = '' }: Verdict,
  cache: TreeCache,
): Promise<RegisteredSkill | string> {
  const place = versionPlace(repo.machine, digest, skill)
  if (!/^[0-9a-f]{64}$/.test(digest)) return `version ${version} has no valid digest`
  if (!isVersion(place, digest)) {
    const found = await withScratch(async (scratch) => {
      const at = await checkOutSnapshot({ repo, commit, folder: `skills/${skill}` }, scratch, 'version')
      if (at === undefined) return false
      keepVersion(repo.machine, digest, skill, (stage) => copyTree(at, stage))
      return true
    })
    if (!found)
      return `the library does not have commit ${commit.slice(0, 12)} of version ${version} yet: run loadout sync`
    if (!isVersion(place, digest)) return `version ${version} is not what was approved: its files have another digest`
  }
  const read = readSkillAt(place, skill, cache)
  return 'problems' in read ? read.problems.join('; ') : { ...read, version: { commit, place } }
}

/** Whether a folder is the version with this hash. */
export function isVersion(place: string, digest: string): boolean {
  return exists(place) && hashPath(place) === digest
}
