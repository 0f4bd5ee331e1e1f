import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isFile, isFolder, readJson, readText } from '../../machine/files.ts'
import { readJsonInside } from '../../machine/inside.ts'
import type { Repository } from '../../machine/repository.ts'
import { libraryDocument, readDocument } from '../../machine/skill-document.ts'
import { cutDocument, joinDocument } from '../../text/frontmatter-block.ts'
import type { Sides } from '../../text/merge.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { asFinding, type Finding, failWith, LoadoutError, retell } from '../../text/trouble.ts'
import { getOwn, setOwn } from '../../text/values.ts'
import type { Operation, OperationPlan } from '../rules/operations.ts'
import {
  EVERY_AGENT,
  type PlacementStatus,
  parseSkill,
  placeOf,
  type RegisteredSkill,
  SKILL_FILE,
  type Skill,
  type SkillSource,
  type SkillStatus,
  withoutSource,
} from '../rules/skill.ts'
import { contentOf, readForeignSkill, type SkillContent, writeSkillFolder } from './foreign-skill.ts'
import { checkOutSnapshot, diffFolders, findInHistory, libraryHash, libraryHashOf } from './library-git.ts'
import {
  conflictFinding,
  Merges,
  mergeSkillFolders,
  type SkillMerge,
  type SkillVersions,
  skillIn,
  waitingMerge,
} from './pending-merge.ts'
import { skillPlace, versionPlace } from './registry.ts'
import { type Build, buildFor, copyTree, hashPath, listTree, treeProblem } from './tree.ts'

interface MergeContext {
  library: string
  /** The repository whose history has the base versions. */
  repo: Repository
  statuses: readonly SkillStatus[]
  /** Nothing waits for the user afterwards. */
  isDryRun: boolean
}

/** A copy whose edit conflicts with the change of the library. */
interface Conflict {
  registered: RegisteredSkill
  copy: PlacementStatus
  edit: EditMerge
}

/**
 * Tries the merges of a plan, below `scratch`. Only those without a conflict stay in the plan, with the content to
 * install by the path of the copy. Every other copy stays as it is: a finding says why, and a merge is opened for those
 * that conflict.
 */
export async function mergeCopies(
  context: MergeContext,
  plan: OperationPlan,
  scratch: string,
): Promise<OperationPlan & { merged: ReadonlyMap<string, Build>; conflicting: ReadonlySet<string> }> {
  const { library, repo, statuses } = context
  const merged = new Map<string, Build>()
  const operations: Operation[] = []
  const findings = [...plan.findings]
  const conflicts: Conflict[] = []
  for (const [at, operation] of plan.operations.entries()) {
    const status = operation.kind === 'merge' ? statuses.find(({ name }) => name === operation.skill) : undefined
    const copy = status?.placements.find(({ placement }) => placement.root.path === operation.root)
    if (operation.kind !== 'merge' || status?.registered === undefined || copy === undefined) {
      operations.push(operation)
      continue
    }
    const { registered } = status
    try {
      const folder = skillPlace(library, registered)
      const edit = await mergeEdit({ repo, folder, registered, copy }, join(scratch, `${at}`), false)
      if (edit.merge.conflicts.length > 0) conflicts.push({ registered, copy, edit })
      else {
        const { edit: _, ...place } = operation
        operations.push(edit.isUnchanged ? { ...place, kind: 'refresh', keepsCopy: true } : operation)
        merged.set(placeOf(copy), buildFor(edit.result, skillIn(edit.result, registered.skill), copy.agent))
      }
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
      findings.push(asFinding(error, { severity: 'error', subject: operation.skill }))
    }
  }
  for (const [at, conflict] of conflicts.entries()) {
    const isSame = ({ registered, edit }: Conflict) =>
      registered === conflict.registered && edit.hash === conflict.edit.hash
    // One merge takes in equal edits of several copies.
    const same = conflicts.filter(isSame)
    const finding = conflicts.findIndex(isSame) === at ? openMergeOf(context, conflict, same) : undefined
    if (finding !== undefined) findings.push(finding)
  }
  return { operations, findings, merged, conflicting: new Set(conflicts.map(({ copy }) => placeOf(copy))) }
}

function openMergeOf(context: MergeContext, { registered, edit }: Conflict, same: readonly Conflict[]): Finding {
  const { library, isDryRun } = context
  const { machine } = context.repo
  const { folder, sourceHash, version, skill, locked } = registered
  const { name } = skill
  const places = same.map(({ copy }) => placeOf(copy)).join(' and ')
  const [first] = edit.merge.conflicts
  const why = `${places}: your edit and the change of the library do not merge (${first?.message})`
  const finding = { severity: 'error', code: 'MERGE_CONFLICT', subject: name } as const
  const replace = locked
    ? `loadout install --replace takes the locked version, and keeps a copy of the edit`
    : `loadout install ${name} --replace takes the library's version, and keeps a copy of the edit`
  if (isDryRun) {
    return { ...finding, message: `${why}; the edit would stay, and a merge would be opened`, hint: replace }
  }
  // A merge goes into the newest version of the library, not into an older one that the catalog has approved.
  if (version !== undefined) return { ...finding, message: `${why}; the edit stays as it is`, hint: replace }
  if (new Merges(machine).has(name)) {
    const { message, hint } = waitingMerge(name)
    return { ...finding, message: `${why}; the edit stays as it is: ${message}`, hint }
  }
  const copies = same.map(({ copy: { placement } }) => {
    return { root: placement.root.path, edit: placement.contentHash ?? '' }
  })
  const { sides, source, merge, versions } = edit
  const pending = { skill: name, folder, library, sourceHash, message: `Adopt edits of ${name}`, sides, source, copies }
  const { hint } = conflictFinding(name, new Merges(machine).add(pending, merge, versions))
  return { ...finding, message: `${why}; the edit stays as it is`, hint: `${hint}; ${replace}` }
}

/** An edit of an installed copy, merged with the current library. */
export interface EditMerge {
  from: string
  /** The hash of the edited skill in its form for the library: equal for equal edits of several copies. */
  hash: string
  /** The copy is unedited; its old marker has no hash that says so. */
  isUnchanged: boolean
  diff: string
  /** The library had changed too. */
  isMerged: boolean
  merge: SkillMerge
  versions: SkillVersions
  sides: Sides
  source: SkillSource | undefined
  /** A folder with the merged skill; in a conflict, with both versions. */
  result: string
}

export interface Edit {
  /** The repository whose history has the base version. */
  repo: Repository
  /** The folder of the library's current version. */
  folder: string
  registered: RegisteredSkill
  copy: PlacementStatus
}

/**
 * Merges with the base that the marker names; for a folder without a marker, with the imported version. `force`: the
 * base is the current library, so that the copy is taken unchanged.
 */
export async function mergeEdit(
  { repo, folder, registered, copy }: Edit,
  scratch: string,
  force: boolean,
): Promise<EditMerge> {
  mkdirSync(scratch)
  const ours = join(scratch, 'library')
  copyTree(folder, ours)
  const { name } = registered.skill
  const base = force ? ours : await findBase(repo, registered, copy, ours, scratch)
  const isMerged = base !== ours
  const skill = isMerged ? baseSkill(base, name) : registered.skill
  const content = readAdopted(base, skill, copy.agent, placeOf(copy))
  const versions = { name, base, ours, theirs: join(scratch, 'edited') }
  writeSkillFolder(content, versions.theirs)
  const sides = { ours: 'the library', theirs: `your edit of ${placeOf(copy)}` }
  const { source } = registered.skill
  const merge = mergeSkillFolders(versions, sides, source)
  const result = join(scratch, 'adopted')
  merge.write(result)
  const diff = await diffFolders(repo.at(scratch), 'library', 'adopted', name)
  const hash = libraryHash(content)
  const isUnchanged = hash === libraryHashOf(base, name)
  return { from: placeOf(copy), hash, isUnchanged, diff, isMerged, merge, versions, sides, source, result }
}

function baseSkill(folder: string, name: string): Skill {
  const parsed = parseSkill(readJson(join(folder, SKILL_FILE)), name)
  if (parsed.skill !== undefined) return parsed.skill
  throw failWith('INVALID_SKILL/was-none', { folder, problems: parsed.problems.join('; ') })
}

async function findBase(
  repo: Repository,
  registered: RegisteredSkill,
  copy: PlacementStatus,
  ours: string,
  scratch: string,
): Promise<string> {
  const { folder, skill } = registered
  if (copy.isBehind) {
    const {
      skill: { name },
    } = registered
    const {
      placement: { marker, root },
      state,
    } = copy
    const known = marker !== undefined && 'commit' in marker ? marker : undefined
    const { commit = '', sourceHash } = known ?? {}
    const kept = sourceHash === undefined ? undefined : versionPlace(repo.machine, sourceHash, name)
    if (kept !== undefined && isFolder(kept)) return kept
    const found =
      sourceHash === undefined
        ? await checkOutSnapshot({ repo, commit, folder }, scratch, 'base')
        : await findInHistory(repo, folder, { commit, hash: sourceHash, kind: 'source' }, scratch)
    if (found !== undefined) return found
    const scope = root.scope === 'project' ? ' --project .' : ''
    const was = state === 'edited' ? 'was' : 'may have been'
    throw failWith('MERGE_CONFLICT/no-base', { path: join(root.path, name), was, name, scope })
  }
  const imported = copy.state === 'unmanaged' ? skill.source?.libraryHash : undefined
  if (imported === undefined || imported === libraryHashOf(ours, skill.name)) return ours
  return (await findInHistory(repo, folder, { hash: imported, kind: 'library' }, scratch)) ?? ours
}

/**
 * What the library would contain if the edits in an installed copy had been made there. Generated parts (frontmatter,
 * files for one agent) are mapped back to their source.
 */
function readAdopted(folder: string, skill: Skill, agent: string, installed: string): SkillContent {
  const { files } = listTree(installed)
  const problem = treeProblem(files)
  if (problem !== undefined) {
    throw retell(problem, { message: `${installed} cannot be adopted: ${problem.message}` })
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
    throw failWith('INVALID_SKILL/adopt', { path, reason })
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

/** The library's skill, and the current version in its source. */
export interface UpdateInput {
  library: Repository
  registered: RegisteredSkill
  source: SkillSource
  /** A folder with the source's current version. */
  theirs: string
  /** The commit of that version, if the source is a repository. */
  commit?: string
  ref?: string
  /** The path of the skill in the source. */
  folder: string
  /** The cached repository, with the imported commit if the source still has it. */
  repo?: Repository
  /** Take one version unchanged instead of merging. */
  take?: 'library' | 'source'
  now: Date
}

export interface UpdateMerge {
  /** The imported version is unknown, so the versions cannot be merged. */
  isBaseUnknown: boolean
  /** The library's skill has changed since the import. */
  isEdited: boolean
  /** Unified diff of the library's skill. */
  diff: string
  merge: SkillMerge
  versions: SkillVersions
  sides: Sides
  source: SkillSource
  /** A folder with the result, and the skill in it, for the review. */
  result: string
  skill: Skill
}

/** Merges the new version of a source with the library's. If the base is unknown, it only compares them. */
export async function mergeUpdate(input: UpdateInput, scratch: string): Promise<UpdateMerge> {
  mkdirSync(scratch)
  const { library, registered, source: before } = input
  const { name } = registered.skill
  const ours = join(scratch, 'library')
  copyTree(join(library.path, registered.folder), ours)
  const theirs = inLibraryForm(input.theirs, registered)
  const fresh = join(scratch, 'new')
  writeSkillFolder(theirs, fresh)
  const taken = input.take && (input.take === 'library' ? fresh : ours)
  const base = taken ?? (await baseOf(input, ours, scratch))
  const versions = { name, base: base ?? ours, ours, theirs: fresh }
  const source = {
    ...input.source,
    folder: input.folder,
    ref: input.ref,
    commit: input.commit,
    treeHash: hashPath(input.theirs),
    importedAt: input.now.toISOString().replace(/\.\d+Z$/, 'Z'),
    libraryHash: libraryHash(theirs),
  }
  const sides = {
    ours: 'the library',
    theirs: `${before.url ?? before.path} ${input.commit?.slice(0, 7) ?? ''}`.trim(),
  }
  const merge = mergeSkillFolders(versions, sides, source)
  // The diff leaves out the record of the import, which changes with every update.
  mergeSkillFolders(versions, sides, before).write(join(scratch, 'updated'))
  const diff = await diffFolders(library.at(scratch), 'library', 'updated', name)
  const isBaseUnknown = base === undefined
  return {
    isBaseUnknown,
    isEdited: base !== ours,
    diff,
    merge,
    versions,
    sides,
    source,
    result: join(scratch, 'updated'),
    skill: skillIn(join(scratch, 'updated'), registered.skill),
  }
}

/** A skill of the source as import would write it, with the library's name and agents. */
function inLibraryForm(folder: string, { skill }: RegisteredSkill): SkillContent {
  const content = contentOf(readForeignSkill(folder, { agents: [], targets: skill.targets }))
  return { ...content, skill: { ...withoutSource(content.skill), name: skill.name } }
}

/** The imported version: the library's own if unchanged, else from the source, else from the library's history. */
async function baseOf(input: UpdateInput, ours: string, scratch: string): Promise<string | undefined> {
  const { library, registered, source, repo } = input
  const { name } = registered.skill
  const { libraryHash: imported, commit } = source
  if (imported !== undefined && libraryHashOf(ours, name) === imported) return ours
  if (repo !== undefined && commit !== undefined) {
    const snapshot = { repo, commit, folder: source.folder, isForeign: true }
    const raw = await checkOutSnapshot(snapshot, scratch, 'imported')
    if (raw !== undefined && hashPath(raw) === source.treeHash) {
      const base = join(scratch, 'base')
      writeSkillFolder(inLibraryForm(raw, registered), base)
      return base
    }
  }
  if (imported === undefined) return undefined
  return findInHistory(library, registered.folder, { hash: imported, kind: 'library' }, scratch)
}
