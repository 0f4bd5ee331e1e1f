import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Repository } from '../../machine/repository.ts'
import type { Sides } from '../../text/merge.ts'
import { type RegisteredSkill, type Skill, type SkillSource, withoutSource } from '../rules/skill.ts'
import { contentOf, readForeignSkill, type SkillContent, writeSkillFolder } from './foreign-skill.ts'
import { checkOutSnapshot, diffFolders, findInHistory, libraryHash, libraryHashOf } from './git-folders.ts'
import { mergeSkillFolders, type SkillMerge, type SkillVersions, skillIn } from './merge-folders.ts'
import { copyTree, hashTree, listTree } from './tree.ts'

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
    ...(input.ref !== undefined && { ref: input.ref }),
    ...(input.commit !== undefined && { commit: input.commit }),
    treeHash: hashTree(input.theirs, listTree(input.theirs).files),
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
  const diff = await diffFolders(library.at(scratch), 'library', 'updated')
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
    if (raw !== undefined && hashTree(raw, listTree(raw).files) === source.treeHash) {
      const base = join(scratch, 'base')
      writeSkillFolder(inLibraryForm(raw, registered), base)
      return base
    }
  }
  if (imported === undefined) return undefined
  return findInHistory(library, registered.folder, { hash: imported, kind: 'library' }, scratch)
}
