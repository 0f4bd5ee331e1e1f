import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readJson } from '../../machine/files.ts'
import type { Repository } from '../../machine/repository.ts'
import type { Sides } from '../../text/merge.ts'
import { LoadoutError } from '../../text/trouble.ts'
import {
  type PlacementStatus,
  parseSkill,
  placeOf,
  type RegisteredSkill,
  SKILL_FILE,
  type Skill,
  type SkillSource,
} from '../rules/skill.ts'
import { readAdopted } from './adopted-skill.ts'
import { writeSkillFolder } from './foreign-skill.ts'
import { checkOutSnapshot, diffFolders } from './git-folders.ts'
import { findInHistory, libraryHash, libraryHashOf } from './merge-base.ts'
import { mergeSkillFolders, type SkillMerge, type SkillVersions } from './merge-folders.ts'
import { copyTree } from './tree.ts'

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
  const skill = isMerged ? skillIn(base, name) : registered.skill
  const content = readAdopted(base, skill, copy.agent, placeOf(copy))
  const versions = { name, base, ours, theirs: join(scratch, 'edited') }
  writeSkillFolder(content, versions.theirs)
  const sides = { ours: 'the library', theirs: `your edit of ${placeOf(copy)}` }
  const { source } = registered.skill
  const merge = mergeSkillFolders(versions, sides, source)
  const result = join(scratch, 'adopted')
  merge.write(result)
  const diff = await diffFolders(repo.at(scratch), 'library', 'adopted')
  const hash = libraryHash(content)
  const isUnchanged = hash === libraryHashOf(base, name)
  return { from: placeOf(copy), hash, isUnchanged, diff, isMerged, merge, versions, sides, source, result }
}

function skillIn(folder: string, name: string): Skill {
  const parsed = parseSkill(readJson(join(folder, SKILL_FILE)), name)
  if (parsed.skill !== undefined) return parsed.skill
  throw new LoadoutError('INVALID_SKILL', `${folder} was not a skill: ${parsed.problems.join('; ')}`)
}

async function findBase(
  repo: Repository,
  registered: RegisteredSkill,
  copy: PlacementStatus,
  ours: string,
  scratch: string,
): Promise<string> {
  const { folder, skill } = registered
  if (copy.isBehind) return installedBase(repo, registered, copy, scratch)
  const imported = copy.state === 'unmanaged' ? skill.source?.libraryHash : undefined
  if (imported === undefined || imported === libraryHashOf(ours, skill.name)) return ours
  return (await findInHistory(repo, folder, { hash: imported, kind: 'library' }, scratch)) ?? ours
}

async function installedBase(
  repo: Repository,
  { folder, skill: { name } }: RegisteredSkill,
  { placement: { marker, root }, state }: PlacementStatus,
  scratch: string,
): Promise<string> {
  const known = marker !== undefined && 'commit' in marker ? marker : undefined
  const { commit = '', sourceHash } = known ?? {}
  const found =
    sourceHash === undefined
      ? await checkOutSnapshot({ repo, commit, folder }, scratch, 'base')
      : await findInHistory(repo, folder, { commit, hash: sourceHash, kind: 'source' }, scratch)
  if (found !== undefined) return found
  const scope = root.scope === 'project' ? ' --project .' : ''
  const was = state === 'edited' ? 'was' : 'may have been'
  throw new LoadoutError(
    'IMPORT_CONFLICT',
    `${join(root.path, name)} ${was} edited by hand, the library has changed since, and no commit of it has the version that was installed; the copy stays as it is`,
    {
      hint: `loadout diff ${name}${scope} shows both; loadout adopt ${name}${scope} --force takes the copy, loadout equip ${name}${scope} --replace the library's version, and keeps a copy of the other`,
    },
  )
}
