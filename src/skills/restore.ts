import { join } from 'node:path'
import { exists } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import type { Repository } from '../machine/repository.ts'
import { withScratch } from '../machine/scratch.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import type { Deletion } from './delete.ts'
import { checkOutSnapshot } from './disk/git-folders.ts'
import { changeLibrary, type LibraryChange, messageAbout } from './disk/library-transaction.ts'
import { copyTree } from './disk/tree.ts'
import { asWriter } from './observe.ts'
import { openSetup } from './setup.ts'

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
