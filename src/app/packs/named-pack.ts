import { join, resolve } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import type { Machine } from '../../infra/machine.ts'
import { packageFolder } from '../../infra/package-folder.ts'
import { findPackRoot } from '../../infra/packs/pack-root.ts'
import { findProjectRoot, findRepositoryRoot } from '../../infra/project-root.ts'

/** Where packs lie, below a workspace or a home folder. */
export const PACKS_FOLDER = '.agents/knowledge'

export function workspaceFolder({ cwd }: Machine): string {
  return findRepositoryRoot(cwd) ?? findProjectRoot(cwd) ?? cwd
}

/** The folder of a pack, by its path or by its name. */
export function requirePack(machine: Machine, pack: string): string {
  const isName = /^[a-z0-9-]+$/.test(pack)
  const places = isName
    ? [
        join(workspaceFolder(machine), PACKS_FOLDER, pack),
        join(machine.home, PACKS_FOLDER, pack),
        join(packageFolder(), 'knowledge', pack),
      ]
    : []
  for (const place of [...places, resolve(machine.cwd, pack)]) {
    const root = findPackRoot(place)
    if (root !== undefined) return root
  }
  throw new LoadoutError('PACK_NOT_FOUND', `there is no pack ${pack}`, {
    hint: 'loadout packs list names all packs; a folder with a KNOWLEDGE.md works as well',
  })
}
