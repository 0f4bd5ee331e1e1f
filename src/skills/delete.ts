import { join } from 'node:path'
import { targetRoots } from '../agents/config.ts'
import { exists } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import type { Repository } from '../machine/repository.ts'
import { withScratch } from '../machine/scratch.ts'
import { asFinding, type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { Backups } from './disk/backups.ts'
import { checkOutSnapshot } from './disk/git-folders.ts'
import { changeLibrary, type LibraryChange, messageAbout } from './disk/library-transaction.ts'
import { copyTree } from './disk/tree.ts'
import { asWriter, observe } from './observe.ts'
import { missing, placeOf, type RegisteredSkill, requireName, type SkillStatus } from './rules/skill.ts'
import { allRoots, knownProjects, openGitSetup, openSetup, type ScopeRequest, type Setup } from './setup.ts'

interface DeleteFlags extends ScopeRequest {
  /** Default: the configured value. */
  commit?: boolean
  dryRun?: boolean
}

export interface DeleteRequest extends DeleteFlags {
  name: string
}

export interface BulkDeleteRequest extends DeleteFlags {
  names: readonly string[]
}

export interface Deletion {
  name: string
  library: string
  folder: string
  commit?: string
  /** The backup of its files, if some of them were not committed. */
  backup?: string
  isDryRun: boolean
}

/** Removes a skill from the library, unless an install still depends on it. */
export async function deleteSkill(machine: Machine, request: DeleteRequest): Promise<Report<Deletion>> {
  const refuse = (error: LoadoutError) => {
    throw error
  }
  const { value, findings } = await deleteNamed(machine, { ...request, names: [request.name] }, refuse)
  return { value: value[0] as Deletion, findings }
}

/** Removes skills in one commit. One that cannot be removed does not stop the others. */
export async function deleteSkills(machine: Machine, request: BulkDeleteRequest): Promise<Report<Deletion[]>> {
  const refused: Finding[] = []
  const refuse = (error: LoadoutError) => void refused.push({ ...asFinding(error), severity: 'error' })
  const { value, findings } = await deleteNamed(machine, request, refuse)
  return { value, findings: [...findings, ...refused] }
}

async function deleteNamed(
  machine: Machine,
  request: BulkDeleteRequest,
  refuse: (error: LoadoutError) => void,
): Promise<Report<Deletion[]>> {
  const names = [...new Set(request.names.map(requireName))]
  const setup = await openGitSetup(machine, request)
  const isDryRun = request.dryRun ?? false
  const run = async (recovered: Finding[]): Promise<Report<Deletion[]>> => {
    const { statuses, state } = await observe(setup, everyRoot(setup), true)
    const removable = names.flatMap((name) => {
      const found = findRemovable(name, statuses)
      if (!(found instanceof LoadoutError)) return found
      refuse(found)
      return []
    })
    const deletions = removable.map(({ skill: { name }, folder, sourceHash }): Deletion => {
      const isKept = !isDryRun && state.uncommittedFolders.has(folder)
      const backup = isKept
        ? new Backups(machine).add(join(setup.library, folder), name, 'library', sourceHash)
        : undefined
      return { name, library: setup.library, folder, backup, isDryRun }
    })
    if (isDryRun || deletions.length === 0) return { value: deletions, findings: recovered }
    const isCommitted = request.commit ?? setup.config.commitsDeletes
    const deleted = deletions.map(({ name }) => name)
    const message = isCommitted ? messageAbout('Delete', deleted) : undefined
    const changes = deletions.map(({ folder }) => ({ path: folder }))
    const commit = await changeLibrary(setup.repo, { changes, message })
    return { value: deletions.map((each) => ({ ...each, ...(commit && { commit }) })), findings: recovered }
  }
  return isDryRun ? run([]) : asWriter(setup, [], 'delete', run)
}

function findRemovable(name: string, statuses: readonly SkillStatus[]): RegisteredSkill | LoadoutError {
  const status = statuses.find((each) => each.name === name)
  if (status?.registered === undefined) return missing(name, status, statuses)
  const managed = status.placements.filter(({ state }) => state !== 'unmanaged')
  return managed.length > 0 ? stillInstalled(name, managed.map(placeOf)) : status.registered
}

/** The user's folders, those of the named project, and those of every project with installs on this machine. */
function everyRoot(setup: Setup) {
  const { machine, config, project } = setup
  const projects = new Set([...knownProjects(machine), ...(project === undefined ? [] : [project])])
  return [
    ...allRoots({ ...setup, project: undefined }),
    ...[...projects].flatMap((each) => targetRoots(machine, config, each, () => true)),
  ]
}

function stillInstalled(name: string, places: readonly string[]): LoadoutError {
  return new LoadoutError('SKILL_INSTALLED', `${name} is still installed: ${places.join(', ')}`, {
    hint: `loadout unequip ${name} first; in a project with --project <folder>`,
  })
}

/** Undoes deletions: each from the backup if there is one, else from the commit before it. */
export async function restoreSkills(
  machine: Machine,
  { deletions }: { deletions: readonly Deletion[] },
): Promise<Report<{ names: string[]; commit?: string }>> {
  const setup = openSetup(machine, {})
  const names = deletions.map(({ name }) => name)
  return asWriter(setup, [], 'restore', async (findings) => {
    for (const { folder } of deletions) {
      if (!exists(join(setup.library, folder))) continue
      throw new LoadoutError('SKILL_EXISTS', `the library has ${folder} again already`, { hint: 'nothing was changed' })
    }
    const restored = await withScratch(async (scratch) => {
      const changes: LibraryChange['changes'][number][] = []
      for (const deletion of deletions) {
        const source = deletion.backup ?? (await checkOut(setup.repo, deletion, scratch))
        changes.push({ path: deletion.folder, write: (stage) => copyTree(source, stage) })
      }
      const isCommitted = deletions.some(({ commit }) => commit !== undefined)
      const message = isCommitted ? messageAbout('Restore', names) : undefined
      return changeLibrary(setup.repo, { changes, message })
    })
    return { value: { names, commit: restored }, findings }
  })
}

/** The folder as it was before a commit. */
async function checkOut(repo: Repository, { name, commit, folder }: Deletion, scratch: string): Promise<string> {
  const before = commit === undefined ? 'HEAD' : `${commit}^`
  const found = await checkOutSnapshot({ repo, commit: before, folder }, scratch, name)
  if (found !== undefined) return found
  throw new LoadoutError('SKILL_NOT_FOUND', `${folder} is not in the history of the library`, {
    hint: 'nothing was changed',
  })
}
