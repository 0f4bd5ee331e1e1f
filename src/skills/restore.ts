import { join } from 'node:path'
import { exists } from '../machine/files.ts'
import { runGit } from '../machine/git.ts'
import type { Machine } from '../machine/machine.ts'
import { withScratch } from '../machine/scratch.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import type { Deletion } from './delete.ts'
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

/** The folder as it was before a commit, in a place of its own: git's index and working tree stay as they are. */
async function checkOut(
  machine: Machine,
  library: string,
  commit: string | undefined,
  folder: string,
  scratch: string,
): Promise<string> {
  const before = commit === undefined ? 'HEAD' : `${commit}^`
  const env = { GIT_INDEX_FILE: join(scratch, 'index') }
  await runGit(machine, library, ['read-tree', before], { env })
  const { stdout } = await runGit(machine, library, ['ls-files', '-z', '--', folder], { env })
  const input = stdout
  await runGit(machine, library, ['checkout-index', '-z', '--stdin', `--prefix=${scratch}/files/`], { env, input })
  return join(scratch, 'files', folder)
}
