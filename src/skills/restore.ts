import { join } from 'node:path'
import { exists } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { withScratch } from '../machine/scratch.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import type { Deletion } from './delete.ts'
import { checkOutSnapshot } from './disk/check-out.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { copyTree } from './disk/tree.ts'
import { asWriter } from './observe.ts'
import { openSetup } from './settings.ts'

/** Takes a deletion back: from the backup if one was needed, else from the commit before it. */
export async function restoreSkill(
  machine: Machine,
  { deletion }: { deletion: Deletion },
): Promise<Report<{ name: string; commit?: string }>> {
  const { name, folder, commit, backup } = deletion
  const setup = openSetup(machine, {})
  return asWriter(setup, [], 'restore', async (findings) => {
    if (exists(join(setup.library, folder))) {
      throw new LoadoutError('SKILL_EXISTS', `the library has ${folder} again already`, { hint: 'nothing was changed' })
    }
    const restored = await withScratch(async (scratch) => {
      const source = backup ?? (await checkOut(machine, setup.library, commit, folder, scratch))
      const write = (stage: string) => copyTree(source, stage)
      const message = commit === undefined ? undefined : `Restore skill ${name}`
      return changeLibrary(machine, setup.library, { changes: [{ folder, write }], message })
    })
    return { value: { name, ...(restored && { commit: restored }) }, findings }
  })
}

/** The folder as it was before a commit. */
async function checkOut(
  machine: Machine,
  repo: string,
  commit: string | undefined,
  folder: string,
  scratch: string,
): Promise<string> {
  const before = commit === undefined ? 'HEAD' : `${commit}^`
  const found = await checkOutSnapshot(machine, { repo, commit: before, folder }, scratch, 'files')
  if (found !== undefined) return found
  throw new LoadoutError('SKILL_NOT_FOUND', `${folder} is not in the history of the library`, {
    hint: 'nothing was changed',
  })
}
