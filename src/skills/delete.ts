import { join } from 'node:path'
import { exists } from '../machine/files.ts'
import { withScratch } from '../machine/leftovers.ts'
import type { Repository } from '../machine/repository.ts'
import { asFinding, type Finding, failWith, LoadoutError } from '../text/trouble.ts'
import { Backups } from './disk/backups.ts'
import { checkOutSnapshot } from './disk/git-folders.ts'
import { changeLibrary, type LibraryChange, messageAbout } from './disk/library-transaction.ts'
import { copyTree } from './disk/tree.ts'
import { type Installs, type ScopeRequest, withInstalls } from './installs.ts'
import { asWriter, observe } from './observe.ts'
import { neededBy } from './rules/needs.ts'
import { missing, placeOf, type RegisteredSkill, requireName, type SkillStatus } from './rules/skill.ts'

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
export const deleteSkill = withInstalls(async (installs, request: DeleteRequest): Promise<Deletion> => {
  const refuse = (error: LoadoutError) => {
    throw error
  }
  const value = await deleteNamed(installs, { ...request, names: [request.name] }, refuse)
  return value[0] as Deletion
})

/** Removes skills in one commit. One that cannot be removed does not stop the others. */
export const deleteSkills = withInstalls(async (installs, request: BulkDeleteRequest): Promise<Deletion[]> => {
  const refused: Finding[] = []
  const refuse = (error: LoadoutError) => void refused.push(asFinding(error, { severity: 'error' }))
  const value = await deleteNamed(installs, request, refuse)
  installs.machine.report(...refused)
  return value
})

async function deleteNamed(
  installs: Installs,
  request: BulkDeleteRequest,
  refuse: (error: LoadoutError) => void,
): Promise<Deletion[]> {
  const names = [...new Set(request.names.map(requireName))]
  await installs.repo.require()
  const isDryRun = request.dryRun ?? false
  const run = async (): Promise<Deletion[]> => {
    // The user's folders, those of the named project, and those of every project with installs on this machine.
    const projects = new Set([undefined, ...installs.knownProjects(), installs.project])
    const { statuses, state } = await observe(
      installs,
      [...projects].flatMap((each) => installs.config.targetRoots(each, () => true)),
      true,
    )
    const needers = neededBy(
      names,
      statuses.flatMap(({ registered }) => registered?.skill ?? []),
    )
    const removable = names.flatMap((name) => {
      const by = needers.get(name)
      const found = by ? failWith('NEEDS/by', { name, by: by.join(', ') }) : findRemovable(name, statuses)
      if (!(found instanceof LoadoutError)) return found
      refuse(found)
      return []
    })
    const deletions = removable.map(({ skill: { name }, folder, sourceHash }): Deletion => {
      const isKept = !isDryRun && state.uncommittedFolders.has(folder)
      const backup = isKept
        ? new Backups(installs.machine).add(join(installs.library, folder), name, 'library', sourceHash)
        : undefined
      return { name, library: installs.library, folder, backup, isDryRun }
    })
    if (isDryRun || deletions.length === 0) {
      return deletions
    }
    const isCommitted = request.commit ?? installs.config.commitsDeletes
    const deleted = deletions.map(({ name }) => name)
    const message = isCommitted ? messageAbout('Delete', deleted) : undefined
    const changes = deletions.map(({ folder }) => ({ path: folder }))
    const commit = await changeLibrary(installs.repo, { changes, message })
    return deletions.map((each) => ({ ...each, ...(commit && { commit }) }))
  }
  return isDryRun ? run() : asWriter(installs, [], 'delete', run)
}

function findRemovable(name: string, statuses: readonly SkillStatus[]): RegisteredSkill | LoadoutError {
  const status = statuses.find((each) => each.name === name)
  if (status?.registered === undefined) return missing(name, status, statuses)
  const managed = status.placements.filter(({ state }) => state !== 'unmanaged')
  return managed.length > 0
    ? failWith('SKILL_INSTALLED/still-installed', { name, places: managed.map(placeOf).join(', ') })
    : status.registered
}

/** Undoes deletions: each from the backup if there is one, else from the commit before it. */
export const restoreSkills = withInstalls(
  async (
    installs,
    { deletions }: { deletions: readonly Deletion[] },
  ): Promise<{ names: string[]; commit?: string }> => {
    const names = deletions.map(({ name }) => name)
    return asWriter(installs, [], 'restore', async () => {
      for (const { folder } of deletions) {
        if (!exists(join(installs.library, folder))) continue
        throw failWith('SKILL_EXISTS/again', { folder })
      }
      const restored = await withScratch(async (scratch) => {
        const changes: LibraryChange['changes'][number][] = []
        for (const deletion of deletions) {
          const source = deletion.backup ?? (await checkOut(installs.repo, deletion, scratch))
          changes.push({ path: deletion.folder, write: (stage) => copyTree(source, stage) })
        }
        const isCommitted = deletions.some(({ commit }) => commit !== undefined)
        const message = isCommitted ? messageAbout('Restore', names) : undefined
        return changeLibrary(installs.repo, { changes, message })
      })
      return { names, commit: restored }
    })
  },
)

/** The folder as it was before a commit. */
async function checkOut(repo: Repository, { name, commit, folder }: Deletion, scratch: string): Promise<string> {
  const before = commit === undefined ? 'HEAD' : `${commit}^`
  const found = await checkOutSnapshot({ repo, commit: before, folder }, scratch, name)
  if (found !== undefined) return found
  throw failWith('SKILL_NOT_FOUND/history', { folder })
}
